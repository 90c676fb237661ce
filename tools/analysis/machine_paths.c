/* machine_paths.c - see machine_paths.h. Checks the lines of call paths against a second source.
 *
 * machine_stacks.h has the lines that were on the machine stack when a path was first recorded;
 * none of that comes from the frames and sites of which the path consists. Every line of the path
 * must be among those lines, in the same order. Lines of functions without a frame lie in between.
 *
 * Lines that the runtime made are not compared. A line of a file without debug information cannot
 * be compared, nor can any line of a program whose file is no longer the one that ran. Such paths
 * are counted separately. Machine frames that the optimiser left without a line agree with any line
 * of their file.
 */
#include "analysis/machine_paths.h"

#include "support/memory.h"
#include "support/string.h"
#include "support/text.h"
#include "symbols/machine_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN 60 /* innermost frames of a machine stack that are shown */

struct verify {
  const struct gpm_reader *reader;
  struct gpm_machine_stacks stacks; /* with that of the current node */
  bool changed;                     /* the file of some module is not the one that ran */
  size_t paths, compared, differences, unverified;
  struct gpm_map files; /* a file's text -> whether debug information knows it */
  struct gpm_map wrong; /* the site of a line missing on the machine stack -> its index */
  struct gpm_machine_paths *found; /* null: paths are only counted */
};

static bool has_debug_information(struct verify *v, uint32_t file) {
  enum { NEW = 2 };
  uint64_t *known = gpm_map_at(&v->files, file, NEW);
  if (*known == NEW)
    *known = gpm_machine_stacks_have_file(&v->stacks, gpm_reader_string(v->reader, file));
  return *known;
}

/* Returns the site of a node's call if that can be on the machine stack, else null. */
static const struct gpumemprof_capture_site *call_at(const struct verify *v,
                                                     const struct gpumemprof_capture_node *n) {
  const struct gpm_reader *r = v->reader;
  if (n->site == GPUMEMPROF_NONE || n->parent == GPUMEMPROF_NONE) return NULL;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, n->site);
  if (s->kind != GPUMEMPROF_SITE_CALL || !s->line) return NULL;
  const struct gpumemprof_capture_node *above = gpm_reader_record(&r->nodes, n->parent);
  if (above->site == GPUMEMPROF_NONE) return NULL;
  const struct gpumemprof_capture_site *scope = gpm_reader_site(r, above->site);
  if (scope->flags & GPUMEMPROF_SITE_MADE) return NULL;
  return s;
}

/* Takes ownership of the text. */
static void add_reason(struct verify *v, char *text) {
  struct gpm_machine_paths *to = v->found;
  bool is_new = to != NULL;
  for (size_t i = 0; is_new && i < to->reason_count; i++) is_new = strcmp(to->reason[i], text) != 0;
  if (!is_new) {
    free(text);
    return;
  }
  to->reason = gpm_memory_resize(to->reason, to->reason_count + 1, sizeof *to->reason);
  to->reason[to->reason_count++] = text;
}

static bool is_there(const struct verify *v, const struct gpumemprof_capture_site *call,
                     const struct gpm_machine_location *location) {
  if (location->line && location->line != call->line) return false;
  const char *file = gpm_reader_string(v->reader, call->file);
  return !strcmp(gpm_text_base(file), gpm_text_base(location->file));
}

struct outcome {
  const struct gpumemprof_capture_node
      *missing;    /* the innermost line that is not on the machine stack */
  bool any, whole; /* some lines were compared; all of them were */
};

static struct outcome search(struct verify *v, const struct gpumemprof_capture_node *n) {
  struct outcome out = {.whole = true};
  size_t at = 0;
  for (; n->parent != GPUMEMPROF_NONE; n = gpm_reader_record(&v->reader->nodes, n->parent)) {
    const struct gpumemprof_capture_site *call = call_at(v, n);
    if (!call) continue;
    if (!has_debug_information(v, call->file)) {
      out.whole = false;
      if (!v->changed) /* a changed file may be the reason otherwise */
        add_reason(v, gpm_memory_format("%s has no debug information; compile it with -g",
                                        gpm_text_base(gpm_reader_string(v->reader, call->file))));
      continue;
    }
    out.any = true;
    while (at < v->stacks.depth && !is_there(v, call, &v->stacks.location[at])) at++;
    if (at == v->stacks.depth) {
      if (v->stacks.whole) out.missing = n;
      else
        add_reason(v, gpm_memory_text("a machine stack was not recorded, or is not known, as "
                                      "far as the line of its path"));
      out.whole = false;
      return out;
    }
    if (v->stacks.location[at].line)
      at++; /* a machine frame without a line may match several lines */
  }
  return out;
}

static void put_location(struct gpm_string *to, const char *before, const char *file, uint32_t line,
                         const char *function) {
  gpm_string_add(to, "%s%s:%u %s", before, gpm_text_base(file), line, function ? function : "");
}

struct difference {
  const struct verify *v;
  const struct gpumemprof_capture_node *node; /* the innermost node of the path */
  const struct gpumemprof_capture_site *call; /* the call whose line is missing */
};

/* Writes the lines of a path, outermost first; of a long path, only the innermost. */
static void put_recorded(struct gpm_string *to, const struct difference *d) {
  const struct gpm_reader *r = d->v->reader;
  const struct gpumemprof_capture_site *line[MOST_SHOWN];
  size_t count = 0, more = 0;
  for (const struct gpumemprof_capture_node *n = d->node; n->parent != GPUMEMPROF_NONE;
       n = gpm_reader_record(&r->nodes, n->parent)) {
    const struct gpumemprof_capture_site *s = gpm_reader_site(r, n->site);
    if (s->kind == GPUMEMPROF_SITE_FUNCTION || s->kind == GPUMEMPROF_SITE_BLOCK) continue;
    if (count < MOST_SHOWN) line[count++] = s;
    else more++;
  }
  if (more) gpm_string_add(to, "(%zu more)", more);
  for (size_t i = count; i-- > 0;)
    put_location(to, i + 1 < count || more ? " > " : "", gpm_reader_string(r, line[i]->file),
                 line[i]->line, gpm_reader_string(r, line[i]->function));
}

static void put_machine(struct gpm_string *to, const struct difference *d) {
  const struct gpm_machine_stacks *stacks = &d->v->stacks;
  size_t shown = stacks->depth < MOST_SHOWN ? stacks->depth : MOST_SHOWN;
  if (shown < stacks->depth) gpm_string_add(to, "(%zu more)", stacks->depth - shown);
  for (size_t i = shown; i-- > 0;)
    put_location(to, i + 1 < stacks->depth ? " > " : "", stacks->location[i].file,
                 stacks->location[i].line, stacks->location[i].function);
}

static void put_line(struct gpm_string *to, const struct difference *d) {
  put_location(to, "", gpm_reader_string(d->v->reader, d->call->file), d->call->line,
               gpm_reader_string(d->v->reader, d->call->function));
}

static char *text_of(const struct difference *d,
                     void (*write)(struct gpm_string *to, const struct difference *d)) {
  struct gpm_string text = {NULL, 0, 0};
  write(&text, d);
  return gpm_string_take(&text);
}

static void note(struct verify *v, const struct gpumemprof_capture_node *n, uint32_t site) {
  struct gpm_machine_paths *to = v->found;
  uint64_t last = to->count, number = *gpm_map_at(&v->wrong, site, last);
  if (number != last) {
    to->difference[number].paths++;
    return;
  }
  struct difference d = {v, n, gpm_reader_site(v->reader, site)};
  to->difference = gpm_memory_resize(to->difference, to->count + 1, sizeof *to->difference);
  to->difference[to->count++] =
      (struct gpm_machine_difference){.line = text_of(&d, put_line),
                                      .recorded = text_of(&d, put_recorded),
                                      .machine = text_of(&d, put_machine),
                                      .paths = 1};
}

static void compare(struct verify *v, const struct gpumemprof_capture_node *n) {
  gpm_machine_stacks_read(&v->stacks, n);
  struct outcome out = search(v, n);
  v->compared += out.any;
  v->differences += out.missing != NULL;
  v->unverified += !out.missing && !out.whole;
  if (out.missing && v->found) note(v, n, out.missing->site);
}

static void compare_all(struct verify *v) {
  const struct gpm_reader *r = v->reader;
  gpm_machine_stacks_open(&v->stacks, r);
  v->paths = v->stacks.count;
  for (size_t i = 0; i < v->stacks.module_count; i++) {
    const struct gpm_machine_module *m = &v->stacks.modules[i];
    if (m->match == GPM_ELF_SAME) continue;
    v->changed = true;
    add_reason(v, gpm_memory_format("%s %s", m->path,
                                    m->match == GPM_ELF_OTHER
                                        ? "is not the file any more that was loaded in the run"
                                        : "is not on this machine"));
  }
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; v->paths && (n = gpm_cursor_next(&at));)
    if (n->machine_stack) compare(v, n);
}

static void end(struct verify *v) {
  gpm_machine_stacks_free(&v->stacks);
  gpm_map_free(&v->files);
  gpm_map_free(&v->wrong);
}

void gpm_machine_paths_count(struct gpm_reader *reader) {
  struct verify v = {.reader = reader};
  compare_all(&v);
  reader->header.counters[GPUMEMPROF_COUNTER_different_paths] = v.differences;
  reader->header.counters[GPUMEMPROF_COUNTER_unverified_paths] = v.unverified;
  end(&v);
}

static bool has_lines(const struct verify *v) {
  struct gpm_cursor at = {.records = &v->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    if (call_at(v, n)) return true;
  return false;
}

void gpm_machine_paths_find(const struct gpm_reader *reader, struct gpm_machine_paths *found) {
  *found = (struct gpm_machine_paths){0};
  struct verify v = {.reader = reader, .found = found};
  compare_all(&v);
  found->paths = v.paths;
  found->compared = v.compared;
  found->different = v.differences;
  found->unverified = v.unverified;
  found->has_lines = v.paths || has_lines(&v);
  end(&v);
}

void gpm_machine_paths_free(struct gpm_machine_paths *found) {
  for (size_t i = 0; i < found->count; i++) {
    free(found->difference[i].line);
    free(found->difference[i].recorded);
    free(found->difference[i].machine);
  }
  for (size_t i = 0; i < found->reason_count; i++) free(found->reason[i]);
  free(found->difference);
  free(found->reason);
}
