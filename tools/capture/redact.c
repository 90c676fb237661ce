/* redact.c - see redact.h. */
#include "capture/redact.h"

#include <string.h>

/* "grid", "s->buf", "ns::pool.begin"; not "p[i + 1]", "*out". */
static bool is_name(const char *variable) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789:.";
  for (; *variable; variable++) {
    bool arrow = variable[0] == '-' && variable[1] == '>';
    if (!arrow && !((unsigned char)*variable & 0x80) && !strchr(letters, *variable)) return false;
    variable += arrow;
  }
  return true;
}

void gpm_redact_source(struct gpm_reader *r) {
  struct gpm_cursor sites = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&sites));) {
    struct gpumemprof_capture_site *site = (struct gpumemprof_capture_site *)(uintptr_t)s;
    if (!is_name(gpm_reader_string(r, s->variable))) site->variable = 0;
    site->size_expr = 0;
    site->source_line = 0;
  }
  struct gpm_cursor operands = {.records = &r->operands};
  for (const struct gpumemprof_capture_operands *o; (o = gpm_cursor_next(&operands));)
    ((struct gpumemprof_capture_operands *)(uintptr_t)o)->recorded = 0;
}
