/* paths.c - see paths.h.
 *
 *   capture 1   main:11 > step:4 > make:1      nodes 2 4 6   --> paths 2 4 6
 *   capture 2   main:9 > init:3                nodes 2 4         paths 7 8
 *               main:11 > step:4               nodes 6 8         paths 2 4
 *
 * A node follows its parent, so one walk over the nodes finds each path among those below its
 * parent's path. Texts are made once for each path, not for each node.
 */
#include "rows/paths.h"

#include "rows/locations.h"
#include "support/string.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the description of a site as one word; 0: the site is not known. */
static uint32_t step_of(struct gpm_paths *paths, const struct gpm_reader *r, uint32_t site) {
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, site);
  const uint32_t texts[] = {s->file, s->function,  s->callee, s->variable,
                            s->type, s->size_expr, s->name};
  char *text = gpm_memory_format("%u:%u:%u", s->kind, s->line, s->column);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    uint32_t word = gpm_words_exact(&paths->words, gpm_reader_string(r, texts[i]));
    char *longer = gpm_memory_format("%s:%u", text, word);
    free(text);
    text = longer;
  }
  uint32_t step = gpm_words_exact(&paths->words, text);
  free(text);
  return step;
}

static void describe(struct gpm_paths *paths, struct gpm_path *path, const struct gpm_profile *p,
                     uint32_t node) {
  char *text = gpm_locations_node(p, node);
  path->text = gpm_words_exact(&paths->words, text);
  free(text);
  bool block = p->kind[node] == GPUMEMPROF_SITE_BLOCK;
  path->hidden = gpm_profile_is_scope(p, node) && !block;
  if (p->site[node] == GPUMEMPROF_NONE) return;
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
  path->file = gpm_words_exact(&paths->words, gpm_reader_string(p->reader, s->file));
  path->function = gpm_words_exact(&paths->words, gpm_reader_string(p->reader, s->function));
  path->line = s->line;
  if (block) path->block = gpm_words_exact(&paths->words, gpm_reader_string(p->reader, s->name));
}

/* Returns the path of a step below a parent. A new path gets the texts of that node. */
static uint32_t find(struct gpm_paths *paths, struct gpm_path wanted, const struct gpm_profile *p,
                     uint32_t node) {
  uint64_t h = gpm_map_mix((uint64_t)wanted.parent << 32 | wanted.step);
  for (h = gpm_map_mix(h ^ wanted.occurrence);; h++) {
    uint64_t number = *gpm_map_at(&paths->by_step, h, paths->count);
    if (number < paths->count) {
      const struct gpm_path *there = &paths->path[number];
      if (there->parent == wanted.parent && there->step == wanted.step &&
          there->occurrence == wanted.occurrence)
        return (uint32_t)number;
      continue;
    }
    if (paths->count == paths->room) {
      paths->room = paths->room ? paths->room * 2 : 256;
      paths->path = gpm_memory_resize(paths->path, paths->room, sizeof *paths->path);
    }
    describe(paths, &wanted, p, node);
    paths->path[paths->count] = wanted;
    return paths->count++;
  }
}

uint32_t *gpm_paths_add(struct gpm_paths *paths, const struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  uint32_t *step = gpm_memory_array(r->sites.count, sizeof *step);
  uint32_t *of = gpm_memory_array(p->node_count ? p->node_count : 1, sizeof *of);
  gpm_words_exact(&paths->words, "");
  for (uint32_t i = 0; i < r->sites.count; i++) step[i] = step_of(paths, r, i);
  paths->captures++;
  for (uint32_t n = 0; n < p->node_count; n++) {
    struct gpm_path wanted = {.parent = n ? of[p->tree.node[n].parent] : GPUMEMPROF_NONE,
                              .step = p->site[n] == GPUMEMPROF_NONE ? 0 : step[p->site[n]]};
    uint32_t first = find(paths, wanted, p, n);
    struct gpm_path *path = &paths->path[first];
    if (path->capture != paths->captures) {
      path->capture = paths->captures;
      path->in_capture = 0;
    }
    wanted.occurrence = path->in_capture++;
    of[n] = wanted.occurrence ? find(paths, wanted, p, n) : first;
  }
  free(step);
  return of;
}

void gpm_paths_free(struct gpm_paths *paths) {
  gpm_words_free(&paths->words);
  gpm_map_free(&paths->by_step);
  free(paths->path);
  *paths = (struct gpm_paths){.count = 0};
}

char *gpm_paths_text(const struct gpm_paths *paths, uint32_t path) {
  enum { MOST = 64 };
  uint32_t steps[MOST], count = 0, left_out = 0;
  for (uint32_t n = path; n; n = paths->path[n].parent) {
    if (paths->path[n].hidden) continue;
    if (count < MOST) steps[count++] = n;
    else left_out++;
  }
  if (!count) return gpm_memory_text(paths->words.text[paths->path[path].text]);
  struct gpm_string text = {NULL, 0, 0};
  if (left_out) gpm_string_add(&text, "(%u more) > ", left_out);
  while (count-- > 0)
    gpm_string_add(&text, "%s%s", paths->words.text[paths->path[steps[count]].text],
                   count ? " > " : "");
  return gpm_string_take(&text);
}
