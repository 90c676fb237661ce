/* main.c - the table of commands: `gpumemprof COMMAND ...`. Each command is a cmd_*.c; without one,
 * newest.c answers.
 *
 * Reading order of tools/: reader.h (the file), profile.h, grouping.h, rows.h (the figures),
 * columns.def (what they mean), cmd_report.c.
 */
#include "answers/newest.h"
#include "input/command.h"
#include "manual/help.h"
#include "support/recovery.h"
#include "support/text.h"
#include "terminal/pager.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "gpumemprof " GPM_VERSION;

const struct gpm_command gpm_commands[] = {
#define GPM_COMMAND(name, arguments, takes, rows, sort, formats, summary, example, more)           \
  {#name,                                                                                          \
   arguments,                                                                                      \
   takes,                                                                                          \
   rows,                                                                                           \
   sort,                                                                                           \
   formats,                                                                                        \
   summary,                                                                                        \
   example,                                                                                        \
   more,                                                                                           \
   gpm_cmd_##name##_options,                                                                       \
   gpm_cmd_##name##_run},
#include "input/commands.def"
    {.name = NULL},
};

static int unknown(const char *word) {
  const char *names[sizeof gpm_commands / sizeof gpm_commands[0]] = {NULL};
  for (size_t i = 0; gpm_commands[i].name; i++) names[i] = gpm_commands[i].name;
  const char *nearest = gpm_text_nearest(word, names);
  if (nearest) gpm_say("there is no command `%s`; did you mean `gpumemprof %s`?", word, nearest);
  else gpm_say("there is no command `%s`; `gpumemprof --help` lists them", word);
  return GPM_EXIT_USAGE;
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int status) {
  bool failed = fflush(stdout) || ferror(stdout);
  if (!gpm_pager_end() || failed) {
    gpm_say("the output could not be written completely");
    return GPM_EXIT_USAGE;
  }
  return status;
}

/* Removes --no-pager, which may precede the command or be among its options. What follows run and
 * dryrun belongs to the program. */
static bool wants_no_pager(int *argc, char **argv) {
  int kept = 1;
  bool found = false, programs = false;
  for (int i = 1; i < *argc; i++) {
    if (!programs && !strcmp(argv[i], "--no-pager")) {
      found = true;
      continue;
    }
    if (kept == 1) programs = !strcmp(argv[i], "run") || !strcmp(argv[i], "dryrun");
    argv[kept++] = argv[i];
  }
  argv[ *argc = kept] = NULL;
  return found;
}

static int run(int argc, char **argv) {
  bool no_pager = wants_no_pager(&argc, argv);
  if (argc < 2) return finish(gpm_newest_show());
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version")) {
    puts(argp_program_version);
    return finish(GPM_EXIT_OK);
  }
  bool helps = !strcmp(argv[1], "help");
  if (helps && argc > 2) { /* help COMMAND, COMMAND -h */
    argv[1] = argv[2];
    argv[2] = "--help";
  } else if (argc > 2 && !strcmp(argv[2], "-h")) argv[2] = "--help";
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    gpm_help_print();
    return finish(GPM_EXIT_OK);
  }
  for (const struct gpm_command *c = gpm_commands; c->name; c++)
    if (!strcmp(argv[1], c->name)) {
      if (!no_pager) gpm_pager_begin(c->name);
      return finish(c->run(c, argc - 1, argv + 1));
    }
  return unknown(argv[1]);
}

int main(int argc, char **argv) {
  setlocale(LC_CTYPE, "");
  struct gpm_recovery recovery = {.owned = NULL};
  gpm_recovery_begin(&recovery);
  if (setjmp(recovery.point)) {
    fputs("gpumemprof: out of memory: the capture is too large for this machine\n", stderr);
    exit(GPM_EXIT_USAGE);
  }
  int status = run(argc, argv);
  gpm_recovery_end(&recovery); /* what runs at exit, such as the pager, outlives this frame */
  return status;
}
