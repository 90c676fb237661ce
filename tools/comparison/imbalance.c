/* imbalance.c - see imbalance.h. */
#include "comparison/imbalance.h"

#include "model/names.h"
#include "rows/locations.h"
#include "support/text.h"
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>

static void grow(uint64_t **sum, uint32_t *count, uint32_t needed) {
  if (needed <= *count) return;
  *sum = gpm_memory_resize(*sum, needed, sizeof **sum);
  for (uint32_t i = *count; i < needed; i++) (*sum)[i] = 0;
  *count = needed;
}

/* Adds what the process's GPU with the highest peak held at that peak. */
static void add_held(uint64_t *by_path, uint64_t *by_line, const struct gpm_paths *paths,
                     const struct gpm_profile *p, const uint32_t *path_of_node) {
  uint32_t gpu = gpm_job_highest_gpu(p->reader);
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (c->device != gpu) continue;
    uint32_t path = path_of_node[c->node];
    uint64_t held = gpm_profile_at_peak(p->reader, c);
    by_path[path] += held;
    by_line[paths->path[path].text] += held;
  }
}

void gpm_imbalance_add(struct gpm_imbalance *i, const struct gpm_paths *paths,
                       const struct gpm_profile *p, const uint32_t *path_of_node) {
  grow(&i->by_path, &i->paths, paths->count);
  grow(&i->by_line, &i->lines, paths->words.count);
  add_held(i->by_path, i->by_line, paths, p, path_of_node);
}

/* ---- which line --------------------------------------------------------------------------------
 */

static double above(uint64_t own, uint64_t sum, uint32_t processes) {
  return (double)own - (double)sum / processes;
}

/* Finds the line with the most bytes above its mean, and the one of its paths that has the most. */
static bool name_line(struct gpm_imbalance *i, const struct gpm_paths *paths,
                      const struct gpm_profile *p, const uint32_t *path_of_node,
                      uint32_t processes) {
  uint64_t *by_path = gpm_memory_array(paths->count, sizeof *by_path),
           *by_line = gpm_memory_array(paths->words.count, sizeof *by_line);
  add_held(by_path, by_line, paths, p, path_of_node);
  uint32_t line = GPUMEMPROF_NONE, node = GPUMEMPROF_NONE;
  double most = 0, most_of_path = 0;
  for (uint32_t n = 0; n < p->node_count; n++) {
    uint32_t path = path_of_node[n], text = paths->path[path].text;
    if (!by_path[path]) continue;
    double more = above(by_line[text], i->by_line[text], processes);
    if (text != line && more > most) {
      most = more;
      line = text;
    }
  }
  for (uint32_t n = 0; n < p->node_count && line != GPUMEMPROF_NONE; n++) {
    uint32_t path = path_of_node[n];
    if (!by_path[path] || paths->path[path].text != line) continue;
    double more = above(by_path[path], i->by_path[path], processes);
    if (node != GPUMEMPROF_NONE && more <= most_of_path) continue;
    most_of_path = more;
    node = n;
  }
  if (node != GPUMEMPROF_NONE) {
    i->bytes = (uint64_t)gpm_text_whole(most);
    i->line = gpm_locations_node_allocation(p, node);
    i->callers = gpm_locations_callers(p, node);
    i->most_callers = most_of_path < most - 0.5;
    i->node = node;
  }
  free(by_path);
  free(by_line);
  return node != GPUMEMPROF_NONE;
}

void gpm_imbalance_find(struct gpm_imbalance *i, struct gpm_paths *paths,
                        const struct gpm_processes *all, const struct gpm_job_peaks *peaks,
                        bool short_names, const struct gpm_hidden_wrappers *wrappers,
                        struct gpm_host *host) {
  char error[8192];
  i->known = all->read > 1 && peaks->max;
  if (!i->known) return;
  i->factor = (double)peaks->max / peaks->mean;
  i->more = (uint64_t)gpm_text_whole((double)peaks->max - peaks->mean);
  i->even = i->factor < 1.05;
  if (i->even) return;
  struct gpm_reader *r =
      gpm_reader_open(all->process[peaks->max_of].path, host, error, sizeof error);
  if (!r) return; /* the file was removed meanwhile: its figures are known, its line is not */
  if (r->native_modules.count) gpm_symbols_name(r); /* as when it was added */
  if (short_names) gpm_names_shorten(r);
  gpm_wrappers_settle(r, wrappers);
  struct gpm_filter filter = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  struct gpm_profile *p = gpm_profile_new(r, &filter);
  uint32_t *path_of_node = gpm_paths_add(paths, p);
  grow(&i->by_path, &i->paths, paths->count);
  grow(&i->by_line, &i->lines, paths->words.count);
  if (name_line(i, paths, p, path_of_node, all->read)) i->profile = p;
  else gpm_profile_free(p);
  if (i->profile) i->reader = r;
  else gpm_reader_close(r);
  free(path_of_node);
}

void gpm_imbalance_free(struct gpm_imbalance *i) {
  free(i->by_path);
  free(i->by_line);
  free(i->line);
  free(i->callers);
  if (!i->profile) return;
  gpm_profile_free(i->profile);
  gpm_reader_close(i->reader);
}

/* ---- in words ----------------------------------------------------------------------------------
 */

char *gpm_imbalance_text(const struct gpm_imbalance *i, const struct gpm_processes *all,
                         const struct gpm_job_peaks *peaks, unsigned style) {
  char peak[GPM_TEXT_NUMBER], mean[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER], part[GPM_TEXT_NUMBER];
  const char *name = all->process[peaks->max_of].name;
  if (!i->known) return gpm_memory_text(all->read > 1 ? "no process used a GPU" : "");
  if (i->even)
    return gpm_memory_format("balanced: the highest peak, that of %s, is %.2fx the mean", name,
                             i->factor);
  gpm_text_bytes(peak, (int64_t)peaks->max, style);
  gpm_text_bytes(mean, gpm_text_whole(peaks->mean), style);
  const struct gpm_process *highest = &all->process[peaks->max_of];
  char gpu[32] = "";
  if (highest->gpus > 1) snprintf(gpu, sizeof gpu, " on its GPU %d", highest->gpu);
  char *text = gpm_memory_format("imbalance: %s peaked at %s%s, %.2fx the mean of %s", name, peak,
                                 gpu, i->factor, mean);
  if (!i->line) return text;
  gpm_text_bytes(more, (int64_t)i->more, style);
  gpm_text_bytes(part, (int64_t)i->bytes, style);
  char *longer =
      gpm_memory_format("%s; %s the difference of %s is %s%s%s: %s", text,
                        i->bytes > i->more / 2 ? "most of" : "the largest part of", more, i->line,
                        !*i->callers      ? ""
                        : i->most_callers ? ", mostly called from "
                                          : ", called from ",
                        i->callers, part);
  free(text);
  return longer;
}
