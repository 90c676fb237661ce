// Exceptions on the ways that are easily forgotten: arrays half made, destructors that throw,
// frames of code that was not rebuilt, nested exceptions, exception objects that outlive their
// thrower and free device memory where their last reference goes.
#include "../oracle/oracle.h"

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

extern "C" void foreign_calls(void (*f)(void *), void *data); // by another compiler

static int made;

struct Element { // the third one fails; those that were made are destroyed
  char *p;
  Element() {
    SCOPE("Element::Element");
    made++;
    ALLOC(p, static_cast<size_t>(made) * KIB);
    if (made == 3) {
      FREE(p);
      throw made;
    }
  }
  ~Element() {
    SCOPE("Element::~Element");
    FREE(p);
  }
};

__attribute__((noinline)) static void half_made_arrays() {
  SCOPE("half_made_arrays");
  for (int i = 0; i < 2; i++) {
    made = 0;
    try {
      if (i) {
        Element *array = new Element[5];
        delete[] array;
      } else {
        Element array[4];
        (void)array;
      }
    } catch (int) {
      char *p;
      ALLOC(p, 9 * KIB);
      FREE(p);
    }
  }
}

struct Loud {
  char *p;
  explicit Loud(size_t bytes) {
    SCOPE("Loud::Loud");
    ALLOC(p, bytes);
  }
  ~Loud() noexcept(false) {
    SCOPE("Loud::~Loud");
    FREE(p);
    if (!std::uncaught_exceptions()) throw std::runtime_error("destructor");
  }
};

__attribute__((noinline)) static void destructors_throw() {
  SCOPE("destructors_throw");
  char *p = nullptr;
  try {
    Loud outer(16 * KIB); // freed while the inner one's exception is under way
    Loud inner(32 * KIB);
    ALLOC(p, 2 * KIB);
  } catch (const std::exception &) {
    FREE(p);
    ALLOC(p, KIB);
  }
  FREE(p);
}

static void throws(void *data) {
  SCOPE("throws");
  char *p;
  ALLOC(p, 12 * KIB);
  FREE(p);
  if (data) throw std::runtime_error("through C");
}

// No clean-up of its own: nothing of it runs while the exception passes.
__attribute__((noinline)) static char *bare(void *data) {
  char *p;
  ALLOC(p, 5 * KIB);
  foreign_calls(throws, data);
  return p;
}

__attribute__((noinline)) static void through_foreign_frames() {
  SCOPE("through_foreign_frames");
  char *kept = bare(nullptr);
  for (int i = 0; i < 3; i++) {
    try {
      bare(&i);
    } catch (const std::exception &) {
      char *p;
      ALLOC(p, 40 * KIB); // on this function alone
      FREE(p);
    }
  }
  FREE(kept);
}

__attribute__((noinline)) static void nests(int depth) {
  SCOPE("nests");
  char *p;
  ALLOC(p, static_cast<size_t>(depth + 1) * KIB);
  try {
    if (!depth) throw std::runtime_error("innermost");
    nests(depth - 1);
  } catch (...) {
    FREE(p);
    std::throw_with_nested(std::logic_error("around"));
  }
}

__attribute__((noinline)) static int unnest(const std::exception &e) {
  SCOPE("unnest");
  char *p;
  ALLOC(p, 3 * KIB);
  int levels = 1;
  try {
    std::rethrow_if_nested(e);
  } catch (const std::exception &inner) {
    levels += unnest(inner);
  }
  FREE(p);
  return levels;
}

__attribute__((noinline)) static void nested_exceptions() {
  SCOPE("nested_exceptions");
  try {
    nests(4);
  } catch (const std::exception &e) {
    if (unnest(e) != 6) std::abort();
  }
}

struct Holds { // thrown: its memory goes with the last reference to the exception
  char *p;
  int *owners;
  Holds(size_t bytes, int *count) : owners(count) {
    SCOPE("Holds::Holds");
    ALLOC(p, bytes);
    ++*owners;
  }
  Holds(const Holds &other) : p(other.p), owners(other.owners) { ++*owners; }
  ~Holds() {
    SCOPE("Holds::~Holds");
    if (!--*owners) FREE(p);
  }
};

static void lets_go(std::exception_ptr held) {
  SCOPE("lets_go");
  char *p;
  ALLOC(p, 6 * KIB);
  try {
    std::rethrow_exception(std::move(held));
  } catch (const Holds &) {
    FREE(p);
  } // the last reference
}

static void work(std::exception_ptr *result, int *owners) {
  SCOPE("work");
  try {
    throw Holds(64 * KIB, owners);
  } catch (...) {
    *result = std::current_exception();
  }
}

__attribute__((noinline)) static void across_threads() {
  SCOPE("across_threads");
  std::exception_ptr from_thread;
  int owners = 0;
  std::thread(work, &from_thread, &owners).join();
  char *p;
  ALLOC(p, 7 * KIB);
  std::thread(lets_go, std::move(from_thread)).join();
  FREE(p);
  if (owners) std::abort();
}

__attribute__((noinline)) static void rethrown_from_afar() {
  SCOPE("rethrown_from_afar");
  throw; // the exception its caller handles
}

__attribute__((noinline)) static void rethrows_in_place() {
  SCOPE("rethrows_in_place");
  char *p;
  for (int i = 0; i < 2; i++) {
    try {
      try {
        throws(&i);
      } catch (...) {
        ALLOC(p, 20 * KIB);
        rethrown_from_afar();
      }
    } catch (const std::exception &) {
      FREE(p);
    }
  }
}

int main() {
  SCOPE("main");
  half_made_arrays();
  destructors_throw();
  through_foreign_frames();
  nested_exceptions();
  across_threads();
  rethrows_in_place();
  SUMMARY();
  return 0;
}
