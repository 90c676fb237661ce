// sources.cu WAY - a block is filled from the host long before a kernel reads it, and the source is
// changed in between or not. The way's name is in sources.py, with what `advise` says about it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "uses_kernels.h"

// A library in assembly, so that it is no code of ours.
extern "C" int cublasSscal_v2(void *handle, int n, const float *alpha, float *x, int step);
__asm__(".globl cublasSscal_v2\ncublasSscal_v2:\nxor %eax, %eax\nret\n");

enum { N = 1 << 16, BYTES = N * 4, OTHER = 2 * BYTES };

static float *block(size_t bytes) {
  float *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

// Memory that another kernel needs meanwhile, so that it matters when the block is there.
static void meanwhile() {
  float *other = block(OTHER);
  scale<<<N / 256, 256>>>(other, 2, N);
  cudaFree(other);
}

static void finish(float *a) {
  move<float><<<N / 256, 256>>>(a, a, N);
  cudaFree(a);
}

static float *filled() {
  float *host = (float *)malloc(BYTES);
  for (int i = 0; i < N; i++) host[i] = (float)i;
  return host;
}

static void unchanged() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  finish(a);
}

static void changed() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  host[N - 1] = 7;
  meanwhile();
  finish(a);
}

static void freed() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  free(host);
  meanwhile();
  finish(a);
}

// The array is gone with the activation, though nothing has overwritten its lower half yet.
__attribute__((noinline)) static void copy_from_stack(float *a) {
  float local[2 * N];
  for (int i = 0; i < 2 * N; i++) local[i] = (float)i;
  cudaMemcpy(a, local, BYTES, cudaMemcpyHostToDevice);
  __asm__ volatile("" : : "r"(local) : "memory");
}

static void ended_function() {
  float *a = block(BYTES);
  copy_from_stack(a);
  meanwhile();
  finish(a);
}

static void callers_array() {
  float local[N] = {}, *a = block(BYTES);
  cudaMemcpy(a, local, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  finish(a);
}

static float *pinned_source(int value) {
  float *host = nullptr;
  cudaMallocHost(&host, BYTES);
  memset(host, value, BYTES);
  return host;
}

static void pinned() {
  float *host = pinned_source(1), *a = block(BYTES);
  cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  finish(a);
}

// A copy that was asked for may write to pinned memory at any time after; here it happens to write
// what was there.
static void pinned_written() {
  float *host = pinned_source(0), *a = block(BYTES), *other = block(OTHER);
  cudaMemset(other, 0, OTHER);
  cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(other, 2, N);
  cudaMemcpyAsync(host, other, 16, cudaMemcpyDeviceToHost);
  cudaFree(other);
  finish(a);
}

static void managed() {
  float *host = nullptr, *a = block(BYTES);
  cudaMallocManaged(&host, BYTES);
  memset(host, 1, BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  finish(a);
}

static void parts() {
  float *host = filled(), *a = block(BYTES);
  for (int i = 0; i < 16; i++)
    cudaMemcpy(a + i * N / 16, host + i * N / 16, BYTES / 16, cudaMemcpyHostToDevice);
  meanwhile();
  finish(a);
}

static void part_changed() {
  float *host = filled(), *a = block(BYTES);
  for (int i = 0; i < 16; i++)
    cudaMemcpy(a + i * N / 16, host + i * N / 16, BYTES / 16, cudaMemcpyHostToDevice);
  host[5 * N / 16] = 7;
  meanwhile();
  finish(a);
}

// One buffer for each part: only the last is still what was copied.
static void one_buffer() {
  float *host = filled(), *a = block(BYTES);
  for (int i = 0; i < 4; i++) {
    host[0] = (float)i;
    cudaMemcpy(a + i * N / 4, host, BYTES / 4, cudaMemcpyHostToDevice);
  }
  meanwhile();
  finish(a);
}

static void rows() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy2D(a, 1024, host, 1024, 512, BYTES / 1024, cudaMemcpyHostToDevice);
  host[128] = 7; // not copied
  meanwhile();
  finish(a);
}

static void row_changed() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy2D(a, 1024, host, 1024, 512, BYTES / 1024, cudaMemcpyHostToDevice);
  host[256 * 9 + 127] = 7;
  meanwhile();
  finish(a);
}

static void overwritten() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  host[0] = 7;
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  finish(a);
}

// A kernel that does not touch it comes first, and the host changes the source after that.
static void given_and_not_touched() {
  float *host = filled(), *a = block(BYTES), *b = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  add<<<1, 1>>>(view{b, N, {a, 1}}, b);
  host[0] = 7;
  cudaFree(b);
  finish(a);
}

static void host_function() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  cudaLaunchHostFunc(0, [](void *p) { *(float *)p = 7; }, host);
  meanwhile();
  finish(a);
}

// The stream waits for the host, which may change the source before it lets the stream go on.
static void waits() {
  float *host = pinned_source(1), *a = block(BYTES), *word = block(256);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cuStreamWaitValue32(stream, (CUdeviceptr)word, 0, 0);
  cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaFree(word);
  meanwhile();
  finish(a);
}

// The address of a block that was freed is used again: the copy to the first says nothing of the
// second.
static void freed_block() {
  float *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  cudaFree(a);
  a = block(BYTES);
  memset(host, 1, BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  host[0] = 9;
  meanwhile();
  finish(a);
}

// Launches that repeat their addresses, before the copy and where the block is first used.
static void repeated() {
  float *host = filled(), *a = block(BYTES), *b = block(BYTES);
  for (int i = 0; i < 3; i++) move<float><<<N / 256, 256>>>(b, b, N);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  cudaFree(b);
  for (int i = 0; i < 3; i++) scale<<<N / 256, 256>>>(a, 2, N);
  cudaFree(a);
}

// The first to need the content is a library that follows no addresses.
static void needed_by_a_library() {
  float alpha = 2, *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  meanwhile();
  cublasSscal_v2(nullptr, N, &alpha, a, 1);
  cudaFree(a);
}

static void changed_before_a_library() {
  float alpha = 2, *host = filled(), *a = block(BYTES);
  cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice);
  host[0] = 7;
  meanwhile();
  cublasSscal_v2(nullptr, N, &alpha, a, 1);
  cudaFree(a);
}

static const struct {
  const char *name;
  void (*run)();
} ways[] = {{"unchanged", unchanged},
            {"changed", changed},
            {"freed", freed},
            {"ended_function", ended_function},
            {"callers_array", callers_array},
            {"pinned", pinned},
            {"pinned_written", pinned_written},
            {"managed", managed},
            {"parts", parts},
            {"part_changed", part_changed},
            {"one_buffer", one_buffer},
            {"rows", rows},
            {"row_changed", row_changed},
            {"overwritten", overwritten},
            {"given_and_not_touched", given_and_not_touched},
            {"host_function", host_function},
            {"waits", waits},
            {"freed_block", freed_block},
            {"repeated", repeated},
            {"needed_by_a_library", needed_by_a_library},
            {"changed_before_a_library", changed_before_a_library}};

int main(int argc, char **argv) {
  for (const auto &way : ways) {
    if (argc < 2) printf("%s\n", way.name);
    else if (!strcmp(argv[1], way.name)) return way.run(), 0;
  }
  return argc > 1;
}
