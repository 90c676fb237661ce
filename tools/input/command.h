/* command.h - a command of the tool, and what all of them share: parsing, messages, opening a
 * capture. */
#ifndef GPM_TOOLS_COMMAND_H
#define GPM_TOOLS_COMMAND_H

#include "events/apart.h"
#include "output/format.h"
#include "support/progress.h"
#include "support/say.h"

#include <argp.h>

struct gpm_command {
  const char *name, *arguments, *summary, *example, *more;
  const struct argp_option *options;
  int (*run)(const struct gpm_command *command, int argc, char **argv);
};

#define GPM_COMMAND(name, arguments, summary, example, more)                                       \
  extern const struct argp_option gpm_cmd_##name##_options[];                                      \
  int gpm_cmd_##name##_run(const struct gpm_command *command, int argc, char **argv);
#include "input/commands.def"

/* main.c: the table, ended by an entry without a name. */
extern const struct gpm_command gpm_commands[];

/* Parses a command's arguments; ends the process with status 2 on a wrong one, 0 after --help. */
void gpm_command_parse(const struct gpm_command *command, int argc, char **argv, unsigned flags,
                       argp_parser_t parser, void *input);

/* What a command writes when no name was given: the capture's, without its folder and .gmprof, and
 * a suffix. To be freed. */
char *gpm_command_file(const struct gpm_reader *reader, const char *suffix);

/* Options that commands which read a capture share. */
struct gpm_input {
  const char *path;   /* null: the newest of this folder */
  const char *device; /* as given, or null */
  const char *kind;
  bool exact;       /* --bytes */
  bool short_names; /* names.h */
  enum gpm_format format;
  const char *no_csv;   /* what a command without csv says to --format csv; null: it has some */
  bool compares_paths;  /* by itself; else the losses of verify=paths are counted when it opens */
  bool may_lack_device; /* of several captures: then the filter has GPM_NO_DEVICE */
  const char *reading;  /* what the progress says meanwhile; null: the usual */
  struct gpm_patterns patterns; /* --filter */
  struct gpm_apart_wish apart;  /* --from, --to, what patterns need; a command may add `by` */
  struct gpm_filter filter;     /* after gpm_input_open */
  struct gpm_reader *reader;    /* after gpm_input_read */
};
#define GPM_INPUT_OPTIONS                                                                           \
  {                                                                                                 \
      "device",                                                                                     \
      'd',                                                                                          \
      "N",                                                                                          \
      0,                                                                                            \
      "only this device: its number, GPU-UUID, `host`, `imported` or `custom`",                     \
      0},                                                                                           \
      {"kind", 'k', "KIND", 0, "only this kind of memory (device, pool, managed, ..., custom)", 0}, \
      {"bytes", 'b', NULL, 0, "exact bytes instead of MiB", 0},                                     \
      {"names",                                                                                     \
       'N',                                                                                         \
       "NAMES",                                                                                     \
       0,                                                                                           \
       "of functions and types: full (default), or short: without template arguments, all "         \
       "instances "                                                                                 \
       "together",                                                                                  \
       0},                                                                                          \
      {"format", 'f', "FORMAT", 0, "table, json or csv", 0}

/* Of those that can be of a part of the run, or of some of its memory. */
enum { GPM_OPTION_FROM = 900, GPM_OPTION_TO };
#define GPM_FILTER_OPTION                                                                          \
  {"filter",                                                                                       \
   'F',                                                                                            \
   "KEY=PATTERN",                                                                                  \
   0,                                                                                              \
   "only memory of that file, function (and what they call), variable, type, label or size "       \
   "(size=1MiB..); ! before the pattern: all other; several all hold",                             \
   0}
#define GPM_WINDOW_OPTIONS                                                                         \
  {"from",                                                                                         \
   GPM_OPTION_FROM,                                                                                \
   "MOMENT",                                                                                       \
   0,                                                                                              \
   "only what happened from then on: 1.5s after the start, a tick of the clock, step:3 or "        \
   "mark:NAME (needs history=all)",                                                                \
   0},                                                                                             \
      {"to", GPM_OPTION_TO, "MOMENT", 0, "only what happened until then", 0}
#define GPM_PART_OPTIONS GPM_FILTER_OPTION, GPM_WINDOW_OPTIONS

error_t gpm_input_parse(int key, char *arg, struct argp_state *state, struct gpm_input *input);
/* Null after it said what is wrong. */
struct gpm_reader *gpm_input_open(struct gpm_input *input);
/* Part of it: puts the device into the filter; false after it said that there is none such. */
bool gpm_input_find_device(struct gpm_input *input, const struct gpm_reader *reader);
/* Opens it and makes the profile of what is asked for. Null after it said what is wrong. */
struct gpm_profile *gpm_input_read(struct gpm_input *input);
void gpm_input_close(struct gpm_input *input, struct gpm_profile *profile);

/* --limit N. */
void gpm_shown_parse(struct gpm_shown *shown, const char *arg, struct argp_state *state);

#endif
