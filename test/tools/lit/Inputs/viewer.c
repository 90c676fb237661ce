/* viewer.c - asks page_viewer.c for the viewer; its parts go to stdout, with a bar between them. */
#include "input/command.h"
#include "page/page.h"

#include <stdarg.h>
#include <stdio.h>

void gpm_say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
}

int main(void) {
  const char *part[3];
  size_t size[3];
  if (!gpm_page_viewer(part, size)) return GPM_EXIT_USAGE;
  for (int i = 0; i < 3; i++) printf("%.*s|", (int)size[i], part[i]);
  return GPM_EXIT_OK;
}
