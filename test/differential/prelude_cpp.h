/* prelude_cpp.h - what every random C++ program of this folder includes: what it throws, and
 * objects whose constructors and destructors call note(), so that their order is compared. Called
 * from generator_cpp.py. */
#ifndef GPUMEMPROF_TEST_DIFFERENTIAL_PRELUDE_CPP_H
#define GPUMEMPROF_TEST_DIFFERENTIAL_PRELUDE_CPP_H

#include "prelude.h"

#include <new>
#include <utility>
enum Mode { MODE_0, MODE_1, MODE_2, MODE_3 };
static thread_local UNUSED uint32_t of_thread = 7;
struct Error {
  uint32_t code;
  explicit Error(uint32_t c) : code(c) { note(c); }
  Error(const Error &o) : code(o.code) { note(91); }
  ~Error() { note(92); }
};
struct Special : Error {
  using Error::Error;
};
struct Guard {
  uint32_t id;
  explicit Guard(uint32_t i) : id(i) { note(id); }
  Guard(const Guard &o) : id(o.id + 1u) { note(id); }
  ~Guard() {
    note(id * 3u);
    if (id & 1u) RELEASE(5);
    else HOLD(5, 640);
  }
};
/* Its destructor calls nothing that calls note(). */
struct Quiet {
  uint32_t &counted;
  ~Quiet() { counted++; }
};
static UNUSED uint32_t counter;
struct AtEnd {
  ~AtEnd() {
    RELEASE(1);
    note(counter);
    line("end of statics");
  }
};
static AtEnd at_end;
struct Loop {
  uint32_t n;
  explicit Loop(uint32_t m) : n(m) {
    note(n);
    TOUCH(700);
  }
  ~Loop() { note(n); }
};

#endif
