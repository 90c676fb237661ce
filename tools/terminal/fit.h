/* fit.h - texts that are as wide as the terminal allows. Called where tables and sentences are
 * printed.
 *
 *   src/model/layers/attention.cu:120 forward<float>  float *scores = n * n * sizeof(float)
 *   .../attention.cu:120 forward<float>  float *sco...       in 50 columns
 *
 * Nothing is shortened in a file or a pipe, whose reader has its own width. */
#ifndef GPM_TOOLS_FIT_H
#define GPM_TOOLS_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The columns that a text takes on the screen. Sequences that set colours take none. */
uint32_t gpm_fit_columns(const char *text);
/* How many bytes of a text take so many columns. */
size_t gpm_fit_bytes(const char *text, uint32_t columns);
/* Whether a text has room in a line of standard output. */
bool gpm_fit_fits(const char *text);
/* Returns a text that begins with the name of a file in at most so many columns: of a call path the
 * first callers go, then the folders of the file, then the end. 0: as it is. To be freed. */
char *gpm_fit_location(const char *text, uint32_t columns);

#endif
