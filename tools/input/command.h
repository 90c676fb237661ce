/* command.h - a command of the tool, and what all of them share: parsing, messages, opening a
 * capture. */
#ifndef GPM_TOOLS_COMMAND_H
#define GPM_TOOLS_COMMAND_H

#include "events/apart.h"
#include "input/options.h"
#include "support/progress.h"
#include "support/say.h"
#include "support/shown.h"

#include <argp.h>

struct gpm_command {
  const char *name, *arguments;
  unsigned takes;             /* of the shared options: GPM_TAKES_... */
  uint32_t rows;              /* of a table without --limit; 0: all */
  const char *sort, *formats; /* by which they are sorted without --sort; words of --format */
  const char *summary, *example, *more;
  const struct argp_option *options;
  int (*run)(const struct gpm_command *command, int argc, char **argv);
};

#define GPM_COMMAND(name, arguments, takes, rows, sort, formats, summary, example, more)           \
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

/* What the shared options fill (options.def), and what is read by it. */
struct gpm_input {
  const struct gpm_command *command;
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
  struct gpm_shown limit;
  const char *sort, *columns;   /* --sort and --columns as given, or null */
  uint64_t least;               /* --min; 0: not given */
  struct gpm_patterns patterns; /* --filter */
  struct gpm_apart_wish apart;  /* --from, --to, what patterns need; a command may add `by` */
  struct gpm_filter filter;     /* after gpm_input_open */
  struct gpm_reader *reader;    /* after gpm_input_read */
};
error_t gpm_input_parse(int key, char *arg, struct argp_state *state, struct gpm_input *input);
/* Null after it said what is wrong. */
struct gpm_reader *gpm_input_open(struct gpm_input *input);
/* Part of it: puts the device into the filter; false after it said that there is none such. */
bool gpm_input_find_device(struct gpm_input *input, const struct gpm_reader *reader);
/* Opens it and takes the window and what patterns need (apart.h); the filter has the patterns then.
 * Null after it said what is wrong. */
struct gpm_reader *gpm_input_open_part(struct gpm_input *input);
/* The same, and makes the profile of what is asked for. Null after it said what is wrong. */
struct gpm_profile *gpm_input_read(struct gpm_input *input);
void gpm_input_close(struct gpm_input *input, struct gpm_profile *profile);

/* "from 30 to 150, function=solve": what the window and the patterns leave; to be freed, null where
 * there are none. */
char *gpm_input_part_text(const struct gpm_input *input);

/* How many rows of `count` it shows: --limit; else those of its command in a table, and all in
 * other formats. */
uint32_t gpm_input_shown(const struct gpm_input *input, uint32_t count);
/* The same for one format: a list that only a table has, or that no table has. */
uint32_t gpm_input_shown_in(const struct gpm_input *input, enum gpm_format format, uint32_t count);
/* --limit 0, or a format for programs: nothing is left out because it does not matter. */
bool gpm_input_shows_all(const struct gpm_input *input);

#endif
