// figures_test.c TABLE - sizes and times are written as the table says (test/figures.txt), by which
// the page writes them, too: viewer/test/figures.test.mjs reads the same table.
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  FILE *table = argc == 2 ? fopen(argv[1], "r") : NULL;
  char line[256], out[GPM_TEXT_NUMBER];
  unsigned sizes = 0, times = 0, wrong = 0;
  if (!table) {
    fprintf(stderr, "usage: figures_test TABLE\n");
    return 2;
  }
  while (fgets(line, sizeof line, table)) {
    char *number = strchr(line, ' '), *text = number ? strchr(number + 1, ' ') : NULL;
    if (*line == '#' || !text) continue;
    bool is_time = !strncmp(line, "time ", 5);
    line[strcspn(line, "\n")] = 0;
    int64_t value = strtoll(number, NULL, 10);
    const char *written =
        is_time ? gpm_text_duration(out, (uint64_t)value) : gpm_text_bytes(out, value, 0);
    *(is_time ? &times : &sizes) += 1;
    if (!strcmp(written, text + 1)) continue;
    fprintf(stderr, "%" PRId64 " is written \"%s\", and should be \"%s\"\n", value, written,
            text + 1);
    wrong++;
  }
  fclose(table);
  if (sizes < 20 || times < 15) fprintf(stderr, "the table has %u sizes, %u times\n", sizes, times);
  return wrong || sizes < 20 || times < 15;
}
