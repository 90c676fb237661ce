/* samples.h - what devices and pools said in the course of the run: `gpumemprof info --samples`. */
#ifndef GPM_TOOLS_SAMPLES_H
#define GPM_TOOLS_SAMPLES_H

#include "capture/reader.h"
#include "support/shown.h"

/* All of them in the order they were taken. style: enum gpm_text_style, for the table. */
void gpm_samples_print(const struct gpm_reader *reader, enum gpm_format format, unsigned style);

#endif
