// agreement.cu - kernels that both compilers compile and that are not easy to read, for
// compilers.py: what clang says of them and what nvcc's PTX says has to agree.
#include <cstdio>

struct view {
  float *to;
  int count;
  float *from;
};
struct sizes {
  float *data;
  long size[8];
  int dimension[4];
};
union word {
  float *pointer;
  unsigned long long number;
  int half[2];
};
struct base {
  __device__ virtual float apply(float *p) = 0;
};

#define KERNEL extern "C" __global__ void

KERNEL sized(sizes s, int d) {
  s.data[s.size[d] * threadIdx.x] = s.dimension[d & 3];
}
KERNEL copies(view *to, view from) {
  *to = from;
}
KERNEL loads_a_view(view *v) {
  v->to[0] = 1;
}
KERNEL copies_a_structure(const view *v, float *out) {
  view mine = *v;
  out[mine.count] = 1;
}
KERNEL in_a_union(word w) {
  w.pointer[0] = w.half[1];
}
KERNEL calls_a_method(base *b, float *p) {
  p[0] = b->apply(p);
}
KERNEL wide(unsigned __int128 n, float *a) {
  a[(int)n] = 1;
}

KERNEL assembly_stores(float *a, float *b) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(a), "f"(b[0]) : "memory");
}
KERNEL assembly_loads(float *a, const float *b) {
  float x;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(b));
  a[0] = x;
}
KERNEL assembly_loads_an_index(float *a, const int *b) {
  int x;
  asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(x) : "l"(b));
  a[x] = 1;
}
KERNEL assembly_subtracts(float *a, float *b) {
  long away;
  asm("sub.s64 %0, %1, %2;" : "=l"(away) : "l"(b), "l"(a));
  *(float *)((char *)a + away) = 1;
}
KERNEL assembly_stores_an_address(float **a, float *b) {
  asm volatile("st.global.u64 [%0], %1;" ::"l"(a), "l"(b) : "memory");
}
KERNEL assembly_copies(float *a, const float *b) {
  __shared__ float inside[256];
  unsigned at = (unsigned)__cvta_generic_to_shared(&inside[threadIdx.x * 4]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(at), "l"(b + threadIdx.x * 4));
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\n");
  __syncthreads();
  a[threadIdx.x] = inside[threadIdx.x];
}
KERNEL assembly_adds(int *a, int *old) {
  int o;
  asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(o) : "l"(a) : "memory");
  old[0] = o;
}

KERNEL prints(const char *text, float *number) {
  printf("%s %f\n", text, number[0]);
}
KERNEL moves(float *a, const float *b, int n) {
  memcpy(a, b, n);
}
KERNEL fills(float *a) {
  memset(a, 0, 1024);
}
KERNEL heap(float *a) {
  float *mine = (float *)malloc(64);
  mine[threadIdx.x] = a[0];
  a[1] = mine[0];
  free(mine);
}
KERNEL fetches(cudaTextureObject_t t, float *out) {
  out[0] = tex1Dfetch<float>(t, 3);
}

KERNEL difference(float *a, float *b, long *away) {
  *away = b - a;
}
KERNEL multiple(float *a, unsigned long long *to) {
  *to = (unsigned long long)a * 3;
}
KERNEL halves(float *a, unsigned *to) {
  to[0] = (unsigned)(unsigned long long)a;
  to[1] = (unsigned)((unsigned long long)a >> 32);
}
KERNEL shuffles(float *a, float *b) {
  unsigned long long x = (unsigned long long)(threadIdx.x ? a : b);
  x = __shfl_xor_sync(~0u, x, 1);
  *(float *)x = 1;
}
KERNEL may_be_null(float *a, float *b, int i) {
  if (b) b[i] = 1;
  float *c = i ? a : nullptr;
  if (c) c[i] = 2;
}
KERNEL up_to_an_end(const float *a, const float *end, float *sum) {
  float s = 0;
  for (; a != end; ++a) s += *a;
  *sum = s;
}
KERNEL counted_from_an_end(const float *a, const float *end, float *to) {
  long n = end - a;
  for (long i = 0; i < n; i++) to[i] = a[n - 1 - i];
}
KERNEL shared_index(const int *a, float *b) {
  __shared__ int order[64];
  order[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[order[63 - threadIdx.x]] = 1;
}
KERNEL both_results(double *a) {
  double s, c;
  sincos(a[0], &s, &c);
  a[1] = s;
  a[2] = c;
}
KERNEL through_the_cache(float *__restrict__ a, const float *__restrict__ b) {
  a[threadIdx.x] = __ldg(b + threadIdx.x);
}

__device__ int descend(float *a, int n) {
  if (n <= 0) return 0;
  a[n] = 1;
  return descend(a + 1, n - 1) + descend(a, n - 2);
}
KERNEL calls_itself(float *a, int n, int *sum) {
  *sum = descend(a, n);
}
