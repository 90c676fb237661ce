/* reader_check.c - checks every record of a capture once, so that all later code may trust ids.
 *
 * Called by reader.c when the records are found. Checked are references and order; figures are not
 * checked here: conserve.c compares them with each other.
 */
#include "capture/reader.h"

#include "gpumemprof/capture_uses.h"

#include <stdio.h>

struct check {
  struct gpm_reader *reader;
  char *error;
  size_t error_size;
};

static bool wrong(const struct check *c, const char *record, uint64_t id, const char *what) {
  snprintf(c->error, c->error_size, "%s is damaged: %s %llu %s; record it again", c->reader->path,
           record, (unsigned long long)id, what);
  return false;
}

static bool is_id(uint32_t id, const struct gpm_records *records) {
  return id == GPUMEMPROF_NONE || id < records->count;
}

static bool check_sites(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->strings.count ? r->strings.count : 1;
  struct gpm_cursor at = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));) {
    if (s->kind > GPUMEMPROF_SITE_USE) return wrong(c, "site", at.number, "is of an unknown kind");
    if (s->file >= text || s->function >= text || s->callee >= text || s->variable >= text ||
        s->type >= text || s->size_expr >= text || s->source_line >= text || s->name >= text)
      return wrong(c, "site", at.number, "has a text that is not there");
    if (!is_id(s->inlined_at, &r->sites))
      return wrong(c, "site", at.number, "has an unknown outer site");
    if (!is_id(s->line_id, &r->lines)) return wrong(c, "site", at.number, "has an unknown line");
    c->reader->has_machine_scopes |=
        s->kind == GPUMEMPROF_SITE_FUNCTION && s->flags & GPUMEMPROF_SITE_AT_ADDRESS;
  }
  return true;
}

static bool check_lines(const struct check *c) {
  uint64_t text = c->reader->strings.count ? c->reader->strings.count : 1;
  struct gpm_cursor at = {.records = &c->reader->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));)
    if (l->file >= text || l->function >= text)
      return wrong(c, "line", at.number, "has a text that is not there");
  return true;
}

static bool check_nodes(const struct check *c) {
  struct gpm_cursor at = {.records = &c->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    if (!is_id(n->site, &c->reader->sites))
      return wrong(c, "call path", at.number, "has an unknown site");
    if (at.number ? n->parent >= at.number : n->parent != GPUMEMPROF_NONE)
      return wrong(c, "call path", at.number, "precedes its caller");
    if (n->machine_stack && n->machine_stack >= c->reader->strings.count)
      return wrong(c, "call path", at.number, "has a text that is not there");
  }
  return true;
}

static bool check_cells(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->strings.count ? r->strings.count : 1;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *cell; (cell = gpm_cursor_next(&at));) {
    if (cell->node >= r->nodes.count)
      return wrong(c, "cell", at.number, "has an unknown call path");
    if (cell->device >= r->device_count)
      return wrong(c, "cell", at.number, "has an unknown device");
    if (cell->kind >= GPUMEMPROF_KINDS)
      return wrong(c, "cell", at.number, "has an impossible kind");
    if (cell->label >= text) return wrong(c, "cell", at.number, "has a label that is not there");
    if (cell->stream > r->streams.count)
      return wrong(c, "cell", at.number, "has an unknown stream");
  }
  struct gpm_cursor streams = {.records = &r->streams};
  for (const struct gpumemprof_capture_stream *s; (s = gpm_cursor_next(&streams));)
    if (s->device >= r->device_count)
      return wrong(c, "stream", streams.number, "has an unknown device");
  return true;
}

static bool check_pairs(const struct check *c) {
  struct gpm_cursor at = {.records = &c->reader->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&at));)
    if (p->cell >= c->reader->cells.count || p->free_node >= c->reader->nodes.count)
      return wrong(c, "pair", at.number, "has an unknown call path");
  return true;
}

static bool check_samples(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  struct gpm_cursor pools = {.records = &r->pools};
  for (const struct gpumemprof_capture_pool *p; (p = gpm_cursor_next(&pools));) {
    if (p->device >= r->device_count)
      return wrong(c, "pool", pools.number, "has an unknown device");
    if (!is_id(p->site, &r->sites)) return wrong(c, "pool", pools.number, "has an unknown site");
  }
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    if (s->device >= r->device_count) return wrong(c, "sample", at.number, "has an unknown device");
    if (!is_id(s->pool, &r->pools)) return wrong(c, "sample", at.number, "has an unknown pool");
  }
  return true;
}

static bool check_rest(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->strings.count ? r->strings.count : 1;
  struct gpm_cursor at = {.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));)
    if (m->path >= text || m->plugin_version >= text)
      return wrong(c, "module", at.number, "has a text that is not there");
  at = (struct gpm_cursor){.records = &r->native_modules};
  for (const struct gpumemprof_capture_native_module *m; (m = gpm_cursor_next(&at));)
    if (m->path >= text || m->build_id >= text)
      return wrong(c, "native module", at.number, "has a text that is not there");
  at = (struct gpm_cursor){.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&at));)
    if (m->name >= text) return wrong(c, "mark", at.number, "has a text that is not there");
  at = (struct gpm_cursor){.records = &r->named};
  for (const struct gpumemprof_capture_named *n; (n = gpm_cursor_next(&at));)
    if (n->cell >= r->cells.count) return wrong(c, "named block", at.number, "has an unknown cell");
  at = (struct gpm_cursor){.records = &r->unaccounted};
  for (const struct gpumemprof_capture_unaccounted *u; (u = gpm_cursor_next(&at));)
    if (u->node >= r->nodes.count || u->device >= r->device_count)
      return wrong(c, "unaccounted change", at.number, "has an unknown location or device");
  at = (struct gpm_cursor){.records = &r->custom_pools};
  for (const struct gpumemprof_capture_custom_pool *p; (p = gpm_cursor_next(&at));) {
    if (p->name >= text) return wrong(c, "pool", at.number, "has a text that is not there");
    if (p->device != GPUMEMPROF_NONE && p->device >= r->device_count)
      return wrong(c, "pool", at.number, "has an unknown device");
  }
  at = (struct gpm_cursor){.records = &r->steps};
  for (const struct gpumemprof_capture_step *s; (s = gpm_cursor_next(&at));)
    if (s->phase > GPUMEMPROF_PHASE_ACTIVE) return wrong(c, "step", at.number, "has no such phase");
  at = (struct gpm_cursor){.records = &r->violations};
  for (const struct gpumemprof_capture_violation *v; (v = gpm_cursor_next(&at));) {
    if (v->node >= r->nodes.count || !is_id(v->where, &r->nodes))
      return wrong(c, "violation", at.number, "has an unknown call path");
    if (v->budget < GPUMEMPROF_BUDGET_BYTES || v->budget > GPUMEMPROF_BUDGET_NO_LEAK)
      return wrong(c, "violation", at.number, "is of an unknown budget");
  }
  for (uint32_t i = 0; i < r->device_count; i++)
    if (!is_id(r->devices[i].peak_node, &r->nodes))
      return wrong(c, "device", i, "has an unknown call path");
  uint64_t open = r->thread_count ? r->threads[r->thread_count - 1].end : 0;
  for (uint64_t i = 0; i < open; i++)
    if (r->activations[i].node >= r->nodes.count)
      return wrong(c, "activation", i, "has an unknown call path");
  return true;
}

static bool check_names(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->name_texts.count ? r->name_texts.count : 1;
  struct gpm_cursor at = {.records = &r->names};
  for (const struct gpumemprof_capture_name *n; (n = gpm_cursor_next(&at));) {
    if (n->module >= r->native_modules.count)
      return wrong(c, "name", at.number, "is of an unknown module");
    if (n->function >= text || n->file >= text || n->declared_file >= text)
      return wrong(c, "name", at.number, "has a text that is not there");
  }
  return true;
}

static bool check_operands(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->strings.count ? r->strings.count : 1;
  struct gpm_cursor at = {.records = &r->operands};
  for (const struct gpumemprof_capture_operands *o; (o = gpm_cursor_next(&at));) {
    if (o->site >= r->sites.count)
      return wrong(c, "operands record", at.number, "has an unknown site");
    if (!o->count || o->count > GPUMEMPROF_OPERANDS)
      return wrong(c, "operands record", at.number, "has an impossible number of operands");
    for (unsigned i = 0; i < GPUMEMPROF_OPERANDS; i++)
      if (o->name[i] >= text)
        return wrong(c, "operands record", at.number, "has a name that is not there");
  }
  return true;
}

static bool check_oom_lists(const struct check *c, uint64_t number,
                            const struct gpumemprof_capture_oom *o) {
  const struct gpm_reader *r = c->reader;
  for (uint32_t i = 0; i < o->lines; i++)
    if (!is_id(o->line[i].line, &r->lines) || o->line[i].node >= r->nodes.count)
      return wrong(c, "out-of-memory record", number, "has an unknown line");
  for (uint32_t i = 0; i < o->paths; i++)
    if (o->path[i].cell >= r->cells.count)
      return wrong(c, "out-of-memory record", number, "has an unknown cell");
  for (uint32_t i = 0; i < o->pools; i++)
    if (o->pool[i].pool >= r->pools.count)
      return wrong(c, "out-of-memory record", number, "has an unknown pool");
  for (uint32_t i = 0; i < o->custom_pools; i++)
    if (o->custom_pool[i].pool >= r->custom_pools.count)
      return wrong(c, "out-of-memory record", number, "has an unknown allocator");
  for (uint32_t i = 0; i < o->scopes; i++)
    if (o->scope[i].node >= r->nodes.count)
      return wrong(c, "out-of-memory record", number, "has an unknown scope");
  return true;
}

static bool check_ooms(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));) {
    if (o->node >= r->nodes.count)
      return wrong(c, "out-of-memory record", at.number, "has an unknown call path");
    if (o->device != GPUMEMPROF_NONE && o->device >= r->device_count)
      return wrong(c, "out-of-memory record", at.number, "has an unknown device");
    if (o->lines > GPUMEMPROF_OOM_LINES || o->paths > GPUMEMPROF_OOM_PATHS ||
        o->pools > GPUMEMPROF_OOM_POOLS || o->custom_pools > GPUMEMPROF_OOM_POOLS ||
        o->scopes > GPUMEMPROF_OOM_SCOPES)
      return wrong(c, "out-of-memory record", at.number, "has a list longer than there is room");
    if (!check_oom_lists(c, at.number, o)) return false;
  }
  return true;
}

static bool has_values(const struct gpm_reader *r, const struct gpumemprof_capture_use *u) {
  const struct gpumemprof_capture_kernel *k;
  switch (u->what) {
  case GPUMEMPROF_USE_LAUNCH:
    k = gpm_reader_record(&r->kernels, u->kernel);
    return u->values == k->words;
  case GPUMEMPROF_USE_COPY:
  case GPUMEMPROF_USE_COPY_ROWS:
  case GPUMEMPROF_USE_UPLOAD:
  case GPUMEMPROF_USE_UPLOAD_ROWS:
  case GPUMEMPROF_USE_UNSEARCHED:
  case GPUMEMPROF_USE_UNSEARCHED_ROWS:
    return u->values == 4;
  case GPUMEMPROF_USE_FILL:
  case GPUMEMPROF_USE_FILL_ROWS:
  case GPUMEMPROF_USE_PREFETCH:
    return u->values == 2;
  case GPUMEMPROF_USE_SHARED:
    return u->values == 1;
  case GPUMEMPROF_USE_UNCHANGED:
  case GPUMEMPROF_USE_CHANGED:
    return u->values == 3;
  case GPUMEMPROF_USE_ANY:
  case GPUMEMPROF_USE_UNSEEN:
  case GPUMEMPROF_USE_MANAGED_VARIABLES:
  case GPUMEMPROF_USE_CAPTURE_BEGINS:
  case GPUMEMPROF_USE_CAPTURE_ENDS:
  case GPUMEMPROF_USE_DEVICE_CODE:
  case GPUMEMPROF_USE_STREAM_ENDS:
  case GPUMEMPROF_USE_CURRENT_DEVICE:
  case GPUMEMPROF_USE_OVERLAP:
    return u->values == 0;
  default:
    return true; /* of any number */
  }
}

static bool check_uses(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->strings.count ? r->strings.count : 1;
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *u; (u = gpm_cursor_next(&at));) {
    bool launch = u->what == GPUMEMPROF_USE_LAUNCH;
    if (u->what < GPUMEMPROF_USE_LAUNCH || u->what >= GPUMEMPROF_USE_COUNT)
      return wrong(c, "use", at.number, "is of an unknown kind");
    if (!is_id(u->site, &r->sites)) return wrong(c, "use", at.number, "has an unknown site");
    if (launch ? u->kernel >= r->kernels.count : u->kernel != GPUMEMPROF_NONE)
      return wrong(c, "use", at.number, "has an unknown kernel");
    if (u->unseen >= GPUMEMPROF_UNSEEN_COUNT)
      return wrong(c, "use", at.number, "is of unknown code");
    if (u->object >= text || u->function >= text)
      return wrong(c, "use", at.number, "has a text that is not there");
    if (!has_values(r, u)) return wrong(c, "use", at.number, "has an impossible number of values");
  }
  return true;
}

/* A word may be of a kernel that was added after the kernels were read. */
static bool check_kernels(const struct check *c) {
  const struct gpm_reader *r = c->reader;
  uint64_t text = r->strings.count ? r->strings.count : 1;
  struct gpm_cursor at = {.records = &r->kernels};
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));) {
    if (k->name >= text || k->symbol >= text || k->file >= text)
      return wrong(c, "kernel", at.number, "has a text that is not there");
    if (k->first_word + (uint64_t)k->words > r->kernel_words.count)
      return wrong(c, "kernel", at.number, "has parameters that are not there");
    if (k->flags & GPUMEMPROF_KERNEL_UNKNOWN && k->words)
      return wrong(c, "kernel", at.number, "has parameters that are not known");
    for (uint32_t i = 0; i < k->words; i++) {
      const struct gpumemprof_capture_kernel_word *w =
          gpm_reader_record(&r->kernel_words, k->first_word + i);
      if (w->kernel != at.number)
        return wrong(c, "kernel", at.number, "has parameters of another kernel");
    }
  }
  at = (struct gpm_cursor){.records = &r->kernel_words};
  for (const struct gpumemprof_capture_kernel_word *w; (w = gpm_cursor_next(&at));)
    if (w->name >= text)
      return wrong(c, "kernel parameter", at.number, "has a text that is not there");
  return true;
}

static bool check_pages(const struct check *c) {
  const uint16_t known = GPUMEMPROF_PAGE_READ | GPUMEMPROF_PAGE_WRITTEN | GPUMEMPROF_PAGE_UNSEEN;
  struct gpm_cursor at = {.records = &c->reader->pages};
  for (const struct gpumemprof_capture_pages *p; (p = gpm_cursor_next(&at));) {
    if (p->device >= c->reader->device_count)
      return wrong(c, "run of pages", at.number, "has a device that is not there");
    if (!p->pages || p->first > UINT32_MAX - p->pages)
      return wrong(c, "run of pages", at.number, "has an impossible number of pages");
    if (p->flags & ~known)
      return wrong(c, "run of pages", at.number, "has a state that does not exist");
  }
  return true;
}

bool gpm_reader_check(struct gpm_reader *reader, char *error, size_t error_size) {
  struct check c = {reader, error, error_size};
  return check_lines(&c) && check_sites(&c) && check_nodes(&c) && check_cells(&c) &&
         check_pairs(&c) && check_samples(&c) && check_rest(&c) && check_operands(&c) &&
         check_names(&c) && check_ooms(&c) && check_kernels(&c) && check_uses(&c) &&
         check_pages(&c);
}
