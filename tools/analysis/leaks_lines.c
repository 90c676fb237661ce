/* leaks_lines.c - see leaks_lines.h. */
#include "analysis/leaks_lines.h"

#include "rows/locations.h"
#include "support/text.h"
#include "support/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *gpm_leaks_headline(const struct gpm_rows *rows, const struct gpm_row *row) {
  char *where = gpm_locations_node(rows->profile, row->key),
       *what = gpm_locations_allocation(rows->profile->reader, row->site);
  char *text = gpm_memory_format("%s%s%s", where, *what ? "  " : "", what);
  free(where);
  free(what);
  return text;
}

/* Returns the line of each row. Lines are compared by headline, which is computed once per site. */
static uint32_t *find_lines(struct gpm_leaks_lines *l, const struct gpm_rows *rows,
                            uint32_t count) {
  struct gpm_words words = {0};
  struct gpm_map by_site = {0};
  uint32_t *line_of = gpm_memory_array(count, sizeof *line_of);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *row = &rows->row[i];
    uint64_t *line = gpm_map_at(&by_site, row->site, UINT64_MAX);
    if (*line == UINT64_MAX) {
      char *text = gpm_leaks_headline(rows, row);
      *line = gpm_words_exact(&words, text);
      free(text);
    }
    line_of[i] = (uint32_t)*line;
  }
  l->count = words.count;
  l->line = gpm_memory_array(words.count, sizeof *l->line);
  for (uint32_t i = 0; i < words.count; i++) l->line[i].headline = gpm_memory_text(words.text[i]);
  gpm_words_free(&words);
  gpm_map_free(&by_site);
  return line_of;
}

static int by_bytes(const void *a, const void *b) {
  const struct gpm_leaks_line *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static int by_blocks(const void *a, const void *b) {
  const struct gpm_leaks_line *x = a, *y = b;
  if (x->blocks != y->blocks) return x->blocks > y->blocks ? -1 : 1;
  return by_bytes(a, b);
}

void gpm_leaks_lines_sort_by_blocks(struct gpm_leaks_lines *l) {
  if (l->count) qsort(l->line, l->count, sizeof *l->line, by_blocks);
}

/* Lines are numbered by their first row. */
static int by_first(const void *a, const void *b) {
  const struct gpm_leaks_line *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

void gpm_leaks_lines_sort_as_rows(struct gpm_leaks_lines *l) {
  if (l->count) qsort(l->line, l->count, sizeof *l->line, by_first);
}

uint32_t gpm_leaks_lines_hide(struct gpm_leaks_lines *l, uint64_t least) {
  uint32_t left = 0, all = l->count;
  for (uint32_t i = 0; i < all; i++)
    if (l->line[i].bytes >= least) l->line[left++] = l->line[i];
    else free(l->line[i].headline);
  l->count = left;
  return all - left;
}

void gpm_leaks_lines_make(struct gpm_leaks_lines *l, const struct gpm_rows *rows, uint32_t count) {
  uint32_t *line_of = find_lines(l, rows, count), first = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *row = &rows->row[i];
    struct gpm_leaks_line *line = &l->line[line_of[i]];
    line->bytes += (uint64_t)row->value[GPM_FIGURE_leaked];
    line->blocks += (uint64_t)row->value[GPM_FIGURE_leaked_blocks];
    line->count++;
  }
  for (uint32_t i = 0; i < l->count; i++) {
    l->line[i].first = first;
    first += l->line[i].count;
    l->line[i].count = 0;
  }
  l->row = gpm_memory_array(count, sizeof *l->row);
  for (uint32_t i = 0; i < count; i++) {
    struct gpm_leaks_line *line = &l->line[line_of[i]];
    l->row[line->first + line->count++] = i;
  }
  free(line_of);
  if (l->count) qsort(l->line, l->count, sizeof *l->line, by_bytes);
}

void gpm_leaks_lines_free(struct gpm_leaks_lines *l) {
  for (uint32_t i = 0; i < l->count; i++) free(l->line[i].headline);
  free(l->line);
  free(l->row);
}
