/* paths_json.c - see paths_json.h. */
#include "output/paths_json.h"

#include "output/json.h"
#include "support/memory.h"

#include <stdlib.h>

static json_t *word(const struct gpm_paths *paths, uint32_t number) {
  const char *text = paths->words.text[number];
  return *text ? gpm_json_text(text) : json_null();
}

json_t *gpm_paths_json(const struct gpm_paths *paths, uint32_t path) {
  size_t count = 0;
  for (uint32_t n = path; n; n = paths->path[n].parent) count += !paths->path[n].hidden;
  uint32_t *steps = gpm_memory_array(count ? count : 1, sizeof *steps);
  size_t at = count;
  for (uint32_t n = path; n; n = paths->path[n].parent)
    if (!paths->path[n].hidden) steps[--at] = n;
  json_t *list = json_array();
  for (; at < count; at++) {
    const struct gpm_path *one = &paths->path[steps[at]];
    json_t *step = json_object();
    gpm_json_put(step, step, file, word(paths, one->file));
    gpm_json_put(step, step, line, json_integer(one->line));
    gpm_json_put(step, step, function, word(paths, one->function));
    if (one->block) gpm_json_put(step, step, block, word(paths, one->block));
    json_array_append_new(list, step);
  }
  free(steps);
  return list;
}
