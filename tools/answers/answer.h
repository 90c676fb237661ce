/* answer.h - what a capture says in short: its peak with the line that held most of it, leaks with
 * theirs, what failed, and which command shows more. Called by `gpumemprof run` and by `gpumemprof`
 * without a command.
 *
 * Lines are those that call a wrapper (model/wrappers.h), as in a report. Budgets are judged by
 * what was recorded, as in `gpumemprof check`.
 */
#ifndef GPM_TOOLS_ANSWER_H
#define GPM_TOOLS_ANSWER_H

#include "model/profile.h"

#include "gpumemprof/answer.h"

/* The same as gpumemprof_answer_part, with a line of its own. */
struct gpm_answer_part {
  uint64_t bytes, blocks, most;
  char *line;
};

struct gpm_answer {
  char *path;
  char *program; /* the name of its file */
  /* Set by the callers that know them, or null: the name of one of several processes, "rank 3", and
   * how the process ended, "was ended by signal 6 (Aborted)". */
  char *name, *end;
  char *remedy; /* the same: what to do next, in place of `next` */
  uint64_t pid;
  enum gpm_state state;
  char *stop_reason;
  enum gpumemprof_answer_next next;
  /* The GPU that was fullest, by the share of its memory where that is known; without a GPU the
   * device, such as pinned memory, with the highest peak. */
  struct gpm_answer_part peak;
  char *device;                 /* "GPU 0"; null: nothing was allocated */
  uint64_t memory;              /* of that device; 0: not known */
  uint32_t gpus;                /* number of GPUs on which memory was allocated */
  struct gpm_answer_part leaks; /* what is live, also where the program has not exited */
  bool ran_out; /* it exited after it was out of memory: nothing says that what is live leaked */
  struct gpm_answer_part failed;
  uint64_t oom_calls;    /* of `failed` */
  uint64_t failed_frees; /* frees that returned an error */
  uint32_t broken;       /* number of budgets that were broken */
  char *budget;          /* where one of them is; null: none */
  bool nothing_rebuilt;  /* the program was not rebuilt: uses of memory cannot be recorded */
  bool simulated;        /* one of its devices was: kernels computed nothing */
  bool lost;             /* a counter of losses is not 0 */
  bool unbalanced;       /* conservation does not hold */
};

/* Moves the memory of wrappers to their callers in the reader (model/wrappers.h), which must not
 * have been done before. */
void gpm_answer_find(struct gpm_answer *answer, struct gpm_reader *reader);
void gpm_answer_free(struct gpm_answer *answer);
/* Returns whether the device of `answer` was fuller at its peak than that of `other`. */
bool gpm_answer_is_fuller(const struct gpm_answer *answer, const struct gpm_answer *other);

#endif
