// Allocators of the program's own at random: a caching one marked by attributes, called through a
// virtual base, which rounds by calling itself, and arenas reported by calls, one in host memory.
// Keeps its own figures of each in the most direct way and prints them. Arguments: seed, and
// `killed` to end in the middle.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

static uint64_t state;
static size_t below(size_t n) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (state >> 33) % n;
}

// What a pool is known to hold: ranges, looked at one by one.
struct Book {
  std::map<char *, size_t> segments, pieces;
  size_t used_peak = 0, reserved_peak = 0, ever = 0;

  static size_t sum(const std::map<char *, size_t> &ranges) {
    size_t bytes = 0;
    for (auto &[p, n] : ranges) bytes += n;
    return bytes;
  }
  void took(void *at, size_t bytes) {
    pieces[static_cast<char *>(at)] = bytes;
    ever++;
    used_peak = std::max(used_peak, sum(pieces));
  }
  void gave(void *at) { pieces.erase(static_cast<char *>(at)); }
  size_t largest_hole() const {
    size_t largest = 0;
    for (auto &[start, bytes] : segments) {
      char *from = start;
      for (auto &[p, n] : pieces) {
        if (p < start || p >= start + bytes) continue;
        largest = std::max(largest, static_cast<size_t>(p - from));
        from = p + n;
      }
      largest = std::max(largest, static_cast<size_t>(start + bytes - from));
    }
    return largest;
  }
  void print(const char *name, bool last = false) const {
    std::printf(
        "\"%s\": {\"used\": %zu, \"reserved\": %zu, \"used_peak\": %zu, \"reserved_peak\": %zu, "
        "\"pieces\": %zu, \"pieces_ever\": %zu, \"largest_hole\": %zu}%s\n",
        name, sum(pieces), sum(segments), used_peak, reserved_peak, pieces.size(), ever,
        largest_hole(), last ? "" : ",");
  }
};

struct Resource {
  virtual ~Resource() = default;
  virtual void *take(size_t bytes) GPUMEMPROF_ALLOCATES(1) = 0;
  virtual void give(void *p) = 0;
};

// First fit in segments of 64 KiB and more; a piece of a whole number of KiB.
class Caching final : public Resource {
  std::map<char *, size_t> free; // in address order
  std::map<char *, size_t> taken;

public:
  Book book;
  void *take(size_t bytes) override GPUMEMPROF_ALLOCATES(1) {
    return rounded((bytes + 1023) / 1024, 1024); // says the same again: it counts once
  }
  __attribute__((noinline)) void *rounded(size_t count, size_t size) GPUMEMPROF_ALLOCATES(1, 2) {
    size_t bytes = count * size;
    for (auto it = free.begin(); it != free.end(); ++it)
      if (it->second >= bytes) return cut(it, bytes);
    size_t segment = std::max(bytes, static_cast<size_t>(64) << 10);
    char *p = nullptr;
    if (cudaMalloc(&p, segment) != cudaSuccess) return nullptr;
    book.segments[p] = segment;
    book.reserved_peak = std::max(book.reserved_peak, Book::sum(book.segments));
    return cut(free.emplace(p, segment).first, bytes);
  }
  void give(void *p) override GPUMEMPROF_FREES(1) { put_back(p); }
  void release() { // all segments, whatever is taken of them
    for (auto &[p, n] : book.segments) cudaFree(p);
    book.segments.clear();
    book.pieces.clear();
  }

private:
  void *cut(std::map<char *, size_t>::iterator it, size_t bytes) {
    char *p = it->first;
    size_t left = it->second - bytes;
    free.erase(it);
    if (left) free[p + bytes] = left;
    taken[p] = bytes;
    book.took(p, bytes);
    return p;
  }
  __attribute__((noinline)) void put_back(void *p) GPUMEMPROF_FREES(1) { // again: no double free
    auto it = taken.find(static_cast<char *>(p));
    free[it->first] = it->second;
    taken.erase(it);
    book.gave(p);
  }
};

struct Arena {
  Book book;
  char *memory = nullptr;
  size_t size, at = 0;
  gpumemprof_pool *pool;
  Arena(const char *name, size_t size, bool host) : size(size), pool(gpumemprof_pool_create(name)) {
    if (host) memory = static_cast<char *>(std::malloc(size));
    else cudaMalloc(&memory, size);
  }
  void *take(size_t bytes) {
    if (bytes > size - at) return nullptr;
    void *p = memory + at;
    at += bytes;
    gpumemprof_pool_alloc(pool, p, bytes);
    book.took(p, bytes);
    return p;
  }
  void reset() {
    gpumemprof_pool_reset(pool);
    book.pieces.clear();
    at = 0;
  }
};

static __attribute__((noinline)) void *take_some(Resource &resource, size_t bytes) {
  void *piece = resource.take(bytes);
  return piece;
}

int main(int argc, char **argv) {
  state = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  bool killed = argc > 2 && !std::strcmp(argv[2], "killed");
  Caching caching;
  Resource *resource = &caching;
  Arena frame("frame", 256 << 10, false), host("host", 64 << 10, true);
  frame.book.segments[frame.memory] = frame.size;
  frame.book.reserved_peak = frame.size;
  std::vector<void *> held;
  for (int i = 0; i < 3000; i++) {
    if (below(5) < 3 || held.empty())
      held.push_back(take_some(*resource, 1 + below(below(9) ? 4000 : 90000)));
    else {
      size_t k = below(held.size());
      resource->give(held[k]);
      held[k] = held.back();
      held.pop_back();
    }
    if (!frame.take(1 + below(3000))) frame.reset();
    if (!host.take(1 + below(900))) host.reset();
    if (held.size() > 60)
      for (; held.size() > 20; held.pop_back()) resource->give(held.back());
  }
  std::printf("{\n");
  caching.book.print("Caching");
  frame.book.print("frame");
  host.book.print("host", true);
  std::printf("}\n");
  std::fflush(stdout);
  if (killed) raise(SIGKILL);
  if (argc > 2 && !std::strcmp(argv[2], "released")) caching.release();
  if (argc > 2 && !std::strcmp(argv[2], "wrong")) {
    gpumemprof_pool_free(frame.pool, &state);
    caching.release();
    gpumemprof_pool_destroy(frame.pool);
    gpumemprof_pool_destroy(frame.pool);
  }
  return 0;
}
