/* top_look.h - a running program looked at again and again: `gpumemprof top`.
 *
 *   the capture --reader.h, rows.h--> a look: rows by line --> top_model.h: growth, rates, old
 * bytes
 *
 * A look has the figures of `report` at that moment. It opens the capture anew and checks all of it
 * where there is more than figures to be read, and else reads these alone (reader_again.c). A line
 * keeps its number from look to look. After the program has ended, or when the capture can no
 * longer be read, the latest look stays.
 */
#ifndef GPM_TOOLS_TOP_LOOK_H
#define GPM_TOOLS_TOP_LOOK_H

#include "rows/rows.h"
#include "support/words.h"
#include "top/top_model.h"

/* Of a line, or of all: what becomes of it between looks is in the model. */
struct gpm_top_figures {
  uint64_t at_peak; /* its own bytes at the device peaks */
  uint64_t most;    /* its live peak, if known */
  bool has_most;
};

struct gpm_top {
  char *path;       /* to be freed by gpm_top_free, as all else */
  bool short_names; /* names.h */
  bool whole;       /* each look opens the capture anew, and finds names in prebuilt libraries */
  struct gpm_top_model model;
  char *problem;    /* why the latest try gave no look; null: it did */
  bool over;        /* nothing more can come: the file went to another program, or with its own */
  uint64_t took_ns; /* processor time of the latest look */
  bool anew;        /* it opened the capture */
  /* Of the latest look: */
  struct gpm_reader *reader; /* null: there was none yet */
  struct gpm_profile *profile;
  struct gpm_rows rows; /* figures are those of the latest look that opened the capture */
  uint64_t peaks;       /* of the devices in use, added up */
  struct gpm_top_figures *figures; /* by number of the line */
  uint32_t *row;                   /* by number: its row */
  char **place;                    /* by number: gpm_top_place */
  uint32_t count;                  /* lines */
  uint32_t *number;                /* by row: its line */
  uint32_t *line_of;               /* by record of LINES: its line, or NONE */
  /* Of all looks: */
  struct gpm_words lines; /* a line's number is that of its word */
  bool *allocates;        /* by number: it ever did */
};

/* One look more; false: `problem` says why it could not be. */
bool gpm_top_look(struct gpm_top *top);
/* The program may allocate more, so another look makes sense. */
bool gpm_top_runs(const struct gpm_top *top);
void gpm_top_free(struct gpm_top *top);

/* "main.c:10 main  float *x = n * sizeof(float)" of a line, until the next look. */
const char *gpm_top_place(struct gpm_top *top, uint32_t line);
/* Files from now on with their folders, or by their names alone. */
void gpm_top_rename(struct gpm_top *top, bool folders);
static inline const struct gpm_row *gpm_top_row(const struct gpm_top *top, uint32_t line) {
  return &top->rows.row[top->row[line]];
}
/* What of the devices' peaks was its own, in hundredths of a percent. */
uint64_t gpm_top_share(const struct gpm_top *top, uint64_t at_peak);
/* Since the program began, until now or its end. */
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
