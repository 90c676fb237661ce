/* list.h - lists, the form of every result of the library: rows by number, columns by key.
 *
 * A list either keeps its values (gpm_list_add, gpm_list_number, gpm_list_text) or reads them with
 * functions of its own from the data it was made from: a report may have a million rows.
 */
#ifndef GPM_TOOLS_READ_LIST_H
#define GPM_TOOLS_READ_LIST_H

#include "read/handle.h"
#include "support/map.h"

struct gpm_list_column {
  const char *key, *meaning;
  enum gpumemprof_read_unit unit;
};

enum { GPM_LIST_COLUMNS = 160 };

struct gpumemprof_read_list {
  struct gpumemprof_read *reader;
  struct gpm_read_capture *capture; /* the capture that the list uses; null: none */
  const struct gpm_list_column *column;
  int columns;
  uint32_t count, room;
  uint32_t *item; /* by row: the item in that row */
  /* For lists that keep their values, by item and column. A text is a pointer. */
  struct gpm_list_value {
    int64_t number;
    bool known;
  } *value;
  /* For the others. number() returns false if the column does not apply; the caller frees what
   * text() returns. */
  bool (*number)(const struct gpumemprof_read_list *list, uint32_t item, int column,
                 int64_t *number);
  char *(*text)(const struct gpumemprof_read_list *list, uint32_t item, int column);
  void *data; /* data of these functions */
  void (*drop)(void *data);
  struct gpm_map texts; /* results of text(): item and column -> pointer; 0: not made yet */
};

/* Both arguments of gpm_list_new that describe an array of columns. */
#define GPM_LIST_COLUMNS_OF(array) array, (int)(sizeof array / sizeof *array)
/* Returns an empty list; `capture` may be null. */
struct gpumemprof_read_list *gpm_list_new(struct gpumemprof_read *reader,
                                          struct gpm_read_capture *capture,
                                          const struct gpm_list_column *column, int columns);
/* Adds an item whose columns are all not known. The functions below then set columns, by number. */
void gpm_list_add(struct gpumemprof_read_list *list);
void gpm_list_number(struct gpumemprof_read_list *list, int column, uint64_t number);
void gpm_list_text(struct gpumemprof_read_list *list, int column, char *text); /* takes ownership */
/* Sets a column to a node, which is not known if the profile has no such node, and the next column
 * to its location. */
void gpm_list_location(struct gpumemprof_read_list *list, int column,
                       const struct gpm_profile *profile, uint32_t node);
/* Adds an item with the columns with which every list of locations begins. */
void gpm_list_add_location(struct gpumemprof_read_list *list, const struct gpm_profile *profile,
                           uint32_t node);
enum { GPM_LIST_NODE, GPM_LIST_LOCATION, GPM_LIST_ALLOCATION, GPM_LIST_AFTER_LOCATION };
#define GPM_LIST_LOCATION_COLUMNS                                                                  \
  {"node", "the call path; of several the one that stands for them", GPUMEMPROF_READ_NUMBER},      \
      {"location", "file:line function", GPUMEMPROF_READ_TEXT}, {                                  \
    "allocation", "what is allocated there, as written", GPUMEMPROF_READ_TEXT                      \
  }
/* Sets the number of items of a list with functions of its own, in their original order. */
void gpm_list_items(struct gpumemprof_read_list *list, uint32_t count);

/* Frees the list and all that it has. */
void gpm_list_drop(struct gpumemprof_read_list *list);

/* The lists of a capture, each made by one function. After it reported what is wrong it sets
 * *status and returns null or a list that is not whole, which the caller drops. */
typedef struct gpumemprof_read_list *gpm_list_make(struct gpumemprof_read *reader,
                                                   struct gpm_read_capture *capture, int *status);
gpm_list_make gpm_list_captures, gpm_list_devices, gpm_list_counters, gpm_list_steps,
    gpm_list_marks, gpm_list_samples, gpm_list_nodes; /* list_facts.c */
gpm_list_make gpm_list_leaks, gpm_list_variables, gpm_list_budgets, gpm_list_ooms,
    gpm_list_pools;                                                   /* list_found.c */
gpm_list_make gpm_list_suppressed;                                    /* list_suppressed.c */
gpm_list_make gpm_list_temporaries, gpm_list_growth, gpm_list_blocks; /* list_over_time.c */
struct gpumemprof_read_list *gpm_list_peak(struct gpumemprof_read *reader,
                                           struct gpm_read_capture *capture, uint32_t device);

/* list_suppressed.c: a copy of the suppressions of a capture in which nothing is counted yet. The
 * caller frees `one`, not the patterns in it. */
struct gpm_suppressions gpm_list_suppressions(const struct gpm_read_capture *capture);

#endif
