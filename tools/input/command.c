/* command.c - see command.h. */
#include "input/command.h"

#include "analysis/machine_paths.h"
#include "events/moment.h"
#include "model/names.h"
#include "model/shared_folder.h"
#include "model/wrappers.h"
#include "output/json.h"
#include "rows/devices.h"
#include "support/memory.h"
#include "support/text.h"
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct gpm_command *parsed; /* the command whose options are being parsed */

/* Writes a line of argp or getopt, which quote words of the command line without cleaning them. */
static ssize_t write_clean(void *to, const char *text, size_t size) {
  char *line = gpm_memory_format("%.*s", (int)size, text), *rest = line;
  for (const char *part; (part = strsep(&rest, "\n"));) {
    char *clean = gpm_text_clean(part);
    fprintf(to, "%s%s", clean, rest ? "\n" : "");
    free(clean);
  }
  free(line);
  return (ssize_t)size;
}

/* argp and getopt write to stderr, so stderr is a stream that cleans its text while they run.
 * exit() flushes that stream too. */
static error_t parse_cleanly(const struct argp *argp, int argc, char **argv, unsigned flags,
                             void *input) {
  static char room[1 << 16];
  FILE *own = stderr, *clean = fopencookie(own, "w", (cookie_io_functions_t){.write = write_clean});
  if (clean) {
    setvbuf(clean, room, _IOFBF, sizeof room);
    stderr = clean;
  }
  error_t code = argp_parse(argp, argc, argv, flags, NULL, input);
  stderr = own;
  if (clean) fclose(clean);
  return code;
}

void gpm_command_parse(const struct gpm_command *command, int argc, char **argv, unsigned flags,
                       argp_parser_t parser, void *input) {
  char *doc = gpm_memory_format("%s: %s\v%s%sExample:\n  %s", command->name, command->summary,
                                command->more, *command->more ? "\n\n" : "", command->example);
  static char name[32];
  snprintf(name, sizeof name, "gpumemprof %s", command->name);
  argv[0] = name;
  gpm_say_as(name);
  argp_err_exit_status = GPM_EXIT_USAGE;
  parsed = command;
  struct gpm_options options;
  gpm_options_make(&options, command);
  /* For a list without an entry, argp's --help does not free what it allocates. */
  bool empty = !options.list->name && !options.list->doc;
  struct argp argp = {
      empty ? NULL : options.list, parser, command->arguments, doc, NULL, NULL, NULL};
  error_t code = parse_cleanly(&argp, argc, argv, flags, input);
  free(doc);
  gpm_options_free(&options);
  if (code) {
    gpm_say("%s", strerror(code));
    exit(GPM_EXIT_USAGE);
  }
}

char *gpm_command_file(const struct gpm_reader *r, const char *suffix) {
  const char *name = gpm_text_base(r->path);
  size_t length = strlen(name), less = strlen(".gmprof");
  if (length > less && !strcmp(name + length - less, ".gmprof")) length -= less;
  return gpm_memory_format("%.*s%s", (int)length, name, suffix);
}

/* ---- captures ----------------------------------------------------------------------------------
 */

static void parse_moment(int key, const char *arg, struct argp_state *state,
                         struct gpm_window *window) {
  bool from = key == GPM_OPTION_FROM;
  if (!gpm_window_is_moment(arg))
    argp_error(state, "--%s wants a moment like 1.5s, 1234 (clock), step:3 or mark:load, not `%s`",
               from ? "from" : "to", arg);
  (from ? &window->from : &window->to)->given = arg;
}

/* Parses the options that say how rows are shown. */
static error_t parse_rows(int key, char *arg, struct argp_state *state, struct gpm_input *input) {
  switch (key) {
  case GPM_OPTION_MIN:
    if (!gpm_text_parse_size(arg, &input->least))
      argp_error(state, "--min wants a size with its unit such as 1MiB, not `%s`", arg);
    return 0;
  case 's':
    input->sort = arg;
    return 0;
  case 'c':
    input->columns = arg;
    return 0;
  case 'n':
    input->limit.given = true;
    if (!gpm_text_parse_count(arg, UINT32_MAX, &input->limit.most))
      argp_error(state, "--limit wants a number, not `%s`", arg);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Ends the tool if the key belongs to an option that the command refuses. */
static error_t refuse(int key) {
  char *refusal = gpm_options_refusal(parsed, key);
  if (!refusal) return ARGP_ERR_UNKNOWN;
  gpm_say("%s", refusal);
  free(refusal);
  exit(GPM_EXIT_USAGE);
}

static void refuse_contradiction(const struct gpm_input *input, struct argp_state *state) {
  if (input->named.names && input->wrappers == GPM_WRAPPERS_SHOW)
    argp_error(state, "--wrapper hides a function, and --wrappers show hides none: not both");
}

void gpm_input_show_wrappers(struct gpm_input *input, struct argp_state *state, const char *why) {
  if (input->named.names || input->wrappers == GPM_WRAPPERS_HIDE)
    argp_error(state, "%s: not with --wrappers hide or --wrapper", why);
  input->wrappers = GPM_WRAPPERS_SHOW;
}

error_t gpm_input_parse(int key, char *arg, struct argp_state *state, struct gpm_input *input) {
  static const char *const names[] = {"full", "short", NULL}, *const wrappers[] = {"hide", "show",
                                                                                   NULL};
  switch (key) {
  case ARGP_KEY_INIT:
    input->command = parsed;
    return 0;
  case 'd':
    input->device = arg;
    return 0;
  case 'k':
    input->kind = arg;
    return 0;
  case 'b':
    input->exact = true;
    return 0;
  case 'v':
    input->verbose = true;
    return 0;
  case 'N':
    input->short_names = gpm_say_choice("form of names", arg, names) == 1;
    return 0;
  case GPM_OPTION_WRAPPERS:
    input->wrappers =
        gpm_say_choice("--wrappers", arg, wrappers) ? GPM_WRAPPERS_SHOW : GPM_WRAPPERS_HIDE;
    refuse_contradiction(input, state);
    return 0;
  case GPM_OPTION_WRAPPER:
    if (input->named.names == GPM_WRAPPERS_NAMED)
      argp_error(state, "--wrapper may be given %d times", GPM_WRAPPERS_NAMED);
    input->named.name[input->named.names++] = arg;
    refuse_contradiction(input, state);
    return 0;
  case 'f':
    input->format = (enum gpm_format)gpm_options_format(parsed, arg);
    return 0;
  case 'F':
    gpm_say_refuse(gpm_patterns_add(&input->patterns, arg));
    return 0;
  case GPM_OPTION_FROM:
  case GPM_OPTION_TO:
    parse_moment(key, arg, state, &input->split.window);
    return 0;
  case ARGP_KEY_ARG:
    if (input->path) argp_error(state, "one capture at a time, please: `%s` is one too many", arg);
    input->path = arg;
    return 0;
  default:
    return parse_rows(key, arg, state, input) ? refuse(key) : 0;
  }
}

bool gpm_input_find_device(struct gpm_input *input, const struct gpm_reader *r) {
  input->filter.device = GPM_ALL_DEVICES;
  if (!input->device) return true;
  char *wrong = gpm_devices_find(r, input->device, &input->filter.device);
  if (!wrong || !input->may_lack_device || input->filter.device != GPM_NO_DEVICE)
    return !gpm_say_is_wrong(wrong);
  free(wrong);
  return true;
}

static bool is_folder(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISDIR(info.st_mode);
}

/* Returns the path of the capture, which for a folder is its newest. The caller frees it. Returns
 * null after an error message. */
static char *find_capture(const char *path) {
  if (path && !is_folder(path)) return gpm_memory_text(path);
  char *newest = gpm_reader_newest(path ? path : "."), *name = path ? gpm_text_clean(path) : NULL;
  if (!newest)
    gpm_say("there is no *.gmprof in %s; name a capture, or make one by `gpumemprof run -- ./app`",
            name ? name : "this folder");
  else if (isatty(STDERR_FILENO))
    gpm_say("reading %s, the newest capture%s%s", newest, name ? " of " : "",
            name ? name : " of this folder");
  free(name);
  return newest;
}

/* Programs get each line as it was recorded. So does --filter of files and functions: it may name a
 * wrapper. */
bool gpm_input_hides_wrappers(const struct gpm_input *input) {
  if (input->wrappers != GPM_WRAPPERS_BY_FORMAT) return input->wrappers == GPM_WRAPPERS_HIDE;
  bool takes = input->command && input->command->takes & GPM_TAKES_WRAPPERS;
  return takes && (input->named.names || (input->format == GPM_FORMAT_TABLE &&
                                          !gpm_patterns_have_places(&input->patterns)));
}

/* Whether the capture that this one is compared with has marks as well. If it cannot be read, that
 * is reported when it is opened for good. */
static bool other_is_marked(const struct gpm_input *input) {
  char error[8192];
  char *path = find_capture(input->against);
  struct gpm_reader *other =
      path ? gpm_reader_open(path, gpm_say_host(), error, sizeof error) : NULL;
  bool marked = !other || gpm_wrappers_are_marked(other);
  if (other) gpm_reader_close(other);
  free(path);
  return marked;
}

/* Of captures that are compared, one may lack the function. */
static bool knows_wrappers(const struct gpm_input *input, const struct gpm_reader *r) {
  const char *unknown = gpm_wrappers_unknown(r, &input->named);
  if (!unknown) return true;
  char *name = gpm_text_clean(unknown), *path = gpm_text_clean(r->path);
  gpm_say(
      "--wrapper %s: %s has no call of such a function; `gpumemprof report --by function` lists "
      "functions",
      name, path);
  free(name);
  free(path);
  return input->may_lack_wrapper;
}

static void settle_wrappers(struct gpm_input *input, struct gpm_reader *r) {
  struct gpm_hidden_wrappers *wrappers = &input->named;
  bool asked = input->wrappers == GPM_WRAPPERS_HIDE || wrappers->names;
  wrappers->hide =
      gpm_input_hides_wrappers(input) &&
      (asked || !input->compares || (gpm_wrappers_are_marked(r) && other_is_marked(input)));
  gpm_wrappers_settle(r, wrappers);
}

void gpm_input_hide_as(struct gpm_input *other, const struct gpm_input *first) {
  other->named = first->named;
  other->wrappers = first->named.hide ? GPM_WRAPPERS_HIDE : GPM_WRAPPERS_SHOW;
  other->compares = false;
  other->may_lack_wrapper = true;
}

/* Tables, and the short answer, which has no command, name files without the folder that all of
 * them share; of several captures, of all. */
static bool shortens_files(const struct gpm_input *input) {
  bool for_people = !input->command || *input->command->formats;
  return for_people && input->format == GPM_FORMAT_TABLE && !input->verbose && !input->whole_files;
}

static void share_folder(const struct gpm_reader *r) {
  struct gpm_host *host = gpm_say_host();
  host->shared = gpm_shared_folder_of(r, host->shared);
}

struct gpm_reader *gpm_input_open(struct gpm_input *input) {
  char error[8192]; /* fits the longest path and a sentence */
  if (input->no_csv && input->format == GPM_FORMAT_CSV) {
    gpm_say("%s", input->no_csv);
    return NULL;
  }
  if (input->format == GPM_FORMAT_CSV) gpm_json_as_csv();
  if (input->patterns.count) input->filter.patterns = &input->patterns;
  input->filter.kind =
      input->kind ? (uint32_t)gpm_say_choice("kind of memory", input->kind, gpm_devices_kinds)
                  : GPM_ALL_KINDS;
  char *path = find_capture(input->path);
  if (!path) return NULL;
  gpm_progress(input->reading ? input->reading : "reading the capture");
  struct gpm_reader *r = gpm_reader_open(path, gpm_say_host(), error, sizeof error);
  free(path);
  if (!r) {
    char *clean = gpm_text_clean(error);
    gpm_say("%s", clean);
    free(clean);
    return NULL;
  }
  gpm_moment_settle(r);
  if (r->native_modules.count) {
    gpm_progress("finding names in libraries");
    gpm_symbols_name(r);
  }
  if (!input->compares_paths) gpm_machine_paths_count(r);
  if (input->short_names) gpm_names_shorten(r);
  bool ok = knows_wrappers(input, r);
  settle_wrappers(input, r);
  if (shortens_files(input)) share_folder(r);
  if (ok && gpm_input_find_device(input, r)) return r;
  gpm_reader_close(r);
  return NULL;
}

uint32_t gpm_input_shown_in(const struct gpm_input *input, enum gpm_format format, uint32_t count) {
  uint32_t usual = input->command ? input->command->rows : 0;
  return gpm_shown_of(&input->limit, format, usual, count);
}

uint32_t gpm_input_shown(const struct gpm_input *input, uint32_t count) {
  return gpm_input_shown_in(input, input->format, count);
}

bool gpm_input_shows_all(const struct gpm_input *input) {
  return input->format != GPM_FORMAT_TABLE || (input->limit.given && !input->limit.most);
}

struct gpm_reader *gpm_input_open_part(struct gpm_input *input) {
  input->split.patterns = &input->patterns;
  struct gpm_reader *reader = gpm_input_open(input);
  if (!reader || gpm_split_make(reader, &input->split)) return reader;
  gpm_reader_close(reader);
  return NULL;
}

struct gpm_profile *gpm_input_read(struct gpm_input *input) {
  input->reader = gpm_input_open_part(input);
  if (!input->reader) {
    gpm_input_close(input, NULL);
    return NULL;
  }
  gpm_progress("joining allocations and frees");
  return gpm_profile_new(input->reader, &input->filter);
}

char *gpm_input_part_text(const struct gpm_input *input) {
  const struct gpm_window *window = &input->split.window;
  char *when = gpm_window_is_given(window) ? gpm_window_text(window) : NULL;
  char *which = input->patterns.count ? gpm_patterns_text(&input->patterns) : NULL;
  if (!when || !which) return when ? when : which;
  char *both = gpm_memory_format("%s, %s", when, which);
  free(when);
  free(which);
  return both;
}

int gpm_input_close(struct gpm_input *input, struct gpm_profile *profile) {
  int status = input->reader && input->reader->events_failed ? GPM_EXIT_USAGE : GPM_EXIT_OK;
  if (profile) gpm_profile_free(profile);
  if (input->reader) gpm_reader_close(input->reader);
  input->reader = NULL;
  gpm_patterns_free(&input->patterns);
  return status;
}
