/* help.c - see help.h. The examples are in the help of each command. */
#include "manual/help.h"

#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *summary;
} commands[] = {
#define GPM_COMMAND(name, arguments, takes, rows, sort, formats, summary, example, more)           \
  {#name, summary},
#include "input/commands.def"
};

static const struct {
  const char *title, *names;
} groups[] = {
#define GPM_COMMAND_GROUP(title, names) {title, names},
#include "input/commands.def"
};

static void print_command(const char *name) {
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    if (!strcmp(commands[i].name, name)) printf("  %-11s %s\n", name, commands[i].summary);
}

void gpm_help_print(void) {
  printf("Usage: gpumemprof [COMMAND [OPTION...] [ARGUMENT...]]\n"
         "Shows how much GPU memory each source line of a program uses.\n");
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
    char *names = gpm_memory_text(groups[i].names), *rest = names;
    printf("%s\n", groups[i].title);
    for (const char *name; (name = strsep(&rest, " "));) print_command(name);
    free(names);
  }
  printf("Without COMMAND: the newest capture here in five lines. --no-pager: no pager.\n"
         "`gpumemprof COMMAND --help` has options and an example, `man gpumemprof` more.\n"
         "Exit status: 0 done, 1 a finding that was asked for, 2 wrong usage or bad input.\n");
}
