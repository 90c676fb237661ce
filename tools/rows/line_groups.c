/* line_groups.c - see line_groups.h. */
#include "rows/line_groups.h"

#include "model/keys.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>

/* Sums by key: of lines, or of functions, for which the line is 0. */
struct sums {
  struct gpm_keys keys;
  uint64_t *bytes, *blocks;
  uint32_t *node, *of; /* of: by part, the number of its key */
  uint32_t most;       /* the key with the most bytes */
};

static struct gpm_key location_of(const struct gpm_profile *p, uint32_t node, bool function) {
  if (!gpm_profile_is_call(p, node)) return (struct gpm_key){0};
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
  return (struct gpm_key){.file = s->file, .line = function ? 0 : s->line, .function = s->function};
}

static struct sums sum_up(const struct gpm_profile *p, const struct gpm_line_part *part,
                          uint32_t count, bool function) {
  struct sums s = {.keys.reader = p->reader,
                   .bytes = gpm_memory_array((size_t)count + 1, sizeof *s.bytes),
                   .blocks = gpm_memory_array((size_t)count + 1, sizeof *s.blocks),
                   .node = gpm_memory_array((size_t)count + 1, sizeof *s.node),
                   .of = gpm_memory_array((size_t)count + 1, sizeof *s.of)};
  for (uint32_t i = 0; i < count; i++) {
    uint32_t key = gpm_keys_get(&s.keys, location_of(p, part[i].node, function));
    s.of[i] = key;
    s.node[key] = part[i].node;
    s.bytes[key] += part[i].bytes;
    s.blocks[key] += part[i].blocks;
    if (s.bytes[key] > s.bytes[s.most]) s.most = key;
  }
  return s;
}

static void free_sums(struct sums *s) {
  gpm_keys_free(&s->keys);
  free(s->bytes);
  free(s->blocks);
  free(s->node);
  free(s->of);
}

static bool is_small(const struct sums *lines, uint64_t total) {
  return lines->keys.count > 1 && lines->bytes[lines->most] < total / 10;
}

static bool is_most(uint64_t bytes, uint64_t total) {
  return bytes > total / 2;
}

/* The number of lines that have a part for which `is` is true. */
static uint32_t count_lines(const struct sums *lines, const uint8_t *is, uint32_t count) {
  uint8_t *seen = gpm_memory_array((size_t)lines->keys.count + 1, 1);
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!is[i] || seen[lines->of[i]]) continue;
    seen[lines->of[i]] = 1;
    found++;
  }
  free(seen);
  return found;
}

static char *function_text(const struct gpm_profile *p, uint32_t node, uint32_t lines) {
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
  char *function = gpm_locations_text(p->reader, s->function),
       *file = gpm_text_file(p->reader->host, gpm_reader_string(p->reader, s->file));
  char *text = gpm_memory_format("%u lines of %s%s%s", lines, function, *file ? " in " : "", file);
  free(function);
  free(file);
  return text;
}

bool gpm_line_groups_by_function(struct gpm_line_group *group, const struct gpm_profile *p,
                                 const struct gpm_line_part *part, uint32_t count, uint64_t total) {
  struct sums lines = sum_up(p, part, count, false), functions = sum_up(p, part, count, true);
  uint32_t most = functions.most;
  bool found = count && is_small(&lines, total) && is_most(functions.bytes[most], total) &&
               gpm_profile_is_call(p, functions.node[most]) && functions.keys.key[most].function;
  if (found) {
    uint8_t *is = gpm_memory_array(count, 1);
    for (uint32_t i = 0; i < count; i++) is[i] = functions.of[i] == most;
    *group = (struct gpm_line_group){.bytes = functions.bytes[most],
                                     .blocks = functions.blocks[most],
                                     .lines = count_lines(&lines, is, count)};
    group->where = function_text(p, functions.node[most], group->lines);
    free(is);
  }
  free_sums(&lines);
  free_sums(&functions);
  return found;
}

/* Returns the innermost call that leads to most of it, not that of an allocation itself; 0: there
 * is none. A parent has a lower number than its children, and what leads to most is one path. */
static uint32_t find_call(const struct gpm_profile *p, const struct gpm_line_part *part,
                          uint32_t count, uint64_t total) {
  uint64_t *below = gpm_memory_array(p->node_count, sizeof *below);
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t caller = gpm_locations_caller(p, part[i].node);
    below[caller] += part[i].bytes;
  }
  for (uint32_t n = p->node_count; n-- > 1 && !found;) {
    if (!below[n]) continue;
    if (is_most(below[n], total)) found = n;
    below[gpm_locations_caller(p, n)] += below[n];
  }
  free(below);
  return found;
}

/* By part: whether the call led to it. To be freed. */
static uint8_t *parts_below(const struct gpm_profile *p, const struct gpm_line_part *part,
                            uint32_t count, uint32_t call) {
  uint8_t *is = gpm_memory_array(count, 1), *below = gpm_memory_array(p->node_count, 1);
  for (uint32_t n = call + 1; n < p->node_count; n++) {
    uint32_t parent = p->tree.node[n].parent;
    below[n] = parent == call || below[parent];
  }
  for (uint32_t i = 0; i < count; i++) is[i] = below[part[i].node];
  free(below);
  return is;
}

bool gpm_line_groups_by_call(struct gpm_line_group *group, const struct gpm_profile *p,
                             const struct gpm_line_part *part, uint32_t count, uint64_t total) {
  struct sums lines = sum_up(p, part, count, false);
  uint32_t call = is_small(&lines, total) ? find_call(p, part, count, total) : 0;
  if (call) {
    uint8_t *is = parts_below(p, part, count, call);
    *group = (struct gpm_line_group){.lines = 0};
    for (uint32_t i = 0; i < count; i++) {
      if (!is[i]) continue;
      group->bytes += part[i].bytes;
      group->blocks += part[i].blocks;
    }
    group->lines = count_lines(&lines, is, count);
    char *where = gpm_locations_node(p, call);
    group->where = gpm_memory_format("%u lines below %s", group->lines, where);
    free(where);
    free(is);
  }
  free_sums(&lines);
  return call != 0;
}
