// What runs before main and after it: the preinit array, constructors of the earliest priority,
// static objects, a library's own; exit handlers, destructors of the last priority, a library's
// finaliser, which prints the program's own figures. Compiled twice: with LIBRARY, the library.
#include "../oracle/oracle.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#ifdef LIBRARY
static char *before, *after;
extern "C" char *library_block;
char *library_block;

__attribute__((constructor)) static void library_starts() {
  SCOPE("library_starts");
  ALLOC(before, 100 * KIB);
  ALLOC(library_block, 10 * KIB);
}
__attribute__((destructor)) static void library_ends() {
  {
    SCOPE("library_ends");
    FREE(before);
    ALLOC(after, 400 * KIB); // the peak comes when everything is over
    ALLOC(before, 50 * KIB);
    FREE(after);
  }
  SUMMARY();
}
#else
extern "C" char *library_block;
static char *slots[8];

static void preinit(int, char **, char **) {
  SCOPE("preinit");
  ALLOC(slots[0], KIB);
}
__attribute__((section(".preinit_array"), used)) static void (*preinits[])(int, char **,
                                                                           char **) = {preinit};

__attribute__((constructor(101))) static void earliest() {
  SCOPE("earliest");
  ALLOC(slots[1], 2 * KIB);
  FREE(slots[0]);
}
__attribute__((destructor(101))) static void last() {
  SCOPE("last");
  FREE(slots[1]);
  ALLOC(slots[7], 5 * KIB);
}

struct Static {
  char *p;
  explicit Static(size_t bytes) {
    SCOPE("Static::Static");
    ALLOC(p, bytes);
  }
  ~Static() {
    SCOPE("Static::~Static");
    FREE(p);
    ALLOC(slots[2], 3 * KIB);
    FREE(slots[2]);
  }
};
__attribute__((init_priority(101))) static Static first(20 * KIB);
static Static plain(30 * KIB);

static void at_exit() {
  SCOPE("at_exit");
  FREE(library_block);
  ALLOC(slots[3], 6 * KIB);
}
static void summary_now() {
  SUMMARY();
  std::fflush(stdout);
}
static void at_quick() {
  {
    SCOPE("at_quick");
    FREE(library_block);
    ALLOC(slots[4], 7 * KIB);
  }
  summary_now();
}
static void at_terminate() {
  {
    SCOPE("at_terminate");
    ALLOC(slots[5], 8 * KIB);
  }
  summary_now();
  std::abort();
}

// Has no scope here: the terminate handler's calls count as made by the thrower, as long as the
// machine stack does not show that its frame is gone.
__attribute__((noinline)) static void throws() {
  char *p;
  ALLOC(p, 9 * KIB);
  if (p) throw 1;
}
__attribute__((noinline)) static void lets_nothing_out() noexcept {
  SCOPE("lets_nothing_out");
  throws();
}

__attribute__((noinline)) static void ends(const char *way) {
  SCOPE("ends");
  char *p;
  ALLOC(p, 300 * KIB); // the peak, unless the library's end brings it
  FREE(p);
  ALLOC(p, 40 * KIB);
  if (!std::strcmp(way, "exit")) std::exit(0);
  if (!std::strcmp(way, "quick")) std::quick_exit(0);
  if (!std::strcmp(way, "_Exit")) summary_now(), std::_Exit(0);
  if (!std::strcmp(way, "terminate")) lets_nothing_out();
  FREE(p);
}

int main(int argc, char **argv) {
  SCOPE("main");
  std::atexit(at_exit);
  std::at_quick_exit(at_quick);
  std::set_terminate(at_terminate);
  if (argc > 1) ends(argv[1]);
  return 0;
}
#endif
