/* modules_test.c - objects of older and newer plugins of the same ABI register: a smaller record is
 * never read beyond its end, a larger one is used as far as it is known.
 */
#include "emit.h"

#include <sys/mman.h>
#include <unistd.h>

static int answers(int *value) {
  *value = 3;
  return 0;
}

/* A record of `size` bytes that ends where nothing is mapped. */
static struct gpumemprof_module *module_at_an_end(char *pages, size_t page, size_t size) {
  struct gpumemprof_module *m = (void *)(pages + page - size);
  m->abi_version = GPUMEMPROF_ABI_VERSION;
  m->size = (uint32_t)size;
  m->plugin_version = "older";
  return m;
}

int main(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE));
  struct gpumemprof_module *older =
      module_at_an_end(pages, page, offsetof(struct gpumemprof_module, queries));
  __gpumemprof_abi_v1(older);
  for (int i = 0; i < GPUMEMPROF_QUERY_COUNT; i++)
    gpm_modules_query((enum gpumemprof_query)i); /* would crash */
  CHECK(!gpm_modules_query(GPUMEMPROF_QUERY_cudaGetDevice));

  static struct {
    struct gpumemprof_module known;
    void *more[4];
  } newer;
  newer.known = (struct gpumemprof_module){
      .abi_version = GPUMEMPROF_ABI_VERSION, .size = sizeof newer, .plugin_version = "newer"};
  newer.known.queries[GPUMEMPROF_QUERY_cudaGetDevice] = (void *)answers;
  __gpumemprof_abi_v1(&newer.known);
  CHECK(gpm_modules_query(GPUMEMPROF_QUERY_cudaGetDevice) == (void *)answers);

  for (int i = 0; i < 3; i++) { /* loaded again: one record in the capture */
    __gpumemprof_unregister(older);
    __gpumemprof_abi_v1(older);
  }
  CHECK(test_record(GPUMEMPROF_CHUNK_MODULES, 0, 1) &&
        !test_record(GPUMEMPROF_CHUNK_MODULES, 0, 2));
  __gpumemprof_unregister(&newer.known);
  CHECK(!gpm_modules_query(GPUMEMPROF_QUERY_cudaGetDevice));
  __gpumemprof_unregister(older);
  return 0;
}
