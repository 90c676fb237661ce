/* options.h - the options that commands share (options.def): which of them a command takes, as a
 * list for argp, the manual and completions, and what is said of those that it refuses.
 *
 *   commands.def   report ... GPM_TAKES_ALL        mask, rows of a table, sorted by, formats
 *   options.def    filter, from, to, device ...    name, key, value, help
 *        both  ->  own options of the command, then the shared ones of its mask
 */
#ifndef GPM_TOOLS_OPTIONS_H
#define GPM_TOOLS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

enum gpm_shared {
#define GPM_SHARED(NAME, name, key, value, help) GPM_SHARED_##NAME,
#include "input/options.def"
  GPM_SHARED_COUNT
};

/* Masks of commands.def. */
enum {
#define GPM_SHARED(NAME, name, key, value, help) GPM_TAKES_##NAME = 1 << GPM_SHARED_##NAME,
#include "input/options.def"
  GPM_TAKES_NOTHING = 0,
  GPM_TAKES_MEMORY = GPM_TAKES_FILTER | GPM_TAKES_DEVICE | GPM_TAKES_KIND,
  GPM_TAKES_WINDOW = GPM_TAKES_FROM | GPM_TAKES_TO,
  GPM_TAKES_ROWS = GPM_TAKES_MIN | GPM_TAKES_SORT | GPM_TAKES_COLUMNS | GPM_TAKES_LIMIT,
  GPM_TAKES_TEXT = GPM_TAKES_NAMES | GPM_TAKES_BYTES | GPM_TAKES_FORMAT,
  GPM_TAKES_ALL = GPM_TAKES_MEMORY | GPM_TAKES_WINDOW | GPM_TAKES_ROWS | GPM_TAKES_TEXT
};

/* Keys of those without a letter, and of those that a command refuses: this and its number. */
enum { GPM_OPTION_FROM = 900, GPM_OPTION_TO, GPM_OPTION_MIN, GPM_OPTION_REFUSED = 1000 };

struct gpm_command;
/* Its own, then those it shares, ended by one without a name: for the manual and completions. For
 * argp there is more behind that: a headline of the shared ones, and those that are refused. */
struct gpm_options {
  struct argp_option *list;
  unsigned own, count; /* own ones of so many */
  char *help[GPM_SHARED_COUNT];
};
void gpm_options_make(struct gpm_options *options, const struct gpm_command *command);
void gpm_options_free(struct gpm_options *options);

/* Which of its formats a word is; says what is wrong, with the nearest, and ends with status 2. */
size_t gpm_options_format(const struct gpm_command *command, const char *word);

/* "--min is not for timeline: it draws sums; ..." of a key from GPM_OPTION_REFUSED on; to be freed,
 * or null where the key is none of these. */
char *gpm_options_refusal(const struct gpm_command *command, int key);

#endif
