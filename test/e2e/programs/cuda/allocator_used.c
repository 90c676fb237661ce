/* Calls an allocator of another file: each piece counts once, and a double free does. */
#include "allocator.h"

static void *make(size_t count) {
  void *buffer = stack_take(count, 256);
  return buffer;
}

int main(void) {
  void *held[4];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 4; i++) held[i] = make((size_t)i + 1);
    for (int i = 4; i-- > 1;) stack_give(held[i]);
    stack_give(held[0]);
  }
  make(7);
  stack_give(held[1]); /* again */
  return 0;
}
