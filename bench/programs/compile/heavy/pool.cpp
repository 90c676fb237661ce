// pool.cpp - a caching allocator as frameworks have them: size classes, best fit by an ordered map,
// streams, retry after emptying the cache, statistics.
#include "bench_cuda.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace pool {

struct Block {
  char *address = nullptr;
  size_t size = 0;
  bool used = false;
  cudaStream_t stream = nullptr;
  Block *previous = nullptr, *next = nullptr;
};

struct BySize {
  bool operator()(const Block *a, const Block *b) const {
    if (a->stream != b->stream) return a->stream < b->stream;
    if (a->size != b->size) return a->size < b->size;
    return a->address < b->address;
  }
};

struct Statistics {
  uint64_t allocations = 0, segments = 0, reserved = 0, used = 0, peak = 0, retries = 0;
};

class OutOfMemory : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Allocator {
public:
  explicit Allocator(size_t limit) : limit_(limit) {}
  ~Allocator() {
    empty_cache();
    for (auto &entry : live_) {
      if (!entry.second->previous) cudaFree(entry.second->address);
      delete entry.second;
    }
  }
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;

  void *allocate(size_t size, cudaStream_t stream) {
    std::lock_guard<std::mutex> hold(mutex_);
    size = round(size);
    Block *block = find(size, stream);
    if (!block) block = grow(size, stream);
    if (!block) {
      statistics_.retries++;
      empty_cache();
      block = grow(size, stream);
    }
    if (!block) throw OutOfMemory(message(size));
    split(block, size);
    block->used = true;
    live_[block->address] = block;
    statistics_.allocations++;
    statistics_.used += block->size;
    if (statistics_.used > statistics_.peak) statistics_.peak = statistics_.used;
    return block->address;
  }

  void release(void *p) {
    std::lock_guard<std::mutex> hold(mutex_);
    auto found = live_.find(static_cast<char *>(p));
    if (found == live_.end()) throw std::invalid_argument("pool: not allocated here");
    Block *block = found->second;
    live_.erase(found);
    block->used = false;
    statistics_.used -= block->size;
    merge(block, block->next);
    if (Block *before = block->previous; before && !before->used) {
      free_.erase(before);
      merge(before, block);
      block = before;
    }
    free_.insert(block);
  }

  void empty_cache() {
    for (auto it = free_.begin(); it != free_.end();) {
      Block *block = *it;
      if (block->previous || block->next) {
        ++it;
        continue;
      }
      it = free_.erase(it);
      cudaFree(block->address);
      statistics_.reserved -= block->size;
      statistics_.segments--;
      delete block;
    }
  }

  Statistics statistics() const { return statistics_; }

private:
  static size_t round(size_t size) { return size < 512 ? 512 : (size + 511) / 512 * 512; }
  static size_t segment_size(size_t size) {
    if (size <= (1u << 20)) return 2u << 20;
    if (size < (10u << 20)) return 20u << 20;
    return (size + (2u << 20) - 1) / (2u << 20) * (2u << 20);
  }

  Block *find(size_t size, cudaStream_t stream) {
    Block key;
    key.size = size;
    key.stream = stream;
    auto it = free_.lower_bound(&key);
    if (it == free_.end() || (*it)->stream != stream) return nullptr;
    Block *block = *it;
    free_.erase(it);
    return block;
  }

  Block *grow(size_t size, cudaStream_t stream) {
    size_t bytes = segment_size(size);
    if (statistics_.reserved + bytes > limit_) return nullptr;
    char *address = nullptr;
    if (cudaMalloc(&address, bytes) != 0) {
      cudaGetLastError();
      return nullptr;
    }
    statistics_.reserved += bytes;
    statistics_.segments++;
    Block *block = new Block;
    block->address = address;
    block->size = bytes;
    block->stream = stream;
    return block;
  }

  void split(Block *block, size_t size) {
    if (block->size - size < 512) return;
    Block *rest = new Block(*block);
    rest->address = block->address + size;
    rest->size = block->size - size;
    rest->previous = block;
    rest->used = false;
    if (block->next) block->next->previous = rest;
    block->next = rest;
    block->size = size;
    free_.insert(rest);
  }

  void merge(Block *left, Block *right) {
    if (!right || right->used) return;
    free_.erase(right);
    left->size += right->size;
    left->next = right->next;
    if (right->next) right->next->previous = left;
    delete right;
  }

  std::string message(size_t size) const {
    std::ostringstream text;
    text << "pool: " << size << " bytes wanted, " << statistics_.used << " used and "
         << statistics_.reserved << " reserved of " << limit_;
    return text.str();
  }

  size_t limit_;
  std::mutex mutex_;
  std::set<Block *, BySize> free_;
  std::unordered_map<char *, Block *> live_;
  Statistics statistics_;
};

Allocator &device_allocator() {
  static Allocator allocator(size_t(16) << 30);
  return allocator;
}

class Tensor {
public:
  Tensor(std::vector<size_t> shape, cudaStream_t stream) : shape_(std::move(shape)) {
    size_t count = 1;
    for (size_t extent : shape_) count *= extent;
    data_ = static_cast<float *>(device_allocator().allocate(count * sizeof(float), stream));
  }
  ~Tensor() { device_allocator().release(data_); }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;
  float *data() const { return data_; }

private:
  std::vector<size_t> shape_;
  float *data_;
};

void matmul_kernel(const float *a, const float *b, float *c);

float *chain(int length, size_t side, cudaStream_t stream) {
  Tensor a({side, side}, stream), b({side, side}, stream);
  for (int i = 0; i < length; i++) {
    Tensor product({side, side}, stream);
    matmul_kernel(a.data(), b.data(), product.data());
  }
  float *result = nullptr;
  if (cudaMallocAsync(&result, side * side * sizeof(float), stream) != 0)
    throw OutOfMemory("chain");
  cudaMemcpy(result, a.data(), side * side * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(stream);
  return result;
}

} // namespace pool
