/* wrappers.h - memory of allocation wrappers is the caller's: `--wrappers hide`. Called by
 * whatever opens a capture (command.c, top, the reader library).
 *
 *   main:9 -> make_vec:4 -> Vec:2 -> cudaMalloc      main:9 has the memory, "via make_vec"
 *
 * The plugin marks calls that allocate for the caller of their function
 * (GPUMEMPROF_SITE_FOR_CALLER). What is allocated there belongs to the call that the function was
 * called by, unless that is marked, too. A function that the user names is a wrapper with all that
 * it calls.
 */
#ifndef GPM_TOOLS_WRAPPERS_H
#define GPM_TOOLS_WRAPPERS_H

#include "capture/reader.h"

enum { GPM_WRAPPERS_NAMED = 32 };
struct gpm_hidden_wrappers {
  bool hide;                            /* those that the plugin marked, and the named ones */
  const char *name[GPM_WRAPPERS_NAMED]; /* --wrapper NAME, borrowed */
  size_t names;
};

/* Whether the plugin that compiled the program marked any call. Captures are only compared with
 * hidden wrappers if both have marks. */
bool gpm_wrappers_are_marked(const struct gpm_reader *reader);

/* Hides wrappers: moves what they allocated, and failed to, to the nodes of the calls that are
 * charged, and marks the sites of these in reader->via. Sums stay what they are. If they are shown,
 * finds who is responsible. Then takes variable, type and size from calls that are charged with
 * nothing: the plugin writes them at every call that may turn out to be one of a wrapper, and
 * `float *p = zeros(n)` is `-> zeros` where zeros has its own line. To be called once, after the
 * capture was opened. */
void gpm_wrappers_settle(struct gpm_reader *reader, const struct gpm_hidden_wrappers *wrappers);

/* Moves failures, and the calls that reached a peak, to the callers of hidden wrappers. To be
 * called again when they were computed from the events. */
void gpm_wrappers_move_failures(struct gpm_reader *reader);

/* Around gpm_reader_refresh: gives the cells back to the nodes that were recorded, and hides again.
 * Both do nothing if no memory was moved. */
void gpm_wrappers_before_refresh(struct gpm_reader *reader);
void gpm_wrappers_after_refresh(struct gpm_reader *reader);

/* Returns the first of the names of which the capture has no function that is called, or null. */
const char *gpm_wrappers_unknown(const struct gpm_reader *reader,
                                 const struct gpm_hidden_wrappers *wrappers);

/* The node at which a cell was recorded, not that which is charged with it. */
static inline uint32_t gpm_wrappers_recorded(const struct gpm_reader *reader, uint32_t number,
                                             const struct gpumemprof_capture_cell *cell) {
  bool moved = reader->charged && number < reader->charged_count && reader->charged[number].caller;
  return moved ? reader->charged[number].recorded : cell->node;
}

/* Whether memory of wrappers was moved to the calls of the site. */
static inline bool gpm_wrappers_is_via(const struct gpm_reader *reader, uint32_t site) {
  return reader->via && site != GPUMEMPROF_NONE && reader->via[site];
}

/* The call that would be charged with what is allocated at the node if wrappers were hidden; the
 * node itself if it is in none, or they are hidden. */
static inline uint32_t gpm_wrappers_responsible(const struct gpm_reader *reader, uint32_t node) {
  return reader->responsible ? reader->responsible[node] : node;
}

/* wrappers_oom.c: moves what the records of out-of-memory allocations list. To be called before the
 * cells are moved. */
void gpm_wrappers_move_ooms(struct gpm_reader *reader, const uint32_t *callers);

#endif
