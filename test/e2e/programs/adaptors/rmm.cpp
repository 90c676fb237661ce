// rmm - pieces that a pool of RMM hands out, seen by examples/rmm_adaptor.hpp.
#include "rmm_adaptor.hpp"

constexpr std::size_t KIB = 1024;

static void *column(rmm::mr::callback_memory_resource &mr, std::size_t bytes) {
  return mr.allocate({}, bytes, 256);
}

static void step(rmm::mr::callback_memory_resource &mr) {
  void *keys = column(mr, 10 * KIB);
  void *rows = column(mr, 30 * KIB);
  mr.deallocate({}, keys, 10 * KIB, 256);
  mr.deallocate({}, rows, 30 * KIB, 256);
}

int main() {
  rmm::mr::pool_memory_resource pool(1024 * KIB);
  auto seen = gpumemprof_rmm(pool, "batch pool");
  void *kept = seen.allocate({}, 5 * KIB, 256);
  for (int i = 0; i < 3; i++) step(seen);
  return !kept;
}
