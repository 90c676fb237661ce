/* locations.c - see locations.h. */
#include "rows/locations.h"

#include "model/sizes.h"
#include "model/split_cells.h"
#include "model/wrappers.h"
#include "support/string.h"
#include "support/text.h"

#include "gpumemprof/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *gpm_locations_text(const struct gpm_reader *reader, uint32_t offset) {
  return gpm_text_clean(gpm_reader_string(reader, offset));
}

char *gpm_locations_allocation(const struct gpm_reader *reader, uint32_t site) {
  if (site == GPUMEMPROF_NONE) return gpm_memory_text("");
  const struct gpumemprof_capture_site *s = gpm_reader_site(reader, site);
  char *type = gpm_locations_text(reader, s->type),
       *variable = gpm_locations_text(reader, s->variable);
  char *size = gpm_locations_text(reader, s->size_expr),
       *callee = gpm_locations_text(reader, s->callee);
  char *text;
  bool via = gpm_wrappers_is_via(reader, site) && *callee;
  if (s->kind == GPUMEMPROF_SITE_NATIVE) text = gpm_locations_text(reader, s->name);
  else if (*variable || *size)
    text = gpm_memory_format("%s%s%s%s%s%s%s", type, *type ? " *" : "", variable,
                             *variable && *size ? " = " : "", size, via ? "  via " : "",
                             via ? callee : "");
  else if (s->kind == GPUMEMPROF_SITE_CALL && *callee)
    text = gpm_memory_format("%s %s", via ? "via" : "->", callee);
  else text = gpm_memory_text("");
  free(type);
  free(variable);
  free(size);
  free(callee);
  return text;
}

/* An address says which module it is in: "0x1a2b via app" -> "0x1a2b in app". */
static char *address(const char *function) {
  const char *via = strstr(function, " via ");
  return via ? gpm_memory_format("%.*s in %s", (int)(via - function), function, via + 5)
             : gpm_memory_text(function);
}

/* Returns "file:line function {block}". Parts that are unknown are left out, or are said to be
 * unknown. */
static char *location(const struct gpm_reader *r, const struct gpm_key *k, uint32_t line) {
  char *file = gpm_text_file(r->host, gpm_reader_string(r, k->file)),
       *function = gpm_locations_text(r, k->function);
  char *name = gpm_locations_text(r, k->name), *text, number[16] = "";
  if (line) snprintf(number, sizeof number, ":%u", line);
  if (gpm_text_is_address(function)) text = address(function);
  else if (!*file && !*function) text = gpm_memory_text("(code that was not rebuilt)");
  else
    text = gpm_memory_format("%s%s%s%s%s%s%s%s", file, number, *file && *function ? " " : "",
                             function, *name ? " {" : "", name, *name ? "}" : "",
                             line || !*file ? "" : " (unknown line)");
  free(file);
  free(function);
  free(name);
  return text;
}

static struct gpm_key key_of_node(const struct gpm_profile *p, uint32_t node, uint32_t *line) {
  uint32_t at = node;
  bool call = gpm_profile_is_call(p, node);
  if (!call && !gpm_profile_is_scope(p, node)) at = p->scope[node];
  if (at == GPUMEMPROF_NONE) return *line = 0, (struct gpm_key){0};
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[at]);
  *line = at == node ? s->line : 0;
  return (struct gpm_key){.file = s->file,
                          .line = *line,
                          .function = s->function,
                          .name = call ? 0 : s->name,
                          .scope_line = s->line};
}

char *gpm_locations_more(uint64_t calls) {
  if (calls < 2) return gpm_memory_text("");
  return gpm_memory_format(" (+%" PRIu64 " more)", calls - 1);
}

char *gpm_locations_node(const struct gpm_profile *p, uint32_t node) {
  uint32_t line;
  struct gpm_key key = key_of_node(p, node, &line);
  return location(p->reader, &key, line);
}

char *gpm_locations_site(const struct gpm_reader *r, uint32_t site) {
  if (site == GPUMEMPROF_NONE) return location(r, &(struct gpm_key){0}, 0);
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, site);
  struct gpm_key key = {.file = s->file, .line = s->line, .function = s->function};
  return location(r, &key, s->line);
}

char *gpm_locations_node_short(const struct gpm_profile *p, uint32_t node, bool function) {
  uint32_t line;
  struct gpm_key key = key_of_node(p, node, &line);
  if (!function && key.file && line) key.function = key.name = 0;
  return location(p->reader, &key, line);
}

char *gpm_locations_node_allocation(const struct gpm_profile *p, uint32_t node) {
  char *where = gpm_locations_node(p, node),
       *what = gpm_locations_allocation(p->reader, p->site[node]);
  char *text = gpm_memory_format("%s%s%s", where, *what ? "  " : "", what);
  free(where);
  free(what);
  return text;
}

char *gpm_locations_path(const struct gpm_profile *p, uint32_t node) {
  enum { MOST = 64 };
  uint32_t nodes[MOST], count = 0, left_out = 0;
  for (uint32_t n = node; n;
       n = p->tree.node[n].parent) { /* a frame without its call is the function itself */
    bool scope = gpm_profile_is_scope(p, n), named = p->kind[n] == GPUMEMPROF_SITE_BLOCK;
    if (scope && !named) continue;
    if (count < MOST) nodes[count++] = n;
    else left_out++;
  }
  if (!count) return gpm_locations_node(p, node);
  struct gpm_string text = {NULL, 0, 0};
  if (left_out) gpm_string_add(&text, "(%u more) > ", left_out);
  while (count-- > 0) {
    char *one = gpm_locations_node(p, nodes[count]);
    gpm_string_add(&text, "%s%s", one, count ? " > " : "");
    free(one);
  }
  return gpm_string_take(&text);
}

uint32_t gpm_locations_caller(const struct gpm_profile *p, uint32_t node) {
  uint32_t n = node ? p->tree.node[node].parent : 0;
  while (n && gpm_profile_is_scope(p, n)) n = p->tree.node[n].parent;
  return n;
}

char *gpm_locations_callers(const struct gpm_profile *p, uint32_t node) {
  uint32_t n = gpm_locations_caller(p, node);
  return n ? gpm_locations_path(p, n) : gpm_memory_text("");
}

bool gpm_locations_is_called(const char *function, const char *name) {
  if (!strcmp(function, name)) return true;
  const char *end = function + strcspn(function, "<"), *begin = end;
  while (begin > function && begin[-1] != ':') begin--;
  return (size_t)(end - begin) == strlen(name) && !strncmp(begin, name, (size_t)(end - begin));
}

struct gpm_key gpm_locations_key(const struct gpm_rows *rows, const struct gpm_row *row) {
  uint32_t line;
  if (rows->by == GPM_BY_LINE || gpm_by_is_scopes(rows->by))
    return rows->grouping.keys.key[row->key];
  if (rows->by == GPM_BY_PATH) return key_of_node(rows->profile, row->key, &line);
  return (struct gpm_key){0};
}

uint32_t gpm_locations_name(const struct gpm_rows *rows, const struct gpm_row *row) {
  return rows->grouping.keys.key[row->key].name;
}

char *gpm_locations_stream(const struct gpm_reader *r, uint32_t number) {
  if (number >= r->streams.count) return gpm_memory_text("(no stream)");
  const struct gpumemprof_capture_stream *s = gpm_reader_record(&r->streams, number);
  char *device = gpm_locations_device(r, s->device);
  char *text = s->handle == 1   ? gpm_memory_format("default stream of %s", device)
               : s->handle == 2 ? gpm_memory_format("default streams of threads on %s", device)
               : s->handle == GPUMEMPROF_STREAM_OTHERS
                   ? gpm_memory_format("(other streams) of %s", device)
                   : gpm_memory_format("stream %" PRIx64 " of %s", s->handle, device);
  free(device);
  return text;
}

char *gpm_locations_row(const struct gpm_rows *rows, const struct gpm_row *row) {
  const struct gpm_reader *r = rows->profile->reader;
  if (gpm_by_is_text(rows->by)) {
    uint32_t name = gpm_locations_name(rows, row);
    return name ? gpm_locations_text(r, name) : gpm_memory_format("(no %s)", gpm_rows_by(rows->by));
  }
  if (rows->by == GPM_BY_THREAD) {
    const struct gpm_split *split = r->split;
    return split && row->key < split->thread_count
               ? gpm_memory_format("thread %u", split->thread[row->key])
               : gpm_memory_text("(thread not recorded)");
  }
  if (rows->by == GPM_BY_STREAM) return gpm_locations_stream(r, row->key);
  if (rows->by == GPM_BY_SIZE) return gpm_sizes_text(row->key);
  if (rows->by == GPM_BY_KIND) return gpm_memory_text(gpm_locations_kind(row->key));
  if (rows->by == GPM_BY_DEVICE) {
    char *device = gpm_locations_device(r, row->key),
         *name = gpm_text_clean(r->devices[row->key].name);
    char *text = *name && strcmp(name, device) ? gpm_memory_format("%s %s", device, name)
                                               : gpm_memory_text(device);
    free(device);
    free(name);
    return text;
  }
  struct gpm_key key = gpm_locations_key(rows, row);
  if (rows->by == GPM_BY_FILE)
    return key.file ? gpm_text_file(r->host, gpm_reader_string(r, key.file))
                    : gpm_memory_text("(no file)");
  if (rows->by == GPM_BY_FUNCTION) return location(r, &key, key.scope_line);
  char *where = rows->by == GPM_BY_PATH ? gpm_locations_path(rows->profile, row->key)
                                        : location(r, &key, key.line);
  char *what = gpm_locations_allocation(r, row->site),
       *more = gpm_locations_more((uint64_t)row->value[GPM_FIGURE_others] + 1);
  char *text = gpm_memory_format("%s%s%s%s", where, *what ? "  " : "", what, more);
  free(more);
  free(where);
  free(what);
  return text;
}

char *gpm_locations_foreign(const struct gpm_rows *rows, const struct gpm_row *row,
                            unsigned style) {
  if (!row->foreign_count) return NULL;
  const struct gpm_profile *p = rows->profile;
  char *text = gpm_memory_text("frees "), number[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < row->foreign_count && i < 2; i++) {
    const struct gpm_foreign *f = &rows->foreign[row->foreign + i];
    char *where = gpm_locations_node(p, f->allocated), *variable = gpm_memory_text(""),
         *caller = gpm_memory_text("");
    if (p->site[f->allocated] != GPUMEMPROF_NONE) {
      free(variable);
      variable = gpm_locations_text(p->reader,
                                    gpm_reader_site(p->reader, p->site[f->allocated])->variable);
    }
    if (f->caller != f->allocated) {
      free(caller);
      caller = gpm_locations_node(p, f->caller);
    }
    gpm_text_bytes(number, (int64_t)f->bytes, style);
    char *longer = gpm_memory_format("%s%s%s of %s%s%s%s%s%s", text, i ? ", " : "", number, where,
                                     *variable ? " (" : "", variable, *variable ? ")" : "",
                                     *caller ? " called from " : "", caller);
    free(text);
    free(where);
    free(variable);
    free(caller);
    text = longer;
  }
  if (row->foreign_count > 2) {
    char *longer = gpm_memory_format("%s and of %u more", text, row->foreign_count - 2);
    free(text);
    text = longer;
  }
  return text;
}

const char *gpm_locations_not_gpu(int ordinal) {
  return gpumemprof_answer_not_gpu(ordinal);
}

char *gpm_locations_device(const struct gpm_reader *reader, uint32_t device) {
  int ordinal = reader->devices[device].ordinal;
  const char *split = gpm_locations_not_gpu(ordinal);
  return split ? gpm_memory_text(split) : gpm_memory_format("GPU %d", ordinal);
}

char *gpm_locations_pool(const struct gpm_reader *r, const struct gpumemprof_capture_pool *p) {
  const char *end = p->flags & GPUMEMPROF_POOL_DESTROYED ? " (destroyed)" : "";
  if (p->flags & GPUMEMPROF_POOL_OTHERS) return gpm_memory_text("(other pools)");
  if (p->flags & GPUMEMPROF_POOL_GRAPHS) return gpm_memory_text("kept for graphs");
  if (p->flags & GPUMEMPROF_POOL_IMPORTED) return gpm_memory_format("imported pool%s", end);
  if (p->flags & GPUMEMPROF_POOL_DEFAULT) return gpm_memory_text("the device's default pool");
  if (p->site == GPUMEMPROF_NONE) return gpm_memory_format("pool made elsewhere%s", end);
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, p->site);
  char *file = gpm_text_file(r->host, gpm_reader_string(r, s->file));
  char *text = gpm_memory_format("pool made at %s:%u%s", *file ? file : "unknown", s->line, end);
  free(file);
  return text;
}

const char *gpm_locations_kind(uint32_t kind) {
  static const char *const names[] = {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) name,
#include "gpumemprof/kinds.def"
  };
  return kind < sizeof names / sizeof names[0] ? names[kind] : "a kind newer than this tool";
}

const char *gpm_locations_uuid(const struct gpm_reader *reader, uint32_t device,
                               char text[GPM_LOCATIONS_UUID]) {
  static const uint8_t unknown[16];
  const uint8_t *u = reader->devices[device].uuid;
  text[0] = 0;
  if (!memcmp(u, unknown, sizeof unknown)) return text;
  char *at = text + sprintf(text, "GPU");
  for (int i = 0; i < 16; i++)
    at += sprintf(at, "%s%02x", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
  return text;
}
