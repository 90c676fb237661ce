/* answer.h - what a run says in short at its end (summary=1): answer.c finds the figures, and
 * answer_text.c writes the lines, in the words of include/gpumemprof/answer.h.
 */
#ifndef GPM_ANSWER_H
#define GPM_ANSWER_H

#include "capture/words.h"

#include "gpumemprof/answer.h"

struct gpm_answer_node { /* by the number of the node */
  const struct gpumemprof_capture_node *record;
  const struct gpumemprof_capture_site *site; /* null: it has none, as the root */
  uint32_t caller; /* the call that is charged with what is allocated there: mostly itself */
  struct gpumemprof_capture_amount leaked, failed; /* that it is charged with; blocks: calls */
};

/* A line, and what it has of what is being added up. */
struct gpm_answer_held {
  bool taken;
  uint32_t file, line, function; /* strings; all 0: code that was not rebuilt */
  uint64_t bytes, most;          /* most: of one of its call paths ... */
  uint32_t node, order;          /* ... which is this; the first one of several */
};

/* A figure, and where the most of it is. */
struct gpm_answer_part {
  struct gpumemprof_answer_part figure;
  struct gpm_words line;
};

struct gpm_answer {
  size_t mapped;
  struct gpm_answer_node *node;
  uint32_t node_count;
  struct gpm_answer_held *held; /* hash by line, open addressing */
  uint32_t held_room;           /* a power of two */
  uint8_t *broken;              /* by site: a bit for each enum gpumemprof_budget that was broken */
  uint32_t site_count;
  struct gpm_answer_part peak, leaks, failed;
  int32_t ordinal; /* of the fullest device; only if `allocated` */
  bool allocated;  /* memory was, on any device */
  uint64_t memory; /* of the fullest device; 0: not known */
  uint32_t gpus;   /* on how many memory was allocated */
  bool ran_out;    /* memory did, and nothing of what was live then was freed */
  uint64_t oom_calls;
  uint64_t counters[GPUMEMPROF_CAPTURE_COUNTERS];
  uint32_t budgets;           /* how many were broken */
  struct gpm_words budget;    /* the scope of one of them */
  bool moved, moved_unpaused; /* memory moved; it did so while recording was not paused */
  struct gpumemprof_answer_facts facts;
};

/* Adds up what the process did so far, with the memory of wrappers at their callers. Null: there is
 * no memory, or the calling thread is inside the runtime. */
struct gpm_answer *gpm_answer_find(void);
/* Prints the lines on standard error, after a line that says where the capture is ("": none), and
 * frees the answer. */
void gpm_answer_say(struct gpm_answer *answer, const char *wrote);

/* answer_text.c: names a node as the tool does; site: of a scope, which has no path. */
void gpm_answer_name_node(const struct gpm_answer *answer, uint32_t node, struct gpm_words *words);
void gpm_answer_name_scope(const struct gpumemprof_capture_site *site, struct gpm_words *words);

#endif /* GPM_ANSWER_H */
