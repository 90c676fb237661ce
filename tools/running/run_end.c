/* run_end.c - see run_end.h.
 *
 * Captures are read in a separate process, so that errors do not change the exit status of the
 * program.
 */
#include "running/run_end.h"

#include "answers/answer_print.h"
#include "capture/captures.h"
#include "capture/processes.h"
#include "input/command.h"
#include "running/run_without.h"
#include "support/memory.h"
#include "support/text.h"
#include "symbols/kept_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NAMED = 8 }; /* captures of other processes */

/* True in the process that reads the captures. The other one waits for it. */
static bool is_reader(void) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid > 0) waitpid(pid, NULL, 0);
  return !pid;
}

/* ---- names of code that was not rebuilt ---------------------------------------------------------
 */

static void keep_names(const struct gpm_captures *all) {
  if (!all->count || !is_reader()) return;
  for (size_t i = 0; i < all->count; i++) gpm_kept_names_write(all->found[i].path);
  exit(GPM_EXIT_OK);
}

/* ---- names of captures
 * -------------------------------------------------------------------------------------
 */

static void name_captures(const struct gpm_captures *all) {
  gpm_say("wrote %s%s", all->found[0].path,
          all->count > 1 ? "; other processes of the run wrote:" : "");
  for (size_t i = 1; i < all->count && i <= MOST_NAMED; i++)
    fprintf(stderr, "  %s\n", all->found[i].path);
  if (all->count > MOST_NAMED + 1) fprintf(stderr, "  and %zu more\n", all->count - MOST_NAMED - 1);
}

/* `merge --run` finds the captures of one folder. */
static bool are_in_one_folder(const struct gpm_captures *all) {
  const char *first = all->found[0].path, *end = strrchr(first, '/');
  size_t folder = end ? (size_t)(end - first) + 1 : 0;
  for (size_t i = 1; i < all->count; i++) {
    const char *path = all->found[i].path;
    if (strncmp(path, first, folder) != 0 || strchr(path + folder, '/')) return false;
  }
  return true;
}

static void offer_merge(const struct gpm_captures *all) {
  if (all->count < 2 || !are_in_one_folder(all)) return;
  gpm_say("`gpumemprof merge --run %s` shows all %zu processes as one report", all->found[0].path,
          all->count);
}

/* ---- the report --------------------------------------------------------------------------------
 */

/* Prints one report of all ranks of a job. */
static bool are_ranks(const struct gpm_captures *all) {
  bool ranked = all->count > 1;
  for (size_t i = 0; i < all->count; i++) ranked = ranked && all->found[i].ranked;
  return ranked;
}

/* Prints it on stderr, so that stdout has only the program's output. */
static void report(const struct gpm_captures *all, const struct gpm_command *commands) {
  static char one[] = "report", several[] = "merge", limit[] = "--limit=10";
  bool ranks = are_ranks(all);
  int count = 2;
  char **words = gpm_memory_array(all->count + 3, sizeof *words);
  words[0] = ranks ? several : one;
  words[1] = limit;
  for (size_t i = 0; i < (ranks ? all->count : 1); i++) words[count++] = all->found[i].path;
  const struct gpm_command *c = commands;
  while (strcmp(c->name, words[0]) != 0) c++;
  dup2(STDERR_FILENO, STDOUT_FILENO);
  exit(c->run(c, count, words));
}

/* ---- the answer --------------------------------------------------------------------------------
 */

/* The answer knows only that the program did not exit cleanly. */
static void add_end(const struct gpm_run_end *end, struct gpm_answer *answer) {
  if (end->signal && answer->pid == end->pid)
    answer->end =
        gpm_memory_format("was ended by signal %d (%s)", end->signal, strsignal(end->signal));
  if (answer->next == GPUMEMPROF_ANSWER_FAILURES && !answer->device && !end->run->simulated &&
      gpm_run_without_driver()) {
    char *word = gpm_text_shell(end->name);
    answer->remedy = gpm_memory_format(
        "gpumemprof dryrun %s  # a simulated device, as this machine has no CUDA driver", word);
    free(word);
  } else if (answer->next == GPUMEMPROF_ANSWER_NOT_BUILT &&
             gpm_run_options_is(&end->run->options, "cupti", false))
    answer->remedy = gpm_memory_text("run it without cupti=off, which leaves out all code that was "
                                     "not built with the plugin");
}

static void answer(const struct gpm_run_end *end, const struct gpm_captures *all) {
  struct gpm_processes processes = {.count = 0};
  for (size_t i = 0; i < all->count; i++)
    gpm_say_is_wrong(gpm_processes_add(&processes, all->found[i].path));
  gpm_processes_order(&processes);
  struct gpm_answer *answers = gpm_memory_array(processes.count, sizeof *answers);
  uint32_t count = 0;
  for (uint32_t i = 0; i < processes.count; i++) {
    if (!gpm_answer_read(&answers[count], processes.process[i].path)) continue;
    answers[count].name = gpm_memory_text(processes.process[i].name);
    add_end(end, &answers[count++]);
  }
  if (count) gpm_answer_print(stderr, answers, count);
  for (uint32_t i = 0; i < count; i++) gpm_answer_free(&answers[i]);
  free(answers);
  gpm_processes_free(&processes);
  exit(GPM_EXIT_OK);
}

/* The answer takes five lines, this one included. */
static void name_briefly(const struct gpm_captures *all) {
  if (all->count < 2 || !are_in_one_folder(all)) return name_captures(all);
  char *first = gpm_answer_argument(all->found[0].path);
  gpm_say("wrote %zu captures; `gpumemprof merge --run %s` shows them as one report", all->count,
          first);
  free(first);
}

/* Another run that has the same name for its captures may replace them. */
static bool are_still_there(const struct gpm_run *run, size_t count) {
  struct gpm_captures now = gpm_captures_of(run->options.output, run->number);
  bool all = now.count >= count;
  gpm_captures_free(&now);
  return all;
}

void gpm_run_end_say(const struct gpm_run_end *end) {
  const struct gpm_run *run = end->run;
  struct gpm_captures all = gpm_captures_of(run->options.output, run->number);
  keep_names(&all);
  if (!all.count) gpm_run_without_say(end);
  else if (run->silent) {
  } else if (run->report || run->no_report) {
    name_captures(&all);
    if (run->report && is_reader()) report(&all, run->commands);
    offer_merge(&all);
  } else {
    name_briefly(&all);
    if (!are_still_there(run, all.count)) gpm_run_without_say_replaced(end);
    else if (is_reader()) answer(end, &all);
  }
  gpm_captures_free(&all);
}
