/* export_callgrind.c - writes callgrind's own format, for KCachegrind, QCachegrind and
 * callgrind_annotate: for each function its lines, with what they allocate themselves and through
 * the functions they call.
 *
 *   ob= fl= fn=          the function, by its object and file: "(3) name" at first, then "(3)"
 *   LINE FIGURE...       of a line itself
 *   cob= cfi= cfn=       a function that is called ...
 *   calls=COUNT LINE     ... how often, and where it starts
 *   LINE FIGURE...       ... on which line, and the figures of these calls, inclusive
 */
#include "export/call_costs.h"
#include "export/clean_text.h"
#include "export/objects.h"
#include "support/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct callgrind {
  struct gpm_call_costs costs;
  FILE *f;
  struct gpm_words files, objects;
  uint8_t *named; /* by function: 1 and 2, as itself and as the one that is entered again */
};

static const struct event {
  const char *name, *what;
} events[] = {
    {"at_peak", "bytes at the peak of each device"},
    {"allocated", "bytes allocated"},
    {"requested", "bytes that were asked for"},
    {"freed", "bytes freed by it"},
    {"leaked", "bytes never freed"},
    {"blocks", "allocations"},
    {"leaked_blocks", "blocks never freed"},
    {"temporary_blocks", "temporary blocks"},
};
_Static_assert(sizeof events / sizeof *events == GPM_EXPORT_VALUE_COUNT, "an event for each value");

static void write_head(struct callgrind *c, const struct gpm_export *x) {
  char *command = gpm_export_command(x);
  fprintf(c->f,
          "# callgrind format\nversion: 1\ncreator: gpumemprof " GPM_VERSION "\npid: %" PRIu64
          "\ncmd: %s\ndesc: memory by the lines that allocate it\npositions: line\n",
          x->reader->header.pid, command);
  for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++)
    fprintf(c->f, "event: %s : %s\n", events[i].name, events[i].what);
  fputs("events:", c->f);
  for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++) fprintf(c->f, " %s", events[i].name);
  putc('\n', c->f);
  free(command);
}

static void write_values(struct callgrind *c, uint32_t line,
                         const uint64_t value[GPM_EXPORT_VALUE_COUNT]) {
  fprintf(c->f, "%" PRIu32, line);
  for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++) fprintf(c->f, " %" PRIu64, value[i]);
  putc('\n', c->f);
}

/* Writes a text or, once it has been written, only its number. "???": unknown, as callgrind has it.
 */
static void write_text(struct callgrind *c, const char *key, struct gpm_words *numbers,
                       char *text) {
  bool fresh;
  uint64_t number = gpm_words_own(numbers, text, &fresh);
  fprintf(c->f, "%s=(%" PRIu64 ")", key, number + 1);
  if (fresh) fprintf(c->f, " %s", *numbers->text[number] ? numbers->text[number] : "???");
  putc('\n', c->f);
}

/* An address in an object has the object in place of a file. */
static char *file_of(const struct gpm_export *x, uint32_t frame, const char *object) {
  char *file = gpm_frames_file(x->frames, frame);
  if (strcmp(file, object) != 0) return file;
  free(file);
  return gpm_memory_text("");
}

static void write_function(struct callgrind *c, uint32_t function, bool repeats, const char *ob,
                           const char *fl, const char *fn) {
  const struct gpm_export *x = c->costs.x;
  uint32_t frame = c->costs.frame_of[function];
  char *object = gpm_export_object(x, frame), *file = file_of(x, frame, object);
  write_text(c, ob, &c->objects, object);
  write_text(c, fl, &c->files, file);
  fprintf(c->f, "%s=(%" PRIu64 ")", fn, 2 * (uint64_t)function + repeats + 1);
  if (!(c->named[function] & 1u << repeats)) {
    char *name = gpm_frames_function(x->frames, frame);
    fprintf(c->f, " %s%s", name, repeats ? "'2" : "");
    free(name);
    c->named[function] |= (uint8_t)(1u << repeats);
  }
  putc('\n', c->f);
}

/* Without a number of calls, one is written: callgrind_annotate takes 0 calls for figures of the
 * line itself. */
static void write_call(struct callgrind *c, const struct gpm_call_cost *cost) {
  write_function(c, cost->callee, cost->repeats, "cob", "cfi", "cfn");
  fprintf(c->f, "calls=%" PRIu64 " %" PRIu32 "\n", cost->calls ? cost->calls : 1,
          c->costs.start[cost->callee]);
}

/* What a viewer counts as called: by some line, so that its inclusive figures are those of the
 * calls alone. */
static uint8_t *find_called(const struct gpm_call_costs *costs) {
  uint8_t *called = gpm_memory_array(costs->functions.count, sizeof *called);
  for (uint64_t i = 0; i < costs->count; i++) {
    const struct gpm_call_cost *cost = &costs->cost[i];
    if (cost->function != GPUMEMPROF_NONE && cost->callee != GPUMEMPROF_NONE && !cost->repeats)
      called[cost->callee] = 1;
  }
  return called;
}

static void write_costs(struct callgrind *c) {
  uint8_t *called = find_called(&c->costs);
  uint32_t function = GPUMEMPROF_NONE;
  bool starts = false;
  for (uint64_t i = 0; i < c->costs.count; i++) {
    const struct gpm_call_cost *cost = &c->costs.cost[i];
    if (cost->function == GPUMEMPROF_NONE) {
      if (!called[cost->callee]) continue;
      if (!starts) fputs("\nob=???\nfl=???\nfn=(0) (start)\n", c->f);
      starts = true;
    } else if (cost->function != function) {
      putc('\n', c->f);
      write_function(c, function = cost->function, false, "ob", "fl", "fn");
    }
    if (cost->callee != GPUMEMPROF_NONE) write_call(c, cost);
    write_values(c, cost->line, cost->value);
  }
  free(called);
}

bool gpm_export_callgrind(const struct gpm_export *x) {
  struct callgrind c = {.f = x->file};
  gpm_call_costs_make(&c.costs, x);
  c.named = gpm_memory_array(c.costs.functions.count, sizeof *c.named);
  write_head(&c, x);
  write_costs(&c);
  fputs("\ntotals:", c.f);
  for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++) fprintf(c.f, " %" PRIu64, c.costs.total[i]);
  putc('\n', c.f);
  free(c.named);
  gpm_words_free(&c.files);
  gpm_words_free(&c.objects);
  gpm_call_costs_free(&c.costs);
  return true;
}
