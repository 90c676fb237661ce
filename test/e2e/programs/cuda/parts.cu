// parts.cu - a program of two files, of which the other may not have been rebuilt. It uses a block
// after a larger one was allocated, and one block never. See uses_traps.py.
#include <cuda_runtime.h>

enum { SMALL = (1 << 18) + 700, LARGE = 2 * SMALL + 300 };

void use_last(float *p);

#ifdef OTHER
#ifdef TABLE // of the address of a function of CUDA
cudaError_t (*volatile fills[])(void *, int, size_t) = {cudaMemset};
void use_last(float *p) {
  fills[0](p, 0, SMALL);
}
#elif defined(FILL)
void use_last(float *p) {
  cudaMemset(p, 0, SMALL);
}
#elif defined(ADDRESS)
void use_last(float *p) {
  auto volatile fill = cudaMemset;
  fill(p, 0, SMALL);
}
#else
namespace other {
__global__ void count(float *p) {
  p[threadIdx.x] += 1;
}
} // namespace other
void use_last(float *p) {
  other::count<<<1, 32>>>(p);
}
#endif
#else
__global__ void set(float *to) {
  to[threadIdx.x] = 1;
}

int main() {
  float *a, *b, *unused;
  cudaMalloc(&unused, SMALL / 2);
  cudaMalloc(&a, SMALL);
  set<<<1, 32>>>(a);
  cudaMalloc(&b, LARGE);
  set<<<1, 32>>>(b);
  use_last(a);
  cudaFree(b);
  cudaFree(a);
  cudaFree(unused);
}
#endif
