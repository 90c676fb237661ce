/* Says whether it runs with more rights than its caller has, allocates, and asks for a dump and the
 * monitor: nothing of what the environment and the program's calls name may be written or loaded
 * then. */
#include <cuda_runtime_api.h>
#include <gpumemprof/control.h>
#include <gpumemprof/gpumemprof.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static int is_loaded(const char *name) {
  char line[4096];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, name) != NULL;
  if (maps) fclose(maps);
  return found;
}

int main(int argc, char **argv) {
  void *p;
  if (argc != 2 || cudaMalloc(&p, 4096)) return 3;
  int dumped = gpumemprof_dump(argv[1]);
  if (cudaFree(p)) return 4;
  printf("secure %lu, enabled %d, dumped %d, tool %d, cupti %d\n", getauxval(AT_SECURE),
         gpumemprof_enabled(), dumped == 0, is_loaded("libtool.so"), is_loaded("libcupti"));
  return 0;
}
