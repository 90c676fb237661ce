// Class and function templates, RAII, and memory moved around by the standard library: its
// functions have no scope of their own, so the line that counts is the user's.
#include "../oracle/oracle.h"

#include <memory>
#include <utility>
#include <vector>

template <typename T> class Array {
public:
  explicit Array(size_t count) : bytes_(count * sizeof(T)) {
    SCOPE(sizeof(T) == 4 ? "Array<float>::Array" : "Array<double>::Array");
    ALLOC(data_, bytes_);
  }
  Array(Array &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  Array &operator=(Array &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Array() {
    SCOPE(sizeof(T) == 4 ? "Array<float>::~Array" : "Array<double>::~Array");
    if (data_) FREE(data_);
  }
  size_t bytes() const { return bytes_; }

private:
  T *data_ = nullptr;
  size_t bytes_;
};

struct Free {
  void operator()(char *p) const {
    SCOPE("Free::operator()");
    FREE(p);
  }
};
using Owner = std::unique_ptr<char, Free>;

template <typename T, int N> size_t fill(std::vector<Array<T>> &arrays) {
  SCOPE(N == 3 ? "fill<float, 3>" : "fill<double, 2>");
  size_t sum = 0;
  for (int i = 1; i <= N; i++) {
    arrays.emplace_back(1024 * static_cast<size_t>(i));
    sum += arrays.back().bytes();
  }
  return sum;
}

Owner owned(size_t bytes) {
  SCOPE("owned");
  char *p;
  ALLOC(p, bytes);
  return Owner(p);
}

int main() {
  SCOPE("main");
  {
    std::vector<Array<float>> floats;
    std::vector<Array<double>> doubles;
    fill<float, 3>(floats);
    fill<double, 2>(doubles);
    fill<float, 3>(floats);
    Owner a = owned(100 * KIB);
    Owner b = owned(50 * KIB);
    a = std::move(b);
    floats.erase(floats.begin());
    owned(200 * KIB).release(); // leaks
  }
  SUMMARY();
  return 0;
}
