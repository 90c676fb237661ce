/* command.h - a command of the tool, and what all commands share: parsing options and opening a
 * capture. */
#ifndef GPM_TOOLS_COMMAND_H
#define GPM_TOOLS_COMMAND_H

#include "events/split.h"
#include "input/options.h"
#include "model/wrappers.h"
#include "output/shown.h"
#include "support/progress.h"
#include "support/say.h"

#include <argp.h>

struct gpm_command {
  const char *name, *arguments;
  unsigned takes;             /* a mask of shared options: GPM_TAKES_... */
  uint32_t rows;              /* rows of a table without --limit; 0: all */
  const char *sort, *formats; /* order without --sort; words of --format */
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

/* Parses a command's arguments. Ends the process with status 2 on a wrong one, and 0 after
 * --help. */
void gpm_command_parse(const struct gpm_command *command, int argc, char **argv, unsigned flags,
                       argp_parser_t parser, void *input);

/* Returns the name of the file that a command writes if none was given: the name of the capture
 * without its folder and .gmprof, and a suffix. The caller frees it. */
char *gpm_command_file(const struct gpm_reader *reader, const char *suffix);

/* The values of the shared options (options.def), and the capture that is read with them. */
struct gpm_input {
  const struct gpm_command *command;
  const char *path;   /* null: the newest of this folder */
  const char *device; /* as given, or null */
  const char *kind;
  bool exact;       /* --bytes */
  bool verbose;     /* --verbose */
  bool whole_files; /* files keep their folders, which distinguish rows of several captures */
  bool short_names; /* names.h */
  enum gpm_wrappers {
    GPM_WRAPPERS_BY_FORMAT,
    GPM_WRAPPERS_HIDE, /* model/wrappers.h */
    GPM_WRAPPERS_SHOW
  } wrappers;
  struct gpm_hidden_wrappers named; /* --wrapper; `hide` is decided when the capture is opened */
  bool compares; /* with the capture `against` (null: the newest), which is opened next
                  * (gpm_input_hide_as): by default wrappers are hidden in both or
                  * in neither, because older plugins mark none */
  const char *against;
  bool
      may_lack_wrapper; /* one of several captures: only a message says that --wrapper is unknown */
  enum gpm_format format;
  const char *no_csv;   /* error message for --format csv; null: the command has CSV */
  bool compares_paths;  /* else opening it counts the losses of verify=paths */
  bool may_lack_device; /* one of several captures; the filter gets GPM_NO_DEVICE */
  const char *reading;  /* text of the progress; null: the default */
  struct gpm_shown limit;
  const char *sort, *columns;     /* --sort and --columns as given, or null */
  uint64_t least;                 /* --min; 0: not given */
  struct gpm_patterns patterns;   /* --filter */
  struct gpm_split_request split; /* --from, --to, needs of patterns; a command may add `by` */
  struct gpm_filter filter;       /* after gpm_input_open */
  struct gpm_reader *reader;      /* after gpm_input_read */
};
error_t gpm_input_parse(int key, char *arg, struct argp_state *state, struct gpm_input *input);
/* Opens the capture. Returns null after an error message. */
struct gpm_reader *gpm_input_open(struct gpm_input *input);
/* Sets the device in the filter; gpm_input_open calls it. Returns false after a message that there
 * is no such device. */
bool gpm_input_find_device(struct gpm_input *input, const struct gpm_reader *reader);
/* Whether the options ask for hidden wrappers. */
bool gpm_input_hides_wrappers(const struct gpm_input *input);
/* Shows wrappers whatever the format, for what is about recorded lines; refuses options that hide
 * them with a sentence that begins with `why`. */
void gpm_input_show_wrappers(struct gpm_input *input, struct argp_state *state, const char *why);
/* Lets another capture be opened with the same wrappers hidden as in that of `first`. */
void gpm_input_hide_as(struct gpm_input *other, const struct gpm_input *first);
/* Opens the capture, and splits its cells by the window and by what the patterns need (split.h).
 * The filter then has the patterns. Returns null after an error message. */
struct gpm_reader *gpm_input_open_part(struct gpm_input *input);
/* Does the same, and makes the profile of the selected memory. Returns null after an error
 * message. */
struct gpm_profile *gpm_input_read(struct gpm_input *input);
/* Returns the command's exit status: bad input if events could not be read, else 0. */
int gpm_input_close(struct gpm_input *input, struct gpm_profile *profile);

/* Describes the window and the patterns: "from 30 to 150, function=solve". The caller frees it.
 * Returns null if there are none. */
char *gpm_input_part_text(const struct gpm_input *input);

/* Returns how many of `count` rows are shown: as many as --limit says, else the default of the
 * command in a table, and all in other formats. */
uint32_t gpm_input_shown(const struct gpm_input *input, uint32_t count);
/* Returns the same for one format, for a list that only tables have or that tables lack. */
uint32_t gpm_input_shown_in(const struct gpm_input *input, enum gpm_format format, uint32_t count);
/* Returns true with --limit 0, or in a format for programs: then rows that do not matter are shown
 * too. */
bool gpm_input_shows_all(const struct gpm_input *input);

#endif
