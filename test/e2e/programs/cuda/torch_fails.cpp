// torch_fails.cpp - stands for torch: an allocation that fails raises its error where libc10.so is
// in the process.
//
//   torch_fails LIBCUDA LIBC10
#include <cstdio>
#include <dlfcn.h>
#include <exception>

#include "gpumemprof/gpumemprof.h"

int main(int, char **argv) {
  void *cuda = dlopen(argv[1], RTLD_NOW);
  void *torch = dlopen(argv[2], RTLD_NOW);
  auto init = reinterpret_cast<int (*)(unsigned)>(cuda ? dlsym(cuda, "cuInit") : nullptr);
  if (!init || !torch || init(0)) return 3;
  try {
    void *p = gpumemprof_torch_malloc(static_cast<ptrdiff_t>(1) << 40, 0, nullptr);
    std::printf("returned %p\n", p);
  } catch (const std::exception &error) {
    std::printf("raised %s\n", error.what());
  }
  void *p = gpumemprof_torch_malloc(1000, 0, nullptr); // all is in order after it
  std::printf("%d\n", p != nullptr);
  gpumemprof_torch_free(p, 1000, 0, nullptr);
  return 0;
}
