/* clean_text.c - see clean_text.h. */
#include "export/clean_text.h"

#include "support/text.h"

void gpm_export_quote(FILE *f, const char *text) {
  putc('"', f);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putc('\\', f);
    putc(*text, f);
  }
  putc('"', f);
}

char *gpm_export_command(const struct gpm_export *x) {
  const struct gpumemprof_capture_header *h = &x->reader->header;
  return gpm_text_clean(*h->command_line ? h->command_line : h->executable);
}
