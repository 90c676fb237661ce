// An error handler that has a frame of its own, and callers that have none for its sake.
#include <cuda_runtime.h>

#include <stdexcept>

void note(const char *what); // error_notes.cpp, or nobody knows
[[noreturn]] void fail(const char *what) {
  note(what);
  throw std::runtime_error(what);
}
__attribute__((noinline)) static int parse(int n) {
  if (n < 0) fail("negative");
  return n;
}
__attribute__((noinline)) static int tried(int n) {
  try {
    return parse(n);
  } catch (...) {
    return 1000;
  }
}
void *p;
__attribute__((noinline)) static void make(int n) {
  char room[4000]; // beyond the machine stack that fail() had
  asm volatile("" ::"r"(room) : "memory");
  cudaMalloc(&p, size_t(n));
  asm volatile("" ::"r"(room) : "memory");
}
int main() {
  int n = tried(-1);
  make(n);
  return 0;
}
