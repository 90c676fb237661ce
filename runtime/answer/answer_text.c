/* answer_text.c - the lines of a run's short answer on standard error: see answer.h.
 *
 * gpumemprof: wrote /home/me/gpumemprof.box.71.gmprof; 'gpumemprof report' shows it
 *   peak    24.00 MiB of 64.00 MiB, 16.00 MiB at main.c:13 main
 *   leaks   8.00 MiB in 1 block at main.c:14 main
 *   failed  nothing
 *   next    gpumemprof leaks /home/me/gpumemprof.box.71.gmprof  # with their call paths
 *
 * The capture is named in full, because the shell that reads the last line may be in another folder
 * than the program. Files of the source are named relative to the folder in which the program
 * started, if they are below it. All lines are one write, so that those of several processes do not
 * mix.
 */
#include "answer/answer.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/capture.h"

#include "gpumemprof/hooks.h"

#define ANSWER_TEXT (64u << 10) /* more than the longest path, quoted, and four lines take */

/* ---- places -------------------------------------------------------------------------------------
 */

static void name_place(struct gpm_words *w, const struct gpumemprof_capture_site *s, uint32_t line,
                       uint32_t name) {
  w->longest_name = sizeof w->text; /* as in reports, no name is cut */
  if (!s || (!s->file && !s->function)) return gpm_words_add(w, "(code that was not rebuilt)");
  gpm_words_file(w, s->file, line);
  if (s->file && s->function) gpm_words_add(w, " ");
  gpm_words_name(w, s->function);
  if (name) {
    gpm_words_add(w, " {");
    gpm_words_name(w, name);
    gpm_words_add(w, "}");
  }
  if (!line && s->file) gpm_words_add(w, " (unknown line)");
}

static bool is_scope_site(const struct gpumemprof_capture_site *s) {
  return s && (s->kind == GPUMEMPROF_SITE_FUNCTION || s->kind == GPUMEMPROF_SITE_BLOCK);
}

void gpm_answer_name_scope(const struct gpumemprof_capture_site *site, struct gpm_words *words) {
  name_place(words, site, site->line, site->name);
}

/* A call that is not known is named by its function. */
void gpm_answer_name_node(const struct gpm_answer *a, uint32_t node, struct gpm_words *words) {
  const struct gpumemprof_capture_site *s = a->node[node].site;
  if (s && (s->kind == GPUMEMPROF_SITE_CALL || s->kind == GPUMEMPROF_SITE_NATIVE))
    return name_place(words, s, s->line, 0);
  uint32_t at = node;
  while (at && !is_scope_site(a->node[at].site)) at = a->node[at].record->parent;
  s = a->node[at].site;
  name_place(words, s, at == node && s ? s->line : 0, s ? s->name : 0);
}

/* ---- lines --------------------------------------------------------------------------------------
 */

struct answer_lines {
  char *text;
  size_t length;
};

/* A path may contain a line break, which must not begin another line. */
static void put_answer_text(void *lines, const char *text) {
  struct answer_lines *l = lines;
  size_t from = l->length;
  l->length = gpm_text_add(l->text, ANSWER_TEXT - 1, from, text);
  for (; from < l->length; from++)
    if (l->text[from] == '\n') l->text[from] = '?';
}

static void put_answer_number(void *lines, uint64_t number) {
  struct answer_lines *l = lines;
  l->length = gpm_text_add_number(l->text, ANSWER_TEXT - 1, l->length, number);
}

static void put_answer_bytes(void *lines, uint64_t bytes) {
  struct answer_lines *l = lines;
  l->length = gpm_text_add_bytes(l->text, ANSWER_TEXT - 1, l->length, bytes);
}

static void end_answer_line(const struct gpumemprof_answer_to *to) {
  struct answer_lines *l = to->data;
  l->length = gpm_text_add(l->text, ANSWER_TEXT, l->length, "\n");
}

static void say_peak(const struct gpumemprof_answer_to *to, const struct gpm_answer *a) {
  char gpu[24] = "GPU ";
  const char *device = gpumemprof_answer_not_gpu(a->ordinal);
  if (!device) gpm_text_add_number(gpu, sizeof gpu, strlen(gpu), (uint64_t)a->ordinal);
  gpumemprof_answer_peak(to, &a->peak.figure, a->allocated ? device ? device : gpu : NULL,
                         a->memory, a->gpus);
  end_answer_line(to);
}

static void say_failed(const struct gpumemprof_answer_to *to, const struct gpm_answer *a) {
  const struct gpumemprof_capture_header *h = gpm_capture;
  bool any = false;
  gpumemprof_answer_allocations(to, &any, &a->failed.figure, a->oom_calls);
  gpumemprof_answer_budgets(to, &any, a->budgets, a->budget.text, NULL);
  gpumemprof_answer_frees(to, &any, a->counters[GPUMEMPROF_COUNTER_failed_frees]);
  if (h->flags & GPUMEMPROF_CAPTURE_STOPPED)
    gpumemprof_answer_stopped(to, &any, h->stop_reason, NULL);
  gpumemprof_answer_doubts(to, &any, gpumemprof_answer_has_losses(a->counters), false);
  gpumemprof_answer_no_more_faults(to, any);
  end_answer_line(to);
}

static void say_next(const struct gpumemprof_answer_to *to, const struct gpm_answer *a,
                     char *argument) {
  enum gpumemprof_answer_next next = gpumemprof_answer_next(&a->facts);
  gpumemprof_answer_quote(argument, gpm_capture_path());
  gpumemprof_answer_advice(to, next, next == GPUMEMPROF_ANSWER_NOT_BUILT ? "" : argument);
  end_answer_line(to);
}

void gpm_answer_say(struct gpm_answer *a, const char *wrote) {
  size_t quoted = 4 * strlen(gpm_capture_path()) + 3;
  struct answer_lines lines = {.text = gpm_memory_try(ANSWER_TEXT + quoted)};
  const struct gpumemprof_answer_to to = {.data = &lines,
                                          .text = put_answer_text,
                                          .number = put_answer_number,
                                          .bytes = put_answer_bytes};
  if (lines.text) {
    if (*wrote) {
      gpumemprof_answer_text(&to, "gpumemprof: ");
      gpumemprof_answer_text(&to, wrote);
      end_answer_line(&to);
    }
    say_peak(&to, a);
    gpumemprof_answer_leaks(&to, &a->leaks.figure,
                            a->ran_out ? GPUMEMPROF_ANSWER_RAN_OUT : GPUMEMPROF_ANSWER_LEAKED, 1);
    end_answer_line(&to);
    say_failed(&to, a);
    say_next(&to, a, lines.text + ANSWER_TEXT);
    gpm_text_write(lines.text, lines.length);
    gpm_memory_unmap(lines.text, ANSWER_TEXT + quoted);
  }
  gpm_memory_unmap(a, a->mapped);
}
