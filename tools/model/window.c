/* window.c - see window.h. */
#include "model/window.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* What follows "step:" or "mark:", or null. */
static const char *behind(const char *text, const char *word) {
  size_t length = strlen(word);
  return !strncmp(text, word, length) && text[length] ? text + length : NULL;
}

static bool parse_clock(const char *text, uint64_t *clock) {
  size_t digits = strspn(text, "0123456789");
  *clock = digits && digits < 20 && !text[digits] ? strtoull(text, NULL, 10) : 0;
  return digits && digits < 20 && !text[digits];
}

bool gpm_window_is_moment(const char *text) {
  uint64_t value;
  uint32_t step;
  const char *number = behind(text, "step:");
  if (number) return gpm_text_parse_count(number, UINT32_MAX, &step) && step;
  return behind(text, "mark:") || parse_clock(text, &value) ||
         gpm_text_parse_duration(text, &value);
}

/* ---- what the capture knows --------------------------------------------------------------------
 */

static bool find_step(struct gpm_moment *m, const char *number, const struct gpm_reader *r) {
  uint32_t step = 0;
  gpm_text_parse_count(number, UINT32_MAX, &step);
  if (!step || step > r->steps.count) {
    char *path = gpm_text_clean(r->path);
    if (!r->steps.count)
      gpm_host_say(r->host, "%s has no steps; the program tells them with gpumemprof_step()", path);
    else
      gpm_host_say(r->host, "%s has no step:%s; its last is step:%u", path, number,
                   (unsigned)r->steps.count);
    free(path);
    return false;
  }
  const struct gpumemprof_capture_step *s = gpm_reader_record(&r->steps, step - 1);
  m->kind = GPM_MOMENT_CLOCK;
  m->value = s->clock;
  return true;
}

static bool find_mark(struct gpm_moment *m, const char *name, const struct gpm_reader *r) {
  const char **names = gpm_memory_array(r->marks.count + 1, sizeof *names);
  struct gpm_cursor at = {.records = &r->marks};
  for (const struct gpumemprof_capture_mark *k; (k = gpm_cursor_next(&at));) {
    names[at.number] = gpm_reader_string(r, k->name);
    if (m->kind != GPM_MOMENT_NONE || strcmp(names[at.number], name) != 0) continue;
    m->kind = GPM_MOMENT_CLOCK;
    m->value = k->clock;
  }
  if (m->kind == GPM_MOMENT_NONE) {
    const char *nearest = gpm_text_nearest(name, names);
    char *path = gpm_text_clean(r->path), *near = gpm_text_clean(nearest ? nearest : "");
    if (!r->marks.count)
      gpm_host_say(r->host, "%s has no marks; the program names moments with gpumemprof_mark()",
                   path);
    else if (nearest)
      gpm_host_say(r->host, "%s has no mark `%s`; did you mean `%s`?", path, name, near);
    else gpm_host_say(r->host, "%s has no mark `%s`; `gpumemprof events` lists them", path, name);
    free(near);
    free(path);
  }
  free(names);
  return m->kind != GPM_MOMENT_NONE;
}

/* from: the first tick is in the part; for a step or mark that is the tick after it. */
static bool find_moment(struct gpm_moment *m, bool from, const struct gpm_reader *r) {
  m->kind = GPM_MOMENT_NONE;
  if (!m->given) return true;
  const char *step = behind(m->given, "step:"), *mark = behind(m->given, "mark:");
  if (step || mark) {
    bool found = step ? find_step(m, step, r) : find_mark(m, mark, r);
    m->value += from;
    return found;
  }
  m->kind = parse_clock(m->given, &m->value) ? GPM_MOMENT_CLOCK : GPM_MOMENT_TIME;
  return m->kind == GPM_MOMENT_CLOCK || gpm_text_parse_duration(m->given, &m->value);
}

bool gpm_window_find(struct gpm_window *w, const struct gpm_reader *r) {
  if (!find_moment(&w->from, true, r) || !find_moment(&w->to, false, r)) return false;
  /* There may be no event between two steps. */
  if (w->from.kind != w->to.kind || w->from.kind == GPM_MOMENT_NONE ||
      w->from.value <= w->to.value + (w->from.kind == GPM_MOMENT_CLOCK))
    return true;
  gpm_host_say(r->host, "--to %s is before --from %s; exchange them", w->to.given, w->from.given);
  return false;
}

/* ---- events ------------------------------------------------------------------------------------
 */

bool gpm_window_is_before(const struct gpm_window *w, uint64_t clock, uint64_t time_ns) {
  if (w->from.kind == GPM_MOMENT_NONE) return false;
  return (w->from.kind == GPM_MOMENT_CLOCK ? clock : time_ns) < w->from.value;
}

bool gpm_window_is_behind(const struct gpm_window *w, uint64_t clock, uint64_t time_ns) {
  if (w->to.kind == GPM_MOMENT_NONE) return false;
  return (w->to.kind == GPM_MOMENT_CLOCK ? clock : time_ns) > w->to.value;
}

char *gpm_window_text(const struct gpm_window *w) {
  char *from = gpm_text_clean(w->from.given ? w->from.given : "the start"),
       *to = gpm_text_clean(w->to.given ? w->to.given : "");
  char *text = w->to.given ? gpm_memory_format("from %s to %s", from, to)
                           : gpm_memory_format("from %s on", from);
  free(from);
  free(to);
  return text;
}
