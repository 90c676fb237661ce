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
  FILE *to;
  const struct gpm_answer *answer;
  uint32_t count;
};

bool gpm_answer_read(struct gpm_answer *answer, const char *path) {
  /* gpm_answer_find hides the wrappers. */
  struct gpm_input input = {.path = path, .wrappers = GPM_WRAPPERS_SHOW};
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
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+"
                              "=:,@%";
  if (!path[strspn(path, plain)]) return gpm_memory_text(path);
  char *text = gpm_memory_array(4 * strlen(path) + 3, 1), *to = text;
  *to++ = '\'';
  for (; *path; path++) {
    if (*path == '\'') to = stpcpy(to, "'\\''");
    else *to++ = *path;
  }
  *to = '\'';
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

/* Prints " of rank 3" for one of several processes. */
static void print_name(const struct page *page, const struct gpm_answer *a) {
  if (page->count > 1) fprintf(page->to, " of %s", a->name);
}

/* Prints ", 20.00 MiB at main.c:10 main", or " at main.c:10 main" if that is all. */
static void print_line(const struct page *page, const struct gpm_answer *a,
                       const struct gpm_answer_part *part, uint64_t all) {
  char bytes[GPM_TEXT_NUMBER];
  if (!part->line) return;
  if (part->most < all) fprintf(page->to, ", %s", gpm_text_bytes(bytes, (int64_t)part->most, 0));
  fprintf(page->to, " at %s", part->line);
  print_name(page, a);
}

static void print_peak(const struct page *page) {
  char bytes[GPM_TEXT_NUMBER], memory[GPM_TEXT_NUMBER];
  const struct gpm_answer *fullest = NULL;
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    if (a->device && (!fullest || gpm_answer_is_fuller(a, fullest))) fullest = a;
  }
  fprintf(page->to, "  peak    ");
  if (!fullest) {
    fprintf(page->to, "none: no memory was allocated\n");
    return;
  }
  const struct gpm_answer *a = fullest;
  fprintf(page->to, "%s", gpm_text_bytes(bytes, (int64_t)a->peak.bytes, 0));
  if (a->gpus && a->memory)
    fprintf(page->to, " of %s", gpm_text_bytes(memory, (int64_t)a->memory, 0));
  if (!a->gpus || a->gpus > 1 || page->count > 1) fprintf(page->to, " on %s", a->device);
  if (a->gpus > 1) fprintf(page->to, " (fullest of %" PRIu32 ")", a->gpus);
  print_line(page, a, &a->peak, a->peak.bytes);
  fputc('\n', page->to);
}

/* Adds up a part over the processes; returns the process with the most. */
static const struct gpm_answer *sum_up(const struct page *page, size_t offset,
                                       struct gpm_answer_part *sum, uint32_t *processes) {
  const struct gpm_answer *most = NULL;
  *sum = (struct gpm_answer_part){.bytes = 0};
  *processes = 0;
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    const struct gpm_answer_part *part = (const struct gpm_answer_part *)((const char *)a + offset);
    if (!part->blocks) continue;
    sum->bytes += part->bytes;
    sum->blocks += part->blocks;
    ++*processes;
    if (most && part->most <= sum->most) continue;
    most = a;
    sum->most = part->most;
    sum->line = part->line;
  }
  return most;
}

/* What is live is a leak only where the program exited. */
static bool is_leak(const struct gpm_answer *a) {
  return a->state == GPM_STATE_COMPLETE || a->state == GPM_STATE_STOPPED;
}

static void print_leaks(const struct page *page) {
  char bytes[GPM_TEXT_NUMBER];
  bool leaks = true;
  for (uint32_t i = 0; i < page->count; i++) leaks &= is_leak(&page->answer[i]);
  struct gpm_answer_part sum;
  uint32_t processes;
  const struct gpm_answer *most =
      sum_up(page, offsetof(struct gpm_answer, leaks), &sum, &processes);
  fprintf(page->to, "  %-8s", leaks ? "leaks" : "live");
  if (!most) {
    fprintf(page->to, "none\n");
    return;
  }
  fprintf(page->to, "%s in %" PRIu64 " block%s", gpm_text_bytes(bytes, (int64_t)sum.bytes, 0),
          sum.blocks, gpm_text_s(sum.blocks));
  if (processes > 1) fprintf(page->to, " of %" PRIu32 " processes", processes);
  print_line(page, most, &sum, sum.bytes);
  fputc('\n', page->to);
}

/* ---- what failed -------------------------------------------------------------------------------
 */

/* Each thing that failed begins with this, but the first. */
static void begin_failure(const struct page *page, bool *any) {
  if (*any) fputs("; ", page->to);
  *any = true;
}

static void print_allocations(const struct page *page, bool *any) {
  char bytes[GPM_TEXT_NUMBER];
  struct gpm_answer_part sum;
  uint32_t processes;
  uint64_t ooms = 0;
  const struct gpm_answer *most =
      sum_up(page, offsetof(struct gpm_answer, failed), &sum, &processes);
  for (uint32_t i = 0; i < page->count; i++) ooms += page->answer[i].oom_calls;
  if (!most) return;
  begin_failure(page, any);
  gpm_text_bytes(bytes, (int64_t)sum.bytes, 0);
  if (ooms && ooms == sum.blocks) fprintf(page->to, "out of memory: ");
  fprintf(page->to, "%" PRIu64 " allocation%s of %s%s", sum.blocks, gpm_text_s(sum.blocks), bytes,
          sum.blocks == 1 ? "" : " in all");
  if (ooms && ooms < sum.blocks) fprintf(page->to, " (%" PRIu64 " of them out of memory)", ooms);
  print_line(page, most, &sum, sum.bytes);
}

static void print_frees(const struct page *page, bool *any) {
  uint64_t frees = 0;
  for (uint32_t i = 0; i < page->count; i++) frees += page->answer[i].failed_frees;
  if (!frees) return;
  begin_failure(page, any);
  fprintf(page->to, "%" PRIu64 " free%s", frees, gpm_text_s(frees));
}

static void print_budgets(const struct page *page, bool *any) {
  const struct gpm_answer *first = NULL;
  uint32_t broken = 0;
  for (uint32_t i = 0; i < page->count; i++) {
    if (page->answer[i].broken && !first) first = &page->answer[i];
    broken += page->answer[i].broken;
  }
  if (!first) return;
  begin_failure(page, any);
  fprintf(page->to, "%" PRIu32 " budget%s broken%s at %s", broken, gpm_text_s(broken),
          broken > 1 ? ", one" : "", first->budget);
  print_name(page, first);
}

/* Prints "rank 3 did not exit cleanly", or of how many processes that is true. */
static void print_process(const struct page *page, const struct gpm_answer *a, uint32_t processes,
                          const char *what) {
  if (processes > 1) fprintf(page->to, "%" PRIu32 " processes %s", processes, what);
  else fprintf(page->to, "%s %s", page->count > 1 ? a->name : "the program", what);
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
  begin_failure(page, any);
  print_process(page, first, cut, cut == 1 && first->end ? first->end : "did not exit cleanly");
}

static void print_recording(const struct page *page, bool *any) {
  bool lost = false, unbalanced = false;
  for (uint32_t i = 0; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    lost |= a->lost;
    unbalanced |= a->unbalanced;
    if (a->state != GPM_STATE_STOPPED) continue;
    begin_failure(page, any);
    fprintf(page->to, "recording stopped: %s", a->stop_reason);
    print_name(page, a);
  }
  if (!lost && !unbalanced) return;
  begin_failure(page, any);
  fprintf(page->to, "%s (`gpumemprof report` says more)",
          unbalanced ? "the sums do not balance" : "some of it was not recorded");
}

static void print_failures(const struct page *page) {
  bool any = false;
  fprintf(page->to, "  failed  ");
  print_allocations(page, &any);
  print_budgets(page, &any);
  print_ends(page, &any);
  print_frees(page, &any);
  print_recording(page, &any);
  fprintf(page->to, "%s\n", any ? "" : "nothing");
}

/* ---- what to do next ---------------------------------------------------------------------------
 */

static const struct {
  const char *command, *options, *shows;
} nexts[] = {
    [GPM_ANSWER_NOT_BUILT] = {"flags", " clang", "to build it with the plugin"},
    [GPM_ANSWER_NOTHING] = {"info", "", "what was recorded"},
    [GPM_ANSWER_OOM] = {"oom", "", "who held the memory"},
    [GPM_ANSWER_BUDGETS] = {"check", "", "by how much"},
    [GPM_ANSWER_FAILURES] = {"report", "", "which calls failed"},
    [GPM_ANSWER_LAST_EVENTS] = {"events", " --last 20", "what happened last"},
    [GPM_ANSWER_LEAKS] = {"leaks", "", "with their call paths"},
    [GPM_ANSWER_PEAK] = {"peak", "", "all that was live then"},
};

/* The most urgent process; among equal ones, for leaks, that which leaks most. */
static const struct gpm_answer *most_urgent(const struct page *page) {
  const struct gpm_answer *found = &page->answer[0];
  for (uint32_t i = 1; i < page->count; i++) {
    const struct gpm_answer *a = &page->answer[i];
    bool equal = a->next == found->next;
    if (a->next < found->next ||
        (equal && a->next == GPM_ANSWER_LEAKS && a->leaks.most > found->leaks.most))
      found = a;
  }
  return found;
}

static void print_next(const struct page *page) {
  const struct gpm_answer *a = most_urgent(page);
  bool together = page->count > 1 && a->next == GPM_ANSWER_PEAK;
  char *path = together                          ? gpm_answer_argument(a->path)
               : a->next == GPM_ANSWER_NOT_BUILT ? gpm_memory_text("")
                                                 : argument_of(page, a);
  if (together)
    fprintf(page->to, "  next    gpumemprof merge --run %s  # the processes together\n", path);
  else
    fprintf(page->to, "  next    gpumemprof %s%s%s%s  # %s\n", nexts[a->next].command,
            *path ? " " : "", path, nexts[a->next].options, nexts[a->next].shows);
  free(path);
}

void gpm_answer_print(FILE *to, const struct gpm_answer *answers, uint32_t count) {
  struct page page = {.to = to, .answer = answers, .count = count};
  print_peak(&page);
  print_leaks(&page);
  print_failures(&page);
  print_next(&page);
}
