/* line_changes.h - what could be changed about the blocks of one device, line by line, and the peak
 * that the device then has.
 *
 *   block     |begin      u1      ub              un           end|
 *   stretches  <- EARLY ->|<-FILL->|<--- MIDDLE --->|<-- LATE ---->      u1: the first use, ub: the
 *                                                                       first that is no fill
 *
 * A change removes stretches of the blocks of one line: the memory is not there at these positions.
 * Two changes may remove the same stretch, so each stretch counts how many do.
 */
#ifndef GPM_TOOLS_LINE_CHANGES_H
#define GPM_TOOLS_LINE_CHANGES_H

#include "advice/peaks.h"
#include "uses/uses.h"

enum gpm_advice_rule {
#define GPM_ADVICE(NAME, id, round, effort, action, text) GPM_ADVICE_##NAME,
#include "advice/rules.def"
  GPM_ADVICE_RULES,
  GPM_ADVICE_IDS = GPM_ADVICE_IDLE_COPY /* those before it have an id of their own */
};
struct gpm_advice_text {
  const char *id, *action, *text;
  unsigned round, effort;
};
extern const struct gpm_advice_text gpm_advice_texts[GPM_ADVICE_RULES];
/* The rule whose id it has. */
static inline enum gpm_advice_rule gpm_advice_rule_with_id(enum gpm_advice_rule rule) {
  if (rule == GPM_ADVICE_NO_OVERLAP_HINT) return GPM_ADVICE_NO_OVERLAP;
  return rule == GPM_ADVICE_IDLE_COPY || rule == GPM_ADVICE_IDLE_OUT ? GPM_ADVICE_IDLE : rule;
}

/* Whether a change is made to each block at a moment of its own. */
static inline bool gpm_advice_moves(enum gpm_advice_rule rule) {
  switch (rule) {
  case GPM_ADVICE_LATE_FREE:
  case GPM_ADVICE_NEVER_FREED:
  case GPM_ADVICE_EARLY_ALLOC:
  case GPM_ADVICE_EARLY_ALLOC_FILL:
  case GPM_ADVICE_IDLE:
  case GPM_ADVICE_IDLE_COPY:
  case GPM_ADVICE_IDLE_OUT:
    return true;
  default:
    return false;
  }
}

/* The lines that a change is about, as sites or NONE. Only one that moves a free is about the line
 * of the free, and one that removes all that is written is about no single use. */
struct gpm_changed_lines {
  uint32_t allocated, freed, to, back;
};

struct gpm_line_change {
  enum gpm_advice_rule rule;
  bool sure;          /* no condition is left to the user */
  bool may_be_used;   /* `to` may use the memory, which is not certain */
  bool unchanged;     /* the host was seen to have the content that is to be copied later */
  bool streams;       /* several streams use a block of it */
  bool threads;       /* threads use a block of it that did not allocate it */
  bool launched;      /* WRITE_ONLY: a kernel writes it */
  bool cut;           /* IDLE, IDLE_COPY: it must not be made between others of these uses */
  bool longer;        /* REUSE: the memory that it has is freed before its own is */
  bool one_free;      /* REUSE: one line frees its own blocks, and none of the other line */
  uint32_t kind;      /* of the memory */
  uint32_t node;      /* what allocates, on one of its call paths */
  uint32_t free_node; /* what frees one of its blocks, or NONE */
  struct gpm_changed_lines lines;
  uint32_t paths;            /* call paths on which its blocks are allocated */
  uint32_t to;               /* record of USES: the first or last use; NONE: there is none */
  uint32_t instead;          /* REUSE: the node that allocates the memory that it can have;
                              * NO_OVERLAP: the block that stays */
  uint64_t less;             /* OVERSIZE: by how much each block becomes smaller */
  uint32_t back;             /* IDLE and its cases: the use after the gap; else NONE */
  uint32_t frees, allocates; /* positions from which on its earliest block is then gone, or there */
  uint64_t blocks, bytes;
  uint64_t smallest, largest; /* bytes of such a block */
  uint64_t copied;            /* IDLE_COPY: bytes that it copies, in all gaps */
  double byte_positions; /* bytes times positions: of two changes that save the same, the first */
  uint32_t first;        /* its members */
  uint32_t earliest;     /* the block that was added first, or NONE */
  uint32_t latest;       /* the one that was added last, or NONE */
};

struct gpm_line_changes {
  const struct gpm_uses *uses;
  uint32_t device;
  struct gpm_peaks peaks;
  int64_t *run; /* the total at each position of the run */
  struct gpm_stretch {
    uint64_t bytes;      /* of REUSE also minus some, which are added */
    uint32_t from, to;   /* positions */
    uint8_t removed;     /* how many changes that are made remove it */
    uint8_t round;       /* of the changes for which it was made */
    uint8_t in_round[4]; /* how many changes of each round remove it */
  } *stretch;
  size_t stretch_count, stretch_room;
  struct gpm_line_change_member {
    uint32_t stretch, next;
  } *member; /* those of a change lie side by side, with rising numbers of the stretches */
  size_t member_count, member_room;
  struct gpm_line_change *change;
  size_t count, room;
  struct gpm_map by_key, paths; /* paths: those of each change that are counted */
  uint32_t *recent;             /* by rule and site of the allocation: the change that was asked for
                                 * latest, plus 1; or 0 */
  int64_t ideal;                /* the peak if each block lived from its first to its last use */
};

/* rules: a bit for each that is taken into account. */
void gpm_line_changes_find(struct gpm_line_changes *changes, const struct gpm_uses *uses,
                           uint32_t device, unsigned rules);
void gpm_line_changes_free(struct gpm_line_changes *changes);
/* Adds a change without blocks, and returns its number. */
uint32_t gpm_line_changes_add(struct gpm_line_changes *changes,
                              const struct gpm_line_change *change);
/* Adds positions at which a change takes away memory; bytes below 0: at which it adds some. */
void gpm_line_changes_add_stretch(struct gpm_line_changes *changes, uint32_t change, int64_t bytes,
                                  uint32_t from, uint32_t to);

/* ---- one_change.c ---- */

/* Returns the site of the line of a node, or of a record of USES, or NONE: the first of those that
 * are at the same place of the source. */
uint32_t gpm_line_changes_site(const struct gpm_line_changes *changes, uint32_t node);
uint32_t gpm_line_changes_site_of_use(const struct gpm_line_changes *changes, uint32_t record);
struct gpm_changed_lines gpm_line_changes_lines(const struct gpm_line_changes *changes,
                                                const struct gpm_line_change *change);
/* Returns the change with the same lines, which is added if there is none and `may_make`; or null.
 */
struct gpm_line_change *gpm_line_changes_one(struct gpm_line_changes *changes,
                                             const struct gpm_line_change *wanted, bool may_make);
/* Whether the block is allocated, and freed if that matters, on the lines of the change. */
bool gpm_line_changes_concerns(const struct gpm_line_changes *changes,
                               const struct gpm_line_change *change,
                               const struct gpm_use_block *block);
/* Counts a block and its call path, unless it was the latest already. */
void gpm_line_changes_add_block(struct gpm_line_changes *changes, struct gpm_line_change *change,
                                const struct gpm_use_block *block);

/* ---- made_changes.c ---- */

/* Sets the peaks to those of the run without the stretches that are removed. */
void gpm_line_changes_set_peaks(struct gpm_line_changes *changes);
/* Makes all changes of the rounds up to one, and unmakes the others. It takes the number of blocks
 * and positions, which is much less than to make them one by one. */
void gpm_line_changes_set(struct gpm_line_changes *changes, unsigned rounds);
/* Makes a change, or unmakes it. */
void gpm_line_changes_make(struct gpm_line_changes *changes, uint32_t change);
void gpm_line_changes_unmake(struct gpm_line_changes *changes, uint32_t change);
/* Unmakes a change if the peak then stays as low as this one, and returns whether it does. */
bool gpm_line_changes_unmake_within(struct gpm_line_changes *changes, uint32_t change,
                                    int64_t peak);
/* Returns the peak with this change alone, while none is made. *less: with only those of its
 * stretches that changes of earlier rounds remove as well. */
int64_t gpm_line_changes_single(struct gpm_line_changes *changes, uint32_t change, int64_t *less);

/* judged.c: whether changes of a block can be judged at all; else why not, as a sentence. */
const char *gpm_line_changes_not_judged(const struct gpm_uses *uses,
                                        const struct gpm_use_block *block);
/* judged.c: whether the line of a site is known, so that it can be named. */
bool gpm_line_changes_site_is_known(const struct gpm_reader *reader, uint32_t site);

#endif
