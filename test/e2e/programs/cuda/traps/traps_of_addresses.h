// traps_of_addresses.h - part of traps.cu: addresses in places where they are not looked for at
// first, and pointers that lead into another block.

// Without padding: the pointers are at multiples of 4, and at odd offsets.
struct __attribute__((packed)) tagged {
  int tag;
  float *pointer;
};
struct __attribute__((packed)) record {
  char tag;
  float *pointer;
};
// An address may be copied into such arrays.
template <class T> struct numbers {
  T of[16 / sizeof(T)];
};

template <class T> __global__ void store(T *to, T what) {
  *to = what;
}
__global__ void follow_tagged(float *to, const tagged *list) {
  *to = *list->pointer;
}
__global__ void follow_records(float *to, const record *list, int i) {
  *to = *list[i].pointer;
}
__global__ void store_by_assembly(float **to, float *what) {
  asm volatile("{ .reg .u64 t; add.u64 t, %0, 8; st.global.u64 [t], %1; }" ::"l"(to), "l"(what)
               : "memory");
}
__device__ float *variable;
__global__ void store_in_a_variable(float *what) {
  asm volatile("st.global.u64 [variable], %0;" ::"l"(what) : "memory");
}
__global__ void follow_variable(float *to) {
  *to = *variable;
  if (*to == 5) variable = nullptr;
}

static void packed_by_value() {
  float *a = allocate(SMALL), *to = allocate(64);
  tagged *list = (tagged *)allocate(64);
  store<<<1, 1>>>(list, tagged{1, a});
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((follow_tagged<<<1, 1>>>(to, list)))
}

static void packed_records() {
  float *a = allocate(SMALL), *to = allocate(64);
  record *list = (record *)allocate(64), host[] = {{1, nullptr}, {2, a}};
  cudaMemcpy(list, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((follow_records<<<1, 1>>>(to, list, 1)))
}

template <class T> static void in_numbers() {
  float *a = allocate(SMALL), **list = (float **)allocate(64);
  numbers<T> host = {};
  memcpy((char *)&host + 8, &a, sizeof a);
  store<<<1, 1>>>((numbers<T> *)list, host);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list + 1)))
}

static void clean_numbers() {
  float *a = allocate(SMALL), **list = (float **)allocate(64);
  store<<<1, 1>>>((numbers<float> *)list, numbers<float>{{1, 2, 3, 4}});
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list)))
}

static void stored_by_assembly() {
  float *a = allocate(SMALL), **list = (float **)allocate(64);
  store_by_assembly<<<1, 1>>>(list, a);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list + 1)))
}

static void stored_by_assembly_in_a_variable() {
  float *a = allocate(SMALL), *to = allocate(64);
  store_in_a_variable<<<1, 1>>>(a);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((follow_variable<<<1, 1>>>(to)))
}

// The halves of the address come in two copies.
static void in_two_copies() {
  float *a = allocate(SMALL), *host[2] = {nullptr, a};
  char *list = (char *)allocate(64);
  cudaMemcpy(list, host, 12, cudaMemcpyHostToDevice);
  cudaMemcpy(list + 12, (char *)host + 12, 4, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>((float **)list + 1)))
}

// One element before `a` is the last one of the block that ends where `a` begins.
static void counts_from_one() {
  allocate(N * 4);
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((scale<<<N / 256, 256>>>(a - 1, 2, N)))
}

// The same where a few bytes are between the blocks.
static void counts_from_one_behind_a_gap() {
  allocate(N * 4 - 4);
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((scale<<<N / 256, 256>>>(a - 1, 2, N)))
}

static void clean_before_the_end() {
  float *c = allocate(N * 4), *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((scale<<<1, 1>>>(c + N - 128, 2, 1)); (scale<<<1, 1>>>(b, 2, 1)))
}

// What is copied from the host leads beside `a`: to the end of it, or to where its element 0 would
// be if it counted from 1.
__global__ void follow_backwards(float **list) {
  (*list)[-1] = 1;
}
__global__ void follow_from_one(float **list) {
  (*list)[1] = 1;
}
__device__ float *counted;
__global__ void follow_counted() {
  counted[1] = 1;
}

template <void kernel(float **)> static void beside(float *a, float *address) {
  float **list = (float **)allocate(64);
  cudaMemcpy(list, &address, sizeof address, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((kernel<<<1, 1>>>(list)))
  cudaFree(list);
}

static void end_in_a_copy() {
  float *a = allocate(SMALL);
  beside<follow_backwards>(a, a + SMALL / sizeof *a);
}

static void counts_from_one_in_a_copy() {
  float *a = allocate(SMALL);
  beside<follow_from_one>(a, a - 1);
}

static void counts_from_one_in_a_copy_behind_a_block() {
  allocate(N * 4);
  float *a = allocate(SMALL);
  beside<follow_from_one>(a, a - 1);
}

static void counts_from_one_in_a_copy_behind_a_gap() {
  allocate(N * 4 - 4);
  float *a = allocate(SMALL);
  beside<follow_from_one>(a, a - 1);
}

static void counts_from_one_in_a_symbol() {
  float *a = allocate(SMALL), *address = a - 1;
  cudaMemcpyToSymbol(counted, &address, sizeof address);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((follow_counted<<<1, 1>>>()))
}

// It is further from `a` than one element of any array.
static void clean_far_from_a_copy() {
  float *c = allocate(N * 4), *a = allocate(SMALL);
  beside<follow_from_one>(a, c + N / 2);
}
