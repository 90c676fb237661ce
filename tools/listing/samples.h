/* samples.h - prints the samples of devices and pools that were taken during the run, for
 * `gpumemprof info --samples`. */
#ifndef GPM_TOOLS_SAMPLES_H
#define GPM_TOOLS_SAMPLES_H

#include "capture/reader.h"
#include "output/shown.h"

/* Prints all samples in the order in which they were taken. `style` is an enum gpm_text_style, for
 * the table. */
void gpm_samples_print(const struct gpm_reader *reader, enum gpm_format format, unsigned style);

#endif
