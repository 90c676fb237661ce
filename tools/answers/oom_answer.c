/* oom_answer.c - the first line of `gpumemprof oom` about a failure: what was requested, how much
 * was missing, and what held the most. What would have made room follows it. See answers.h. */
#include "analysis/holding.h"
#include "analysis/oom.h"
#include "answers/answers.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <stdio.h>
#include <stdlib.h>

/* A line that allocates for its callers says nothing about who needs the memory: of a node in one,
 * returns the call that led there. Failures are recorded with whole paths (wrappers.h). */
static uint32_t caller_of(const struct gpm_profile *p, uint32_t node) {
  for (uint32_t n = node; n; n = gpm_locations_caller(p, n)) {
    uint32_t site = p->site[n];
    bool wraps = site != GPUMEMPROF_NONE &&
                 gpm_reader_site(p->reader, site)->flags & GPUMEMPROF_SITE_FOR_CALLER;
    if (!wraps) return n;
  }
  return node;
}

/* The calls that hold most, and what each holds, as far as the call paths of the record show. */
struct holders {
  uint32_t node[GPUMEMPROF_OOM_PATHS];
  uint64_t bytes[GPUMEMPROF_OOM_PATHS];
  uint32_t kinds[GPUMEMPROF_OOM_PATHS]; /* bit k: memory of kind k is among it */
  uint32_t count, most;
};

static void add(struct holders *h, const struct gpm_profile *p, uint32_t node, uint32_t kind,
                uint64_t bytes) {
  uint32_t i = 0;
  while (i < h->count && !gpm_holding_is_of(p, h->node[i], node)) i++;
  if (i == h->count) h->node[h->count++] = node;
  h->bytes[i] += bytes;
  h->kinds[i] |= 1u << kind;
  if (h->bytes[i] > h->bytes[h->most]) h->most = i;
}

static struct holders find_holders(const struct gpm_profile *p,
                                   const struct gpumemprof_capture_oom *o) {
  struct holders h = {.count = 0};
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, o->path[i].cell);
    add(&h, p, caller_of(p, c->node), c->kind, o->path[i].live.bytes);
  }
  return h;
}

/* Whether no other call can hold as much, with all that the record has no path of. */
static bool is_certain(const struct holders *h, uint64_t others) {
  for (uint32_t i = 0; i < h->count; i++)
    if (i != h->most && h->bytes[i] + others >= h->bytes[h->most]) return false;
  return h->count && h->bytes[h->most] > others;
}

static void print_holder(FILE *to, const struct gpm_profile *p,
                         const struct gpumemprof_capture_oom *o, unsigned style) {
  char held[GPM_TEXT_NUMBER];
  struct gpm_line_group group;
  if (gpm_oom_group(p, o, false, &group)) {
    fprintf(to, "; %s held the most, %s", group.where,
            gpm_text_bytes(held, (int64_t)group.bytes, style));
    free(group.where);
    return;
  }
  struct holders h = find_holders(p, o);
  bool certain = is_certain(&h, o->other_paths.bytes);
  if (!certain && !o->lines) return;
  uint32_t node = certain ? h.node[h.most] : o->line[0].node;
  uint64_t bytes = certain ? h.bytes[h.most] : o->line[0].live.bytes;
  uint32_t kinds = certain ? h.kinds[h.most] : o->line[0].kinds;
  char *where = gpm_locations_node(p, node);
  fprintf(to, "; %s held the most, %s%s", where, gpm_text_bytes(held, (int64_t)bytes, style),
          kinds == 1u << GPUMEMPROF_KIND_MANAGED
              ? " of managed memory, which need not be on the device"
              : "");
  free(where);
}

void gpm_answers_print_oom(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o,
                           unsigned style) {
  char requested[GPM_TEXT_NUMBER], lacked[GPM_TEXT_NUMBER];
  const char *not_gpu = gpm_locations_not_gpu(o->ordinal);
  uint64_t lacking = gpumemprof_oom_lacking(o);
  char *where = gpm_locations_node(p, caller_of(p, o->node));
  struct gpm_wrapped wrapped;
  FILE *to = gpm_wrapped_begin(&wrapped);
  if (o->ordinal == GPUMEMPROF_OOM_UNKNOWN_DEVICE) fprintf(to, "out of memory: ");
  else if (not_gpu) fprintf(to, "out of memory on %s: ", not_gpu);
  else fprintf(to, "out of memory on GPU %d: ", o->ordinal);
  if (o->requested)
    fprintf(to, "%s requested at %s", gpm_text_bytes(requested, (int64_t)o->requested, style),
            where);
  else fprintf(to, "a call at %s", where);
  if (lacking)
    fprintf(to, ", %s more than was free", gpm_text_bytes(lacked, (int64_t)lacking, style));
  print_holder(to, p, o, style);
  gpm_wrapped_end(&wrapped, 2);
  free(where);
}
