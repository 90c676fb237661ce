/* spool.h - lists of records in a temporary file, for formats that have one column after the other:
 * a list is filled while events are read, and then read once for each column.
 *
 * Memory is one page for each list. The pages of a list are linked in the file.
 */
#ifndef GPM_TOOLS_SPOOL_H
#define GPM_TOOLS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gpm_spool_record {
  uint64_t ns, bytes, number;
  uint32_t node, thread, what;
};
#define GPM_SPOOL_PAGE 100u /* records */

/* A zeroed struct is an empty list of an open spool. */
struct gpm_spool_list {
  struct gpm_spool_page {
    uint64_t next; /* the page after it, if it is full */
    struct gpm_spool_record record[GPM_SPOOL_PAGE];
  } *page;              /* the last one, which is not in the file yet */
  uint64_t first, last; /* the numbers of pages */
  uint64_t count;       /* of records */
};

struct gpm_spool {
  FILE *file;
  uint64_t pages;
  bool failed; /* an error was reported */
};

/* False: there can be no temporary file, which was reported. */
bool gpm_spool_open(struct gpm_spool *spool);
void gpm_spool_close(struct gpm_spool *spool);

void gpm_spool_add(struct gpm_spool *spool, struct gpm_spool_list *list,
                   struct gpm_spool_record record);
/* The last record that was added; null: there is none. */
static inline const struct gpm_spool_record *gpm_spool_latest(const struct gpm_spool_list *list) {
  return list->count ? &list->page->record[(list->count - 1) % GPM_SPOOL_PAGE] : NULL;
}
void gpm_spool_free(struct gpm_spool_list *list);

/* Reads a list from its beginning. It must not grow meanwhile. */
struct gpm_spool_cursor {
  struct gpm_spool *spool;
  const struct gpm_spool_list *list;
  uint64_t at; /* the number of the next record */
  struct gpm_spool_page page;
};
/* Null after the last record. The record is valid until the next call. */
const struct gpm_spool_record *gpm_spool_next(struct gpm_spool_cursor *cursor);

#endif
