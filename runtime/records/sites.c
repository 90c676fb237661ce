/* sites.c - sites, copied into the capture when they are first reached.
 *
 * call_tree.c asks for the id of a site address; the same site in two objects (a template, a
 * header's inline function) gets one id, because it is interned by content. A line (file, line,
 * function) has a record of its own, which carries its live bytes. All under tree_lock.
 */
#include "records/sites.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/strings.h"

#include "gpumemprof/sizes.h"

#include <string.h>

const struct gpumemprof_site gpm_sites_unknown; /* kind 0 */

struct site_entry { /* one per distinct content */
  struct gpumemprof_capture_site *record;
  struct gpumemprof_capture_line *line;
};
struct address_entry {
  const void *address;
  uint32_t site;
};

static struct gpm_table site_table, line_table;
static struct site_entry *entries; /* by id */
static uint32_t entry_room;
static struct address_entry *address_slots; /* open addressing, power of two */
static uint32_t address_room, address_count;
static uint32_t *contents; /* open addressing: id + 1 by content hash */
static uint32_t content_room;
static struct gpumemprof_capture_line **line_slots; /* open addressing by (file, line, function) */
static uint32_t line_room, line_count;
static uint32_t *line_ids;

static uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  return h ^ h >> 33;
}

/* Reads a budget. An invalid size gets here only from a compiler without the plugin. */
static void read_budget(struct gpumemprof_capture_site *r, const char *text) {
  if (gpumemprof_size(text ? text : "", &r->budget)) return;
  r->flags &= (uint16_t)~GPUMEMPROF_SITE_BUDGET;
  char line[24] = "";
  gpm_text_add_number(line, sizeof line, 0, r->line);
  gpm_text_say(r->file ? gpm_strings_text(r->file) : "", ":", line, ": the budget \"",
               text ? text : "", "\" is no size and is ignored; write " GPUMEMPROF_SIZE_USAGE,
               NULL);
}

/* The record a site address stands for, strings interned; line_id is filled in later. */
static struct gpumemprof_capture_site describe(const void *address) {
  struct gpumemprof_capture_site r = {.inlined_at = GPUMEMPROF_NONE, .line_id = GPUMEMPROF_NONE};
  const struct gpumemprof_site *s = address;
  r.kind = s->kind;
  r.flags =
      s->flags & (uint16_t)~(GPUMEMPROF_SITE_ENTERS | GPUMEMPROF_SITE_CUDA); /* only stale.c asks */
  r.line = s->line;
  if (s->kind == GPUMEMPROF_SITE_BLOCK) {
    const struct gpumemprof_block_site *b = address;
    r.file = gpm_strings_intern(b->file);
    r.function = gpm_strings_intern(b->function);
    r.name = gpm_strings_intern(b->name);
    if (r.flags & GPUMEMPROF_SITE_BUDGET) read_budget(&r, b->budget);
    return r;
  }
  r.column = s->column;
  r.file = gpm_strings_intern(gpm_sites_text(&s->file));
  r.function = gpm_strings_intern(gpm_sites_text(&s->function));
  r.callee = gpm_strings_intern(gpm_sites_text(&s->callee));
  r.variable = gpm_strings_intern(gpm_sites_text(&s->variable));
  r.type = gpm_strings_intern(gpm_sites_text(&s->type));
  bool budget = s->kind == GPUMEMPROF_SITE_FUNCTION && s->flags & GPUMEMPROF_SITE_BUDGET;
  if (budget) read_budget(&r, gpm_sites_text(&s->size_expr));
  else r.size_expr = gpm_strings_intern(gpm_sites_text(&s->size_expr));
  r.source_line = gpm_strings_intern(gpm_sites_text(&s->source_line));
  return r;
}

static uint64_t hash_record(const struct gpumemprof_capture_site *r) {
  uint64_t h = mix((uint64_t)r->kind << 48 ^ (uint64_t)r->line << 16 ^ r->column);
  h = mix(h ^ (uint64_t)r->file << 32 ^ r->function);
  h = mix(h ^ (uint64_t)r->callee << 32 ^ r->variable);
  return mix(h ^ (uint64_t)r->size_expr << 32 ^ r->name);
}

static bool same(const struct gpumemprof_capture_site *a, const struct gpumemprof_capture_site *b) {
  return a->kind == b->kind && a->flags == b->flags && a->line == b->line &&
         a->column == b->column && a->file == b->file && a->function == b->function &&
         a->callee == b->callee && a->variable == b->variable && a->type == b->type &&
         a->size_expr == b->size_expr && a->source_line == b->source_line && a->name == b->name &&
         a->inlined_at == b->inlined_at && a->budget == b->budget;
}

static bool line_grow(void) {
  uint32_t room = line_room ? line_room * 2 : 1024;
  struct gpumemprof_capture_line **table = gpm_memory_map(room * sizeof *table);
  uint32_t *ids = gpm_memory_map(room * sizeof *ids);
  if (!table || !ids) return false;
  for (uint32_t i = 0; i < line_room; i++)
    if (line_slots[i]) {
      uint64_t h =
          mix((uint64_t)line_slots[i]->file << 32 ^ line_slots[i]->line) ^ line_slots[i]->function;
      uint32_t at = (uint32_t)mix(h) & (room - 1);
      while (table[at]) at = (at + 1) & (room - 1);
      table[at] = line_slots[i];
      ids[at] = line_ids[i];
    }
  gpm_memory_unmap(line_slots, line_room * sizeof *line_slots);
  gpm_memory_unmap(line_ids, line_room * sizeof *line_ids);
  line_slots = table;
  line_ids = ids;
  line_room = room;
  return true;
}

static struct gpumemprof_capture_line *line_of(const struct gpumemprof_capture_site *site,
                                               uint32_t *id) {
  if (line_count * 2 >= line_room && !line_grow()) return NULL;
  uint64_t h = mix((uint64_t)site->file << 32 ^ site->line) ^ site->function;
  uint32_t at = (uint32_t)mix(h) & (line_room - 1);
  for (; line_slots[at]; at = (at + 1) & (line_room - 1))
    if (line_slots[at]->file == site->file && line_slots[at]->line == site->line &&
        line_slots[at]->function == site->function)
      return *id = line_ids[at], line_slots[at];
  struct gpumemprof_capture_line *line = gpm_table_next(&line_table);
  if (!line) return NULL;
  line->file = site->file;
  line->line = site->line;
  line->function = site->function;
  *id = line_table.count;
  line_slots[at] = line;
  line_ids[at] = *id;
  line_count++;
  gpm_table_publish(&line_table);
  return line;
}

static bool entries_grow(void) {
  uint32_t room = entry_room ? entry_room * 2 : 1024;
  struct site_entry *e = gpm_memory_map(room * sizeof *e);
  uint32_t *c = gpm_memory_map((size_t)room * 2 * sizeof *c);
  if (!e || !c) return false;
  for (uint32_t i = 0; i < site_table.count; i++) {
    e[i] = entries[i];
    uint32_t at = (uint32_t)hash_record(e[i].record) & (room * 2 - 1);
    while (c[at]) at = (at + 1) & (room * 2 - 1);
    c[at] = i + 1;
  }
  gpm_memory_unmap(entries, entry_room * sizeof *entries);
  gpm_memory_unmap(contents, content_room * sizeof *contents);
  entries = e;
  contents = c;
  entry_room = room;
  content_room = room * 2;
  return true;
}

static uint32_t intern_content(const struct gpumemprof_capture_site *r) {
  if (site_table.count >= entry_room && !entries_grow()) return GPUMEMPROF_NONE;
  uint32_t at = (uint32_t)hash_record(r) & (content_room - 1);
  for (; contents[at]; at = (at + 1) & (content_room - 1))
    if (same(entries[contents[at] - 1].record, r)) return contents[at] - 1;
  struct gpumemprof_capture_line *line = NULL;
  uint32_t line_id = GPUMEMPROF_NONE;
  bool has_line = r->kind != GPUMEMPROF_SITE_FUNCTION && r->kind != GPUMEMPROF_SITE_BLOCK &&
                  r->kind != GPUMEMPROF_SITE_USE;
  if (has_line && !(line = line_of(r, &line_id))) return GPUMEMPROF_NONE;
  struct gpumemprof_capture_site *record = gpm_table_next(&site_table);
  if (!record) return GPUMEMPROF_NONE;
  *record = *r;
  record->line_id = line_id;
  uint32_t id = site_table.count;
  entries[id] = (struct site_entry){record, line};
  contents[at] = id + 1;
  gpm_table_publish(&site_table);
  return id;
}

static bool address_known(const struct address_entry *e) {
  return e->address && e->site != GPUMEMPROF_NONE;
}

/* Makes room, and leaves out addresses that were forgotten. */
static bool addresses_grow(void) {
  uint32_t live = 0;
  for (uint32_t i = 0; i < address_room; i++) live += address_known(&address_slots[i]);
  uint32_t room = live * 4 < address_room ? address_room : address_room * 2;
  if (!room) room = 1024;
  struct address_entry *table = gpm_memory_map(room * sizeof *table);
  if (!table) return false;
  for (uint32_t i = 0; i < address_room; i++)
    if (address_known(&address_slots[i])) {
      uint32_t at = (uint32_t)mix((uintptr_t)address_slots[i].address) & (room - 1);
      while (table[at].address) at = (at + 1) & (room - 1);
      table[at] = address_slots[i];
    }
  address_count = live;
  gpm_memory_unmap(address_slots, address_room * sizeof *address_slots);
  address_slots = table;
  address_room = room;
  return true;
}

uint32_t gpm_sites_intern(const void *site) {
  if (address_count * 2 >= address_room && !addresses_grow()) return GPUMEMPROF_NONE;
  uint32_t at = (uint32_t)mix((uintptr_t)site) & (address_room - 1);
  for (; address_slots[at].address; at = (at + 1) & (address_room - 1))
    if (address_slots[at].address == site && address_slots[at].site != GPUMEMPROF_NONE)
      return address_slots[at].site;
  struct gpumemprof_capture_site r = describe(site);
  uint32_t id = intern_content(&r);
  if (id == GPUMEMPROF_NONE) return id;
  at = (uint32_t)mix((uintptr_t)site) & (address_room - 1); /* past one that was forgotten */
  while (address_slots[at].address && address_slots[at].address != site)
    at = (at + 1) & (address_room - 1);
  if (!address_slots[at].address) address_count++;
  address_slots[at] = (struct address_entry){site, id};
  return id;
}

const struct gpumemprof_capture_site *gpm_sites_record(uint32_t site) {
  return entries[site].record;
}

struct gpumemprof_capture_line *gpm_sites_line(uint32_t site) {
  return entries[site].line;
}

uint32_t gpm_sites_line_count(void) {
  return line_count;
}

void gpm_sites_forget(const void *begin, const void *end) {
  for (uint32_t i = 0; i < address_room; i++)
    if (address_slots[i].address >= begin && address_slots[i].address < end)
      address_slots[i].site = GPUMEMPROF_NONE; /* the address may be reused for another site */
}

void gpm_sites_reset(void) {
  site_table = (struct gpm_table){GPUMEMPROF_CHUNK_SITES, sizeof(struct gpumemprof_capture_site), 0,
                                  0, NULL};
  line_table = (struct gpm_table){GPUMEMPROF_CHUNK_LINES, sizeof(struct gpumemprof_capture_line), 0,
                                  0, NULL};
  entries = NULL;
  address_slots = NULL;
  contents = NULL;
  line_slots = NULL;
  line_ids = NULL;
  entry_room = address_room = address_count = content_room = line_room = line_count = 0;
  gpm_strings_reset();
}
