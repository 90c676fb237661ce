/* firefox_markers.c - the markers of a profile, and the schemas by which the viewer shows them: a
 * row in its marker chart for each of the names below. */
#include "export/firefox.h"

#include "events/trace.h"
#include "export/clean_text.h"

#include <inttypes.h>

static const char *const names[] = {"out of memory", "failed", "mark", "step"};
static const char *const types[] = {"failure", "failure", "mark", "step"};

#define EVERYWHERE                                                                                 \
  "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\",\"timeline-memory\"],"

/* clang-format off */
static const char schemas[] =
  "{\"name\":\"failure\",\"tooltipLabel\":\"{marker.name}: {marker.data.bytes}\","
    "\"tableLabel\":\"{marker.data.bytes} at {marker.data.at}\",\"chartLabel\":\"{marker.data.bytes}\"," EVERYWHERE
    "\"description\":\"An allocation that failed.\",\"fields\":["
    "{\"key\":\"bytes\",\"label\":\"Bytes\",\"format\":\"bytes\"},"
    "{\"key\":\"at\",\"label\":\"At\",\"format\":\"string\"},"
    "{\"key\":\"thread\",\"label\":\"Thread\",\"format\":\"integer\"}]},\n"
  "{\"name\":\"mark\",\"tooltipLabel\":\"{marker.data.name}\",\"tableLabel\":\"{marker.data.name}\","
    "\"chartLabel\":\"{marker.data.name}\"," EVERYWHERE
    "\"description\":\"A moment that the program named.\",\"fields\":["
    "{\"key\":\"name\",\"label\":\"Name\",\"format\":\"unique-string\"},"
    "{\"key\":\"thread\",\"label\":\"Thread\",\"format\":\"integer\"}]},\n"
  "{\"name\":\"step\",\"tooltipLabel\":\"step {marker.data.number}\",\"tableLabel\":\"step {marker.data.number}\","
    "\"chartLabel\":\"step {marker.data.number}\"," EVERYWHERE
    "\"description\":\"The boundary after which a step begins.\",\"fields\":["
    "{\"key\":\"number\",\"label\":\"Step\",\"format\":\"integer\"},"
    "{\"key\":\"live\",\"label\":\"Live bytes\",\"format\":\"bytes\"},"
    "{\"key\":\"phase\",\"label\":\"Phase\",\"format\":\"string\"},"
    "{\"key\":\"cycle\",\"label\":\"Cycle\",\"format\":\"integer\"}]}";
/* clang-format on */

void gpm_firefox_write_schemas(FILE *f) {
  fprintf(f, "\"markerSchema\":[%s]", schemas);
}

static void write_data(struct gpm_firefox *p, const struct gpm_spool_record *r) {
  FILE *f = p->f;
  fprintf(f, "{\"type\":\"%s\"", types[r->what]);
  if (r->what == GPM_FIREFOX_STEP) {
    fprintf(f, ",\"number\":%" PRIu64 ",\"live\":%" PRIu64, r->number, r->bytes);
    if (r->node) fprintf(f, ",\"phase\":\"%s\"", gpm_trace_phase(r->node));
    if (r->thread) fprintf(f, ",\"cycle\":%" PRIu32, r->thread);
  } else if (r->what == GPM_FIREFOX_MARK) {
    fprintf(f, ",\"name\":%" PRIu64 ",\"thread\":%" PRIu32, r->number, r->thread);
  } else {
    char *at = gpm_frames_text(p->x->frames, gpm_frames_innermost(p->x->frames, r->node));
    fprintf(f, ",\"bytes\":%" PRIu64 ",\"thread\":%" PRIu32 ",\"at\":", r->bytes, r->thread);
    gpm_export_quote(f, at);
    fprintf(f, ",\"cause\":{\"stack\":%" PRIu32 "}", p->stack[r->node]);
    free(at);
  }
  putc('}', f);
}

void gpm_firefox_write_markers(struct gpm_firefox *p, const struct gpm_spool_list *list) {
  uint32_t name[sizeof names / sizeof *names];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    name[i] = gpm_words_exact(&p->strings, names[i]);
  const char *comma = "";
  fprintf(p->f, "\"markers\":{\"length\":%" PRIu64 ",\n\"data\":[", list->count);
  struct gpm_spool_cursor data = {.spool = &p->spool, .list = list};
  for (const struct gpm_spool_record *r; (r = gpm_spool_next(&data)); comma = ",\n") {
    fputs(comma, p->f);
    write_data(p, r);
  }
  fputs("],\n\"name\":[", p->f);
  comma = "";
  struct gpm_spool_cursor of_name = {.spool = &p->spool, .list = list};
  for (const struct gpm_spool_record *r; (r = gpm_spool_next(&of_name)); comma = ",")
    fprintf(p->f, "%s%" PRIu32, comma, name[r->what]);
  putc(']', p->f);
  gpm_firefox_write_column(p, "startTime", list, GPM_FIREFOX_TIME);
  gpm_firefox_write_same(p, "endTime", "null", list->count);
  gpm_firefox_write_same(p, "phase", "0", list->count); /* of an instant */
  gpm_firefox_write_same(p, "category", "0", list->count);
  putc('}', p->f);
}
