/* oom_text.c - prints one line on standard error for an allocation that was out of memory.
 *
 *   out of memory on GPU 0: 2.00 GiB requested at train.cu:12 step, 1.00 GiB of 24.00 GiB free;
 *   held by train.cu:40 zeros (12.00 GiB), load.cu:7 load (6.00 GiB), load.cu:9 cache (3.00 GiB);
 *   freeing 3.00 GiB at load.cu:9 cache (through train.cu:30 main) would have made room;
 *
 * or, where several callers allocated through a line and one of them has enough,
 *
 *   freeing 3.00 GiB that train.cu:30 main allocated at load.cu:9 cache would have made room;
 *   'gpumemprof oom' shows more
 *
 * What wrappers of allocations hold is at the lines that call them, as in reports (oom_callers.c).
 * oom.c calls it for each failure it describes; only the first few are printed.
 */
#include "base/text.h"
#include "capture/words.h"
#include "oom/oom.h"
#include "options/options.h"

#define MOST_SAID 8u /* leaves room for other messages (text.c has a limit) */
#define LINES_SAID 3u

static void word_location(struct gpm_words *w, const struct gpumemprof_capture_site *site) {
  if (site) gpm_words_location(w, site->file, site->line, site->function);
  else gpm_words_location(w, 0, 0, 0);
}

static void word_device(struct gpm_words *w, int ordinal) {
  if (ordinal >= 0) {
    gpm_words_add(w, " on GPU ");
    gpm_words_number(w, (uint64_t)ordinal);
  } else if (ordinal == GPUMEMPROF_HOST) gpm_words_add(w, " on the host (pinned memory)");
}

static void word_holders(struct gpm_words *w, const struct gpm_oom *oom) {
  const struct gpumemprof_capture_oom *o = &oom->record;
  if (o->ordinal == GPUMEMPROF_OOM_UNKNOWN_DEVICE) return;
  gpm_words_add(w, o->lines ? "; held by " : "; nothing that was recorded is held there");
  for (uint32_t i = 0; i < o->lines && i < LINES_SAID; i++) {
    gpm_words_add(w, i ? ", " : "");
    word_location(w, oom->line[i]);
    gpm_words_add(w, " (");
    gpm_words_bytes(w, o->line[i].live.bytes);
    gpm_words_add(w, ")");
  }
}

/* Several callers may have allocated through a line, and what one of them has may be enough. */
static void word_line(struct gpm_words *w, const struct gpm_oom *oom, uint32_t line,
                      uint64_t bytes) {
  uint64_t through = oom->caller_bytes[line];
  bool part = oom->caller[line] && through < bytes,
       enough = part && through >= gpumemprof_oom_lacking(&oom->record);
  gpm_words_add(w, "; freeing ");
  gpm_words_bytes(w, enough ? through : bytes);
  if (enough) {
    gpm_words_add(w, " that ");
    word_location(w, oom->caller[line]);
    gpm_words_add(w, " allocated");
  }
  gpm_words_add(w, " at ");
  word_location(w, oom->line[line]);
  if (!oom->caller[line] || enough) return;
  gpm_words_add(w, part ? " (the most through " : " (through ");
  word_location(w, oom->caller[line]);
  gpm_words_add(w, ")");
}

static void word_remedy(struct gpm_words *w, const struct gpm_oom *oom) {
  const struct gpumemprof_capture_oom *o = &oom->record;
  uint32_t lines;
  uint64_t bytes;
  switch (gpumemprof_oom_remedy(o, &lines, &bytes)) {
  case GPUMEMPROF_OOM_NOT_KNOWN:
    return;
  case GPUMEMPROF_OOM_TOO_LARGE:
    return gpm_words_add(w, "; the request is larger than the device");
  case GPUMEMPROF_OOM_WAS_FREE:
    return gpm_words_add(w, "; as much was free, but in pieces too small or not for this call");
  case GPUMEMPROF_OOM_TRIM:
    gpm_words_add(w, "; trimming the pools (");
    gpm_words_bytes(w, bytes);
    return gpm_words_add(w, " reserved and not used) might have made room");
  case GPUMEMPROF_OOM_FREE_LINE:
    word_line(w, oom, lines, bytes);
    return gpm_words_add(w, " would have made room");
  case GPUMEMPROF_OOM_FREE_LINES:
    gpm_words_add(w, "; freeing ");
    gpm_words_bytes(w, bytes);
    gpm_words_add(w, " at ");
    gpm_words_number(w, lines);
    return gpm_words_add(w, bytes < gpumemprof_oom_lacking(o) ? " lines would not have made room"
                                                              : " lines would have made room");
  case GPUMEMPROF_OOM_HELD_ELSEWHERE:
    return gpm_words_add(
        w, "; freeing all that was recorded would not have made room: other processes, "
           "libraries or CUDA itself hold the rest");
  }
}

void gpm_oom_say(const struct gpm_oom *oom, uint64_t number) {
  const struct gpumemprof_capture_oom *o = &oom->record;
  uint64_t most = gpm_options.oom_max < MOST_SAID ? gpm_options.oom_max : MOST_SAID;
  if (number > most) return;
  struct gpm_words w = {.longest_file = 32};
  gpm_words_add(&w, "out of memory");
  word_device(&w, o->ordinal);
  gpm_words_add(&w, ": ");
  if (o->requested) {
    gpm_words_bytes(&w, o->requested);
    gpm_words_add(&w, " requested at ");
  } else gpm_words_add(&w, "a call at ");
  word_location(&w, oom->call);
  if (o->memory_total) {
    gpm_words_add(&w, ", ");
    gpm_words_bytes(&w, o->memory_free);
    gpm_words_add(&w, " of ");
    gpm_words_bytes(&w, o->memory_total);
    gpm_words_add(&w, " free");
  }
  word_holders(&w, oom);
  word_remedy(&w, oom);
  gpm_words_add(&w, "; 'gpumemprof oom' shows more");
  if (number == gpm_options.oom_max) {
    gpm_words_add(&w, " (the next are only counted: oom_max=");
    gpm_words_number(&w, gpm_options.oom_max);
    gpm_words_add(&w, ")");
  } else if (number == most) gpm_words_add(&w, " (the next are not printed)");
  gpm_text_say(w.text, NULL);
}
