/* cmd_man.c - `gpumemprof man`: the manual pages of section 1, one of the tool and one of each
 * command, made from the tables of commands, options and columns. man_calls.c makes that of
 * section 3. */
#include "contract/documents.h"
#include "input/fields.h"
#include "manual/man_calls.h"
#include "manual/values.h"
#include "rows/columns.h"
#include "support/install.h"
#include "support/memory.h"
#include "terminal/troff.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct argp_option gpm_cmd_man_options[] = {{0}};

struct man {
  bool calls;                   /* section 3 */
  const struct gpm_command *of; /* null: of the tool */
  const char *folder;
};

static const struct gpm_command *command_named(const char *word) {
  const char *names[128] = {NULL};
  for (size_t i = 0; gpm_commands[i].name; i++) names[i] = gpm_commands[i].name;
  return &gpm_commands[gpm_say_choice("command", word, names)];
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct man *m = state->input;
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  bool number = isdigit((unsigned char)*arg);
  if (state->arg_num == 0 && !strcmp(arg, "3")) m->calls = true;
  else if (state->arg_num == 0 && number && strcmp(arg, "1") != 0)
    argp_error(state, "there is no section `%s`: 1 is the tool, 3 the calls of a program", arg);
  else if (state->arg_num == 1 && m->calls) m->folder = arg;
  else if (m->of || m->calls || state->arg_num > 1)
    argp_error(state, "`%s` is one argument too many", arg);
  else if (state->arg_num == 1 || !number) m->of = command_named(arg);
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

/* ---- of a command ------------------------------------------------------------------------------
 */

static void print_value(void *to, const char *word, const char *text) {
  bool *any = to;
  if (!text) return;
  if (!*any) printf(".RS\n");
  *any = true;
  gpm_troff_item(word, NULL, text);
}

static void print_option(const struct gpm_command *c, const struct argp_option *o) {
  char *term = o->key < 256 ? gpm_memory_format("-%c, --%s", o->key, o->name)
                            : gpm_memory_format("--%s", o->name);
  gpm_troff_item(term, o->arg, o->doc);
  free(term);
  bool any = false;
  bool columns = !strcmp(o->name, "columns");
  if (columns ? gpm_fields_are_of(c) : strcmp(o->name, "sort") != 0)
    gpm_values_visit(c, o->name, print_value, &any);
  if (any) printf(".RE\n");
}

/* Prints the command's own options, then those that it shares with other commands. */
static void print_options(const struct gpm_command *c) {
  struct gpm_options options;
  gpm_options_make(&options, c);
  printf(".SH OPTIONS\n");
  for (unsigned i = 0; i < options.count; i++) {
    if (i == options.own && i) printf(".PP\nOptions that commands share:\n");
    print_option(c, &options.list[i]);
  }
  gpm_troff_item("--help", NULL, "print a short help, and do nothing else");
  gpm_options_free(&options);
}

static void print_columns(void) {
  printf(".SH COLUMNS\nThey have the same names in JSON and CSV.\n");
  for (const struct gpm_column *c = gpm_columns; c->key; c++)
    gpm_troff_item(c->key, NULL, c->definition);
}

static void print_document(const struct gpm_document *d) {
  bool rows = gpm_entry_of_object(d->row) != NULL, of_option = *d->options;
  char *text = gpm_memory_format("%s%s%sJSON is an object `%s`%s%s%s.", of_option ? "With " : "",
                                 d->options, of_option ? ", " : "", d->object,
                                 rows ? ", and a row of CSV an object `" : "; there is no CSV",
                                 rows ? d->row : "", rows ? "`" : "");
  gpm_troff_text(text);
  free(text);
}

/* The fields are too many for this page; `gpumemprof schema` lists them. */
static void print_documents(const struct gpm_command *c) {
  bool any = false;
  for (const struct gpm_document *d = gpm_documents; d->command; d++) {
    if (strcmp(d->command, c->name) != 0) continue;
    if (!any) printf(".SH JSON AND CSV\n");
    any = true;
    print_document(d);
  }
  if (!any) return;
  char *text =
      gpm_memory_format("`gpumemprof schema %s --fields` lists all fields and columns with "
                        "their units and meanings. Documents are of version %d.",
                        c->name, GPM_JSON_VERSION);
  gpm_troff_text(text);
  free(text);
}

/* The command that a reader of this page may look for next. */
static const char *related(const char *name) {
  if (!strcmp(name, "report")) return "tree";
  if (!strcmp(name, "dryrun")) return "run";
  if (!strcmp(name, "run")) return "dryrun";
  return "report";
}

/* gpumemprof-report(1) explains the columns, whichever command shows them. */
static void print_command(const struct gpm_command *c) {
  bool report = !strcmp(c->name, "report");
  char *upper = gpm_memory_text(c->name);
  for (char *at = upper; *at; at++) *at = (char)toupper((unsigned char)*at);
  printf(".TH GPUMEMPROF\\-%s 1 \"\" \"gpumemprof %s\"\n.SH NAME\ngpumemprof\\-%s \\-\n", upper,
         GPM_VERSION, c->name);
  free(upper);
  gpm_troff_text(c->summary);
  printf(".SH SYNOPSIS\n\\fBgpumemprof %s\\fR [\\fIOPTION\\fR...] ", c->name);
  gpm_troff_words(c->arguments);
  putchar('\n');
  if (*c->more) {
    printf(".SH DESCRIPTION\n");
    gpm_troff_text(c->more);
  }
  print_options(c);
  if (report) print_columns();
  print_documents(c);
  printf(".SH EXAMPLE\n");
  gpm_troff_example(c->example);
  printf(".SH SEE ALSO\n\\fBgpumemprof\\fR(1), \\fBgpumemprof\\-%s\\fR(1)\n", related(c->name));
}

/* ---- of the tool -------------------------------------------------------------------------------
 */

static void print_tool(void) {
  printf(".TH GPUMEMPROF 1 \"\" \"gpumemprof %s\"\n.SH NAME\ngpumemprof \\- GPU memory per source "
         "line\n"
         ".SH SYNOPSIS\n\\fBgpumemprof\\fR [\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
         "[\\fIARGUMENT\\fR...]]\n.SH DESCRIPTION\n",
         GPM_VERSION);
  gpm_troff_text(
      "Records programs, by `run` as they are or rebuilt with the gpumemprof plugin, reads "
      "their captures, and tells which source line holds their GPU memory.");
  printf(".PP\n");
  gpm_troff_text(
      "Without COMMAND it answers in five lines from the newest *.gmprof of this folder: "
      "the peak and the leaks with their lines, what failed, and which command shows "
      "more. In a folder without one it says how to make one.");
  printf(".SH COMMANDS\nEach has a page of its own, \\fBgpumemprof\\-\\fICOMMAND\\fR(1).\n");
  for (const struct gpm_command *c = gpm_commands; c->name; c++)
    gpm_troff_item(c->name, NULL, c->summary);
  printf(".SH OPTIONS\nOf any command, or before it:\n");
  gpm_troff_item("--no-pager", NULL, "never through a pager");
  printf(".SH EXAMPLE\n");
  gpm_troff_example(gpm_commands[0].example);
  printf(".SH ENVIRONMENT\n\\fBGPUMEMPROF_OPTIONS\\fR=key=value:key=value ... is read by the\n"
         "profiled program:\n");
#define GPUMEMPROF_OPTION(key, type, fallback, help)                                               \
  gpm_troff_item(#key, #type, help " (default: " #fallback ")");
#include "gpumemprof/options.def"
  printf(".PP\nThe tool itself reads:\n");
  gpm_troff_item("GPUMEMPROF_PAGER, PAGER", NULL,
                 "On a terminal, output longer than the screen goes through it; less if neither is "
                 "set, with LESS=FRX unless that is. Empty or cat: none, as with --no-pager.");
  gpm_troff_item("NO_COLOR", NULL, "Set to anything: no colours on a terminal.");
  printf(".SH EXIT STATUS\n");
  gpm_troff_text(
      "0: done. 1: a finding that was asked for (check, leaks --fail). 2: wrong usage or "
      "bad input; without COMMAND: there is no capture, or it cannot be read. run and dryrun have "
      "the status of the program.");
  printf(".SH SEE ALSO\n");
  for (const struct gpm_command *c = gpm_commands; c->name; c++)
    printf("\\fBgpumemprof\\-%s\\fR(1),\n", c->name);
  printf("\\fBgpumemprof\\fR(3)\n");
}

int gpm_cmd_man_run(const struct gpm_command *command, int argc, char **argv) {
  struct man m = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &m);
  if (m.calls) return print_calls(m.folder);
  if (m.of) print_command(m.of);
  else print_tool();
  return GPM_EXIT_OK;
}
