// edges.cu - finds edges in an image; the example of docs/guide/lower-the-peak.md.
//
// As many programs do, it allocates all that it needs at the beginning and frees it at the end. No
// two of its kernels need the same three buffers.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void blur(float *to, const float *from, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x + 1 >= width || y + 1 >= height) return;
  float sum = 0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) sum += from[(y + i) * width + x + j];
  to[y * width + x] = sum / 9;
}

__global__ void slope(float *to, const float *from, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + 1 >= width || y + 1 >= height) return;
  float right = from[y * width + x + 1] - from[y * width + x];
  float down = from[(y + 1) * width + x] - from[y * width + x];
  to[y * width + x] = right * right + down * down;
}

__global__ void threshold(float *to, const float *from, float least, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] > least;
}

static void find_edges(std::vector<float> &pixels, int width, int height) {
  int count = width * height;
  size_t bytes = sizeof(float) * count;
  dim3 block(16, 16), grid(width / 16 + 1, height / 16 + 1);
  float *image, *smooth, *slopes, *edges;
  cudaMalloc(&image, bytes);
  cudaMalloc(&smooth, bytes);
  cudaMalloc(&slopes, bytes);
  cudaMalloc(&edges, bytes);

  cudaMemcpy(image, pixels.data(), bytes, cudaMemcpyHostToDevice);
  blur<<<grid, block>>>(smooth, image, width, height);
  slope<<<grid, block>>>(slopes, smooth, width, height);
  threshold<<<count / 256 + 1, 256>>>(edges, slopes, 0.1f, count);
  cudaMemcpy(pixels.data(), edges, bytes, cudaMemcpyDeviceToHost);

  cudaFree(image);
  cudaFree(smooth);
  cudaFree(slopes);
  cudaFree(edges);
}

int main() {
  const int width = 4096, height = 4096;
  std::vector<float> pixels(width * height, 1);
  find_edges(pixels, width, height);
  std::printf("the first pixel is %g\n", pixels[0]);
}
