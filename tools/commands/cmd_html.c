/* cmd_html.c - `gpumemprof html`: the capture as one page that a browser opens from disk.
 * docs/PAGE.md describes its content, page.h the code that writes it. */
#include "capture/identity.h"
#include "capture/redact.h"
#include "capture/source_root.h"
#include "commands/facts_option.h"
#include "input/command.h"
#include "page/page.h"
#include "support/memory.h"
#include "support/sink.h"
#include "support/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_AGAINST = 256, OPTION_REDACT, OPTION_ROOT, OPTION_SIZE };

struct html {
  struct gpm_input input;
  const char *against; /* a capture, or null */
  struct gpm_kernel_code code;
  const char *output;
  bool redacted;
  const char *source_root; /* a folder, or null */
  uint64_t most;
};

const struct argp_option gpm_cmd_html_options[] = {
    {"output", 'o', "FILE", 0,
     "the file to write (default: the capture's name with .html, in the current folder); - is "
     "standard output",
     0},
    {"against", OPTION_AGAINST, "BASE", 0,
     "an earlier capture: the page has a view of how each line changed since, as in diff", 0},
    GPM_FACTS_OPTION("for the advice in the page: "),
    {"redact-source", OPTION_REDACT, NULL, 0,
     "no text of the source: none of its lines, no sizes and other expressions as written; names "
     "stay (functions, files, types, variables, labels), and line numbers",
     0},
    {"source-root", OPTION_ROOT, "DIR", 0,
     "the folder of the sources: text of files that lie elsewhere is not taken from disk (default: "
     "the git repository of the working folder, or that folder)",
     0},
    {"max-size", OPTION_SIZE, "SIZE", 0,
     "of the file (default 30MiB): single blocks, and the smallest call paths, are left out to "
     "keep "
     "it, the page tells how many",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct html *o = state->input;
  switch (key) {
  case 'o':
    o->output = arg;
    return 0;
  case OPTION_AGAINST:
    o->against = arg;
    return 0;
  case GPM_OPTION_FACTS:
    return gpm_facts_option_add(&o->code, arg);
  case OPTION_REDACT:
    o->redacted = true;
    return 0;
  case OPTION_ROOT:
    o->source_root = arg;
    return 0;
  case OPTION_SIZE:
    if (!gpm_text_parse_size(arg, &o->most))
      argp_error(state, "--max-size wants a size with its unit such as 30MiB, not `%s`", arg);
    return 0;
  case ARGP_KEY_END:
    if (gpm_patterns_have_sizes(&o->input.patterns))
      argp_error(state, "a page has blocks of all sizes: " GPM_PATTERNS_SIZES_ARE_FOR);
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

static void print_url(const char *path, uint64_t size) {
  char *clean = gpm_text_clean(path), *real = realpath(path, NULL), number[GPM_TEXT_NUMBER];
  char *url = gpm_text_url(real ? real : path);
  printf("%s: %s; open it in a browser: file://%s\n", clean,
         gpm_text_bytes(number, (int64_t)size, 0), url);
  free(url);
  free(real);
  free(clean);
}

/* What is not complete must not be in a pipe either. */
static bool copy(FILE *from, FILE *to) {
  char bytes[1 << 16];
  rewind(from);
  for (size_t count; (count = fread(bytes, 1, sizeof bytes, from));)
    if (fwrite(bytes, 1, count, to) != count) return false;
  return !ferror(from);
}

static bool write_page(struct gpm_page *page, const char *path) {
  bool to_stdout = !strcmp(path, "-");
  if (to_stdout && isatty(STDOUT_FILENO)) {
    gpm_say("a page is not for a terminal; name a file with -o");
    return false;
  }
  struct gpm_sink sink;
  if (!gpm_sink_open(&sink, path, false)) return false;
  page->file = to_stdout ? tmpfile() : sink.file;
  if (!page->file) gpm_say("there is no room for a temporary file: %s", strerror(errno));
  bool ok = page->file && gpm_page_write(page);
  gpm_progress(NULL);
  long size = ok ? ftell(page->file) : 0;
  if (to_stdout) ok = ok && copy(page->file, sink.file);
  if (to_stdout && page->file) fclose(page->file);
  ok = gpm_sink_close(&sink, ok) && ok;
  if (ok && !to_stdout) print_url(path, (uint64_t)size);
  return ok;
}

/* Opens the other capture, if there is one. False after it said what is wrong. */
static bool compare(const struct html *o, struct gpm_page *page, struct gpm_input *before) {
  if (!o->against) return true;
  *before = (struct gpm_input){.path = o->against,
                               .device = o->input.device,
                               .kind = o->input.kind,
                               .short_names = o->input.short_names,
                               .split.window = o->input.split.window,
                               .may_lack_device = true,
                               .reading = "reading the capture before"};
  gpm_input_hide_as(before, &o->input);
  before->reader = gpm_input_open_part(before);
  if (!before->reader ||
      !gpm_identity_are_two(o->input.reader, before->reader, o->input.path, "html"))
    return false;
  before->filter.patterns = &o->input.patterns;
  page->diff = gpm_page_diff_make(before->reader, &before->filter, page);
  return true;
}

static void tell_outside(const struct gpm_page *page) {
  if (!page->outside) return;
  char *first = gpm_text_clean(page->first_outside), *root = gpm_text_clean(page->source_root);
  if (!*root)
    gpm_say(
        "the working folder is /, so that no source file is taken from the disk (%s%s): the page "
        "has of them only the lines that the capture has; --source-root DIR tells where the "
        "sources are",
        first, page->outside == 1 ? "" : ", ...");
  else
    gpm_say(
        "%u source file%s not below %s (%s%s): the page has of %s only the lines that the capture "
        "has; --source-root DIR tells where the sources are",
        page->outside, page->outside == 1 ? " is" : "s are", root, first,
        page->outside == 1 ? "" : ", ...", page->outside == 1 ? "it" : "them");
  free(root);
  free(first);
}

static void tell_left_out(const struct gpm_page *page) {
  uint32_t all = page->profile->node_count;
  if (page->nodes >= all) return;
  gpm_say("the page has the %u largest of %u nodes of the call tree: what was allocated and leaked "
          "in the others counts in the node above them; a page of a higher --max-size has more",
          page->nodes, all);
}

/* Takes ownership of a text, and appends another to it. */
static char *join(char *text, const char *before, const char *more) {
  if (!more) return text;
  char *longer = gpm_memory_format("%s%s%s%s", text ? text : "", text ? ", " : "", before, more);
  free(text);
  return longer;
}

/* "device 0, kind pool, from 30 to 150, function=solve": what the options leave, or null; to be
 * freed. */
static char *only(const struct gpm_input *input) {
  char *part = gpm_input_part_text(input);
  char *text = join(join(join(NULL, "device ", input->device), "kind ", input->kind), "", part);
  free(part);
  return text;
}

static int make_page(struct html *o, const struct gpm_profile *profile) {
  char *wrong = NULL, *left = only(&o->input);
  char *root = gpm_source_root_to_read(o->source_root, &wrong);
  gpm_say_is_wrong(wrong);
  struct gpm_page page = {.reader = o->input.reader,
                          .profile = profile,
                          .filter = o->input.filter,
                          .only = left,
                          .code = &o->code,
                          .redacted = o->redacted,
                          .source_root = root,
                          .most = o->most};
  struct gpm_input before = {.reader = NULL};
  bool ok = root && compare(o, &page, &before);
  if (o->redacted) gpm_redact_source(o->input.reader);
  if (o->redacted && before.reader) gpm_redact_source(before.reader);
  char *usual = gpm_command_file(o->input.reader, ".html");
  ok = ok && write_page(&page, o->output ? o->output : usual);
  if (ok) tell_outside(&page);
  if (ok) tell_left_out(&page);
  free(usual);
  free(left);
  free(root);
  gpm_page_diff_free(page.diff);
  if (before.reader) gpm_reader_close(before.reader);
  return ok ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}

int gpm_cmd_html_run(const struct gpm_command *command, int argc, char **argv) {
  struct html o = {.most = GPM_PAGE_USUAL_SIZE};
  const char *part[3];
  size_t size[3];
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!gpm_page_viewer(part, size)) return GPM_EXIT_USAGE;
  o.input.compares = o.against;
  o.input.against = o.against;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  int status = make_page(&o, profile);
  int closed = gpm_input_close(&o.input, profile);
  gpm_kernel_code_free(&o.code);
  return closed ? closed : status;
}
