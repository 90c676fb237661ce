// guard.h - a block that its owner frees on every way out, counted by oracle.h.
#ifndef GUARD_H
#define GUARD_H

#include "oracle.h"

struct Guard {
  char *p;
  explicit Guard(size_t bytes) {
    SCOPE("Guard::Guard");
    ALLOC(p, bytes);
  }
  ~Guard() {
    SCOPE("Guard::~Guard");
    FREE(p);
  }
};

#endif // GUARD_H
