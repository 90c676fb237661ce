/* options.h - the options of one run of a program, from GPUMEMPROF_OPTIONS and other variables of
 * the environment. options.c sets them once, before recording starts; afterwards they are only
 * read. */
#ifndef GPM_OPTIONS_H
#define GPM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPM_PATH_MAX 4096
struct gpm_dump_when { /* 0 means that nothing is dumped for that reason */
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
  bool summary;
  bool paused;
  uint64_t stack;
  uint64_t ring; /* events */
  uint64_t oom_max;
  char history[8]; /* "off", "ring" or "all" */
  bool uses, uses_verify;
  bool cupti, cupti_given; /* given: by the user */
  bool stacks_given;
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
void gpm_options_read(void); /* from the environment; reports each bad option in one sentence */
/* From now on, cupti=1 is the default, and with `functions` stacks=native is. */
void gpm_options_record_all_code(bool functions);
/* GPUMEMPROF=0, or the program runs with more rights than its caller has (AT_SECURE). */
bool gpm_options_are_off(void);
/* Expands %h %p %r %%; returns whether the pattern names the process. */
bool gpm_options_output(char *path, size_t size, const char *host, uint64_t pid);

/* variables.c: the value of a variable of the environment, even before libc has set that up; null:
 * it is not set, or must not be used (AT_SECURE). */
const char *gpm_options_variable(const char *name);
/* False if the program has more rights than its user (AT_SECURE). */
bool gpm_variables_may_be_read(void);
/* Reports in one sentence the variables GPUMEMPROF_* that nothing reads. */
void gpm_variables_say_unread(void);

/* ranks.c: the rank of the process in a parallel job, and the number of ranks (0: not known; the
 * pointer may be null); false: the rank is not known, and *rank is 0. */
bool gpm_ranks_own(uint64_t *rank, uint64_t *ranks);
/* *listed: whether a list (0,3,8-11, or all) contains the rank. Returns false when the text is no
 * list. */
bool gpm_ranks_parse(const char *list, uint64_t rank, bool *listed);

/* values.c: the value that follows a "key="; false: the text is no such value, and nothing was
 * stored. */
bool gpm_values_bool(const char *text, bool *value);
/* One of the words that follow, up to a null. */
bool gpm_values_among(const char *text, ...) __attribute__((sentinel));
/* Reports that a call of the program was given an unknown word; usage: "off, ring or all". */
void gpm_values_refuse(const char *call, const char *word, const char *usage);
bool gpm_values_schedule(const char *text, struct gpm_steps *steps);
bool gpm_values_uint(const char *text, uint64_t *value);
bool gpm_values_duration(const char *text, uint64_t *ns); /* 100ms, 1.5s, off */
bool gpm_values_bytes(const char *text, uint64_t *bytes); /* 1000, 512MiB, 2G */
/* Whether a number lacks a unit that it needs: "20" or "every:10" hardly means bytes or
 * nanoseconds. 0 needs no unit. */
bool gpm_values_lack_unit(const char *text);
bool gpm_values_limit(const char *text, struct gpm_limit *limit); /* 20GiB, 80%, more than 0 */
bool gpm_values_dump(const char *text, struct gpm_dump_when *when);

#endif /* GPM_OPTIONS_H */
