/* gzip.h - a stream that compresses what is written to it: files of sink.c, sections of a page. */
#ifndef GPM_TOOLS_GZIP_H
#define GPM_TOOLS_GZIP_H

#include <stdio.h>

/* Compressed bytes go to `below`, which stays open when this stream is closed; only then are they
 * all there. No time stands in them: equal contents are equal bytes. Null: there is no memory. */
FILE *gpm_gzip_open(FILE *below);

#endif
