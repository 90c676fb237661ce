/* firefox.h - what the files of the Firefox Profiler's export share (export_firefox.c). */
#ifndef GPM_TOOLS_FIREFOX_H
#define GPM_TOOLS_FIREFOX_H

#include "encoding/spool.h"
#include "export/export.h"
#include "support/words.h"

struct gpm_firefox {
  const struct gpm_export *x;
  FILE *f;
  struct gpm_words strings; /* the file's table of strings: written last */
  uint32_t *stack;          /* by node: its number in the table of stacks */
  struct gpm_spool spool;
};

/* firefox_shared.c: numbers the stacks; later writes the tables that threads share. */
void gpm_firefox_number_stacks(struct gpm_firefox *p);
void gpm_firefox_write_shared(struct gpm_firefox *p);

/* firefox_columns.c: arrays of JSON, with their key and a comma before it. */
enum gpm_firefox_column {
  GPM_FIREFOX_TIME,
  GPM_FIREFOX_BYTES,
  GPM_FIREFOX_SIGNED_BYTES, /* less than 0 if `what` is set */
  GPM_FIREFOX_NUMBER,
  GPM_FIREFOX_STACK,
  GPM_FIREFOX_THREAD,
  GPM_FIREFOX_CHANGE, /* of the bytes since the record before */
};
void gpm_firefox_write_column(struct gpm_firefox *p, const char *key,
                              const struct gpm_spool_list *list, enum gpm_firefox_column column);
/* The same text so many times. */
void gpm_firefox_write_same(struct gpm_firefox *p, const char *key, const char *json,
                            uint64_t count);
/* Writes a time as the format has it: milliseconds, exactly. */
void gpm_firefox_write_ms(FILE *f, uint64_t ns);

/* firefox_markers.c: failures, marks and steps. */
enum gpm_firefox_marker {
  GPM_FIREFOX_OUT_OF_MEMORY,
  GPM_FIREFOX_FAILED,
  GPM_FIREFOX_MARK,
  GPM_FIREFOX_STEP
};
void gpm_firefox_write_schemas(FILE *f);
void gpm_firefox_write_markers(struct gpm_firefox *p, const struct gpm_spool_list *list);

#endif
