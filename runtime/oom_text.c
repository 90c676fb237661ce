/* oom_text.c - an allocation that was out of memory, in one line on standard error.
 *
 *   out of memory on GPU 0: 2.00 GiB asked for at train.cu:12 step, 1.00 GiB of 24.00 GiB free;
 *   held by train.cu:40 zeros (12.00 GiB), load.cu:7 load (6.00 GiB), load.cu:9 cache (3.00 GiB);
 *   freeing 3.00 GiB at load.cu:9 cache would have made room; 'gpumemprof oom' shows more
 *
 * oom.c calls it for each failure it describes; only the first few are printed. Long names are cut:
 * a path on the left, at a folder.
 */
#include "oom.h"

#include <string.h>

#define MOST_SAID 8u /* of the messages of text.c: others must have their turn */
#define LINES_SAID 3u
#define LONGEST_FILE 32u
#define LONGEST_FUNCTION 64u

struct words {
  char text[1536];
  size_t length;
};

static void word(struct words *w, const char *text) {
  w->length = gpm_text_add(w->text, sizeof w->text, w->length, text);
}

static void word_number(struct words *w, uint64_t number) {
  w->length = gpm_text_add_number(w->text, sizeof w->text, w->length, number);
}

static void word_bytes(struct words *w, uint64_t bytes) {
  w->length = gpm_text_add_bytes(w->text, sizeof w->text, w->length, bytes);
}

/* At most so many bytes; what would move the cursor of a terminal is left out. */
static void word_name(struct words *w, const char *text, size_t most) {
  for (; *text && most; text++, most--) {
    const char one[2] = {*text, 0};
    word(w, (unsigned char)*text < 0x20 || *text == 0x7f ? " " : one);
  }
  if (*text) word(w, "...");
}

static void word_file(struct words *w, const char *path) {
  size_t length = strlen(path);
  if (length > LONGEST_FILE) {
    path += length - LONGEST_FILE;
    const char *folder = strchr(path, '/');
    if (folder && folder[1]) path = folder;
    word(w, "...");
  }
  word_name(w, path, LONGEST_FILE);
}

static void word_place(struct words *w, const struct gpumemprof_capture_site *site) {
  const char *file = site ? gpm_strings_text(site->file) : NULL;
  const char *function = site ? gpm_strings_text(site->function) : NULL;
  if (site && site->line) {
    word_file(w, file ? file : "");
    word(w, ":");
    word_number(w, site->line);
    if (function) word(w, " ");
  } else if (!function) function = "code that was not rebuilt";
  word_name(w, function ? function : "", LONGEST_FUNCTION);
}

static void word_device(struct words *w, int ordinal) {
  if (ordinal >= 0) {
    word(w, " on GPU ");
    word_number(w, (uint64_t)ordinal);
  } else if (ordinal == GPUMEMPROF_HOST) word(w, " on the host (pinned memory)");
}

static void word_holders(struct words *w, const struct gpm_oom *oom) {
  const struct gpumemprof_capture_oom *o = &oom->record;
  if (o->ordinal == GPUMEMPROF_OOM_UNKNOWN_DEVICE) return;
  word(w, o->lines ? "; held by " : "; nothing that was recorded is held there");
  for (uint32_t i = 0; i < o->lines && i < LINES_SAID; i++) {
    word(w, i ? ", " : "");
    word_place(w, oom->line[i]);
    word(w, " (");
    word_bytes(w, o->line[i].live.bytes);
    word(w, ")");
  }
}

static void word_remedy(struct words *w, const struct gpm_oom *oom) {
  const struct gpumemprof_capture_oom *o = &oom->record;
  uint32_t lines;
  uint64_t bytes;
  switch (gpumemprof_oom_remedy(o, &lines, &bytes)) {
  case GPUMEMPROF_OOM_NOT_KNOWN:
    return;
  case GPUMEMPROF_OOM_TOO_LARGE:
    return word(w, "; the request is larger than the device");
  case GPUMEMPROF_OOM_WAS_FREE:
    return word(w, "; as much was free, but in pieces too small or not for this call");
  case GPUMEMPROF_OOM_TRIM:
    word(w, "; trimming the pools (");
    word_bytes(w, bytes);
    return word(w, " reserved and not used) might have made room");
  case GPUMEMPROF_OOM_FREE_LINE:
    word(w, "; freeing ");
    word_bytes(w, bytes);
    word(w, " at ");
    word_place(w, oom->line[lines]);
    return word(w, " would have made room");
  case GPUMEMPROF_OOM_FREE_LINES:
    word(w, "; freeing ");
    word_bytes(w, bytes);
    word(w, " at ");
    word_number(w, lines);
    return word(w, bytes < gpumemprof_oom_lacking(o) ? " lines would not have made room"
                                                     : " lines would have made room");
  case GPUMEMPROF_OOM_HELD_ELSEWHERE:
    return word(w, "; freeing all that was recorded would not have made room: other processes, "
                   "libraries or CUDA itself hold the rest");
  }
}

void gpm_oom_say(const struct gpm_oom *oom, uint64_t number) {
  const struct gpumemprof_capture_oom *o = &oom->record;
  uint64_t most = gpm_options.oom_max < MOST_SAID ? gpm_options.oom_max : MOST_SAID;
  if (number > most) return;
  struct words w = {.length = 0};
  word(&w, "out of memory");
  word_device(&w, o->ordinal);
  word(&w, ": ");
  if (o->requested) {
    word_bytes(&w, o->requested);
    word(&w, " asked for at ");
  } else word(&w, "a call at ");
  word_place(&w, oom->call);
  if (o->memory_total) {
    word(&w, ", ");
    word_bytes(&w, o->memory_free);
    word(&w, " of ");
    word_bytes(&w, o->memory_total);
    word(&w, " free");
  }
  word_holders(&w, oom);
  word_remedy(&w, oom);
  word(&w, "; 'gpumemprof oom' shows more");
  if (number == gpm_options.oom_max) {
    word(&w, " (the next are only counted: oom_max=");
    word_number(&w, gpm_options.oom_max);
    word(&w, ")");
  } else if (number == most) word(&w, " (the next are not printed)");
  gpm_text_say(w.text, NULL);
}
