/* unaccounted_print.c - see unaccounted_print.h. */
#include "output/unaccounted_print.h"

#include "output/json.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>

static char *callee_of(const struct gpm_profile *p, uint32_t node) {
  uint32_t site = p->site[node];
  return site == GPUMEMPROF_NONE
             ? gpm_memory_text("")
             : gpm_locations_text(p->reader, gpm_reader_site(p->reader, site)->callee);
}

void gpm_unaccounted_print(const struct gpm_profile *p, unsigned style) {
  enum { MOST = 20 };
  size_t count;
  struct gpm_unaccounted *changes = gpm_unaccounted_find(p, &count);
  for (size_t i = 0; i < count && i < MOST; i++) {
    const struct gpm_unaccounted *c = &changes[i];
    char bytes[GPM_TEXT_NUMBER], largest[GPM_TEXT_NUMBER];
    char *where = gpm_locations_node(p, c->node), *callee = callee_of(p, c->node),
         *device = gpm_locations_device(p->reader, c->device);
    printf("unaccounted: %s via %s at %s", gpm_text_bytes(bytes, c->bytes, style | GPM_TEXT_SIGN),
           *callee ? callee : "a library", where);
    if (p->reader->device_count > 2) printf(" on %s", device); /* clear with the host and one GPU */
    if (c->calls > 1)
      printf(" (%llu calls, the largest %s)", (unsigned long long)c->calls,
             gpm_text_bytes(largest, c->largest, style | GPM_TEXT_SIGN));
    putchar('\n');
    free(where);
    free(callee);
    free(device);
  }
  if (count > MOST)
    printf("unaccounted: and %zu more location%s (--format json lists all)\n", count - MOST,
           gpm_text_s(count - MOST));
  free(changes);
}

json_t *gpm_unaccounted_json(const struct gpm_profile *p) {
  size_t count;
  struct gpm_unaccounted *changes = gpm_unaccounted_find(p, &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const struct gpm_unaccounted *c = &changes[i];
    json_t *one = gpm_json_location(p, c->node);
    char *callee = callee_of(p, c->node);
    gpm_json_put(one, unaccounted_call, callee, json_string(callee));
    gpm_json_put(one, unaccounted_call, device, gpm_json_device_id(p->reader, c->device));
    gpm_json_put(one, unaccounted_call, calls, json_integer((json_int_t)c->calls));
    gpm_json_put(one, unaccounted_call, bytes, json_integer((json_int_t)c->bytes));
    gpm_json_put(one, unaccounted_call, largest, json_integer((json_int_t)c->largest));
    json_array_append_new(list, one);
    free(callee);
  }
  free(changes);
  return list;
}

/* ---- what is in use ----------------------------------------------------------------------------
 */

/* Prints signed bytes, or nothing if they are 0. */
static void print_term(FILE *to, const char *text, int64_t bytes, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  if (bytes)
    fprintf(to, " %c %s %s", bytes < 0 ? '-' : '+',
            gpm_text_bytes(number, bytes < 0 ? -bytes : bytes, style), text);
}

uint64_t gpm_unaccounted_managed_away(const struct gpm_unaccounted_terms *t) {
  if (t->unaccounted >= 0) return 0;
  uint64_t lacks = -(uint64_t)t->unaccounted;
  return lacks < t->managed ? lacks : t->managed;
}

/* What the rest is, which no record explains. */
static const char *name_of(const struct gpm_unaccounted_terms *t, int64_t rest) {
  if (rest < 0)
    return "that the device does not hold (code that was not rebuilt freed it, so live bytes, "
           "leaks "
           "and peaks may be too high)";
  if (t->is_simulated)
    return t->rounding_known ? "unaccounted (what is free in pages that small blocks share, code "
                               "that was not rebuilt, a simulated context)"
                             : "unaccounted (what fills pages, code that was not rebuilt, a "
                               "simulated context)";
  return t->rounding_known ? "unaccounted (CUDA's context and modules, libraries that were not "
                             "rebuilt, other processes)"
                           : "unaccounted (what fills pages, CUDA's context and modules, libraries "
                             "that were not rebuilt, other processes)";
}

void gpm_unaccounted_print_in_use(FILE *to, const struct gpm_unaccounted_terms *t, const char *what,
                                  unsigned style) {
  char used[GPM_TEXT_NUMBER], recorded[GPM_TEXT_NUMBER];
  int64_t away = (int64_t)gpm_unaccounted_managed_away(t), rest = t->unaccounted + away;
  fprintf(to, "%s%s = %s recorded", gpm_text_bytes(used, (int64_t)t->used, style), what,
          gpm_text_bytes(recorded, (int64_t)t->recorded, style));
  print_term(to, "unused in pools", t->pool_slack, style);
  print_term(to, "to fill pages", t->rounding, style);
  print_term(to, "of managed memory that the device does not hold", -away, style);
  print_term(to, name_of(t, rest), rest, style);
}
