/* modules_test.c - objects of older and newer plugins of the same ABI register: a smaller record is
 * never read beyond its end, a larger one is used as far as it is known. And objects that are
 * unmapped after they unregistered, at another address each time, are never read again, and leave
 * the tables as large as they were.
 */
#include "capture/capture.h"
#include "emit.h"
#include "threads/threads.h"

#include <sys/mman.h>
#include <unistd.h>

/* A record of `size` bytes that ends where nothing is mapped. */
static struct gpumemprof_module *module_at_an_end(char *pages, size_t page, size_t size) {
  struct gpumemprof_module *m = (void *)(pages + page - size);
  m->abi_version = GPUMEMPROF_ABI_VERSION;
  m->size = (uint32_t)size;
  m->plugin_version = "older";
  return m;
}

/* An object, which is mapped and unmapped as a whole. */
struct object {
  struct gpumemprof_module module;
  struct test_site scope, line;
  struct gpumemprof_block_site block;
};
static struct test_site scope, line;
enum { PLACES = 40, ROUNDS = 2001, SIZE = 4096 };
_Static_assert(sizeof(struct object) <= SIZE, "one page");

static struct gpumemprof_frame *call_from(const struct test_site *function,
                                          const struct test_site *call) {
  struct gpumemprof_frame *f = test_push(&function->site, UINTPTR_MAX);
  f->call = &call->site;
  return f;
}

static void event(void) {
  test_allocate(gpm_thread_self(), 0, GPUMEMPROF_KIND_DEVICE, 1 << 20, 100, 100);
  test_free(gpm_thread_self(), 1 << 20);
}

/* One load and unload; `way`: whether its frames are still there at the unload, with events or
 * without. */
static void comes_and_goes(char *at, int way) {
  struct object *o =
      mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(o != MAP_FAILED);
  test_site_set(&o->scope, GPUMEMPROF_SITE_FUNCTION, "b.c", 1, "inside", "");
  test_site_set(&o->line, GPUMEMPROF_SITE_CALL, "b.c", 2, "inside", "q");
  o->block =
      (struct gpumemprof_block_site){GPUMEMPROF_SITE_BLOCK, 0, 3, "block", "b.c", "inside", ""};
  o->module = (struct gpumemprof_module){.abi_version = GPUMEMPROF_ABI_VERSION,
                                         .size = sizeof o->module,
                                         .sites_begin = (void *)o,
                                         .sites_end = (void *)(at + SIZE),
                                         .plugin_version = "comes and goes"};
  __gpumemprof_abi_v5(&o->module);
  struct gpumemprof_frame *bottom = call_from(&scope, &line);
  struct gpumemprof_frame *f = call_from(&o->scope, &o->line);
  struct gpumemprof_frame *b = __gpumemprof_block_enter(&o->block);
  if (way != 1) event();
  if (way == 0) {
    __gpumemprof_block_exit(b);
    test_pop(f);
  }
  __gpumemprof_unregister(&o->module);
  CHECK(!mprotect(at, SIZE, PROT_NONE));
  struct gpumemprof_frame *above = call_from(&scope, &line);
  event();
  test_pop(above);
  test_pop(bottom);
}

static uint64_t records(uint32_t type) {
  uint64_t n = 0;
  while (test_record(type, 0, n)) n++;
  return n;
}

static void objects_that_come_and_go(void) {
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "outside", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "outside", "p");
  char *places = mmap(NULL, PLACES * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(places != MAP_FAILED);
  uint64_t nodes = 0, sites = 0, used = 0;
  for (int i = 0; i < ROUNDS; i++) {
    comes_and_goes(places + i * 7 % PLACES * SIZE, i % 3);
    if (i > 2) CHECK(nodes == records(GPUMEMPROF_CHUNK_NODES));
    if (i == 2) {
      nodes = records(GPUMEMPROF_CHUNK_NODES);
      sites = records(GPUMEMPROF_CHUNK_SITES);
      used = gpm_capture->used;
    }
  }
  CHECK(sites == records(GPUMEMPROF_CHUNK_SITES) && used == gpm_capture->used);
  CHECK(__gpumemprof_clock.events == 2 * (ROUNDS + ROUNDS - ROUNDS / 3));
}

int main(void) {
  objects_that_come_and_go();
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE));
  struct gpumemprof_module *older =
      module_at_an_end(pages, page, offsetof(struct gpumemprof_module, unused));
  __gpumemprof_abi_v5(older);

  static struct {
    struct gpumemprof_module known;
    void *more[4];
  } newer;
  newer.known = (struct gpumemprof_module){
      .abi_version = GPUMEMPROF_ABI_VERSION, .size = sizeof newer, .plugin_version = "newer"};
  __gpumemprof_abi_v5(&newer.known);

  for (int i = 0; i < 3; i++) { /* loaded again: one record in the capture */
    __gpumemprof_unregister(older);
    __gpumemprof_abi_v5(older);
  }
  CHECK(records(GPUMEMPROF_CHUNK_MODULES) == 3);
  __gpumemprof_unregister(&newer.known);
  __gpumemprof_unregister(older);
  return 0;
}
