// pages_speed.cu - seven kernels of different kinds, for what marks of pages (uses=pages of the
// plugin) cost and whether every page is right. pages.py builds it twice, runs both, and reads the
// capture. Usage: pages_speed SHIFT, for 2^SHIFT numbers.
//
// Prints `time KERNEL same|changed MICROSECONDS`: the median of launches whose marks were there
// already, and of launches after an allocation, which have to update the mark of each page; then a
// line for each block, as pages_truth.h says.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "../../e2e/programs/cuda/pages_truth.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error) {                                                                                   \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));               \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

__global__ void triad(float *to, const float *x, const float *y, float by, size_t count) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < count) to[i] = x[i] + by * y[i];
}
__global__ void twice(float *to, const float *from, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
       i += (size_t)gridDim.x * blockDim.x)
    to[i] = from[i] * 2;
}
__global__ void smooth(float *to, const float *from, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1) return;
  size_t i = (size_t)y * width + x;
  to[i] = .2f * (from[i] + from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}
__global__ void product_of_tiles(float *to, const float *a, const float *b, int n) {
  __shared__ float s[32][33], t[32][33];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    s[y][x] = a[(size_t)row * n + k + x];
    t[y][x] = b[(size_t)(k + y) * n + column];
    __syncthreads();
    for (int j = 0; j < 32; j++) sum += s[y][j] * t[j][x];
    __syncthreads();
  }
  to[(size_t)row * n + column] = sum;
}
__global__ void product(float *to, const float *a, const float *b, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
  to[(size_t)row * n + column] = sum;
}
__global__ void gather(float *to, const float *from, const unsigned *index, size_t count) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[index[i]];
}
__global__ void histogram(unsigned *bins, const unsigned *values, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
       i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(&bins[values[i] & 4095], 1u);
}

static cudaEvent_t begun, ended;

template <class Launch> static double median(Launch launch, int rounds, bool changed) {
  std::vector<float> times;
  for (int i = 0; i < rounds; i++) {
    float ms;
    if (changed) { // an allocation is a new epoch
      void *small;
      CHECK(cudaMalloc(&small, 512));
      CHECK(cudaFree(small));
      events += 2;
    }
    CHECK(cudaDeviceSynchronize());
    if (changed)
      twice<<<1, 32>>>((float *)nullptr, nullptr,
                       0); // the new epoch is set before this launch, outside of the time
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begun));
    launch();
    CHECK(cudaEventRecord(ended));
    CHECK(cudaEventSynchronize(ended));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, begun, ended));
    times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] * 1000.0;
}

template <class Launch> static void measure(const char *name, Launch launch, int rounds) {
  launch();
  CHECK(cudaGetLastError());
  printf("time %s same %.2f\n", name, median(launch, rounds, false));
  printf("time %s changed %.2f\n", name, median(launch, rounds, true));
}

int main(int argc, char **argv) {
  const int shift = argc > 1 ? atoi(argv[1]) : 26, width = 1 << (shift + 1) / 2,
            height = 1 << shift / 2;
  const size_t count = (size_t)1 << shift, bytes = count * sizeof(float);
  const int n = 1 << std::min(12, shift / 2);
  CHECK(cudaEventCreate(&begun));
  CHECK(cudaEventCreate(&ended));
  block a("a", bytes + 123 * page), b("b", bytes + 40 * page), c("c", bytes + 7 * page),
      index("index", bytes);
  block bins("bins", 4096 * 4 + 3 * page), left("left", (size_t)n * n * 4),
      right("right", (size_t)n * n * 4 + page), result("result", (size_t)n * n * 4);
  std::vector<unsigned> host(count);
  std::vector<char> hit(bytes / page);
  unsigned long long state = 1;
  for (unsigned &value : host) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = (unsigned)(state >> 33 & (count / 2 - 1)); // half of the numbers are read
    hit[value / 1024] = 1;
  }
  CHECK(cudaMemcpy(index.at, host.data(), bytes, cudaMemcpyHostToDevice));
  for (block *filled : {&a, &b, &c, &bins, &left, &right})
    CHECK(cudaMemset(filled->at, 0, filled->bytes));
  const unsigned *at = (const unsigned *)index.at;
  const dim3 tile(32, 8), tiles(width / 32, height / 8);

  measure(
      "triad",
      [&] {
        triad<<<(unsigned)((count + 255) / 256), 256>>>(a.floats(), b.floats(), c.floats(), 2,
                                                        count);
      },
      11);
  a.writes(0, bytes);
  b.reads(0, bytes);
  c.reads(0, bytes);
  measure("twice", [&] { twice<<<132 * 8, 256>>>(a.floats(), b.floats(), count); }, 11);
  a.writes(0, bytes);
  b.reads(0, bytes);
  measure("smooth", [&] { smooth<<<tiles, tile>>>(a.floats(), b.floats(), width, height); }, 11);
  a.writes(((size_t)width + 1) * 4, ((size_t)width * (height - 2) - 2) * 4);
  b.reads(4, ((size_t)width * height - 2) * 4);
  measure(
      "product_of_tiles",
      [&] {
        product_of_tiles<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(result.floats(), left.floats(),
                                                                 right.floats(), n);
      },
      7);
  measure(
      "product",
      [&] {
        product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(result.floats(), left.floats(),
                                                      right.floats(), n);
      },
      7);
  result.writes(0, (size_t)n * n * 4);
  left.reads(0, (size_t)n * n * 4);
  right.reads(0, (size_t)n * n * 4);
  measure(
      "gather",
      [&] { gather<<<(unsigned)((count + 255) / 256), 256>>>(a.floats(), c.floats(), at, count); },
      7);
  a.writes(0, bytes);
  index.reads(0, bytes);
  for (size_t i = 0; i < hit.size(); i++)
    if (hit[i]) c.reads(i * page, page);
  measure("histogram", [&] { histogram<<<132 * 8, 256>>>((unsigned *)bins.at, at, count); }, 7);
  index.reads(0, bytes);
  std::vector<char> used(4);
  for (unsigned value : host) used[(value & 4095) / 1024] = 1;
  for (size_t i = 0; i < used.size(); i++)
    if (used[i]) {
      bins.reads(i * page, page);
      bins.writes(i * page, page);
    }
  for (block *one : {&a, &b, &c, &index, &bins, &left, &right, &result}) one->end();
}
