/* The ten lines that hold most when their device is at its peak. Build and run:
 *   cc ten_largest.c $(pkg-config --cflags --libs gpumemprof-read) -o ten_largest
 *   ./ten_largest gpumemprof.HOST.PID.gmprof */
#include <gpumemprof/read.h>

#include <stdio.h>

int main(int argc, char **argv) {
  struct gpumemprof_read *reader = gpumemprof_read_new();
  if (!reader || argc != 2) return fprintf(stderr, "usage: ten_largest CAPTURE\n"), 2;
  if (gpumemprof_read_open(reader, argv[1])) {
    fprintf(stderr, "%s\n", gpumemprof_read_sentence(reader));
    return gpumemprof_read_free(reader), 2;
  }
  struct gpumemprof_read_list *lines = gpumemprof_read_rows(reader, 0, GPUMEMPROF_READ_BY_LINE);
  int bytes = gpumemprof_read_column(lines, "at_peak");
  int location = gpumemprof_read_column(lines, "location");
  gpumemprof_read_sort(lines, bytes);
  for (uint32_t i = 0; i < 10 && i < gpumemprof_read_count(lines); i++)
    printf("%14llu  %s\n", (unsigned long long)gpumemprof_read_number(lines, i, bytes),
           gpumemprof_read_text(lines, i, location));
  gpumemprof_read_free(reader);
  return 0;
}
