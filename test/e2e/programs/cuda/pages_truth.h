// pages_truth.h - which pages a program's kernels use, as the program itself computes it. For each
// block it prints `NAME ADDRESS BYTES LAST` (the latest use of its pages) and the pages as runs,
// such as r3 w2 b1 -4: read, written, both, untouched. A page that two blocks share is in the same
// state for both, and what one did to it stays until no block has it.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>
#include <map>

static const size_t page = 4096;

struct state {
  unsigned bits = 0, blocks = 0; // 1: read, 2: written; how many blocks have it
  unsigned last = 0;             // how many allocations and frees there were when it was last used
};
static unsigned events;
static std::map<size_t, state> pages; // by number

struct block {
  const char *name;
  char *at;
  size_t bytes;

  block(const char *name, size_t bytes) : name(name), at(nullptr), bytes(bytes) {
    cudaMalloc(&at, bytes);
    events++;
    for (size_t i = first(); i < end_page(); i++) pages[i].blocks++;
  }
  size_t first() const { return (size_t)at / page; }
  size_t end_page() const { return ((size_t)at + bytes - 1) / page + 1; }
  float *floats() const { return (float *)at; }
  void mark(unsigned bits, size_t offset, size_t size) {
    for (size_t i = ((size_t)at + offset) / page; i <= ((size_t)at + offset + size - 1) / page;
         i++) {
      pages[i].bits |= bits;
      pages[i].last = events;
    }
  }
  void reads(size_t offset, size_t size) { mark(1, offset, size); }
  void writes(size_t offset, size_t size) { mark(2, offset, size); }
  void print() const {
    unsigned last = 0;
    for (size_t i = first(); i < end_page(); i++)
      last = pages[i].last > last ? pages[i].last : last;
    printf("%s %zx %zu %u", name, (size_t)at, bytes, last);
    for (size_t i = first(), n; i < end_page(); i += n) {
      for (n = 1; i + n < end_page() && pages[i + n].bits == pages[i].bits;) n++;
      printf(" %c%zu", "-rwb"[pages[i].bits], n);
    }
    printf("\n");
  }
  void end() {
    print();
    for (size_t i = first(); i < end_page(); i++)
      if (!--pages[i].blocks) pages.erase(i);
    cudaFree(at);
    events++;
  }
};
