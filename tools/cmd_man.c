/* cmd_man.c - `gpumemprof man`: the manual page, made from the tables of commands, options and
 * columns. man_calls.c makes that of section 3. */
#include "columns.h"
#include "command.h"
#include "install.h"
#include "man_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct argp_option gpm_cmd_man_options[] = {{0}};

struct man {
  bool calls; /* section 3 */
  const char *folder;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct man *m = state->input;
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (state->arg_num == 0 && !strcmp(arg, "3")) m->calls = true;
  else if (state->arg_num == 0 && strcmp(arg, "1"))
    argp_error(state, "there is no section `%s`: 1 is the tool, 3 the calls of a program", arg);
  else if (state->arg_num == 1 && m->calls) m->folder = arg;
  else if (state->arg_num) argp_error(state, "`%s` is one argument too many", arg);
  return 0;
}

static int print_calls(const char *folder) {
  char *installed = gpm_install_path("include/gpumemprof"), *missing = NULL;
  bool done = gpm_man_calls(folder ? folder : installed, &missing);
  if (!done)
    gpm_say("%s: %s; it belongs to the installed tree, or name the folder of gpumemprof.h", missing,
            strerror(errno));
  free(missing);
  free(installed);
  return done ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}

/* Text that troff leaves alone. */
static void print_text(const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", stdout);
  for (; *text; text++) {
    if (*text == '-') fputs("\\-", stdout);
    else if (*text == '\\') fputs("\\e", stdout);
    else putchar(*text);
  }
}

static void print_item(const char *term, const char *argument, const char *text) {
  printf(".TP\n\\fB");
  print_text(term);
  printf("\\fR");
  if (argument) {
    printf("=\\fI");
    print_text(argument);
    printf("\\fR");
  }
  putchar('\n');
  print_text(text);
  putchar('\n');
}

static void print_command(const struct gpm_command *c) {
  printf(".SS gpumemprof %s ", c->name);
  print_text(c->arguments);
  putchar('\n');
  print_text(c->summary);
  printf(".\n");
  if (*c->more) {
    print_text(c->more);
    putchar('\n');
  }
  for (const struct argp_option *o = c->options; o->name; o++) {
    char term[64];
    if (o->key < 256) snprintf(term, sizeof term, "-%c, --%s", o->key, o->name);
    else snprintf(term, sizeof term, "--%s", o->name);
    print_item(term, o->arg, o->doc);
  }
  printf(".PP\nExample:\n.PP\n.nf\n.RS\n");
  print_text(c->example);
  printf("\n.RE\n.fi\n");
}

int gpm_cmd_man_run(const struct gpm_command *command, int argc, char **argv) {
  struct man m = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &m);
  if (m.calls) return print_calls(m.folder);
  printf(
      ".TH GPUMEMPROF 1 \"\" \"gpumemprof %s\"\n.SH NAME\ngpumemprof \\- GPU memory per source "
      "line\n"
      ".SH SYNOPSIS\n\\fBgpumemprof\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
      ".SH DESCRIPTION\nReads the captures of programs that were rebuilt with the gpumemprof "
      "plugin, and tells which "
      "source line holds their GPU memory.\n.SH COMMANDS\n",
      GPM_VERSION);
  for (const struct gpm_command *c = gpm_commands; c->name; c++) print_command(c);
  printf(".SH COLUMNS\nOf reports; they have the same names in JSON and CSV.\n");
  for (const struct gpm_column *c = gpm_columns; c->key; c++)
    print_item(c->key, NULL, c->definition);
  printf(".SH ENVIRONMENT\n\\fBGPUMEMPROF_OPTIONS\\fR=key=value:key=value ... is read by the "
         "profiled program:\n");
#define GPUMEMPROF_OPTION(key, type, fallback, help)                                               \
  print_item(#key, #type, help " (default: " #fallback ")");
#include "gpumemprof/options.def"
  printf(".TP\n\\fBNO_COLOR\\fR\nSet to anything: no colours on a terminal.\n"
         ".SH EXIT STATUS\n0: done. 1: a finding that was asked for (check, leaks \\-\\-fail). 2: "
         "wrong "
         "usage or bad input.\n"
         "\\fBrun\\fR and \\fBdryrun\\fR have the status of the program.\n");
  return GPM_EXIT_OK;
}
