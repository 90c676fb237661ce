// The values of what a size is computed from are passed before the call, each with its own name.
// DEFINE: %{operands} = env FAKE_RUNTIME_OPERANDS=1 %t | grep "^operands" | FileCheck %s --implicit-check-not=operands
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && %{operands}
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && %{operands}
// RUN: %if x86_64 %{ %clangxx %gmp -O2 -fno-exceptions -mcmodel=large -isystem %inputs/system %s %fake -o %t && %{operands} %}
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-operands=off -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_OPERANDS=1 %t | not grep "^operands"
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-source-text=off -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_OPERANDS=1 %t | not grep "^operands"
#include <cuda_runtime_api.h>
extern "C" {
int cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h);
int cudaMallocManaged(void **p, size_t n, unsigned flags);
int cudaMallocHost(void **p, size_t n);
int cudaMallocAsync(void **p, size_t n, struct CUstream_st *s);
int cuMemAlloc_v2(unsigned long long *p, size_t n);
}
#define cuMemAlloc cuMemAlloc_v2
#define CHECKED(x)                                                                                 \
  do {                                                                                             \
    if (x) __builtin_abort();                                                                      \
  } while (0)
#define NEW_FLOATS(p, count) cudaMalloc((void **)&(p), (count) * sizeof(float))
#define TWICE(p, q, a, b) (cudaMalloc((void **)&p, a), cudaMalloc((void **)&q, b))

static float *p, *q;
static size_t pitch;

// ---- what is named
struct List {
  unsigned length, capacity;
  int rows[3];
  unsigned width : 5, height : 8;
  signed char narrow;
  size_t size() const { return length; }
};
static int calls;
static long wide, big = (1l << 32) + 5;
static int next() { return ++calls; }
static void plain(size_t n, int m, List &list, const List *at, short *small) {
  // CHECK: operands plain:[[#@LINE+1]] bytes=48 [n]=4 [m]=3
  cudaMalloc((void **)&p, n * m * sizeof(float));
  // CHECK: operands plain:[[#@LINE+1]] bytes=10 [m]=3 [n]=4
  cudaMalloc((void **)&p, m * 2 + n);
  // The same one twice is one.
  // CHECK: operands plain:[[#@LINE+1]] bytes=16 [n]=4
  cudaMalloc((void **)&p, n * n);
  // Not where it may change in between.
  // CHECK: operands plain:[[#@LINE+1]] bytes=24 [n]=4 [next()]=1 [next()]=2 [m]=3
  cudaMalloc((void **)&p, n * next() * next() * m);
  // CHECK: operands plain:[[#@LINE+1]] bytes=70 [list.length]=10 [at->capacity]=20 [list.rows[m - 1]]=-1
  cudaMalloc((void **)&p, list.length * (at->capacity / 2 - 3 + 2 * (1 + list.rows[m - 1])));
  // CHECK: operands plain:[[#@LINE+1]] bytes=40 [list.size()]=10
  cudaMalloc((void **)&p, list.size() << 2);
  // Conversions and parentheses are no operands; a bit-field is one.
  // CHECK: operands plain:[[#@LINE+1]] bytes=2125 [at->width]=17 [at->height]=250
  cudaMalloc((void **)&p, (size_t)(unsigned)((at->width)) * at->height / 2);
  // CHECK: operands plain:[[#@LINE+1]] bytes=400 [*small]=-2 [at->narrow]=-100
  cudaMalloc((void **)&p, +*small * at->narrow * 2);
  // What decides or is no number is a whole.
  // CHECK: operands plain:[[#@LINE+1]] bytes=12 [m > 2 ? n : 9]=4 [m]=3
  cudaMalloc((void **)&p, (m > 2 ? n : 9) * m);
  // CHECK: operands plain:[[#@LINE+1]] bytes=15 [(long)(m * 1.7)]=5 [m]=3
  cudaMalloc((void **)&p, (long)(m * 1.7) * m);
  // CHECK: operands plain:[[#@LINE+1]] bytes=4 [-m]=-3
  cudaMalloc((void **)&p, 7 + -m);
  bool yes = m > n - 2;
  unsigned large = n + 296;
  // CHECK: operands plain:[[#@LINE+1]] bytes=44 [large]=300
  cudaMalloc((void **)&p, (size_t)(unsigned char)large);
  // CHECK: operands plain:[[#@LINE+1]] bytes=12 [wide = m]=3 [n]=4
  cudaMalloc((void **)&p, (wide = m) * n);
  // CHECK: operands plain:[[#@LINE+1]] bytes=6 [m]=3 [yes]=1
  cudaMalloc((void **)&p, m * (yes + 1));
  // CHECK: operands plain:[[#@LINE+1]] bytes=12 [m++]=3 [n]=4
  cudaMalloc((void **)&p, m++ * n);
}

// ---- where it is passed
static void forms(size_t n, int m) {
  // CHECK: operands forms:[[#@LINE+1]] bytes=8 [n]=2
  cudaMalloc(&p, n * sizeof *p);
  // CHECK: operands forms:[[#@LINE+1]] bytes=8 [n]=2
  CHECKED(cudaMalloc((void **)&p, n * sizeof *p));
  // CHECK: operands forms:[[#@LINE+1]] bytes=20 [m]=5
  NEW_FLOATS(p, m);
  // CHECK: operands forms:[[#@LINE+1]] bytes=48 [n]=2 [m]=5
  cudaMallocPitch((void **)&p, &pitch, n * sizeof(float), m + 1);
  // CHECK: operands forms:[[#@LINE+1]] bytes=7 [n]=2 [m]=5
  cudaMallocManaged((void **)&p, n + m, 1);
  // CHECK: operands forms:[[#@LINE+1]] bytes=2 [n]=2
  cudaMallocHost((void **)&p, n);
  // CHECK: operands forms:[[#@LINE+1]] bytes=25 [m]=5
  cudaMallocAsync((void **)&p, m * m, 0);
  unsigned long long address;
  // CHECK: operands forms:[[#@LINE+1]] bytes=32 [n]=2
  cuMemAlloc(&address, n * 16);
  // CHECK: operands forms:[[#@LINE+1]] bytes=3 [m]=5
  cudaMalloc((void **)&p, m - 2), cudaMalloc((void **)&q, 40);
  // CHECK: operands forms:[[#@LINE+2]] bytes=2 [n]=2
  // CHECK: operands forms:[[#@LINE+1]] bytes=5 [m]=5
  cudaMalloc((void **)&p, n), cudaMalloc((void **)&q, m);
  auto lambda = [&](size_t count) {
    // CHECK: operands forms(unsigned long, int)::'lambda'(unsigned long)::operator():[[#@LINE+1]] bytes=27 [count]=9
    cudaMalloc(&p, count * 3);
  };
  lambda(9);
}
struct Buffer {
  float *data;
  explicit Buffer(int n) {
    // CHECK: operands Buffer::Buffer:[[#@LINE+1]] bytes=24 [n]=6
    cudaMalloc(&data, n * sizeof(float));
  }
};
template <class T, int N> static void instance(T n) {
  // CHECK: operands instance<int, 3>:[[#@LINE+2]] bytes=12 [n]=-1
  // CHECK: operands instance<unsigned char, 4>:[[#@LINE+1]] bytes=4020 [n]=255
  cudaMalloc(&p, N + N * 4 * n + (N == 3 ? 21 : -64));
  // N is a constant, and may be all there is.
  cudaMalloc(&p, N * sizeof(T));
}

// ---- only what changed
static void loop() {
  int k = 6, stage = 0;
  for (int i = 0; i < 6; i++) {
    if (i == 3) stage = 1;
    // CHECK: operands loop:[[#@LINE+2]] bytes=6 [stage]=0 [k]=6
    // CHECK: operands loop:[[#@LINE+1]] bytes=7 [stage]=1 [k]=6
    cudaMalloc(&p, stage + k);
  }
}

// ---- of what nothing is known
static size_t a = 1, b = 2, c = 3, d = 4, e = 5;
static int (*indirect)(void **, size_t) = cudaMalloc;
static void nothing(size_t n) {
  const int five = 5;
  TWICE(p, q, n, n * 2); // two calls at one place
  cudaMalloc((void **)&p, 100);
  cudaMalloc((void **)&p, five * sizeof(int));
  cudaMalloc((void **)&p, (size_t)((__int128)n * 3));
  cudaMalloc((void **)&p, a * b * c * d * e);
  indirect((void **)&p, n);
  // Which of two values of one width it is can not be seen.
  cudaMalloc((void **)&p, (wide = (int)big) * 4);
  cudaMalloc((void **)&p, a + b + (n == 12345678 ? 1 : n == 123456789 ? 2 : n == 1234567890 ? 3 : n == 12345678901 ? 4 : n == 123456789012 ? 5 : 6));
}

int main() {
  List list = {10, 20, {7, 8, -1}, 17, 250, -100};
  short small = -2;
  plain(4, 3, list, &list, &small);
  forms(2, 5);
  Buffer buffer(6);
  instance<int, 3>(-1);
  instance<unsigned char, 4>(255);
  loop();
  nothing(1);
  return 0;
}
