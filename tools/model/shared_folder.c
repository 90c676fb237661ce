/* shared_folder.c - see shared_folder.h. */
#include "model/shared_folder.h"

#include "support/memory.h"
#include "support/text.h"

#include <string.h>

/* The file of an address that has no name is that of the program or library. */
static bool is_address(const struct gpm_reader *r, const struct gpumemprof_capture_site *s) {
  return s->kind == GPUMEMPROF_SITE_NATIVE ||
         gpm_text_is_address(gpm_reader_string(r, s->function));
}

/* Shortens the folder to what the file shares with it. */
static void shorten(char *folder, const char *file) {
  size_t same = 0; /* behind the last slash that both have */
  for (size_t i = 0; folder[i] && folder[i] == file[i]; i++)
    if (file[i] == '/') same = i + 1;
  folder[same] = 0;
}

char *gpm_shared_folder_of(const struct gpm_reader *r, char *folder) {
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    if (n->site == GPUMEMPROF_NONE) continue;
    const struct gpumemprof_capture_site *s = gpm_reader_site(r, n->site);
    const char *file = gpm_reader_string(r, s->file);
    if (is_address(r, s) || !*file || gpm_text_is_of_the_system(file)) continue;
    if (!folder) folder = gpm_memory_text(file);
    shorten(folder, file);
  }
  if (!folder) return gpm_memory_text("");
  if (!strcmp(folder, "/")) *folder = 0;
  return folder;
}
