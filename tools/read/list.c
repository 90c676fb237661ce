/* list.c - see list.h: makes, reads and sorts lists. Bounds are checked only here; a null list, the
 * answer of a call that failed, reads like an empty one. */
#include "read/list.h"

#include "rows/locations.h"

#include <string.h>

/* ---- making ------------------------------------------------------------------------------------
 */

struct gpumemprof_read_list *gpm_list_new(struct gpumemprof_read *reader,
                                          struct gpm_read_capture *capture,
                                          const struct gpm_list_column *column, int columns) {
  struct gpumemprof_read_list *l = gpm_memory_array(1, sizeof *l);
  *l = (struct gpumemprof_read_list){
      .reader = reader, .capture = capture, .column = column, .columns = columns};
  if (capture) capture->uses++;
  return l;
}

void gpm_list_add(struct gpumemprof_read_list *l) {
  if (l->count == l->room) {
    l->room = l->room ? l->room * 2 : 16;
    l->item = gpm_memory_resize(l->item, l->room, sizeof *l->item);
    l->value = gpm_memory_resize(l->value, (size_t)l->room * (size_t)l->columns, sizeof *l->value);
  }
  memset(&l->value[(size_t)l->count * (size_t)l->columns], 0,
         (size_t)l->columns * sizeof *l->value);
  l->item[l->count] = l->count;
  l->count++;
}

static struct gpm_list_value *value_of(const struct gpumemprof_read_list *l, uint32_t item,
                                       int column) {
  return &l->value[(size_t)item * (size_t)l->columns + (size_t)column];
}

void gpm_list_number(struct gpumemprof_read_list *l, int column, uint64_t number) {
  *value_of(l, l->count - 1, column) = (struct gpm_list_value){(int64_t)number, true};
}

void gpm_list_text(struct gpumemprof_read_list *l, int column, char *text) {
  *value_of(l, l->count - 1, column) = (struct gpm_list_value){(int64_t)(intptr_t)text, true};
}

void gpm_list_location(struct gpumemprof_read_list *l, int column, const struct gpm_profile *p,
                       uint32_t node) {
  bool known = node < p->node_count;
  if (known) gpm_list_number(l, column, node);
  gpm_list_text(l, column + 1, known ? gpm_locations_node(p, node) : gpm_memory_text(""));
}

void gpm_list_add_location(struct gpumemprof_read_list *l, const struct gpm_profile *p,
                           uint32_t node) {
  bool known = node < p->node_count;
  gpm_list_add(l);
  gpm_list_location(l, GPM_LIST_NODE, p, node);
  gpm_list_text(l, GPM_LIST_ALLOCATION,
                known ? gpm_locations_allocation(p->reader, p->site[node]) : gpm_memory_text(""));
}

void gpm_list_items(struct gpumemprof_read_list *l, uint32_t count) {
  l->item = gpm_memory_array(count, sizeof *l->item);
  for (uint32_t i = 0; i < count; i++) l->item[i] = i;
  l->count = l->room = count;
}

static void free_texts(struct gpumemprof_read_list *l) {
  for (size_t i = 0; i < l->texts.room; i++)
    if (l->texts.slots[i].taken) free((void *)(uintptr_t)l->texts.slots[i].value);
  gpm_map_free(&l->texts);
  for (uint32_t i = 0; l->value && i < l->count; i++)
    for (int c = 0; c < l->columns; c++)
      if (l->column[c].unit == GPUMEMPROF_READ_TEXT)
        free((void *)(intptr_t)value_of(l, i, c)->number);
}

void gpm_list_drop(struct gpumemprof_read_list *l) {
  free_texts(l);
  if (l->drop) l->drop(l->data);
  if (l->capture) gpm_read_capture_drop(l->reader, l->capture);
  free(l->item);
  free(l->value);
  free(l);
}

static int free_list(void *arguments) {
  gpm_list_drop(arguments);
  return GPUMEMPROF_READ_OK;
}

void gpumemprof_read_list_free(struct gpumemprof_read_list *l) {
  if (l) gpm_read_call(l->reader, free_list, l);
}

/* ---- reading values ----------------------------------------------------------------------------
 */

uint32_t gpumemprof_read_count(const struct gpumemprof_read_list *l) {
  return l ? l->count : 0;
}

uint32_t gpumemprof_read_columns(const struct gpumemprof_read_list *l) {
  return l ? (uint32_t)l->columns : 0;
}

int gpumemprof_read_column(const struct gpumemprof_read_list *l, const char *key) {
  for (int i = 0; l && key && i < l->columns; i++)
    if (!strcmp(l->column[i].key, key)) return i;
  return -1;
}

static bool has(const struct gpumemprof_read_list *l, int column) {
  return l && column >= 0 && column < l->columns;
}

const char *gpumemprof_read_key(const struct gpumemprof_read_list *l, int column) {
  return has(l, column) ? l->column[column].key : NULL;
}

const char *gpumemprof_read_meaning(const struct gpumemprof_read_list *l, int column) {
  return has(l, column) ? l->column[column].meaning : NULL;
}

enum gpumemprof_read_unit gpumemprof_read_unit_of(const struct gpumemprof_read_list *l,
                                                  int column) {
  return has(l, column) ? l->column[column].unit : GPUMEMPROF_READ_TEXT;
}

static bool find_number(const struct gpumemprof_read_list *l, uint32_t row, int column,
                        int64_t *number) {
  *number = 0;
  if (!has(l, column) || row >= l->count || l->column[column].unit == GPUMEMPROF_READ_TEXT)
    return false;
  if (l->number) return l->number(l, l->item[row], column, number);
  const struct gpm_list_value *v = value_of(l, l->item[row], column);
  *number = v->number;
  return v->known;
}

uint64_t gpumemprof_read_number(const struct gpumemprof_read_list *l, uint32_t row, int column) {
  int64_t number;
  return find_number(l, row, column, &number) ? (uint64_t)number : 0;
}

int64_t gpumemprof_read_signed(const struct gpumemprof_read_list *l, uint32_t row, int column) {
  int64_t number;
  return find_number(l, row, column, &number) ? number : 0;
}

int gpumemprof_read_knows(const struct gpumemprof_read_list *l, uint32_t row, int column) {
  int64_t number;
  return find_number(l, row, column, &number);
}

/* ---- texts -------------------------------------------------------------------------------------
 */

struct text {
  struct gpumemprof_read_list *list;
  uint32_t row;
  int column;
  const char *text;
};

/* Returns a text, which is made once and kept with the list. */
static const char *text_of(struct gpumemprof_read_list *l, uint32_t item, int column) {
  if (!l->text) return (const char *)(intptr_t)value_of(l, item, column)->number;
  uint64_t key = (uint64_t)item * GPM_LIST_COLUMNS + (uint64_t)column;
  uint64_t *made = gpm_map_at(&l->texts, key, 0);
  if (!*made) {
    char *text = l->text(l, item, column);
    made = gpm_map_at(&l->texts, key, 0);
    *made = (uint64_t)(uintptr_t)text;
  }
  return (const char *)(uintptr_t)*made;
}

static int make_text(void *arguments) {
  struct text *t = arguments;
  t->text = text_of(t->list, t->list->item[t->row], t->column);
  return GPUMEMPROF_READ_OK;
}

const char *gpumemprof_read_text(struct gpumemprof_read_list *l, uint32_t row, int column) {
  if (!has(l, column) || row >= l->count || l->column[column].unit != GPUMEMPROF_READ_TEXT)
    return "";
  struct text t = {l, row, column, NULL};
  if (gpm_read_call(l->reader, make_text, &t)) return NULL;
  return t.text ? t.text : "";
}

/* ---- order -------------------------------------------------------------------------------------
 */

struct sorting {
  struct gpumemprof_read_list *list;
  int column;
  struct sort_key {
    uint32_t item, position;
    bool known;
    bool is_signed;
    int64_t number;
    const char *text;
  } *key;
};

static int in_order(const void *a, const void *b) {
  const struct sort_key *x = a, *y = b;
  if (x->text && y->text) {
    int by = strcmp(x->text, y->text);
    if (by) return by;
  } else if (x->known != y->known) return x->known ? -1 : 1;
  else if (x->known && x->number != y->number)
    return (x->is_signed ? x->number > y->number : (uint64_t)x->number > (uint64_t)y->number) ? -1
                                                                                              : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static bool is_signed(enum gpumemprof_read_unit unit) {
  return unit == GPUMEMPROF_READ_SIGNED_BYTES || unit == GPUMEMPROF_READ_SIGNED ||
         unit == GPUMEMPROF_READ_SIGNED_PERCENT || unit == GPUMEMPROF_READ_SIGNED_NS;
}

static int sort(void *arguments) {
  struct sorting *s = arguments;
  struct gpumemprof_read_list *l = s->list;
  bool text = l->column[s->column].unit == GPUMEMPROF_READ_TEXT;
  s->key = gpm_memory_array(l->count, sizeof *s->key);
  for (uint32_t i = 0; i < l->count; i++) {
    struct sort_key *k = &s->key[i];
    *k = (struct sort_key){.item = l->item[i], .position = i};
    k->is_signed = is_signed(l->column[s->column].unit);
    if (!text) k->known = find_number(l, i, s->column, &k->number);
    else k->text = text_of(l, l->item[i], s->column);
    if (text && !k->text) k->text = "";
  }
  if (l->count) qsort(s->key, l->count, sizeof *s->key, in_order);
  for (uint32_t i = 0; i < l->count; i++) l->item[i] = s->key[i].item;
  free(s->key);
  return GPUMEMPROF_READ_OK;
}

static int no_column(void *arguments) {
  const struct sorting *s = arguments;
  return gpm_read_fail(s->list->reader, GPUMEMPROF_READ_ARGUMENT,
                       "the list has no column %d: it has %d", s->column, s->list->columns);
}

int gpumemprof_read_sort(struct gpumemprof_read_list *l, int column) {
  return gpm_read_call(l ? l->reader : NULL, has(l, column) ? sort : no_column,
                       &(struct sorting){.list = l, .column = column});
}
