/* options.h - the options that commands share (options.def): a list of those that a command takes,
 * for argp, the manual and completions, and messages for those that it refuses.
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
  GPM_TAKES_AS_RECORDED = GPM_TAKES_NAMES | GPM_TAKES_BYTES | GPM_TAKES_FORMAT,
  GPM_TAKES_CALLERS = GPM_TAKES_WRAPPERS | GPM_TAKES_WRAPPER,
  GPM_TAKES_TEXT = GPM_TAKES_CALLERS | GPM_TAKES_AS_RECORDED,
  GPM_TAKES_ALL =
      GPM_TAKES_MEMORY | GPM_TAKES_WINDOW | GPM_TAKES_ROWS | GPM_TAKES_TEXT | GPM_TAKES_VERBOSE
};

/* Keys of the options without a letter. The key of an option that a command refuses is
 * GPM_OPTION_REFUSED plus the number of the refusal. */
enum {
  GPM_OPTION_FROM = 900,
  GPM_OPTION_TO,
  GPM_OPTION_MIN,
  GPM_OPTION_WRAPPERS,
  GPM_OPTION_WRAPPER,
  GPM_OPTION_REFUSED = 1000
};

struct gpm_command;
/* The options of a command: its own, then the shared ones, ended by one without a name. The manual
 * and completions stop there. For argp, a headline of the shared options, the refused options and
 * the lists of words follow. */
struct gpm_options {
  struct argp_option *list;
  unsigned own, count; /* `own` of the `count` are its own */
  char *help[GPM_SHARED_COUNT];
};
void gpm_options_make(struct gpm_options *options, const struct gpm_command *command);
void gpm_options_free(struct gpm_options *options);
/* Returns the lists of words that the help of a command explains, for a value of one of its
 * options: entries behind its own options, each list with a headline, which has no name. The words
 * have the flag OPTION_DOC, and the group of their headline. {0} ends them. */
const struct argp_option *gpm_options_words(const struct gpm_command *command);
/* The groups of lists of words, behind those of the options. */
enum { GPM_OPTIONS_WORDS = 2, GPM_OPTIONS_MORE_WORDS };

/* Returns which of the command's formats a word is. If it is none, ends the tool with status 2
 * after a message that suggests the nearest one. */
size_t gpm_options_format(const struct gpm_command *command, const char *word);

/* Returns the message for a refused option, such as "--min is not for timeline: it draws sums;
 * ...". The caller frees it. Returns null if the key is not that of a refused option. */
char *gpm_options_refusal(const struct gpm_command *command, int key);

#endif
