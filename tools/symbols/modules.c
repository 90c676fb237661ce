/* modules.c - see symbols.h: whose functions were found on machine stacks. */
#include "symbols/symbols.h"

#include "support/memory.h"
#include "support/string.h"
#include "support/text.h"

#include <stdlib.h>

/* What comes with the system is left out: nobody takes it for rebuilt. */
static bool is_named(const struct gpm_reader *r, const struct gpumemprof_capture_native_module *m) {
  const char *path = gpm_reader_string(r, m->path);
  return *path && !gpm_text_is_of_the_system(path);
}

char *gpm_symbols_modules(const struct gpm_reader *r) {
  enum { MOST = 3 };
  uint64_t count = 0, number = 0;
  struct gpm_cursor at = {.records = &r->native_modules};
  for (const struct gpumemprof_capture_native_module *m; (m = gpm_cursor_next(&at));)
    count += is_named(r, m);
  if (!count || !r->has_machine_scopes) return NULL;
  struct gpm_string text = {NULL, 0, 0};
  uint64_t shown = count > MOST ? MOST : count;
  at = (struct gpm_cursor){.records = &r->native_modules};
  for (const struct gpumemprof_capture_native_module *m; (m = gpm_cursor_next(&at));) {
    if (!is_named(r, m) || number == shown) continue;
    char *name = gpm_text_clean(gpm_text_base(gpm_reader_string(r, m->path)));
    bool last = ++number == count;
    gpm_string_add(&text, "%s%s", number == 1 ? "" : last ? " and " : ", ", name);
    free(name);
  }
  if (shown < count) gpm_string_add(&text, " and %llu more", (unsigned long long)(count - shown));
  return gpm_string_take(&text);
}
