// kokkos_some.cpp - blocks of one call path of which some get no name, and one gets two.
#include "kokkos_client.h"

int main() {
  kokkos::initialize();
  kokkos::SpaceHandle space = {"Cuda"};
  void *block[6];
  for (int i = 0; i < 6; i++) {
    size_t size = (size_t[]){300, 100, 900, 200, 50, 250}[i];
    cudaMalloc(&block[i], size);
    if (i == 0 || i == 5) kokkos::tool.allocate(space, "one", block[i], size);
    if (i == 2) kokkos::tool.allocate(space, "two", block[i], size);
    if (i == 2) kokkos::tool.allocate(space, "three", block[i], size);
    if (i == 4) kokkos::tool.allocate(space, "three", block[i], size);
  }
  for (int i = 0; i < 6; i++) cudaFree(block[i]);
  kokkos::finalize();
}
