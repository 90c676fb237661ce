/* wrappers.c - see wrappers.h. A parent has a lower number than its children, so that one pass over
 * the nodes finds all callers. */
#include "model/wrappers.h"

#include "support/memory.h"

#include "gpumemprof/capture_wrappers.h"

#include <stdlib.h>
#include <string.h>

static const struct gpumemprof_capture_site *site_of(const struct gpm_reader *r,
                                                     const struct gpumemprof_capture_node *node) {
  return node->site == GPUMEMPROF_NONE ? NULL : gpm_reader_site(r, node->site);
}

bool gpm_wrappers_are_marked(const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));)
    if (gpumemprof_wrappers_is_marked(s)) return true;
  return false;
}

/* ---- named functions ---------------------------------------------------------------------------
 */

/* The function's name without template arguments: "util::Pool::get". The caller frees it. */
static char *plain_name(const char *function) {
  char *plain = gpm_memory_text(function), *to = plain;
  int depth = 0;
  for (const char *at = function; *at; at++) {
    depth += *at == '<';
    if (!depth) *to++ = *at;
    depth -= *at == '>' && depth;
  }
  *to = 0;
  return plain;
}

/* "zeros" names zeros, zeros<float> and util::zeros; "Pool::get" also util::Pool<float>::get. */
static bool is_named(const char *function, const char *name) {
  if (!strcmp(function, name)) return true;
  char *plain = plain_name(function), *wanted = plain_name(name);
  size_t whole = strlen(plain), length = strlen(wanted);
  bool same =
      length && whole >= length && !strcmp(plain + whole - length, wanted) &&
      (whole == length || (whole > length + 1 && !strncmp(plain + whole - length - 2, "::", 2)));
  if (strchr(name, '<')) same = false; /* it names one instance */
  free(plain);
  free(wanted);
  return same;
}

static bool has_name(const struct gpm_reader *r, const struct gpumemprof_capture_site *s,
                     const struct gpm_hidden_wrappers *wrappers) {
  for (size_t i = 0; i < wrappers->names; i++)
    if (is_named(gpm_reader_string(r, s->function), wrappers->name[i])) return true;
  return false;
}

/* ---- who is charged ----------------------------------------------------------------------------
 */

static bool is_call(const struct gpm_reader *r, uint32_t node) {
  const struct gpumemprof_capture_site *s = site_of(r, gpm_reader_record(&r->nodes, node));
  return s && (s->kind == GPUMEMPROF_SITE_CALL || s->kind == GPUMEMPROF_SITE_NATIVE);
}

/* A function that nothing recorded calls, such as main, cannot be a wrapper. */
const char *gpm_wrappers_unknown(const struct gpm_reader *r,
                                 const struct gpm_hidden_wrappers *wrappers) {
  for (size_t i = 0; i < wrappers->names; i++) {
    const struct gpm_hidden_wrappers one = {.name = {wrappers->name[i]}, .names = 1};
    bool known = false;
    struct gpm_cursor at = {.records = &r->nodes};
    for (const struct gpumemprof_capture_node *n; !known && (n = gpm_cursor_next(&at));) {
      const struct gpumemprof_capture_site *s = site_of(r, n);
      known =
          s && s->kind == GPUMEMPROF_SITE_FUNCTION && has_name(r, s, &one) && is_call(r, n->parent);
    }
    if (!known) return wrappers->name[i];
  }
  return NULL;
}

static const struct gpumemprof_capture_node *node_at(const void *reader, uint32_t node) {
  return gpm_reader_record(&((const struct gpm_reader *)reader)->nodes, node);
}

static const struct gpumemprof_capture_site *site_at(const void *reader, uint32_t site) {
  return gpm_reader_site(reader, site);
}

/* By node: the call that is charged with what is allocated there, which is the node itself unless
 * it is in a wrapper. To be freed. */
static uint32_t *find_callers(const struct gpm_reader *r,
                              const struct gpm_hidden_wrappers *wrappers) {
  const struct gpumemprof_call_tree tree = {.of = r, .node = node_at, .site = site_at};
  uint32_t *callers = gpm_memory_array(r->nodes.count, sizeof *callers);
  /* By node: who is charged with all that a named function above it caused; NONE: there is none. */
  uint32_t *named = gpm_memory_array(r->nodes.count, sizeof *named);
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    const struct gpumemprof_capture_site *s = site_of(r, n);
    uint32_t self = (uint32_t)at.number;
    named[self] = n->parent < self ? named[n->parent] : GPUMEMPROF_NONE;
    bool begins = named[self] == GPUMEMPROF_NONE && s && s->kind == GPUMEMPROF_SITE_FUNCTION &&
                  is_call(r, n->parent) && has_name(r, s, wrappers);
    if (begins) named[self] = callers[n->parent];
    uint32_t caller =
        gpumemprof_wrappers_is_marked(s) ? gpumemprof_wrappers_caller(&tree, n) : GPUMEMPROF_NONE;
    callers[self] = named[self] != GPUMEMPROF_NONE ? named[self]
                    : caller == GPUMEMPROF_NONE    ? self
                                                   : callers[caller];
  }
  free(named);
  return callers;
}

/* ---- moving ------------------------------------------------------------------------------------
 */

/* Records of the reader are its own, and nothing else reads them meanwhile. */
static void *own(const void *record) {
  return (void *)(uintptr_t)record;
}

static void mark_via(struct gpm_reader *r, uint32_t caller) {
  const struct gpumemprof_capture_node *call = gpm_reader_record(&r->nodes, caller);
  if (!r->via) r->via = gpm_memory_array(r->sites.count, 1);
  r->via[call->site] = 1;
}

static void move_cells(struct gpm_reader *r, const uint32_t *callers) {
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    uint32_t caller = callers[c->node];
    if (caller == c->node) continue;
    mark_via(r, caller);
    if (!r->charged) {
      r->charged_count = r->cells.count;
      r->charged = gpm_memory_array(r->charged_count, sizeof *r->charged);
    }
    r->charged[at.number] = (struct gpm_charged){c->node, caller};
    ((struct gpumemprof_capture_cell *)own(c))->node = caller;
  }
}

void gpm_wrappers_move_failures(struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; r->callers && (n = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_node *from = own(n);
    uint32_t caller = r->callers[at.number];
    if (caller == at.number || !n->failed_calls) continue;
    struct gpumemprof_capture_node *to = own(gpm_reader_record(&r->nodes, caller));
    mark_via(r, caller);
    to->failed_calls += from->failed_calls;
    to->failed_bytes += from->failed_bytes;
    to->oom_calls += from->oom_calls;
    from->failed_calls = from->failed_bytes = from->oom_calls = 0;
  }
  for (uint32_t i = 0; r->callers && i < r->device_count; i++)
    if (r->devices[i].peak_node < r->nodes.count)
      r->devices[i].peak_node = r->callers[r->devices[i].peak_node];
}

static void hide(struct gpm_reader *r, const struct gpm_hidden_wrappers *wrappers) {
  r->callers = find_callers(r, wrappers);
  gpm_wrappers_move_ooms(r, r->callers);
  move_cells(r, r->callers);
  gpm_wrappers_move_failures(r);
}

static void take_texts_of_uncharged_calls(struct gpm_reader *r) {
  uint8_t *charged = gpm_memory_array(r->sites.count, 1);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    const struct gpumemprof_capture_node *n = gpm_reader_record(&r->nodes, c->node);
    if (n->site != GPUMEMPROF_NONE) charged[n->site] = 1;
  }
  struct gpm_cursor at = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));) {
    if (s->kind != GPUMEMPROF_SITE_CALL || s->flags & GPUMEMPROF_SITE_ALLOCATES ||
        charged[at.number])
      continue;
    struct gpumemprof_capture_site *site = own(s);
    site->variable = site->type = site->size_expr = 0;
  }
  free(charged);
}

void gpm_wrappers_settle(struct gpm_reader *r, const struct gpm_hidden_wrappers *wrappers) {
  if (wrappers->hide) hide(r, wrappers);
  else if (gpm_wrappers_are_marked(r)) r->responsible = find_callers(r, wrappers);
  take_texts_of_uncharged_calls(r);
}

/* ---- a refresh ---------------------------------------------------------------------------------
 */

static void give_cells(struct gpm_reader *r, bool to_caller) {
  if (!r->charged) return;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    const struct gpm_charged *moved = &r->charged[at.number];
    if (moved->caller)
      ((struct gpumemprof_capture_cell *)own(c))->node =
          to_caller ? moved->caller : moved->recorded;
  }
}

void gpm_wrappers_before_refresh(struct gpm_reader *r) {
  give_cells(r, false);
}

void gpm_wrappers_after_refresh(struct gpm_reader *r) {
  give_cells(r, true);
}
