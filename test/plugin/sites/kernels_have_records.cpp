// Which words of a kernel's parameters may hold an address: = is a pointer, ? a number or a part of a union. This is what
// nvcc prints for its host compiler: launches pass the function that calls the stub.
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep ^kernel | FileCheck %s
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep ^kernel | FileCheck %s
#include <cuda_runtime_api.h>
struct Inner {
  char tag;
  double *values;
};
struct Layer : Inner {
  float *weights[2];
  int rows, columns;
  union {
    unsigned long bits;
    char text[16];
  };
  static int count;
};
struct Empty {};
struct Virtual {
  virtual ~Virtual();
  int *p;
};
template <class T> struct Span {
  T *first;
  size_t size;
};
static void __device_stub__Z4stepPfi(float *, int) {}
template <class... A> static void __wrapper__device_stub_many(A...) {}
// CHECK-DAG: kernel step kernels_have_records.cpp:[[#@LINE+1]]: 0+0=p{{$}}
void step(float *p, int n) {
  __device_stub__Z4stepPfi(p, n);
}
// CHECK-DAG: kernel apply {{.*}}: 0+8=layer.values 0+16=layer.weights[0] 0+24=layer.weights[1] 0+40?layer{{.*}} 0+48?layer{{.*}} 0+0?layer 0+32?layer 2+0?n{{$}}
void apply(Layer layer, float f, long n, Empty) {
  __wrapper__device_stub_many(layer, n, f);
}
// CHECK-DAG: kernel spans<int> {{.*}}: 0+0=a.first 0+8?a.size 1+0=? 2+0=?{{$}}
template <class T> void spans(Span<T> a, const T *__cuda_1, int *const) {
  __wrapper__device_stub_many(a, __cuda_1);
}
// CHECK-DAG: kernel many {{.*}}: and others{{$}}
struct Many {
  float *values[513];
};
void many(Many a) {
  __wrapper__device_stub_many(a);
}
// Whatever has room for an address is listed, but for bit fields, which may hold more than that.
// CHECK-DAG: kernel disguises {{.*}}: 0+0?d.bytes 0+8?d.scoped 0+32?d.wide 0+40?d.wide 0+48?d.pair 0+56?d.pair 0+80?d.atomic 1+0?s{{$}}
enum class Scoped : unsigned long {};
typedef long Pair __attribute__((ext_vector_type(2)));
typedef double Reals __attribute__((ext_vector_type(1)));
struct Disguises {
  enum class Byte : unsigned char {} bytes[8];
  Scoped scoped;
  enum class Short : int {} number;
  float real;
  __int128 wide;
  Pair pair;
  Reals reals;
  unsigned long bits : 56, tag : 8;
  _Atomic(long) atomic;
};
void disguises(Disguises d, Scoped s) {
  __wrapper__device_stub_many(d);
}
// Device code that takes an element by its number takes any word. There is no room for all of the second.
// CHECK-DAG: kernel indexed {{.*}}: 0+0=a.part[0].first 0+16=a.part[1].first 0+32?a.order 0+8?a 0+24?a 1+0=b.values[0] {{.*}}1+4040=b.values[505]{{$}}
struct Indexed {
  struct {
    float *first;
    int size;
  } part[2];
  int order[2];
};
struct Large { // 508 words
  float *values[506];
  int order[4];
};
void indexed(Indexed a, Large b) {
  __wrapper__device_stub_many(a, b);
}
// CHECK-DAG: kernel most {{.*}}:{{.*}} 0+4088=a.values[511]{{$}}
struct Most {
  float *values[512];
};
void most(Most a) {
  __wrapper__device_stub_many(a);
}
// That of a header of the toolkit.
# 70 "/usr/local/cuda/include/cub.cuh" 3
namespace cub {
template <class T> static void scan(T a, int n) {
  __wrapper__device_stub_many(a, n);
  return;
}
} // namespace cub
# 62 "kernels_have_records.cpp"
// CHECK-DAG: kernel cub::scan<int*> cub.cuh:71: 0+0=a{{$}}
// CHECK-DAG: kernel nothing {{.*}}:{{$}}
void nothing(int, float) {
  __wrapper__device_stub_many(1);
}
// CHECK-NOT: kernel no_kernel
void no_kernel(int *p) {
  step(p ? nullptr : (float *)p, 1);
}
int main() {
  void *p;
  cudaMalloc(&p, 4);
  step(nullptr, 0);
  apply({}, 1, 2, {});
  spans<int>({}, nullptr, nullptr);
  nothing(1, 2);
  many({});
  most({});
  disguises({}, {});
  indexed({}, {});
  cub::scan((int *)nullptr, 1);
  no_kernel(nullptr);
}
