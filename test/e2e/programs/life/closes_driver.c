/* Opens the driver, uses it and closes it, three
 * times, each time at another address if it can. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

typedef unsigned long long address;

static int use_driver(const char *path, size_t bytes) {
  void *context, *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return puts(dlerror()), 3;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
  int (*retain)(void **, int) = (int (*)(void **, int))dlsym(library, "cuDevicePrimaryCtxRetain");
  int (*set)(void *) = (int (*)(void *))dlsym(library, "cuCtxSetCurrent");
  int (*take)(address *, size_t) = (int (*)(address *, size_t))dlsym(library, "cuMemAlloc_v2");
  int (*give)(address) = (int (*)(address))dlsym(library, "cuMemFree_v2");
  address p;
  if (init(0) || retain(&context, 0) || set(context)) return 4;
  if (take(&p, bytes) || give(p)) return 5;
  return dlclose(library);
}

int main(int argc, char **argv) {
  for (size_t i = 1; i <= 3; i++) {
    int status = argc > 1 ? use_driver(argv[1], i << 20) : 2;
    if (status) return status;
    mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  return puts("done") < 0;
}
