// What CUDA's closed libraries allocate inside themselves. Each stage prints by how much the
// device's free memory fell; closed.py compares that, what CUPTI recorded and what the profiler
// says.
#include "expect.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <nccl.h>

static long long used() {
  size_t free_bytes, total;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  return (long long)(total - free_bytes);
}

static void *ours(size_t bytes) {
  void *p;
  CHECK(cudaMalloc(&p, bytes));
  CHECK(cudaMemset(p, 0, bytes));
  return p;
}

static const int N = 4096;
static float *matrix;
static cublasHandle_t blas;
static cufftHandle fft;
static cusolverDnHandle_t solver;
static curandGenerator_t generator;
static ncclComm_t comm;

__attribute__((noinline)) static void use_cublas() {
  const float one = 1;
  CHECK(cublasCreate(&blas));
  CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, matrix, N, matrix, N, &one,
                    matrix, N));
}

__attribute__((noinline)) static void use_cufft() {
  CHECK(cufftPlan1d(&fft, 1000003, CUFFT_C2C, 4));
}

__attribute__((noinline)) static void use_cusolver() {
  CHECK(cusolverDnCreate(&solver));
}

__attribute__((noinline)) static void use_curand() {
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MTGP32));
  CHECK(curandGenerateUniform(generator, matrix, 1 << 20));
}

__attribute__((noinline)) static void use_nccl() {
  CHECK(ncclCommInitAll(&comm, 1, nullptr));
  CHECK(ncclAllReduce(matrix, matrix, 1 << 20, ncclFloat, ncclSum, comm, nullptr));
}

int main() {
  matrix = (float *)ours(sizeof(float) * N * N);
  struct {
    const char *name;
    void (*use)();
  } stages[] = {{"use_cublas", use_cublas},
                {"use_cufft", use_cufft},
                {"use_cusolver", use_cusolver},
                {"use_curand", use_curand},
                {"use_nccl", use_nccl}};
  for (auto &stage : stages) {
    long long before = used();
    stage.use();
    CHECK(cudaDeviceSynchronize());
    std::printf("change %s %lld\n", stage.name, used() - before);
  }
  CHECK(ncclCommDestroy(comm));
  CHECK(curandDestroyGenerator(generator));
  CHECK(cusolverDnDestroy(solver));
  CHECK(cufftDestroy(fft));
  CHECK(cublasDestroy(blas));
  CHECK(cudaFree(matrix));
  return 0;
}
