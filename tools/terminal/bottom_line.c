/* bottom_line.c - see bottom_line.h.
 *
 * The program owns the cursor, and may have left it in the middle of a line: a line that is drawn
 * at the cursor would mix with the program's output, and erasing it could erase that output too. So
 * the last row is excluded from the region that scrolls, and written with the cursor saved and
 * restored in one write. Method: the progress bar of apt (DECSTBM).
 */
#include "terminal/bottom_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FEWEST_ROWS = 4 };
static int region_rows; /* of the terminal, when its region was set; 0: it is whole */

static bool get_size(int *rows, int *columns) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size)) return false;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return *rows >= FEWEST_ROWS && *columns > 0;
}

bool gpm_bottom_line_possible(void) {
  const char *terminal = getenv("TERM");
  int rows, columns;
  return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0 &&
         get_size(&rows, &columns);
}

static void put(const char *text, int length) {
  if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0) region_rows = 0;
}

void gpm_bottom_line_show(const char *text) {
  char all[1024];
  int rows, columns, n = 0;
  if (!get_size(&rows, &columns)) return;
  if (rows != region_rows) /* one down and up: makes room, if the cursor is at the bottom */
    n = snprintf(all, sizeof all, "\033D\033[1A\0337\033[1;%dr\0338", rows - 1);
  n += snprintf(all + n, sizeof all - (size_t)n, "\0337\033[%d;1H\033[K%.*s\0338", rows,
                columns < 200 ? columns : 200, text);
  region_rows = rows;
  put(all, n);
}

void gpm_bottom_line_end(void) {
  char all[64];
  if (region_rows)
    put(all, snprintf(all, sizeof all, "\0337\033[r\033[%d;1H\033[K\0338", region_rows));
  region_rows = 0;
}
