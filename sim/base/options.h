/* options.h - GPUMEMPROF_SIM_OPTIONS, and messages on standard error. */
#ifndef GPUMEMPROF_SIM_OPTIONS_H
#define GPUMEMPROF_SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_sim_options {
  uint64_t devices;
  uint64_t memory; /* bytes per device */
  uint64_t granularity;
  char name[256];
  uint64_t fail;       /* the allocation of this number fails; 0: none */
  uint64_t fail_every; /* every allocation whose number is a multiple fails; 0: none */
  uint64_t fail_free;  /* the free of this number fails; 0: none */
  uint64_t context;    /* bytes */
  uint64_t limits;
  char kernels[256]; /* a library in which kernels are; empty: they compute nothing */
  char cupti[256];   /* free, taken or broken */
  uint64_t verbose;
};
const struct gpm_sim_options *gpm_sim_options(void);
/* Parses text into options that hold the defaults. False: message holds one sentence. */
bool gpm_sim_options_parse(struct gpm_sim_options *options, const char *text, char *message,
                           size_t size);
void gpm_sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports once per name that it is not simulated; returns GPM_SIM_NOT_SUPPORTED. */
int gpm_sim_unsupported(const char *name);
/* Reports once, if verbose, that kernels compute nothing. */
void gpm_sim_note_launch(void);

#endif /* GPUMEMPROF_SIM_OPTIONS_H */
