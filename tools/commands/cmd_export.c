/* cmd_export.c - `gpumemprof export`: writes a capture in the formats of common viewers. */
#include "analysis/conserve.h"
#include "events/walk.h"
#include "export/export.h"
#include "input/command.h"
#include "support/sink.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum from { FROM_TREE, FROM_EVENTS, FROM_BOTH };
enum form { FORM_TEXT, FORM_BINARY, FORM_GZIP, FORM_DATABASE };

static const struct format {
  const char *name, *suffix, *what, *viewers;
  enum from from;
  enum form form;
  bool (*write)(const struct gpm_export *x);
} formats[] = {
#define GPM_EXPORT(NAME, name, suffix, from, form, what, viewers)                                  \
  {name, suffix, what, viewers, FROM_##from, FORM_##form, gpm_export_##NAME},
#include "export/exports.def"
    {NULL, NULL, NULL, NULL, FROM_TREE, FORM_TEXT, NULL},
};

struct export {
  struct gpm_input input;
  const struct format *format;
  const char *output;
  bool has_value;
  enum gpm_export_value value;
};

const struct argp_option gpm_cmd_export_options[] = {
    {"to", 't', "FORMAT|MOMENT", 0,
     "a format, as with --format; or the end of the window, as in other commands", 0},
    {"format", 'f', "FORMAT", 0, "the format; `help` lists the formats with their viewers", 0},
    {"output", 'o', "FILE", 0,
     "default: the capture's name with the format's suffix, in this folder; - is standard output; "
     "compressed where it ends with .gz; a file of more than 256MiB is announced before it is "
     "written",
     0},
    {"value", 'v', "FIGURE", 0,
     "folded: at_peak (default), self_alloc, self_requested, self_freed, leaked, blocks, "
     "leaked_blocks or temporary_blocks",
     0},
    {0},
};

/* What is asked for by the name of a viewer, or is written by something else. */
static const struct elsewhere {
  const char *word, *answer;
} elsewhere[] = {
    {"csv", "csv is a format of every command's own: `gpumemprof report --format csv`"},
    {"json", "json is a format of every command's own: `gpumemprof report --format json`"},
    {"parquet",
     "pandas writes Parquet, from `gpumemprof.read(\"x.gmprof\").rows(frame=True)` in Python"},
    {"arrow", "pyarrow makes tables of `gpumemprof.read(\"x.gmprof\").rows(frame=True)` in Python"},
    {"duckdb", "DuckDB opens what `--to sqlite` writes"},
    {"flamegraph",
     "flame graphs are drawn from `--to folded`, or by the viewers of `--to speedscope`"},
    {"kcachegrind", "KCachegrind opens what `--to callgrind` writes"},
};

static const struct format *find_format(const char *word) {
  const char *names[sizeof formats / sizeof formats[0]];
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) names[i] = formats[i].name;
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
    if (strcmp(word, elsewhere[i].word) != 0) continue;
    gpm_say("%s", elsewhere[i].answer);
    exit(GPM_EXIT_USAGE);
  }
  return &formats[gpm_say_choice("format", word, names)];
}

/* Its figures are all it has, so that they can be those of a part of the run. */
static bool is_of_figures(const struct format *format) {
  return format->from == FROM_TREE;
}

static bool is_of_part(const struct gpm_input *input) {
  return gpm_window_is_given(&input->split.window) || gpm_patterns_have_sizes(&input->patterns);
}

static void print_formats(void) {
  for (const struct format *f = formats; f->name; f++)
    printf("%-16s %s%s\n%-16s %s\n", f->name, f->what,
           f->from == FROM_EVENTS ? "; needs history=all" : "", "", f->viewers);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const values[] = {
#define GPM_EXPORT_VALUE(name) #name,
      GPM_EXPORT_VALUES(GPM_EXPORT_VALUE)
#undef GPM_EXPORT_VALUE
          NULL};
  struct export *o = state->input;
  switch (key) {
  case 't':
    if (gpm_window_is_moment(arg)) return gpm_input_parse(GPM_OPTION_TO, arg, state, &o->input);
    __attribute__((fallthrough));
  case 'f':
    if (!strcmp(arg, "help")) {
      print_formats();
      exit(fflush(stdout) ? GPM_EXIT_USAGE : GPM_EXIT_OK);
    }
    o->format = find_format(arg);
    return 0;
  case 'o':
    o->output = arg;
    return 0;
  case 'v':
    o->has_value = true;
    o->value = (enum gpm_export_value)gpm_say_choice("figure", arg, values);
    return 0;
  case ARGP_KEY_END:
    if (!o->format) argp_error(state, "to which format? `--to help` lists them");
    if (o->has_value && strcmp(o->format->name, "folded") != 0)
      argp_error(state, "--value is for folded; %s has several figures at once", o->format->name);
    if (!is_of_figures(o->format) && is_of_part(&o->input))
      argp_error(state,
                 "%s is of the whole run: --from, --to MOMENT and --filter size= are for folded, "
                 "pprof, speedscope, dhat and callgrind",
                 o->format->name);
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

static bool ends_in_gz(const char *path) {
  size_t length = strlen(path);
  return length > 3 && !strcmp(path + length - 3, ".gz");
}

static bool may_be_written(const struct export *o, const char *path) {
  bool to_stdout = !strcmp(path, "-");
  if (to_stdout && o->format->form == FORM_DATABASE)
    gpm_say("%s cannot be written to a pipe; name a file with -o", o->format->name);
  else if (to_stdout && o->format->form != FORM_TEXT && isatty(STDOUT_FILENO))
    gpm_say("%s is not for a terminal; name a file with -o", o->format->name);
  else return true;
  return false;
}

static bool has_events(const struct export *o, const struct gpm_reader *r) {
  if (o->format->from != FROM_EVENTS) return true;
  if (r->event_chunks && !gpm_walk_is_whole(r))
    gpm_say("%s has a part of the events only: what was allocated before them is not in the file",
            r->path);
  if (r->event_chunks) return true;
  gpm_say("%s has no events, which %s is made of: run the program with "
          "GPUMEMPROF_OPTIONS=history=all",
          r->path, o->format->name);
  return false;
}

/* Bytes that an event takes, measured; much depends on how deep it is. `share`: of these,
 * compressed by a name that ends in .gz; 0: the format cannot be. */
static const struct event_size {
  const char *format;
  unsigned bytes, share;
} event_sizes[] = {
    {"chrome", 435, 25},     {"perfetto", 183, 8},
    {"memory_viz", 120, 10}, {"memory_viz-json", 1040, 50},
    {"heaptrack", 16, 3},    {"sqlite", 60, 0},
    {"firefox", 60, 8},
};
#define LARGE_FILE ((uint64_t)256 << 20)

/* Warns of a large file before it is written, and says what would make it smaller. */
static void tell_size(const struct export *o, const struct gpm_reader *r, const char *path) {
  if (!r->event_chunks || !gpm_walk_is_whole(r)) return;
  struct gpm_conservation c = gpm_conserve(r);
  free(c.fault);
  for (size_t i = 0; i < sizeof event_sizes / sizeof *event_sizes; i++) {
    const struct event_size *e = &event_sizes[i];
    if (strcmp(o->format->name, e->format) != 0) continue;
    bool gzip = ends_in_gz(path) && e->share;
    double size = (double)(c.allocated_blocks + c.freed_blocks) * e->bytes / (gzip ? e->share : 1);
    if (size < (double)LARGE_FILE || size > 0x1p62) continue;
    char number[GPM_TEXT_NUMBER];
    gpm_text_bytes(number, (int64_t)size, 0);
    if (gzip || !e->share) gpm_say("the file will have about %s", number);
    else
      gpm_say(
          "the file will have about %s; with a name that ends in .gz it takes about 1/%u of that",
          number, e->share);
  }
}

/* "FILE: pprof -http=: FILE" */
static void print_viewers(const char *path, const struct format *format) {
  char *clean = gpm_text_clean(path);
  printf("%s: ", clean);
  for (const char *at = format->viewers; *at; at++) {
    bool file = !strncmp(at, "FILE", 4);
    if (file) fputs(clean, stdout);
    else putchar(*at);
    if (file) at += 3;
  }
  putchar('\n');
  free(clean);
}

static int write_file(const struct export *o, struct gpm_reader *r, const char *path) {
  const struct format *format = o->format;
  struct gpm_sink sink;
  bool database = format->form == FORM_DATABASE, gzip = format->form == FORM_GZIP;
  if (!(database ? gpm_sink_name(&sink, path)
                 : gpm_sink_open(&sink, path, gzip || ends_in_gz(path))))
    return GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_profile_new(r, &o->input.filter);
  struct gpm_frames frames;
  gpm_frames_make(&frames, profile);
  gpm_progress("writing");
  bool ok = format->write(&(struct gpm_export){.reader = r,
                                               .profile = profile,
                                               .frames = &frames,
                                               .file = sink.file,
                                               .path = sink.temporary,
                                               .value = o->value});
  gpm_progress(NULL);
  ok = gpm_sink_close(&sink, ok) && ok;
  if (ok && strcmp(path, "-") != 0) print_viewers(path, format);
  gpm_frames_free(&frames);
  gpm_profile_free(profile);
  return ok ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}

int gpm_cmd_export_run(const struct gpm_command *command, int argc, char **argv) {
  struct export o = {.value = GPM_EXPORT_VALUE_at_peak};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open_part(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  char *usual = gpm_command_file(reader, o.format->suffix);
  const char *path = o.output ? o.output : usual;
  int status = GPM_EXIT_USAGE;
  if (has_events(&o, reader) && may_be_written(&o, path)) {
    tell_size(&o, reader, path);
    status = write_file(&o, reader, path);
  }
  free(usual);
  gpm_reader_close(reader);
  gpm_patterns_free(&o.input.patterns);
  return status;
}
