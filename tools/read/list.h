/* list.h - what every answer of the library looks like: rows by number, columns by key.
 *
 * A list either keeps its values (gpm_list_add, gpm_list_number, gpm_list_text) or looks them up in
 * what it was made of, by functions of its own: rows of a report, which may be a million.
 */
#ifndef GPM_TOOLS_READ_LIST_H
#define GPM_TOOLS_READ_LIST_H

#include "read/handle.h"

struct gpm_list_column {
  const char *key, *meaning;
  enum gpumemprof_read_unit unit;
};

enum { GPM_LIST_COLUMNS = 160 };

struct gpumemprof_read_list {
  struct gpumemprof_read *reader;
  struct gpm_read_capture *capture; /* that it uses; null: none */
  const struct gpm_list_column *column;
  int columns;
  uint32_t count, room;
  uint32_t *item; /* by row: which item stands there */
  /* Of lists that keep their values, by item and column; a text is a pointer. */
  struct gpm_list_value {
    int64_t number;
    bool known;
  } *value;
  /* Of the others. number() is false where it does not apply; text() is to be freed. */
  bool (*number)(const struct gpumemprof_read_list *list, uint32_t item, int column,
                 int64_t *number);
  char *(*text)(const struct gpumemprof_read_list *list, uint32_t item, int column);
  void *data; /* theirs */
  void (*drop)(void *data);
  struct gpm_map texts; /* of text(): item and column -> pointer; 0: not made yet */
};

/* An empty list; `capture` may be null. */
struct gpumemprof_read_list *gpm_list_new(struct gpumemprof_read *reader,
                                          struct gpm_read_capture *capture,
                                          const struct gpm_list_column *column, int columns);
/* One more item, of which nothing is known; then its columns, by their numbers. */
void gpm_list_add(struct gpumemprof_read_list *list);
void gpm_list_number(struct gpumemprof_read_list *list, int column, uint64_t number);
void gpm_list_text(struct gpumemprof_read_list *list, int column, char *text); /* takes it */
/* Of a list with functions of its own: so many items, in that order. */
void gpm_list_items(struct gpumemprof_read_list *list, uint32_t count);

/* Lists of a capture, each made by one function; null after it said why not, and *status why. */
typedef struct gpumemprof_read_list *gpm_list_make(struct gpumemprof_read *reader,
                                                   struct gpm_read_capture *capture, int *status);
gpm_list_make gpm_list_captures, gpm_list_devices, gpm_list_counters, gpm_list_steps,
    gpm_list_marks, gpm_list_samples, gpm_list_nodes; /* list_facts.c */
gpm_list_make gpm_list_leaks, gpm_list_variables, gpm_list_budgets, gpm_list_ooms, gpm_list_pools,
    gpm_list_temporaries, gpm_list_growth, gpm_list_blocks; /* list_found.c */
struct gpumemprof_read_list *gpm_list_peak(struct gpumemprof_read *reader,
                                           struct gpm_read_capture *capture, uint32_t device);

#endif
