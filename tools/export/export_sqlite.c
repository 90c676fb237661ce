/* export_sqlite.c - writes an SQLite database: the figures of the call tree, and the events if the
 * capture has them.
 *
 * The schema below is its documentation; `.schema` of sqlite3 prints it, comments included. The
 * file appears only when it is complete, so it needs no journal.
 */
#include "events/walk.h"
#include "export/clean_text.h"
#include "export/export.h"

#include "input/command.h"

#ifndef GPM_HAVE_SQLITE
bool gpm_export_sqlite(const struct gpm_export *x) {
  (void)x;
  gpm_say("this gpumemprof was built without SQLite; build it where libsqlite3-dev is installed");
  return false;
}
#else

#include "rows/locations.h"
#include "support/text.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>

/* clang-format off */
static const char schema[] =
  "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1; BEGIN;\n"
  "CREATE TABLE run ( -- one row; user_version is that of this schema\n"
  "  command TEXT, pid INTEGER, host TEXT, start_realtime_ns INTEGER, gpumemprof TEXT);\n"
  "CREATE TABLE devices (\n"
  "  id INTEGER PRIMARY KEY, name TEXT, -- 'GPU 0', 'host', ...\n"
  "  ordinal INTEGER,     -- CUDA's; negative: no GPU\n"
  "  model TEXT, total_bytes INTEGER, peak_bytes INTEGER,\n"
  "  peak_ns INTEGER,     -- since the program's start, as all times\n"
  "  live_bytes INTEGER); -- at the end\n"
  "CREATE TABLE frames (id INTEGER PRIMARY KEY, function TEXT, file TEXT, line INTEGER);\n"
  "CREATE TABLE paths ( -- call paths: a frame, called from that of the parent\n"
  "  id INTEGER PRIMARY KEY, parent INTEGER, frame INTEGER NOT NULL);\n"
  "CREATE TABLE allocated ( -- what a path allocated on a device in a kind of memory under a label\n"
  "  path INTEGER, device INTEGER, kind TEXT, label TEXT, bytes INTEGER, blocks INTEGER,\n"
  "  requested_bytes INTEGER, freed_bytes INTEGER, freed_blocks INTEGER, -- of these, by whomever\n"
  "  at_peak_bytes INTEGER); -- live when its device was at its peak\n"
  "CREATE TABLE freed ( -- what a path freed\n"
  "  path INTEGER, allocated_by INTEGER, device INTEGER, kind TEXT, bytes INTEGER, blocks INTEGER);\n"
  "CREATE TABLE events ( -- needs GPUMEMPROF_OPTIONS=history=all; in the order of the allocation clock\n"
  "  id INTEGER PRIMARY KEY, clock INTEGER, ns INTEGER, thread INTEGER,\n"
  "  event TEXT, -- 'allocated', 'freed', 'free failed', 'failed'\n"
  "  path INTEGER, device INTEGER, kind TEXT, -- of a failure not known\n"
  "  address INTEGER, life INTEGER, -- the how many-th block at that address\n"
  "  bytes INTEGER);\n"
  "CREATE TABLE marks (clock INTEGER, ns INTEGER, thread INTEGER, name TEXT);\n"
  "CREATE VIEW lines AS -- a row for each line that allocates\n"
  "  SELECT f.file, f.line, f.function, sum(a.bytes) AS self_alloc, sum(a.blocks) AS blocks,\n"
  "    sum(a.at_peak_bytes) AS self_at_peak,\n"
  "    sum(CASE a.kind WHEN 'static' THEN 0 ELSE a.bytes - a.freed_bytes END) AS leaked\n"
  "  FROM allocated a JOIN paths p ON p.id = a.path JOIN frames f ON f.id = p.frame GROUP BY f.id;\n"
  "CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS -- the columns that nsys export has, as scripts use them\n"
  "  SELECT e.ns AS start, (SELECT pid FROM run) << 24 AS globalPid, d.ordinal AS deviceId,\n"
  "    NULL AS contextId, e.address, 0 AS pc, e.bytes,\n"
  "    CASE e.kind WHEN 'pinned' THEN 1 WHEN 'array' THEN 3 WHEN 'managed' THEN 4 WHEN 'static' THEN 5\n"
  "      WHEN 'custom' THEN 0 ELSE 2 END AS memKind,\n"
  "    e.event = 'freed' AS memoryOperationType, -- 0: allocation\n"
  "    NULL AS localMemoryPoolSize, NULL AS localMemoryPoolUtilizedSize\n"
  "  FROM events e JOIN devices d ON d.id = e.device;\n";
static const char indexes[] = "CREATE INDEX events_by_time ON events (ns); COMMIT;";
/* clang-format on */

struct database {
  const struct gpm_export *x;
  sqlite3 *db;
  sqlite3_stmt *insert;
  uint64_t events; /* number of rows written for events */
  bool failed;
};

static void fail(struct database *d) {
  if (!d->failed)
    gpm_say("the database could not be written completely: %s", sqlite3_errmsg(d->db));
  d->failed = true;
}

static void execute(struct database *d, const char *sql) {
  if (!d->failed && sqlite3_exec(d->db, sql, NULL, NULL, NULL) != SQLITE_OK) fail(d);
}

/* Prepares to insert rows into this table, which has that many columns. */
static void begin(struct database *d, const char *table, unsigned columns) {
  char *sql = gpm_memory_format("INSERT INTO %s VALUES (?%.*s)", table, (int)(columns - 1) * 2,
                                ",?,?,?,?,?,?,?,?,?,?,?,?,?,?,?");
  sqlite3_finalize(d->insert);
  d->insert = NULL;
  if (!d->failed && sqlite3_prepare_v2(d->db, sql, -1, &d->insert, NULL) != SQLITE_OK) fail(d);
  free(sql);
}

/* Inserts a row. In `types`, i is a uint64_t, t a text that is freed, c a text that is not freed, -
 * a null. */
static void row(struct database *d, const char *types, ...) {
  va_list list;
  va_start(list, types);
  for (int at = 1; types[at - 1]; at++) {
    char type = types[at - 1];
    if (type == 'i') {
      uint64_t number = va_arg(list, uint64_t);
      if (d->insert) sqlite3_bind_int64(d->insert, at, (sqlite3_int64)number);
    } else if (type != '-') {
      char *text = va_arg(list, char *);
      if (d->insert)
        sqlite3_bind_text(d->insert, at, text, -1, type == 't' ? SQLITE_TRANSIENT : SQLITE_STATIC);
      if (type == 't') free(text);
    } else if (d->insert) sqlite3_bind_null(d->insert, at);
  }
  va_end(list);
  if (d->failed) return;
  if (sqlite3_step(d->insert) != SQLITE_DONE) fail(d);
  sqlite3_reset(d->insert);
}

#define NUMBER(n) ((uint64_t)(n))

static void write_run(struct database *d) {
  const struct gpm_reader *r = d->x->reader;
  begin(d, "run", 5);
  row(d, "titic", gpm_export_command(d->x), NUMBER(r->header.pid), gpm_text_clean(r->header.host),
      NUMBER(r->header.start_realtime_ns), GPM_VERSION);
  begin(d, "devices", 8);
  for (uint32_t i = 0; i < r->device_count; i++) {
    const struct gpumemprof_capture_device *v = &r->devices[i];
    row(d, "ititiiii", NUMBER(i), gpm_locations_device(r, i), NUMBER((int64_t)v->ordinal),
        gpm_text_clean(v->name), NUMBER(v->memory_total), NUMBER(v->peak),
        gpm_reader_time_ns(r, v->peak_ticks), NUMBER(v->total));
  }
}

static void write_tree(struct database *d) {
  const struct gpm_frames *f = d->x->frames;
  begin(d, "frames", 4);
  for (uint32_t i = 0; i < f->keys.count; i++)
    row(d, "itti", NUMBER(i), gpm_frames_function(f, i), gpm_frames_file(f, i),
        NUMBER(gpm_frames_line(f, i)));
  begin(d, "paths", 3);
  for (uint32_t n = 0; n < d->x->profile->node_count; n++) {
    uint32_t above = n;
    bool outermost = gpm_frames_above(f, &above) == GPUMEMPROF_NONE;
    if (n && f->of_node[n] == GPUMEMPROF_NONE) continue; /* a function's scope */
    uint64_t frame = gpm_frames_innermost(f, n);
    if (outermost) row(d, "i-i", NUMBER(n), frame);
    else row(d, "iii", NUMBER(n), NUMBER(above), frame);
  }
}

static void write_figures(struct database *d) {
  const struct gpm_reader *r = d->x->reader;
  begin(d, "allocated", 10);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
    if (d->x->profile->cell_shown[cells.number])
      row(d, "iictiiiiii", NUMBER(c->node), NUMBER(c->device), gpm_locations_kind(c->kind),
          gpm_locations_text(r, c->label), NUMBER(c->allocated.bytes), NUMBER(c->allocated.blocks),
          NUMBER(c->allocated.bytes - c->padding), NUMBER(c->freed.bytes), NUMBER(c->freed.blocks),
          gpm_profile_at_peak(r, c));
  begin(d, "freed", 6);
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));) {
    if (!d->x->profile->cell_shown[q->cell]) continue;
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, q->cell);
    row(d, "iiicii", NUMBER(q->free_node), NUMBER(c->node), NUMBER(c->device),
        gpm_locations_kind(c->kind), NUMBER(q->freed.bytes), NUMBER(q->freed.blocks));
  }
  begin(d, "marks", 4);
  struct gpm_cursor marks = {.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&marks));)
    row(d, "iiit", NUMBER(m->clock), gpm_reader_time_ns(r, m->ticks), NUMBER(m->thread),
        gpm_locations_text(r, m->name));
}

static bool write_event(void *self, const struct gpm_step *s) {
  struct database *d = self;
  const struct gpm_event *e = &s->event;
  const char *name = e->kind == GPM_EVENT_ALLOCATED ? "allocated"
                     : e->kind == GPM_EVENT_FREED   ? "freed"
                                                    : "free failed";
  if (e->kind == GPM_EVENT_FAILED)
    row(d, "iiiici----i", ++d->events, e->clock, s->time_ns, NUMBER(e->thread), "failed",
        NUMBER(s->node), e->bytes);
  if (s->block)
    row(d, "iiiiciiciii", ++d->events, e->clock, s->time_ns, NUMBER(e->thread), name,
        NUMBER(s->node), NUMBER(s->block->device), gpm_locations_kind(s->kind),
        gpm_walk_address(e->address), NUMBER(s->block->generation), s->block->bytes);
  return !d->failed;
}

static bool write_events(struct database *d) {
  struct gpm_listener listener = {.self = d, .profile = d->x->profile, .step = write_event};
  if (!d->x->reader->event_chunks) return true;
  begin(d, "events", 11);
  return d->failed || gpm_walk_read(d->x->reader, &listener, 1);
}

bool gpm_export_sqlite(const struct gpm_export *x) {
  struct database d = {.x = x};
  if (sqlite3_open_v2(x->path, &d.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(&d);
  execute(&d, schema);
  write_run(&d);
  write_tree(&d);
  write_figures(&d);
  bool ok = write_events(&d);
  sqlite3_finalize(d.insert);
  execute(&d, indexes);
  if (sqlite3_close(d.db) != SQLITE_OK) fail(&d);
  return ok && !d.failed;
}
#endif
