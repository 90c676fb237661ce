// kernels.cu - what compilers.py compiles with nvcc and with clang, and knows the facts
// of.
#include <cstdio>

struct slice {
  float *to;
  long length;
  const float *from;
};
struct item {
  item *next;
  float value;
};

extern "C" __global__ void copies(float *to, const float *from) {
  to[threadIdx.x] = from[threadIdx.x];
}
extern "C" __global__ void adds(int *sum, const int *of) {
  atomicAdd(sum, of[threadIdx.x]);
}
extern "C" __global__ void by_value(slice s) {
  s.to[threadIdx.x] = s.from[threadIdx.x];
}

__device__ __noinline__ void copies_one(float &to, const float &from) {
  to = from;
}
extern "C" __global__ void by_reference(float *to, const float *from, const float *not_used) {
  copies_one(to[threadIdx.x], from[threadIdx.x]);
}
extern "C" __global__ void walks(const item *list, float *sum) {
  float all = 0;
  for (; list; list = list->next) all += list->value;
  *sum = all;
}
extern "C" __global__ void keeps(item *list, item *next) {
  list->next = next;
}
extern "C" __global__ void prints(const float *values) {
  printf("%f\n", values[threadIdx.x]);
}
extern "C" __global__ void calls(float *values, float (*of)(float *)) {
  of(values);
}
extern "C" __global__ void shares(float *values) {
  __shared__ float tile[32];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" __global__ void computes(double *values) {
  values[threadIdx.x] = sin(values[threadIdx.x]);
}

// What is only asked for.
extern "C" __global__ void asks(float *to, const float *mask) {
  to[threadIdx.x] = mask ? 2.0f : 3.0f;
}
extern "C" __global__ void asks_for_bits(float *to, const float *mask) {
  to[threadIdx.x] = (size_t)mask & 15 ? 2.0f : 3.0f;
}
extern "C" __global__ void asks_for_their_distance(float *to, const float *from, const float *end) {
  if (end - from > 16) to[threadIdx.x] = 1;
}
extern "C" __global__ void asks_in_a_structure(slice s) {
  if (s.from) s.to[threadIdx.x] = 1;
}

// The upper bits of the address are a tag.
extern "C" __global__ void takes_tags_away(float *to, const size_t *table) {
  to[threadIdx.x] = *(const float *)(table[threadIdx.x] & 0xffffffffffffull);
}

// Assembly with addresses that are no operands of it, and what it stores there.
__device__ float *in_a_variable;
extern "C" __global__ void stores_in_a_variable(float *what) {
  asm volatile("st.global.u64 [in_a_variable], %0;" ::"l"(what) : "memory");
  if (threadIdx.x > 1000) in_a_variable = nullptr;
}
extern "C" __global__ void stores_by_a_register(float **to, float *what) {
  asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %0; st.global.u64 [g], %1; }" ::"l"(to),
               "l"(what)
               : "memory");
}
extern "C" __global__ void stores_itself(float **to) {
  asm volatile("st.global.u64 [%0], %0;" ::"l"(to) : "memory");
}
extern "C" __global__ void stores_after_a_comment(float **to, float *what) {
  asm volatile("/* a store; of it */ st.global.u64 [%0], %1; // done" ::"l"(to), "l"(what)
               : "memory");
}
extern "C" __global__ void copies_from_shared_memory(char *to, float *what) {
  __shared__ float *tile[2];
  tile[0] = what;
  __syncthreads();
  unsigned from = (unsigned)__cvta_generic_to_shared(tile);
  asm volatile("{ .reg .u64 g; ld.shared.u64 g, [%1]; st.global.u64 [%0], g; }" ::"l"(to), "r"(from)
               : "memory");
}
extern "C" __global__ void follows_in_assembly(float *to, const float *const *table) {
  float value;
  asm("{ .reg .u64 g; ld.global.u64 g, [%1]; ld.global.f32 %0, [g]; }" : "=f"(value) : "l"(table));
  *to = value;
}
extern "C" __global__ void writes_a_surface(cudaSurfaceObject_t to, float *what) {
  surf2Dwrite((unsigned)(size_t)what, to, 0, 0);
}

// A structure without padding: its pointers are at odd offsets.
struct __attribute__((packed)) record {
  char tag;
  float *value;
};
extern "C" __global__ void keeps_a_record(record *to, record what) {
  *to = what;
}
extern "C" __global__ void uses_a_record(float *to, record what) {
  *to = *what.value;
}
extern "C" __global__ void follows_records(float *to, const record *table, int i) {
  *to = *table[i].value;
}
