/* top_refresh.h - reads the capture of a running program at regular intervals, for `gpumemprof
 * top`.
 *
 *   the capture --reader.h, rows.h--> rows by line --> top_model.h: growth, rates, old bytes
 *
 * A refresh has the figures that `report` would print at that moment. If the capture has new
 * records, the refresh reopens it and checks all of it; else it reads only the figures
 * (reader_refresh.c). A line keeps its number from one refresh to the next. After the program has
 * ended, or when the capture can no longer be read, the latest refresh stays.
 */
#ifndef GPM_TOOLS_TOP_REFRESH_H
#define GPM_TOOLS_TOP_REFRESH_H

#include "model/wrappers.h"
#include "rows/rows.h"
#include "support/words.h"
#include "top/top_model.h"

/* Figures of a line, or of all lines. The model has how they change between refreshes. */
struct gpm_top_figures {
  uint64_t at_peak; /* its own bytes at the device peaks */
  uint64_t most;    /* its live peak, if known */
  bool has_most;
};

struct gpm_top {
  char *path;       /* gpm_top_free frees it, as all else here */
  bool short_names; /* names.h */
  struct gpm_hidden_wrappers wrappers;
  bool whole; /* each refresh reopens the capture, and finds names in prebuilt libraries */
  struct gpm_top_model model;
  char *problem;    /* why the latest refresh failed; null: it did not */
  bool over;        /* nothing more can come: the file went to another program, or with its own */
  uint64_t took_ns; /* processor time of the latest refresh */
  bool is_new;      /* the latest refresh reopened the capture */
  /* Of the latest refresh: */
  struct gpm_reader *reader; /* null: there was no refresh yet */
  struct gpm_profile *profile;
  struct gpm_rows rows; /* figures are those of the latest refresh that reopened the capture */
  uint64_t peaks;       /* of the devices in use, added up */
  struct gpm_top_figures *figures; /* by number of the line */
  uint32_t *row;                   /* by number: its row */
  char **place;                    /* by number: gpm_top_place */
  uint32_t count;                  /* lines */
  uint32_t *number;                /* by row: its line */
  uint32_t *line_of;               /* by record of LINES: its line, or NONE */
  /* Of all refreshes: */
  struct gpm_words lines; /* a line's number is that of its word */
  bool *allocates;        /* by number: the line allocated at least once */
};

/* Makes one refresh. False: it failed, and `problem` says why. */
bool gpm_top_refresh(struct gpm_top *top);
/* Whether the program may still allocate, so that another refresh is useful. */
bool gpm_top_runs(const struct gpm_top *top);
void gpm_top_free(struct gpm_top *top);

/* "main.c:10 main  float *x = n * sizeof(float)" of a line; valid until the next refresh. */
const char *gpm_top_place(struct gpm_top *top, uint32_t line);
/* Shows files with their folders from now on, or only by their names. */
void gpm_top_rename(struct gpm_top *top, bool folders);
static inline const struct gpm_row *gpm_top_row(const struct gpm_top *top, uint32_t line) {
  return &top->rows.row[top->row[line]];
}
/* The share of the devices' peaks that `at_peak` bytes are, in hundredths of a percent. */
uint64_t gpm_top_share(const struct gpm_top *top, uint64_t at_peak);
/* The time from the program's begin until now, or until its end. */
uint64_t gpm_top_age_ns(const struct gpm_top *top);

/* top_scopes.c: the open scopes of each thread, the threads one after the other, outermost first.
 * To be freed. */
struct gpm_top_scope {
  uint32_t thread, depth, node;
  int64_t net, own_peak; /* so far */
  bool shared, attached; /* other threads work for it; it is work of another thread */
};
struct gpm_top_scope *gpm_top_scopes(const struct gpm_top *top, uint32_t *count);

/* top_paths.c: the call paths on which a line allocated, most live bytes first. To be freed. */
struct gpm_top_path {
  uint32_t node;
  uint64_t live, blocks, at_peak, allocated, allocated_blocks;
};
struct gpm_top_path *gpm_top_paths(const struct gpm_top *top, uint32_t line, uint32_t *count);

#endif
