/* answer.h - what a run says in short when it has ended: rules and words of the four lines about
 * its peak, its leaks, what failed, and what to do next.
 *
 *   peak    24.00 MiB of 64.00 MiB, 16.00 MiB at main.c:13 main
 *   leaks   8.00 MiB in 1 block at main.c:14 main
 *   failed  nothing
 *   next    gpumemprof leaks  # with their call paths
 *
 * The tool finds the figures in captures (tools/answers/), of several processes together; the
 * runtime finds those of its own process (runtime/answer/, with the option summary=1). Each of the
 * functions below adds a part of a line to where the caller wants it.
 */
#ifndef GPUMEMPROF_ANSWER_H
#define GPUMEMPROF_ANSWER_H

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <string.h>

/* ---- rules -------------------------------------------------------------------------------------
 */

/* Whether a share of memory is larger; where a size is not known, whether the peak is. */
static inline bool gpumemprof_answer_is_larger(uint64_t peak, uint64_t memory, uint64_t other,
                                               uint64_t other_memory) {
  if (!memory || !other_memory) return peak > other;
  return (unsigned __int128)peak * other_memory > (unsigned __int128)other * memory;
}

/* Whether a device was fuller at its peak. GPUs come before other memory, such as pinned memory. */
static inline bool gpumemprof_answer_is_fuller(const struct gpumemprof_capture_device *d,
                                               const struct gpumemprof_capture_device *than) {
  if ((d->ordinal >= 0) != (than->ordinal >= 0)) return d->ordinal >= 0;
  return gpumemprof_answer_is_larger(d->peak, d->memory_total, than->peak, than->memory_total);
}

/* Whether one of the counters of the header says that figures are incomplete. */
static inline bool gpumemprof_answer_has_losses(const uint64_t *counters) {
  static const unsigned losses[] = {
#define GPUMEMPROF_COUNTER(name, unit, is_loss, text)                                              \
  (is_loss) == 1 ? GPUMEMPROF_COUNTER_##name : GPUMEMPROF_CAPTURE_COUNTERS,
#include "gpumemprof/counters.def"
  };
  for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
    if (losses[i] < GPUMEMPROF_CAPTURE_COUNTERS && counters[losses[i]]) return true;
  return false;
}

/* What the next command is about, the most urgent first. */
enum gpumemprof_answer_next {
  GPUMEMPROF_ANSWER_OOM,
  GPUMEMPROF_ANSWER_BUDGETS,
  GPUMEMPROF_ANSWER_FAILURES,
  GPUMEMPROF_ANSWER_LAST_EVENTS, /* the program did not exit cleanly, and there is a history */
  GPUMEMPROF_ANSWER_LEAKS,
  GPUMEMPROF_ANSWER_PEAK,
  GPUMEMPROF_ANSWER_NOTHING,  /* nothing was recorded */
  GPUMEMPROF_ANSWER_NOT_BUILT /* the same, and no code was built with the plugin */
};

struct gpumemprof_answer_facts {
  bool nothing;     /* nothing was recorded, or recording was paused all the time */
  bool built;       /* code that was built with the plugin was there */
  bool described;   /* a failure that was out of memory has a record */
  bool broken;      /* a budget was */
  bool failed;      /* an allocation */
  bool last_events; /* the program did not exit cleanly, and there is a history */
  bool leaks;
  bool allocated; /* memory was, on any device */
};

static inline enum gpumemprof_answer_next
gpumemprof_answer_next(const struct gpumemprof_answer_facts *facts) {
  if (facts->nothing) return facts->built ? GPUMEMPROF_ANSWER_NOTHING : GPUMEMPROF_ANSWER_NOT_BUILT;
  if (facts->described) return GPUMEMPROF_ANSWER_OOM;
  if (facts->broken) return GPUMEMPROF_ANSWER_BUDGETS;
  if (facts->failed) return GPUMEMPROF_ANSWER_FAILURES;
  if (facts->last_events) return GPUMEMPROF_ANSWER_LAST_EVENTS;
  if (facts->leaks) return GPUMEMPROF_ANSWER_LEAKS;
  return facts->allocated ? GPUMEMPROF_ANSWER_PEAK : GPUMEMPROF_ANSWER_NOTHING;
}

/* ---- words -------------------------------------------------------------------------------------
 */

struct gpumemprof_answer_to {
  void *data;
  void (*text)(void *data, const char *text);
  void (*number)(void *data, uint64_t number);
  void (*bytes)(void *data, uint64_t bytes); /* "350.00 MiB" */
};

static inline void gpumemprof_answer_text(const struct gpumemprof_answer_to *to, const char *text) {
  to->text(to->data, text);
}

/* Adds "2 blocks". */
static inline void gpumemprof_answer_count(const struct gpumemprof_answer_to *to, uint64_t number,
                                           const char *what) {
  to->number(to->data, number);
  to->text(to->data, what);
  if (number != 1) to->text(to->data, "s");
}

/* Bytes, and the line with the most of them. */
struct gpumemprof_answer_part {
  uint64_t bytes, blocks; /* of failures: the number of calls */
  uint64_t most;          /* bytes of that line */
  const char *line;       /* "main.c:10 main"; null: there is none */
  const char *process;    /* of several, the one with that line; null: there is only one */
};

/* Adds " of rank 3" for one of several processes. */
static inline void gpumemprof_answer_process(const struct gpumemprof_answer_to *to,
                                             const char *of) {
  if (!of) return;
  to->text(to->data, " of ");
  to->text(to->data, of);
}

/* Adds ", 20.00 MiB at main.c:10 main", or " at main.c:10 main" if that is all. */
static inline void gpumemprof_answer_line(const struct gpumemprof_answer_to *to,
                                          const struct gpumemprof_answer_part *part) {
  if (!part->line) return;
  if (part->most < part->bytes) {
    to->text(to->data, ", ");
    to->bytes(to->data, part->most);
  }
  to->text(to->data, " at ");
  to->text(to->data, part->line);
  gpumemprof_answer_process(to, part->process);
}

/* What reports call the memory that no GPU's total has; null: the ordinal is a GPU's. */
static inline const char *gpumemprof_answer_not_gpu(int32_t ordinal) {
  switch (ordinal) {
  case GPUMEMPROF_HOST:
    return "host";
  case GPUMEMPROF_IMPORTED:
    return "imported";
  case GPUMEMPROF_CUSTOM:
    return "custom";
  default:
    return ordinal < 0 ? "a total newer than this tool" : NULL;
  }
}

/* device: the name of the fullest, "GPU 0"; null: nothing was allocated. memory: of that device; 0:
 * not known. gpus: on how many memory was allocated. */
static inline void gpumemprof_answer_peak(const struct gpumemprof_answer_to *to,
                                          const struct gpumemprof_answer_part *peak,
                                          const char *device, uint64_t memory, uint32_t gpus) {
  to->text(to->data, "  peak    ");
  if (!device) return to->text(to->data, "none: no memory was allocated");
  to->bytes(to->data, peak->bytes);
  if (gpus && memory) {
    to->text(to->data, " of ");
    to->bytes(to->data, memory);
  }
  if (gpus != 1 || peak->process) {
    to->text(to->data, " on ");
    to->text(to->data, device);
  }
  if (gpus > 1) {
    to->text(to->data, " (fullest of ");
    to->number(to->data, gpus);
    to->text(to->data, ")");
  }
  gpumemprof_answer_line(to, peak);
}

/* What memory is that was not freed. */
enum gpumemprof_answer_left {
  GPUMEMPROF_ANSWER_LEAKED,
  GPUMEMPROF_ANSWER_LIVE,   /* the program has not exited */
  GPUMEMPROF_ANSWER_RAN_OUT /* it exited after it was out of memory, and freed nothing after that */
};

/* processes: in how many there are some. */
static inline void gpumemprof_answer_leaks(const struct gpumemprof_answer_to *to,
                                           const struct gpumemprof_answer_part *leaks,
                                           enum gpumemprof_answer_left left, uint32_t processes) {
  to->text(to->data, left == GPUMEMPROF_ANSWER_LEAKED ? "  leaks   " : "  live    ");
  if (!leaks->blocks) return to->text(to->data, "none");
  to->bytes(to->data, leaks->bytes);
  to->text(to->data, " in ");
  gpumemprof_answer_count(to, leaks->blocks, " block");
  if (processes > 1) {
    to->text(to->data, " of ");
    to->number(to->data, processes);
    to->text(to->data, " processes");
  }
  gpumemprof_answer_line(to, leaks);
  if (left == GPUMEMPROF_ANSWER_RAN_OUT)
    to->text(to->data, processes > 1    ? ", when the processes ended after they ran out of memory"
                       : leaks->process ? ", when it ended after it ran out of memory"
                                        : ", when the program ended after it ran out of memory");
}

/* What failed is one line. Each thing begins with gpumemprof_answer_fault, which separates it from
 * the one before. */
static inline void gpumemprof_answer_fault(const struct gpumemprof_answer_to *to, bool *any) {
  to->text(to->data, *any ? "; " : "  failed  ");
  *any = true;
}

static inline void gpumemprof_answer_no_more_faults(const struct gpumemprof_answer_to *to,
                                                    bool any) {
  if (!any) to->text(to->data, "  failed  nothing");
}

/* ooms: how many of them were out of memory. */
static inline void gpumemprof_answer_allocations(const struct gpumemprof_answer_to *to, bool *any,
                                                 const struct gpumemprof_answer_part *failed,
                                                 uint64_t ooms) {
  if (!failed->blocks) return;
  gpumemprof_answer_fault(to, any);
  if (ooms && ooms == failed->blocks) to->text(to->data, "out of memory: ");
  gpumemprof_answer_count(to, failed->blocks, " allocation");
  to->text(to->data, " of ");
  to->bytes(to->data, failed->bytes);
  if (failed->blocks != 1) to->text(to->data, " in all");
  if (ooms && ooms < failed->blocks) {
    to->text(to->data, " (");
    to->number(to->data, ooms);
    to->text(to->data, " of them out of memory)");
  }
  gpumemprof_answer_line(to, failed);
}

/* where: the scope of one of them. */
static inline void gpumemprof_answer_budgets(const struct gpumemprof_answer_to *to, bool *any,
                                             uint64_t broken, const char *where, const char *of) {
  if (!broken) return;
  gpumemprof_answer_fault(to, any);
  gpumemprof_answer_count(to, broken, " budget");
  to->text(to->data, broken > 1 ? " broken, one at " : " broken at ");
  to->text(to->data, where);
  gpumemprof_answer_process(to, of);
}

static inline void gpumemprof_answer_frees(const struct gpumemprof_answer_to *to, bool *any,
                                           uint64_t frees) {
  if (!frees) return;
  gpumemprof_answer_fault(to, any);
  gpumemprof_answer_count(to, frees, " free");
}

/* reason: why recording stopped before the program ended. */
static inline void gpumemprof_answer_stopped(const struct gpumemprof_answer_to *to, bool *any,
                                             const char *reason, const char *of) {
  gpumemprof_answer_fault(to, any);
  to->text(to->data, "recording stopped: ");
  to->text(to->data, reason);
  gpumemprof_answer_process(to, of);
}

static inline void gpumemprof_answer_doubts(const struct gpumemprof_answer_to *to, bool *any,
                                            bool lost, bool unbalanced) {
  if (!lost && !unbalanced) return;
  gpumemprof_answer_fault(to, any);
  to->text(to->data, unbalanced ? "the sums do not balance" : "some of it was not recorded");
  to->text(to->data, " (`gpumemprof report` says more)");
}

/* argument: the capture, as a shell reads it; "" where the command finds it or needs none. */
static inline void gpumemprof_answer_advice(const struct gpumemprof_answer_to *to,
                                            enum gpumemprof_answer_next next,
                                            const char *argument) {
  static const struct {
    const char *command, *options, *shows;
  } nexts[] = {
      [GPUMEMPROF_ANSWER_NOT_BUILT] = {"flags", " clang", "to build it with the plugin"},
      [GPUMEMPROF_ANSWER_NOTHING] = {"info", "", "what was recorded"},
      [GPUMEMPROF_ANSWER_OOM] = {"oom", "", "what held the memory"},
      [GPUMEMPROF_ANSWER_BUDGETS] = {"check", "", "by how much"},
      [GPUMEMPROF_ANSWER_FAILURES] = {"report", "", "which calls failed"},
      [GPUMEMPROF_ANSWER_LAST_EVENTS] = {"events", " --last 20", "what happened last"},
      [GPUMEMPROF_ANSWER_LEAKS] = {"leaks", "", "with their call paths"},
      [GPUMEMPROF_ANSWER_PEAK] = {"peak", "", "all that was live then"},
  };
  to->text(to->data, "  next    gpumemprof ");
  to->text(to->data, nexts[next].command);
  to->text(to->data, *argument ? " " : "");
  to->text(to->data, argument);
  to->text(to->data, nexts[next].options);
  to->text(to->data, "  # ");
  to->text(to->data, nexts[next].shows);
}

/* Writes a path as an argument of a command, quoted where a shell needs it. There has to be room
 * for 4 * strlen(path) + 3 bytes. */
static inline void gpumemprof_answer_quote(char *to, const char *path) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+"
                              "=:,@%";
  bool quotes = path[strspn(path, plain)] != 0;
  if (quotes) *to++ = '\'';
  for (; *path; path++) {
    if (*path == '\'') {
      memcpy(to, "'\\''", 4);
      to += 4;
    } else *to++ = *path;
  }
  if (quotes) *to++ = '\'';
  *to = 0;
}

#endif /* GPUMEMPROF_ANSWER_H */
