/* oom.c - see oom.h. The runtime's line on standard error gives what would have made room by the
 * same rules (capture_oom.h), and no more; whether a line leaks is known only later (oom_leaks.h).
 */
#include "analysis/oom.h"

#include "analysis/holding.h"
#include "analysis/oom_leaks.h"
#include "analysis/through.h"
#include "rows/devices.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>

struct gpm_oom gpm_oom_of(const struct gpumemprof_capture_oom *o) {
  struct gpm_oom oom = {.record = o, .memory_known = o->memory_total, .adds_up = true};
  oom.kept_by_pools = (int64_t)(o->pools_reserved - o->live[GPUMEMPROF_KIND_POOL].bytes -
                                o->live[GPUMEMPROF_KIND_GRAPH].bytes);
  if (oom.memory_known) {
    oom.rounding = o->rounding_known ? o->rounding : 0;
    oom.used = o->memory_total - o->memory_free;
    oom.unaccounted = (int64_t)(oom.used - o->total - (uint64_t)oom.kept_by_pools - oom.rounding);
  }
  struct gpumemprof_capture_amount lines = o->other_lines, paths = o->other_paths;
  for (uint32_t i = 0; i < o->lines; i++) {
    lines.bytes += o->line[i].live.bytes;
    lines.blocks += o->line[i].live.blocks;
  }
  for (uint32_t i = 0; i < o->paths; i++) {
    paths.bytes += o->path[i].live.bytes;
    paths.blocks += o->path[i].live.blocks;
  }
  oom.adds_up = lines.bytes == o->total && lines.blocks == o->blocks && paths.bytes == o->total &&
                paths.blocks == o->blocks;
  return oom;
}

uint64_t gpm_oom_count(const struct gpm_reader *reader) {
  uint64_t count = 0;
  struct gpm_cursor at = {.records = &reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) count += n->oom_calls;
  return count;
}

const char *gpm_oom_remedy_name(enum gpumemprof_oom_remedy remedy) {
  static const char *const names[] = {
      [GPUMEMPROF_OOM_NOT_KNOWN] = "not_known",
      [GPUMEMPROF_OOM_TOO_LARGE] = "none_larger_than_the_device",
      [GPUMEMPROF_OOM_WAS_FREE] = "none_enough_was_free",
      [GPUMEMPROF_OOM_TRIM] = "trim_pools",
      [GPUMEMPROF_OOM_FREE_LINE] = "free_line",
      [GPUMEMPROF_OOM_FREE_LINES] = "free_lines",
      [GPUMEMPROF_OOM_HELD_ELSEWHERE] = "none_held_elsewhere",
  };
  return names[remedy];
}

/* ---- advice -------------------------------------------------------------------------------------
 */
struct advice {
  const struct gpm_profile *profile;
  const struct gpumemprof_capture_oom *o;
  unsigned style;
  char **text;
  size_t count;
};

static void give(struct advice *a, char *text) {
  a->text = gpm_memory_resize(a->text, a->count + 1, sizeof *a->text);
  a->text[a->count++] = text;
}

static const char *size(const struct advice *a, char out[GPM_TEXT_NUMBER], uint64_t bytes) {
  return gpm_text_bytes(out, (int64_t)bytes, a->style);
}

/* Finds the caller that requested most of what a line holds, as far as the call paths of the record
 * show. Variables are left out, as they cannot be freed. */
static struct gpm_through through(const struct advice *a,
                                  const struct gpumemprof_capture_oom_line *line) {
  const struct gpm_reader *r = a->profile->reader;
  struct gpm_through_paths paths = {.count = 0};
  uint64_t rest = line->live.bytes;
  for (uint32_t i = 0; i < a->o->paths; i++) {
    const struct gpumemprof_capture_cell *cell = gpm_reader_record(&r->cells, a->o->path[i].cell);
    bool stays = GPUMEMPROF_OOM_STAYS >> cell->kind & 1;
    uint64_t bytes = a->o->path[i].live.bytes;
    if (stays || bytes > rest || !gpm_holding_is_of(a->profile, cell->node, line->node)) continue;
    gpm_through_paths_add(&paths, cell->node, bytes);
    rest -= bytes;
  }
  struct gpm_through found = gpm_through_find(a->profile, &paths, rest);
  gpm_through_paths_free(&paths);
  return found;
}

char *gpm_oom_part(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o,
                   uint32_t line, uint64_t *bytes) {
  struct advice a = {.profile = p, .o = o};
  struct gpm_through most_of = through(&a, &o->line[line]);
  uint64_t all = o->line[line].live.bytes;
  bool part = *most_of.caller && most_of.bytes < all && most_of.bytes >= gpumemprof_oom_lacking(o);
  *bytes = part ? most_of.bytes : all;
  if (part) return most_of.caller;
  free(most_of.caller);
  return NULL;
}

uint32_t gpm_oom_calls(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o,
                       uint32_t node) {
  uint32_t site[GPUMEMPROF_OOM_PATHS], count = 0;
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *cell =
        gpm_reader_record(&p->reader->cells, o->path[i].cell);
    uint32_t other = cell->node, known = 0;
    if (p->site[other] == GPUMEMPROF_NONE || !gpm_holding_is_of(p, other, node)) continue;
    while (known < count && site[known] != p->site[other]) known++;
    if (known == count) site[count++] = p->site[other];
  }
  return count;
}

/* A line may hold memory for many callers, and freeing that of one of them may be enough. */
static void free_line(struct advice *a, const struct gpumemprof_capture_oom_line *line,
                      uint64_t lacking) {
  char held[GPM_TEXT_NUMBER], most[GPM_TEXT_NUMBER], lacked[GPM_TEXT_NUMBER];
  char *where = gpm_locations_node(a->profile, line->node);
  struct gpm_through most_of = through(a, line);
  size(a, held, line->live.bytes);
  size(a, most, most_of.bytes);
  size(a, lacked, lacking);
  bool part = *most_of.caller && most_of.bytes < line->live.bytes;
  char *way = !*most_of.caller ? gpm_memory_text("")
              : part           ? gpm_memory_format(", %s of it through %s", most, most_of.caller)
                               : gpm_memory_format(", through %s", most_of.caller);
  if (part && most_of.bytes >= lacking)
    give(a,
         gpm_memory_format("freeing what %s allocated at %s (%s of the %s there) would have made "
                           "room: %s was missing",
                           most_of.caller, where, most, held, lacked));
  else
    give(a, gpm_memory_format("freeing what %s holds (%s%s) would have made room: %s was missing",
                              where, held, way, lacked));
  free(way);
  free(most_of.caller);
  free(where);
}

bool gpm_oom_group(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o,
                   bool may_be_freed, struct gpm_line_group *group) {
  struct gpm_line_part line[GPUMEMPROF_OOM_LINES], path[GPUMEMPROF_OOM_PATHS];
  uint32_t lines = 0, paths = 0;
  for (uint32_t i = 0; i < o->lines; i++)
    if (!may_be_freed || o->line[i].kinds & ~GPUMEMPROF_OOM_STAYS)
      line[lines++] =
          (struct gpm_line_part){o->line[i].node, o->line[i].live.bytes, o->line[i].live.blocks};
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, o->path[i].cell);
    if (!may_be_freed || !(GPUMEMPROF_OOM_STAYS >> c->kind & 1))
      path[paths++] =
          (struct gpm_line_part){c->node, o->path[i].live.bytes, o->path[i].live.blocks};
  }
  bool function = gpm_line_groups_by_function(group, p, line, lines, o->total);
  if (!function && !gpm_line_groups_by_call(group, p, path, paths, o->total)) return false;
  if (!(function ? o->other_lines : o->other_paths).blocks) return true;
  char *all = group->where;
  group->where = gpm_memory_format("at least %s", all);
  free(all);
  return true;
}

/* Many lines that are not worth naming one by one may be those of one function. */
static bool free_group(struct advice *a, uint64_t lacking) {
  struct gpm_line_group group;
  char held[GPM_TEXT_NUMBER], lacked[GPM_TEXT_NUMBER];
  if (!gpm_oom_group(a->profile, a->o, true, &group)) return false;
  bool enough = group.bytes >= lacking;
  if (enough)
    give(a, gpm_memory_format("freeing what %s hold (%s) would have made room: %s was missing",
                              group.where, size(a, held, group.bytes), size(a, lacked, lacking)));
  free(group.where);
  return enough;
}

static void free_lines(struct advice *a, uint64_t lacking) {
  if (free_group(a, lacking)) return;
  char held[GPM_TEXT_NUMBER], lacked[GPM_TEXT_NUMBER];
  uint32_t lines;
  uint64_t bytes;
  enum gpumemprof_oom_remedy remedy = gpumemprof_oom_free(a->o, lacking, &lines, &bytes);
  size(a, lacked, lacking);
  size(a, held, bytes);
  if (remedy == GPUMEMPROF_OOM_FREE_LINE) free_line(a, &a->o->line[lines], lacking);
  else if (remedy == GPUMEMPROF_OOM_FREE_LINES && bytes >= lacking)
    give(a,
         gpm_memory_format("no single line holds the missing %s: freeing what %u lines hold (%s) "
                           "would have made room",
                           lacked, lines, held));
  else if (remedy == GPUMEMPROF_OOM_FREE_LINES)
    give(a, gpm_memory_format("not even the %u lines that hold the most (%s) hold the missing %s",
                              lines, held, lacked));
  else
    give(a, gpm_memory_format("freeing all that was recorded (%s) would not have made room: %s "
                              "was missing",
                              size(a, held, a->o->total), lacked));
}

static void trim_pools(struct advice *a, uint64_t lacking) {
  char unused[GPM_TEXT_NUMBER], lacked[GPM_TEXT_NUMBER];
  uint64_t bytes = gpumemprof_oom_unused(a->o);
  if (!bytes) return;
  give(a, gpm_memory_format("CUDA's pools have %s reserved and not used, %s was missing: "
                            "cudaMemPoolTrimTo and cudaDeviceGraphMemTrim give back what no block "
                            "in use lies beside",
                            size(a, unused, bytes), size(a, lacked, lacking)));
}

/* Finds an allocator of the program that requested more from the device although it had as much
 * free. */
static void find_holes(struct advice *a) {
  char free_now[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < a->o->custom_pools; i++) {
    const struct gpumemprof_capture_oom_custom *c = &a->o->custom_pool[i];
    if (!a->o->requested || c->free < a->o->requested) continue;
    const struct gpumemprof_capture_custom_pool *p =
        gpm_reader_record(&a->profile->reader->custom_pools, c->pool);
    char *name = gpm_locations_text(a->profile->reader, p->name);
    size(a, free_now, c->free);
    size(a, hole, c->hole);
    give(a, c->hole < a->o->requested
                ? gpm_memory_format("allocator %s has %s free, but in holes: the largest is %s "
                                    "(fragmentation)",
                                    name, free_now, hole)
                : gpm_memory_format("allocator %s has a hole of %s, which is large enough", name,
                                    hole));
    free(name);
  }
}

static void search_elsewhere(struct advice *a, const struct gpm_oom *oom, uint64_t lacking) {
  char bytes[GPM_TEXT_NUMBER];
  uint32_t device = a->o->device;
  if (oom->unaccounted <= 0 || (uint64_t)oom->unaccounted < lacking) return;
  bool simulated =
      device != GPUMEMPROF_NONE && gpm_devices_is_simulated(a->profile->reader, device);
  give(a, gpm_memory_format("%s is in use that no event explains: %s",
                            size(a, bytes, (uint64_t)oom->unaccounted),
                            simulated ? "code that was not rebuilt, or a simulated context"
                                      : "CUDA's context and modules, libraries that were not "
                                        "rebuilt (GPUMEMPROF_OPTIONS=cupti=on records those), "
                                        "other processes"));
}

static void name_leak(struct advice *a, const struct gpm_oom_leak *leak) {
  char held[GPM_TEXT_NUMBER];
  uint64_t lacking = gpumemprof_oom_lacking(a->o);
  uint32_t caller = gpm_locations_caller(a->profile, leak->node);
  char *where = gpm_locations_node(a->profile, leak->node),
       *above = caller ? gpm_locations_node(a->profile, caller) : gpm_memory_text("");
  char *through = leak->paths > 1 ? gpm_memory_format(" on %u call paths", leak->paths)
                  : *above        ? gpm_memory_format(" from %s", above)
                                  : gpm_memory_text("");
  size(a, held, leak->bytes);
  if (leak->kind == GPM_OOM_LEAK)
    give(a, gpm_memory_format(
                "fix the leak at %s first: %s in %" PRIu64 " block%s held then %s never freed%s",
                where, held, leak->blocks, gpm_text_s(leak->blocks),
                leak->blocks == 1 ? "was" : "were",
                lacking && leak->bytes >= lacking ? ", and would have made room" : ""));
  else
    give(a, gpm_memory_format("%s may leak: %" PRIu64 " calls%s left %s in %" PRIu64
                              " blocks there, and none of these was ever freed",
                              where, leak->calls, through, held, leak->blocks));
  free(through);
  free(above);
  free(where);
}

static bool is_too_large(const struct gpm_oom *oom) {
  return oom->memory_known && oom->record->requested > oom->record->memory_total;
}

/* What would have made room. A line that may leak follows it; what leaks for certain was said. */
static void make_room(struct advice *a, const struct gpm_oom *oom,
                      const struct gpm_oom_leak *leak) {
  char one[GPM_TEXT_NUMBER], other[GPM_TEXT_NUMBER];
  const struct gpumemprof_capture_oom *o = a->o;
  uint64_t lacking = gpumemprof_oom_lacking(o);
  if (lacking) {
    if (gpumemprof_oom_unused(o) >= lacking) trim_pools(a, lacking);
    free_lines(a, lacking);
    if (gpumemprof_oom_unused(o) < lacking) trim_pools(a, lacking);
  } else if (oom->memory_known && o->requested)
    give(a, gpm_memory_format("%s was free: in pieces too small for %s, or CUDA does not give "
                              "it to this call",
                              size(a, one, o->memory_free), size(a, other, o->requested)));
  if (leak->kind == GPM_OOM_ACCUMULATES) name_leak(a, leak);
  if (lacking) search_elsewhere(a, oom, lacking);
}

char **gpm_oom_advice(const struct gpm_profile *profile, const struct gpm_oom *oom, unsigned style,
                      size_t *count) {
  struct advice a = {.profile = profile, .o = oom->record, .style = style};
  char one[GPM_TEXT_NUMBER], other[GPM_TEXT_NUMBER];
  if (is_too_large(oom))
    give(&a, gpm_memory_format("nothing would have made room: %s is more than the device has (%s)",
                               size(&a, one, a.o->requested), size(&a, other, a.o->memory_total)));
  else {
    struct gpm_oom_leak leak = gpm_oom_leaks_find(profile, a.o);
    if (leak.kind == GPM_OOM_LEAK) name_leak(&a, &leak);
    make_room(&a, oom, &leak);
  }
  find_holes(&a);
  *count = a.count;
  return a.text;
}
