/* newest.c - see newest.h. */
#include "answers/newest.h"

#include "answers/answer_print.h"
#include "support/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *example_of(const char *command) {
#define GPM_COMMAND(name, arguments, takes, rows, sort, formats, summary, example, more)           \
  if (!strcmp(#name, command)) return example;
#include "input/commands.def"
  return "";
}

static int say_how_to_make_one(void) {
  gpm_say("there is no capture (*.gmprof) in this folder. To make one:");
  fprintf(stderr,
          "  run    gpumemprof run -- ./app    # any program that uses CUDA, as it is\n"
          "  look   gpumemprof                 # in the folder of the capture\n"
          "On a machine without a GPU, `gpumemprof dryrun ./app` runs it on a simulated one.\n"
          "For exact call paths, scopes and budgets, build it with the plugin:\n"
          "  build  %s\n",
          example_of("flags"));
  return GPM_EXIT_USAGE;
}

static void print_questions(bool nothing_rebuilt) {
  printf("\n"
         "Why am I out of memory?           gpumemprof oom\n"
         "What leaks?                       gpumemprof leaks\n"
         "What makes my peak?               gpumemprof peak\n"
         "%s"
         "Did this change make it worse?    gpumemprof diff BEFORE.gmprof\n"
         "`gpumemprof --help` lists all commands.\n",
         nothing_rebuilt ? ""
                         : "Which line should I change?       gpumemprof advise (after a run with "
                           "history=all:uses=on)\n");
}

int gpm_newest_show(void) {
  char *path = gpm_reader_newest(".");
  if (!path) return say_how_to_make_one();
  struct gpm_answer answer;
  bool read = gpm_answer_read(&answer, path);
  if (read) {
    printf("%s: %s (%s, the newest here)\n", answer.program, gpm_state_text(answer.state),
           answer.path);
    gpm_answer_print(stdout, &answer, 1);
    print_questions(answer.nothing_rebuilt);
    gpm_answer_free(&answer);
  }
  free(path);
  return read ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}
