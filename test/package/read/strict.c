/* strict.c - a program in strict C99 that reads a capture: it prints what each line allocated, and
 * how many events there are. Compiled with all warnings as errors, against the installed library.
 */
#include <gpumemprof/read.h>

#include <stdio.h>

static int count(void *data, const struct gpumemprof_read_event *event) {
  *(unsigned *)data += event->what == GPUMEMPROF_READ_ALLOCATED;
  return 0;
}

static int print(struct gpumemprof_read *reader) {
  unsigned blocks = 0, row;
  struct gpumemprof_read_listener listener = {0};
  struct gpumemprof_read_list *lines = gpumemprof_read_rows(reader, 0, GPUMEMPROF_READ_BY_LINE);
  int bytes = gpumemprof_read_column(lines, "self_alloc");
  int function = gpumemprof_read_column(lines, "function");
  for (row = 0; row < gpumemprof_read_count(lines); row++)
    printf("%s %lu\n", gpumemprof_read_text(lines, row, function),
           (unsigned long)gpumemprof_read_number(lines, row, bytes));
  listener.size = sizeof listener;
  listener.data = &blocks;
  listener.event = count;
  if (gpumemprof_read_walk(reader, 0, &listener, 1)) return 1;
  printf("blocks %u\n", blocks);
  return 0;
}

int main(int argc, char **argv) {
  struct gpumemprof_read *reader = gpumemprof_read_new();
  int failed = argc != 2 || gpumemprof_read_open(reader, argv[1]) || print(reader);
  if (failed) fprintf(stderr, "%s\n", gpumemprof_read_sentence(reader));
  gpumemprof_read_free(reader);
  return failed;
}
