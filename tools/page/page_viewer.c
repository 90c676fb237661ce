/* page_viewer.c - the viewer that is built into the tool: the page that viewer/build.mjs makes,
 * with two markers where the tool inserts the title and the sections. A build without Node has no
 * viewer. */
#include "input/command.h"
#include "page/page.h"

#include <string.h>

static bool say_missing(void) {
  gpm_say(
      "this tool was built without the viewer of pages: install Node.js 18 or newer and npm, and "
      "build it again where npm's registry can be reached");
  return false;
}

#ifdef GPM_PAGE_VIEWER
/* Does what the compiler's `#embed` would do, which gcc 12 lacks. */
__asm__(".section .rodata\n"
        ".global gpm_page_viewer_begin, gpm_page_viewer_end\n"
        ".hidden gpm_page_viewer_begin, gpm_page_viewer_end\n"
        "gpm_page_viewer_begin:\n"
        ".incbin \"" GPM_PAGE_VIEWER "\"\n"
        "gpm_page_viewer_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const char gpm_page_viewer_begin[], gpm_page_viewer_end[];

bool gpm_page_viewer(const char *part[3], size_t size[3]) {
  static const char *const marks[] = {"<!--gpumemprof:title-->", "<!--gpumemprof:sections-->"};
  const char *at = gpm_page_viewer_begin, *end = gpm_page_viewer_end;
  if (at == end) return say_missing(); /* the build could not reach npm's registry */
  for (unsigned i = 0; i < 3; i++) {
    const char *mark = i < 2 ? memmem(at, (size_t)(end - at), marks[i], strlen(marks[i])) : end;
    if (!mark) {
      gpm_say("this tool was built with a viewer that has no place for `%s`: build it again",
              marks[i]);
      return false;
    }
    part[i] = at;
    size[i] = (size_t)(mark - at);
    if (i < 2) at = mark + strlen(marks[i]);
  }
  return true;
}
#else
bool gpm_page_viewer(const char *part[3], size_t size[3]) {
  (void)part;
  (void)size;
  return say_missing();
}
#endif
