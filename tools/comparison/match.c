/* match.c - see match.h.
 *
 *   sites of both captures --> entries: words that are equal where texts are
 *   1. entries of equal words: aligned in their order, lines of equal text with each other
 *   2. rows that are left: function, callee and variable are equal, and no other row has them
 *   3. rows that are left: function and callee are equal, and no other row has them
 *
 * A line is matched by its sites: the first of them that has a partner decides, and those that
 * allocate come first.
 */
#include "comparison/match.h"

#include "support/text.h"
#include "support/words.h"

#include <stdlib.h>
#include <string.h>

/* The words of an entry, the most important first: step 2 compares the first five, step 3 the first
 * four. */
enum { WHAT, FUNCTION, FILE_NAME, CALLEE, VARIABLE, TYPE, SIZE, KEY_WORDS };
enum { ALLOCATES, CALLS, UNKNOWN_LOCATION }; /* WHAT */

struct entry {
  uint32_t word[KEY_WORDS];
  uint32_t side, row;
  const char *path; /* path of the file; with line and column it gives the order of entries with
                       equal words */
  uint32_t line, column;
  uint32_t text; /* the source line, as a word */
};

struct matching {
  const struct gpm_rows *rows[2];
  struct gpm_words words;
  struct entry *entry;
  size_t count, room;
  uint32_t *partner[2]; /* by row, or NONE */
  uint8_t *renamed;     /* by row of the first capture */
};

/* ---- entries -----------------------------------------------------------------------------------
 */

static struct entry *add(struct matching *m, uint32_t side, uint32_t row) {
  if (m->count == m->room) {
    m->room = m->room ? m->room * 2 : 256;
    m->entry = gpm_memory_resize(m->entry, m->room, sizeof *m->entry);
  }
  m->entry[m->count] = (struct entry){.side = side, .row = row};
  return &m->entry[m->count++];
}

static void add_location(struct matching *m, struct entry *e, uint32_t file, uint32_t function) {
  const struct gpm_reader *r = m->rows[e->side]->profile->reader;
  const char *path = gpm_reader_string(r, file);
  e->path = path;
  e->word[FUNCTION] = gpm_words_get(&m->words, gpm_reader_string(r, function));
  e->word[FILE_NAME] = gpm_words_get(&m->words, gpm_text_base(path));
}

static void add_site(struct matching *m, uint32_t side, uint32_t row, uint32_t site) {
  const struct gpm_reader *r = m->rows[side]->profile->reader;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, site);
  struct entry *e = add(m, side, row);
  add_location(m, e, s->file, s->function);
  bool native = s->kind == GPUMEMPROF_SITE_NATIVE;
  e->word[CALLEE] = gpm_words_get(&m->words, gpm_reader_string(r, s->callee));
  e->word[VARIABLE] =
      gpm_words_get(&m->words, gpm_reader_string(r, native ? s->name : s->variable));
  e->word[TYPE] = gpm_words_get(&m->words, gpm_reader_string(r, s->type));
  e->word[SIZE] = gpm_words_get(&m->words, gpm_reader_string(r, s->size_expr));
  e->word[WHAT] = e->word[SIZE] || e->word[TYPE] ? ALLOCATES : CALLS;
  e->line = s->line;
  e->column = s->column;
  e->text = gpm_words_get(&m->words, gpm_reader_string(r, s->source_line));
}

/* A row without sites (a function, a block, or a line that is not known) has one entry, made from
 * the row itself. */
static void add_row(struct matching *m, uint32_t side, uint32_t row) {
  const struct gpm_rows *rows = m->rows[side];
  const struct gpm_key *key = &rows->grouping.keys.key[rows->row[row].key];
  struct entry *e = add(m, side, row);
  add_location(m, e, key->file, key->function);
  e->word[WHAT] = UNKNOWN_LOCATION;
  e->word[VARIABLE] = gpm_words_get(&m->words, gpm_reader_string(rows->profile->reader, key->name));
  e->word[CALLEE] = e->word[VARIABLE] != 0; /* a block is never a renamed function */
  e->line = key->scope_line;
}

static void collect(struct matching *m, uint32_t side) {
  const struct gpm_rows *rows = m->rows[side];
  const struct gpm_profile *p = rows->profile;
  uint8_t *has_entry = gpm_memory_array(rows->count, 1),
          *seen = gpm_memory_array(p->reader->sites.count, 1);
  for (uint32_t n = 0; rows->by == GPM_BY_LINE && n < p->node_count; n++) {
    uint32_t row = rows->grouping.direct[n];
    if (!gpm_profile_is_call(p, n) || seen[p->site[n]] || !gpm_rows_is_shown(rows, row)) continue;
    seen[p->site[n]] = has_entry[row] = 1;
    add_site(m, side, row, p->site[n]);
  }
  for (uint32_t i = 0; i < rows->count; i++)
    if (!has_entry[i] && gpm_rows_is_shown(rows, i)) add_row(m, side, i);
  free(has_entry);
  free(seen);
}

/* The file is compared only for functions whose name occurs in two files of one capture. */
static void drop_files(struct matching *m) {
  uint32_t *file[2] = {gpm_memory_array(m->words.count, sizeof(uint32_t)),
                       gpm_memory_array(m->words.count, sizeof(uint32_t))};
  uint8_t *ambiguous = gpm_memory_array(m->words.count, 1);
  for (size_t i = 0; i < m->count; i++) {
    const struct entry *e = &m->entry[i];
    uint32_t *known = &file[e->side][e->word[FUNCTION]];
    if (*known && *known != e->word[FILE_NAME]) ambiguous[e->word[FUNCTION]] = 1;
    *known = e->word[FILE_NAME];
  }
  for (size_t i = 0; i < m->count; i++)
    if (!ambiguous[m->entry[i].word[FUNCTION]]) m->entry[i].word[FILE_NAME] = 0;
  free(file[0]);
  free(file[1]);
  free(ambiguous);
}

/* ---- 1. equal words ----------------------------------------------------------------------------
 */

static int compare_words(const struct entry *a, const struct entry *b, int words) {
  for (int i = 0; i < words; i++)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}

static int by_words_and_location(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  int by = compare_words(a, b, KEY_WORDS);
  if (!by && a->side != b->side) by = a->side < b->side ? -1 : 1;
  if (!by) by = strcmp(a->path, b->path);
  if (!by && a->line != b->line) by = a->line < b->line ? -1 : 1;
  if (!by && a->column != b->column) by = a->column < b->column ? -1 : 1;
  return by ? by : a->row < b->row ? -1 : a->row > b->row;
}

static void pair_up(struct matching *m, const struct entry *a, const struct entry *b) {
  uint32_t *first = &m->partner[0][a->row], *second = &m->partner[1][b->row];
  if (*first != GPUMEMPROF_NONE || *second != GPUMEMPROF_NONE) return;
  *first = b->row;
  *second = a->row;
  m->renamed[a->row] = compare_words(a, b, KEY_WORDS) != 0;
}

/* Finds the cheapest way from one list to the other, as diff(1) does. Equal texts cost nothing. Two
 * texts that differ are more likely one edited line than one line removed and another added. */
static void align(struct matching *m, const struct entry *a, size_t n, const struct entry *b,
                  size_t k) {
  enum { MOST = 1 << 22, EDITED = 3, GONE_OR_NEW = 2 };
  for (; n && k && a->text == b->text; a++, b++, n--, k--) pair_up(m, a, b);
  for (; n && k && a[n - 1].text == b[k - 1].text; n--, k--) pair_up(m, &a[n - 1], &b[k - 1]);
  if (!n || !k || n > MOST / k) { /* nothing to align, or too many: only their order counts */
    for (size_t i = 0; i < n && i < k; i++) pair_up(m, &a[i], &b[i]);
    return;
  }
  size_t width = k + 1;
  uint32_t *cost = gpm_memory_array((n + 1) * width, sizeof *cost);
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= k; j++) {
      uint32_t *here = &cost[i * width + j], least = i || j ? UINT32_MAX : 0, by;
      if (i && (by = cost[(i - 1) * width + j] + GONE_OR_NEW) < least) least = by;
      if (j && (by = cost[i * width + j - 1] + GONE_OR_NEW) < least) least = by;
      if (i && j) {
        by = cost[(i - 1) * width + j - 1] + (a[i - 1].text == b[j - 1].text ? 0 : EDITED);
        if (by < least) least = by;
      }
      *here = least;
    }
  for (size_t i = n, j = k; i && j;) { /* follow the cheapest way back */
    uint32_t here = cost[i * width + j];
    if (here == cost[i * width + j - 1] + GONE_OR_NEW) j--;
    else if (here == cost[(i - 1) * width + j] + GONE_OR_NEW) i--;
    else pair_up(m, &a[--i], &b[--j]);
  }
  free(cost);
}

/* One location in the source may have several sites if it was inlined; one of them is kept. */
static void drop_repeated(struct matching *m) {
  size_t kept = 0;
  for (size_t i = 0; i < m->count; i++)
    if (!kept || by_words_and_location(&m->entry[kept - 1], &m->entry[i]))
      m->entry[kept++] = m->entry[i];
  m->count = kept;
}

static void match_equals(struct matching *m) {
  if (m->count) qsort(m->entry, m->count, sizeof *m->entry, by_words_and_location);
  drop_repeated(m);
  for (size_t begin = 0, end; begin < m->count; begin = end) {
    size_t second = begin;
    for (end = begin; end < m->count; end++) {
      if (compare_words(&m->entry[begin], &m->entry[end], KEY_WORDS)) break;
      if (!m->entry[end].side) second = end + 1;
    }
    align(m, &m->entry[begin], second - begin, &m->entry[second], end - second);
  }
}

/* ---- 2. and 3. what is left --------------------------------------------------------------------
 */

/* Entries are still sorted, so entries with equal first words are adjacent. */
static void match_renamed(struct matching *m, int words) {
  for (size_t begin = 0, end; begin < m->count; begin = end) {
    const struct entry *left[2] = {NULL, NULL};
    bool several = false;
    for (end = begin; end < m->count; end++) {
      const struct entry *e = &m->entry[end];
      if (compare_words(&m->entry[begin], e, words)) break;
      if (m->partner[e->side][e->row] != GPUMEMPROF_NONE) continue;
      if (left[e->side] && left[e->side]->row != e->row) several = true;
      left[e->side] = e;
    }
    if (left[0] && left[1] && !several) pair_up(m, left[0], left[1]);
  }
}

/* ---- the result --------------------------------------------------------------------------------
 */

static void list(const struct matching *m, struct gpm_match *match) {
  match->pair =
      gpm_memory_array((size_t)m->rows[0]->count + m->rows[1]->count, sizeof *match->pair);
  match->count = 0;
  for (uint32_t i = 0; i < m->rows[0]->count; i++)
    if (gpm_rows_is_shown(m->rows[0], i))
      match->pair[match->count++] =
          (struct gpm_matched){.row = {i, m->partner[0][i]}, .renamed = m->renamed[i]};
  for (uint32_t i = 0; i < m->rows[1]->count; i++)
    if (gpm_rows_is_shown(m->rows[1], i) && m->partner[1][i] == GPUMEMPROF_NONE)
      match->pair[match->count++] = (struct gpm_matched){.row = {GPUMEMPROF_NONE, i}};
}

void gpm_match_make(struct gpm_match *match, const struct gpm_rows *first,
                    const struct gpm_rows *second) {
  struct matching m = {.rows = {first, second}};
  gpm_words_get(&m.words, ""); /* word 0 is "" */
  for (uint32_t side = 0; side < 2; side++) {
    m.partner[side] = gpm_memory_array(m.rows[side]->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < m.rows[side]->count; i++) m.partner[side][i] = GPUMEMPROF_NONE;
    collect(&m, side);
  }
  m.renamed = gpm_memory_array(first->count, 1);
  drop_files(&m);
  match_equals(&m);
  match_renamed(&m, VARIABLE + 1);
  match_renamed(&m, CALLEE + 1);
  list(&m, match);
  free(m.partner[0]);
  free(m.partner[1]);
  free(m.renamed);
  free(m.entry);
  gpm_words_free(&m.words);
}

void gpm_match_free(struct gpm_match *match) {
  free(match->pair);
}
