/* answer_print.c - see answer_print.h. */
#include "answers/answer_print.h"

#include "capture/reader.h"
#include "input/command.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct page {
  struct gpumemprof_answer_to to;
  const struct gpm_answer *answer;
  uint32_t count;
};

bool gpm_answer_read(struct gpm_answer *answer, const char *path) {
  /* gpm_answer_find hides the wrappers. */
  struct gpm_input input = {.path = path, .wrappers = GPM_WRAPPERS_SHOW};
  struct gpm_host *host = gpm_say_host(); /* of several processes, each names files as its report */
  free(host->shared);
  host->shared = NULL;
  struct gpm_reader *reader = gpm_input_open(&input);
  if (!reader) return false;
  gpm_answer_find(answer, reader);
  gpm_progress(NULL);
  gpm_reader_close(reader);
  return true;
}

/* ---- arguments ---------------------------------------------------------------------------------
 */

static char *relative(const char *path) {
  char *folder = getcwd(NULL, 0);
  size_t length = folder ? strlen(folder) : 0;
  bool below = length && !strncmp(path, folder, length) && path[length] == '/';
  free(folder);
  return gpm_memory_text(below ? path + length + 1 : path);
}

static bool is_newest(const char *path) {
  char *newest = gpm_reader_newest(".");
  bool same = newest && !strcmp(newest, path);
  free(newest);
  return same;
}

static char *quoted(const char *path) {
  char *text = gpm_memory_array(4 * strlen(path) + 3, 1);
  gpumemprof_answer_quote(text, path);
  return text;
}

char *gpm_answer_argument(const char *path) {
  char *clean = gpm_text_clean(path), *here = relative(clean), *text = quoted(here);
  free(clean);
  free(here);
  return text;
}

/* A command takes the newest capture of this folder if none is named. Of several, it is named. */
static char *argument_of(const struct page *page, const struct gpm_answer *a) {
  char *here = relative(a->path);
  bool newest = page->count == 1 && is_newest(here);
  free(here);
  return newest ? gpm_memory_text("") : gpm_answer_argument(a->path);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static void put_text(void *file, const char *text) {
  fputs(text, file);
}

static void put_number(void *file, uint64_t number) {
  fprintf(file, "%" PRIu64, number);
}

static void put_bytes(void *file, uint64_t bytes) {
  char text[GPM_TEXT_NUMBER];
  fputs(gpm_text_bytes(text, (int64_t)bytes, 0), file);
}

/* The name of one of several processes; null: there is only one. */
static const char *name_of(const struct page *page, const struct gpm_answer *a) {
  return page->count > 1 ? a->name : NULL;
}

static void end_line(const struct page *page) {
  gpumemprof_answer_text(&page->to, "\n");
}

static void print_peak(const struct page *page) {
  const struct gpm_answer *a = NULL; /* the fullest */
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *other = &page->answer[i];
    if (other->device && (!a || gpm_answer_is_fuller(other, a))) a = other;
  }
  struct gpumemprof_answer_part peak = {.bytes = 0};
  if (a)
    peak = (struct gpumemprof_answer_part){.bytes = a->peak.bytes,
                                           .most = a->peak.most,
                                           .line = a->peak.line,
                                           .process = name_of(page, a)};
  gpumemprof_answer_peak(&page->to, &peak, a ? a->device : NULL, a ? a->memory : 0,
                         a ? a->gpus : 0);
  end_line(page);
}

/* Adds up a part over the processes, with the line of the one with the most. Returns how many
 * processes have some. */
static uint32_t sum_up(const struct page *page, size_t offset, struct gpumemprof_answer_part *sum) {
  uint32_t processes = 0;
  *sum = (struct gpumemprof_answer_part){.bytes = 0};
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    const struct gpm_answer_part *part = (const struct gpm_answer_part *)((const char *)a + offset);
    if (!part->blocks) continue;
    sum->bytes += part->bytes;
    sum->blocks += part->blocks;
    if (processes++ && part->most <= sum->most) continue;
    sum->most = part->most;
    sum->line = part->line;
    sum->process = name_of(page, a);
  }
  return processes;
}

/* What is live is a leak only where the program exited, and not because memory ran out. */
static enum gpumemprof_answer_left left_of(const struct gpm_answer *a) {
  if (a->state != GPM_STATE_COMPLETE && a->state != GPM_STATE_STOPPED)
    return GPUMEMPROF_ANSWER_LIVE;
  return a->ran_out ? GPUMEMPROF_ANSWER_RAN_OUT : GPUMEMPROF_ANSWER_LEAKED;
}

/* Of several processes with memory that is not the same, it is called live. */
static enum gpumemprof_answer_left left_of_all(const struct page *page) {
  bool is[] = {[GPUMEMPROF_ANSWER_LEAKED] = false,
               [GPUMEMPROF_ANSWER_LIVE] = false,
               [GPUMEMPROF_ANSWER_RAN_OUT] = false};
  for (uint32_t i = 0; i < page->count; i++) {
    enum gpumemprof_answer_left left = left_of(&page->answer[i]);
    if (page->answer[i].leaks.blocks || left == GPUMEMPROF_ANSWER_LIVE) is[left] = true;
  }
  if (is[GPUMEMPROF_ANSWER_LIVE]) return GPUMEMPROF_ANSWER_LIVE;
  if (!is[GPUMEMPROF_ANSWER_RAN_OUT]) return GPUMEMPROF_ANSWER_LEAKED;
  return is[GPUMEMPROF_ANSWER_LEAKED] ? GPUMEMPROF_ANSWER_LIVE : GPUMEMPROF_ANSWER_RAN_OUT;
}

static void print_leaks(const struct page *page) {
  struct gpumemprof_answer_part sum;
  uint32_t processes = sum_up(page, offsetof(struct gpm_answer, leaks), &sum);
  gpumemprof_answer_leaks(&page->to, &sum, left_of_all(page), processes);
  end_line(page);
}

/* ---- what failed -------------------------------------------------------------------------------
 */

static void print_allocations(const struct page *page, bool *any) {
  struct gpumemprof_answer_part sum;
  uint64_t ooms = 0;
  sum_up(page, offsetof(struct gpm_answer, failed), &sum);
  for (uint32_t i = 0; i < page->count; i++) ooms += page->answer[i].oom_calls;
  gpumemprof_answer_allocations(&page->to, any, &sum, ooms);
}

static void print_frees(const struct page *page, bool *any) {
  uint64_t frees = 0;
  for (uint32_t i = 0; i < page->count; i++) frees += page->answer[i].failed_frees;
  gpumemprof_answer_frees(&page->to, any, frees);
}

static void print_budgets(const struct page *page, bool *any) {
  const struct gpm_answer *first = NULL;
  uint64_t broken = 0;
  for (uint32_t i = 0; i < page->count; i++) {
    if (page->answer[i].broken && !first) first = &page->answer[i];
    broken += page->answer[i].broken;
  }
  if (first) gpumemprof_answer_budgets(&page->to, any, broken, first->budget, name_of(page, first));
}

/* Prints "rank 3 did not exit cleanly", or of how many processes that is true. */
static void print_process(const struct page *page, const struct gpm_answer *a, uint32_t processes,
                          const char *what) {
  const struct gpumemprof_answer_to *to = &page->to;
  if (processes > 1) {
    to->number(to->data, processes);
    gpumemprof_answer_text(to, " processes");
  } else gpumemprof_answer_text(to, page->count > 1 ? a->name : "the program");
  gpumemprof_answer_text(to, " ");
  gpumemprof_answer_text(to, what);
}

static void print_ends(const struct page *page, bool *any) {
  const struct gpm_answer *first = NULL;
  uint32_t cut = 0;
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    if (!gpm_state_is_cut(a->state)) continue;
    if (!first || (a->end && !first->end)) first = a;
    cut++;
  }
  if (!first) return;
  gpumemprof_answer_fault(&page->to, any);
  print_process(page, first, cut, cut == 1 && first->end ? first->end : "did not exit cleanly");
  if (first->simulated)
    gpumemprof_answer_text(&page->to, " (on a simulated device kernels compute nothing, so results "
                                      "that the program relies on may have been missing)");
}

static void print_recording(const struct page *page, bool *any) {
  bool lost = false, unbalanced = false;
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    lost |= a->lost;
    unbalanced |= a->unbalanced;
    if (a->state != GPM_STATE_STOPPED) continue;
    gpumemprof_answer_stopped(&page->to, any, a->stop_reason, name_of(page, a));
  }
  gpumemprof_answer_doubts(&page->to, any, lost, unbalanced);
}

static void print_failures(const struct page *page) {
  bool any = false;
  print_allocations(page, &any);
  print_budgets(page, &any);
  print_ends(page, &any);
  print_frees(page, &any);
  print_recording(page, &any);
  gpumemprof_answer_no_more_faults(&page->to, any);
  end_line(page);
}

/* ---- what to do next ---------------------------------------------------------------------------
 */

/* The most urgent process; among equal ones, for leaks, that which leaks most. */
static const struct gpm_answer *most_urgent(const struct page *page) {
  const struct gpm_answer *found = &page->answer[0];
  for (uint32_t i = 1; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    bool equal = a->next == found->next;
    if (a->next < found->next ||
        (equal && a->next == GPUMEMPROF_ANSWER_LEAKS && a->leaks.most > found->leaks.most))
      found = a;
  }
  return found;
}

static void print_next(const struct page *page) {
  const struct gpm_answer *a = most_urgent(page);
  bool together = page->count > 1 && a->next == GPUMEMPROF_ANSWER_PEAK;
  char *path = together                                 ? gpm_answer_argument(a->path)
               : a->next == GPUMEMPROF_ANSWER_NOT_BUILT ? gpm_memory_text("")
                                                        : argument_of(page, a);
  if (together) {
    gpumemprof_answer_text(&page->to, "  next    gpumemprof merge --run ");
    gpumemprof_answer_text(&page->to, path);
    gpumemprof_answer_text(&page->to, "  # the processes together");
  } else if (a->remedy) {
    gpumemprof_answer_text(&page->to, "  next    ");
    gpumemprof_answer_text(&page->to, a->remedy);
  } else gpumemprof_answer_advice(&page->to, a->next, path);
  end_line(page);
  free(path);
}

void gpm_answer_print(FILE *to, const struct gpm_answer *answers, uint32_t count) {
  const struct page page = {
      .to = {.data = to, .text = put_text, .number = put_number, .bytes = put_bytes},
      .answer = answers,
      .count = count};
  print_peak(&page);
  print_leaks(&page);
  print_failures(&page);
  print_next(&page);
}
