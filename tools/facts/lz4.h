/* lz4.h - decodes a block of LZ4, the format in which older versions of nvcc compress PTX. fatbin.c
 * uses it. */
#ifndef GPM_TOOLS_LZ4_H
#define GPM_TOOLS_LZ4_H

#include <stdbool.h>
#include <stddef.h>

/* Decodes a whole block into exactly `room` bytes. False: the block is damaged, or it holds more or
 * less than that. */
bool gpm_lz4_decode(const unsigned char *block, size_t size, unsigned char *out, size_t room);

#endif
