/* leaks_answer.c - the first line of `gpumemprof leaks`: how much leaked, where most of it was
 * allocated, and who called that. See answers.h. */
#include "analysis/oom_leaks.h"
#include "answers/answers.h"
#include "model/split_cells.h"
#include "rows/line_groups.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* By node: whether something that was allocated there leaked. To be freed. */
static uint8_t *leaking_nodes(const struct gpm_leaks *found) {
  uint8_t *leaks = gpm_memory_array(found->rows.profile->node_count, 1);
  for (uint32_t i = 0; i < found->count; i++) leaks[found->rows.row[i].key] = 1;
  return leaks;
}

/* " on GPU 0", " on GPU 0 and host", " on 3 devices"; "" where a part of the run is shown, whose
 * cells do not have the figures of devices. To be freed. */
static char *devices_of(const struct gpm_leaks *found) {
  const struct gpm_profile *p = found->rows.profile;
  const struct gpm_reader *r = p->reader;
  if (gpm_split_is_part(r)) return gpm_memory_text("");
  uint8_t *leaks = leaking_nodes(found), *of = gpm_memory_array((size_t)r->device_count + 1, 1);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (c->kind != GPUMEMPROF_KIND_STATIC && p->cell_shown[at.number] &&
        leaks[p->cell_node[at.number]] && c->allocated.blocks > c->freed.blocks)
      of[c->device] = 1;
  uint32_t device[2] = {0}, count = 0;
  for (uint32_t i = 0; i < r->device_count; i++)
    if (of[r->device_order[i]] && count++ < 2) device[count - 1] = r->device_order[i];
  char *first = gpm_locations_device(r, device[0]), *second = gpm_locations_device(r, device[1]);
  char *text = !count       ? gpm_memory_text("")
               : count == 1 ? gpm_memory_format(" on %s", first)
               : count == 2 ? gpm_memory_format(" on %s and %s", first, second)
                            : gpm_memory_format(" on %u devices", count);
  free(first);
  free(second);
  free(leaks);
  free(of);
  return text;
}

/* What else it is than leaked; "": it is that. */
static const char *state_of(const struct gpm_reader *r) {
  bool part = gpm_split_is_part(r), midway = gpm_reader_is_midway(r) && !part;
  return part                     ? " was allocated in it and not freed in it"
         : gpm_oom_leaks_ended(r) ? " was live when the program ended after it ran out of memory"
         : !midway                ? ""
         : gpm_reader_state(r) == GPM_STATE_COPY ? " was live then, while the program ran"
                                                 : " is live now, while the program runs";
}

/* "all on 19 lines of fill in main.cu", "12.00 KiB of it on 7 lines below main.cu:9 main", where no
 * single line has much; null: one has. To be freed. */
static char *group_of(const struct gpm_leaks *found, unsigned style) {
  const struct gpm_profile *p = found->rows.profile;
  struct gpm_line_part *part = gpm_memory_array(found->count, sizeof *part);
  for (uint32_t i = 0; i < found->count; i++) {
    const struct gpm_row *row = &found->rows.row[i];
    part[i] = (struct gpm_line_part){row->key, (uint64_t)row->value[GPM_FIGURE_leaked],
                                     (uint64_t)row->value[GPM_FIGURE_leaked_blocks]};
  }
  struct gpm_line_group group;
  char number[GPM_TEXT_NUMBER], *text = NULL;
  if (gpm_line_groups_by_function(&group, p, part, found->count, found->bytes) ||
      gpm_line_groups_by_call(&group, p, part, found->count, found->bytes)) {
    text =
        group.bytes == found->bytes
            ? gpm_memory_format("all on %s", group.where)
            : gpm_memory_format("%s of it on %s",
                                gpm_text_bytes(number, (int64_t)group.bytes, style), group.where);
    free(group.where);
  }
  free(part);
  return text;
}

static const struct gpm_leaks_line *largest(const struct gpm_leaks_lines *lines) {
  const struct gpm_leaks_line *most = &lines->line[0];
  for (uint32_t i = 1; i < lines->count; i++)
    if (lines->line[i].bytes > most->bytes) most = &lines->line[i];
  return most;
}

void gpm_answers_print_leaks(const struct gpm_leaks *found, const struct gpm_leaks_lines *lines,
                             unsigned style) {
  const struct gpm_profile *p = found->rows.profile;
  const struct gpm_leaks_line *most = largest(lines);
  uint32_t node = found->rows.row[lines->row[most->first]].key;
  uint32_t caller = gpm_locations_caller(p, node);
  char all[GPM_TEXT_NUMBER], part[GPM_TEXT_NUMBER];
  char *devices = devices_of(found), *where = gpm_locations_node(p, node),
       *above = caller ? gpm_locations_node(p, caller) : gpm_memory_text("");
  const char *state = state_of(p->reader);
  struct gpm_wrapped wrapped;
  FILE *to = gpm_wrapped_begin(&wrapped);
  fprintf(to, "%s%s in %" PRIu64 " block%s%s%s", gpm_text_bytes(all, (int64_t)found->bytes, style),
          *state ? "" : " leaked", found->blocks, gpm_text_s(found->blocks), devices, state);
  char *group = group_of(found, style);
  if (group)
    fprintf(to, ", on %u lines through %u call paths: %s", lines->count, found->count, group);
  else if (lines->count > 1)
    fprintf(to, ", on %u lines through %u call paths: the most, %s,", lines->count, found->count,
            gpm_text_bytes(part, (int64_t)most->bytes, style));
  else if (found->count > 1) fprintf(to, ", through %u call paths: all", found->count);
  else fprintf(to, ": all");
  if (!group) fprintf(to, " at %s", where);
  if (!group && most->count == 1 && *above) fprintf(to, ", called from %s", above);
  gpm_wrapped_end(&wrapped, 2);
  if (gpm_oom_leaks_ended(p->reader))
    gpm_wrapped_print(2, "`gpumemprof oom` says what would have made room. `leaks --fail` and "
                         "`check` count what was not freed as leaked.");
  free(group);
  free(devices);
  free(where);
  free(above);
}
