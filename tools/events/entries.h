/* entries.h - the entries of a chunk of EVENTS, decoded one after the other: most are events, which
 * say only how they differ from the one before them.
 *
 * Only history.c uses it, which knows where the chunks are.
 */
#ifndef GPM_TOOLS_ENTRIES_H
#define GPM_TOOLS_ENTRIES_H

#include "events/history.h"
#include "events/use_values.h"

struct gpm_entries { /* of one thread */
  uint32_t thread;
  const unsigned char *at, *stop;
  bool broken;                         /* a number ends nowhere */
  uint64_t clock, time, address, size; /* of the latest event that was not repeated */
  uint64_t latest;                     /* the clock of the latest event */
  uint32_t operands;                   /* of the next event, or NONE */
  uint64_t operand[GPUMEMPROF_OPERANDS];
  struct gpm_use_values uses;
  uint64_t first_value;     /* of the latest use in the chunk */
  struct gpm_event slot[2]; /* events are decoded into these in turns */
  uint64_t *values[2];      /* of the events in the slots, if they are uses */
  uint32_t room[2];
};

/* Begins a chunk, of which so many bytes behind its head are used. Operands that were recorded last
 * are those of its first event. */
void gpm_entries_begin(struct gpm_entries *entries, const struct gpumemprof_chunk *chunk,
                       uint64_t used);
/* Decodes the next entry into a slot, if there is one (at < stop); *found: it is an event. Returns
 * false if it is impossible. */
bool gpm_entries_decode(struct gpm_entries *entries, const struct gpm_reader *reader,
                        struct gpm_event *event, bool *found);
void gpm_entries_free(struct gpm_entries *entries);

#endif
