/* gzip.h - a stream that compresses what is written to it: files of sink.c, sections of a page. */
#ifndef GPM_TOOLS_GZIP_H
#define GPM_TOOLS_GZIP_H

#include <stdio.h>

/* Compressed bytes go to `below`, which stays open when this stream is closed; only after that is
 * the output complete. It contains no timestamp, so equal input gives equal bytes. Null: out of
 * memory. */
FILE *gpm_gzip_open(FILE *below);

#endif
