/* run_without.h - why a run has left no capture, in one sentence: see run_without.c. */
#ifndef GPM_TOOLS_RUN_WITHOUT_H
#define GPM_TOOLS_RUN_WITHOUT_H

#include "running/run_end.h"

void gpm_run_without_say(const struct gpm_run_end *end);
/* This machine has no CUDA driver: no program can use CUDA, unless it brings one along. */
bool gpm_run_without_driver(void);
/* The capture was there, and was replaced or removed. */
void gpm_run_without_say_replaced(const struct gpm_run_end *end);

#endif
