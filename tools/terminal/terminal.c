/* terminal.c - see terminal.h. */
#include "terminal/terminal.h"

#include "support/memory.h"
#include "support/text.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool gpm_terminal_is_utf8(void) {
  return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

uint32_t gpm_terminal_room(void) {
  struct winsize size;
  bool terminal = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  if (terminal && size.ws_col) return size.ws_col;
  const char *asked = getenv("COLUMNS");
  uint32_t columns = 0;
  if (asked && gpm_text_parse_count(asked, 10000, &columns) && columns) return columns;
  return terminal ? 80 : 0;
}

uint32_t gpm_terminal_width(void) {
  uint32_t room = gpm_terminal_room();
  return room ? room : 80;
}

bool gpm_terminal_has_colours(void) {
  const char *off = getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(off && *off);
}

const char *gpm_terminal_eighths(unsigned eighths, bool from_below) {
  static const char *const below[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char *const left[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  if (!gpm_terminal_is_utf8()) return !eighths ? " " : eighths < 4 ? "." : "#";
  return (from_below ? below : left)[eighths < 8 ? eighths : 8];
}

char *gpm_terminal_bar(uint64_t part, uint64_t whole, uint32_t columns) {
  double share = whole ? (double)part / (double)whole : 0;
  uint32_t eighths = (uint32_t)(share * columns * 8 + 0.5), at = 0;
  if (part && !eighths) eighths = 1;
  if (eighths > columns * 8) eighths = columns * 8;
  char *bar = gpm_memory_array((size_t)columns * 4 + 1, 1);
  for (; eighths; eighths -= eighths < 8 ? eighths : 8) {
    const char *one = gpm_terminal_eighths(eighths < 8 ? eighths : 8, false);
    size_t length = strlen(one);
    memcpy(bar + at, one, length);
    at += (uint32_t)length;
  }
  return bar;
}
