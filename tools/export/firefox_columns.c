/* firefox_columns.c - see firefox.h. */
#include "export/firefox.h"

#include <inttypes.h>

void gpm_firefox_write_ms(FILE *f, uint64_t ns) {
  fprintf(f, "%" PRIu64, ns / 1000000);
  if (ns % 1000000) fprintf(f, ".%06" PRIu64, ns % 1000000);
}

static void write_difference(FILE *f, uint64_t to, uint64_t from) {
  if (to < from) fprintf(f, "-%" PRIu64, from - to);
  else fprintf(f, "%" PRIu64, to - from);
}

void gpm_firefox_write_column(struct gpm_firefox *p, const char *key,
                              const struct gpm_spool_list *list, enum gpm_firefox_column column) {
  struct gpm_spool_cursor c = {.spool = &p->spool, .list = list};
  uint64_t before = 0;
  const char *comma = "";
  fprintf(p->f, ",\n\"%s\":[", key);
  for (const struct gpm_spool_record *r; (r = gpm_spool_next(&c)); comma = ",") {
    fputs(comma, p->f);
    switch (column) {
    case GPM_FIREFOX_TIME:
      gpm_firefox_write_ms(p->f, r->ns);
      break;
    case GPM_FIREFOX_BYTES:
      fprintf(p->f, "%" PRIu64, r->bytes);
      break;
    case GPM_FIREFOX_SIGNED_BYTES:
      fprintf(p->f, "%s%" PRIu64, r->what ? "-" : "", r->bytes);
      break;
    case GPM_FIREFOX_NUMBER:
      fprintf(p->f, "%" PRIu64, r->number);
      break;
    case GPM_FIREFOX_STACK:
      fprintf(p->f, "%" PRIu32, p->stack[r->node]);
      break;
    case GPM_FIREFOX_THREAD:
      fprintf(p->f, "%" PRIu32, r->thread);
      break;
    case GPM_FIREFOX_CHANGE:
      write_difference(p->f, r->bytes, before);
      before = r->bytes;
      break;
    }
  }
  putc(']', p->f);
}

void gpm_firefox_write_same(struct gpm_firefox *p, const char *key, const char *json,
                            uint64_t count) {
  fprintf(p->f, ",\n\"%s\":[", key);
  for (uint64_t i = 0; i < count; i++) fprintf(p->f, "%s%s", i ? "," : "", json);
  putc(']', p->f);
}
