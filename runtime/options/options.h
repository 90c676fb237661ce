/* options.h - what one run of a program was asked for: GPUMEMPROF_OPTIONS and other variables of
 * the environment. options.c reads them once, before recording starts; then they only are read. */
#ifndef GPM_OPTIONS_H
#define GPM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPM_PATH_MAX 4096
struct gpm_dump_when { /* 0: never for that */
  int signal;
  uint64_t every_ns, bytes;
  bool peak;
};
struct gpm_steps { /* active 0: there is no schedule */
  uint64_t wait, warmup, active, repeat, skip_first;
};
struct gpm_limit { /* both 0: none */
  uint64_t bytes;
  double percent;
};
struct gpm_options {
  bool enabled;
  bool other_rank; /* not enabled, because ranks= leaves this process out */
  bool quiet;
  bool paused;
  uint64_t stack;
  uint64_t ring; /* events */
  uint64_t oom_max;
  char history[8]; /* "off", "ring" or "all" */
  bool cupti;
  char stacks[8]; /* "scopes" or "native" */
  char verify[8]; /* "off" or "paths" */
  bool nvtx;
  char nvtx_emit[16]; /* as given */
  uint64_t monitor;   /* ns; 0: off */
  char dump[96];      /* as given; what it says: */
  struct gpm_dump_when when;
  uint64_t dump_max;
  char ranks[512];    /* as given */
  char schedule[128]; /* as given; what it says: */
  struct gpm_steps steps;
  char step[1024];                         /* a function; "": none */
  char warn[32], critical[32], growth[32]; /* as given, "": none; what they say: */
  struct gpm_limit warn_at, critical_at;
  uint64_t growth_bytes;
  char unaccounted[8];       /* "off", "on" or "calls" */
  char output[GPM_PATH_MAX]; /* pattern */
};
#define GPM_MONITOR_SHORTEST_NS 1000000u
#define GPM_DUMP_SHORTEST_NS 10000000u
extern struct gpm_options gpm_options;
void gpm_options_read(void); /* from the environment; says one sentence for each bad option */
/* GPUMEMPROF=0, or the program runs with more rights than its caller has (AT_SECURE). */
bool gpm_options_are_off(void);
/* Expands %h %p %r %%; returns whether the pattern names the process. */
bool gpm_options_output(char *path, size_t size, const char *host, uint64_t pid);

/* variables.c: of the environment, also before libc knows it; null: not set, or not to be used
 * (AT_SECURE). */
const char *gpm_options_variable(const char *name);
bool gpm_variables_may_be_read(void); /* not AT_SECURE */
/* Says in one sentence which variables GPUMEMPROF_* nobody reads. */
void gpm_variables_say_unread(void);

/* ranks.c: the process's number in a parallel job, and how many the job has (0: not known; may be
 * null); false: no number is known, and it is 0. */
bool gpm_ranks_own(uint64_t *rank, uint64_t *ranks);
/* Whether a list (0,3,8-11, or all) has it; false: it is no list. */
bool gpm_ranks_parse(const char *list, uint64_t rank, bool *listed);

/* values.c: what stands behind a "key="; false: it is none, and nothing was stored. */
bool gpm_values_bool(const char *text, bool *value);
/* One of the words that follow, up to a null. */
bool gpm_values_among(const char *text, ...) __attribute__((sentinel));
/* Says that a call of the program's was given no such word; usage: "off, ring or all". */
void gpm_values_refuse(const char *call, const char *word, const char *usage);
bool gpm_values_schedule(const char *text, struct gpm_steps *steps);
bool gpm_values_uint(const char *text, uint64_t *value);
bool gpm_values_duration(const char *text, uint64_t *ns); /* 100ms, 1.5s, off */
bool gpm_values_bytes(const char *text, uint64_t *bytes); /* 1000, 512MiB, 2G */
/* "20", "every:10", as bytes, nanoseconds or the like hardly what anybody means; 0 needs none. */
bool gpm_values_lack_unit(const char *text);
bool gpm_values_limit(const char *text, struct gpm_limit *limit); /* 20GiB, 80%, more than 0 */
bool gpm_values_dump(const char *text, struct gpm_dump_when *when);

#endif /* GPM_OPTIONS_H */
