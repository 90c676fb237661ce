// train.cu - trains a small fully connected network; the example of README.md and scripts/demo.sh.
//
// It has what reports are about: long-lived buffers of several owners, a workspace that makes the
// peak, a scope of the program's own, and a leak. Compiled as CUDA it has kernels; compiled as C++
// (-x c++, with the simulator's headers) it makes the same allocations and computes nothing.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpumemprof/gpumemprof.h"

#ifdef __CUDACC__
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void update(float *w, float *v, const float *g, size_t n) {
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= 0.01f * (v[i] = 0.9f * v[i] + g[i]);
}
#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#else
template <typename... Arguments> static void nothing(Arguments...) {}
#define LAUNCH(kernel, grid, block, ...) nothing(grid, block, __VA_ARGS__)
#endif

struct Layer {
  int inputs, outputs;
  float *weight, *gradient, *momentum;
  float *activation; // of one batch; kept from forward to backward
};

static float *zeros(size_t count) {
  float *p;
  if (cudaMalloc(&p, count * sizeof(float)) != cudaSuccess) {
    std::fprintf(stderr, "train: out of GPU memory\n");
    std::exit(1);
  }
  cudaMemset(p, 0, count * sizeof(float));
  return p;
}

static Layer make_layer(int inputs, int outputs) {
  Layer layer = {inputs, outputs, nullptr, nullptr, nullptr, nullptr};
  size_t parameters = static_cast<size_t>(inputs) * outputs;
  layer.weight = zeros(parameters);
  layer.gradient = zeros(parameters);
  layer.momentum = zeros(parameters);
  return layer;
}

static void forward(std::vector<Layer> &layers, const float *input, int batch) {
  for (Layer &layer : layers) {
    layer.activation = zeros(static_cast<size_t>(batch) * layer.outputs);
    LAUNCH(multiply, dim3(layer.outputs / 16 + 1, batch / 16 + 1), dim3(16, 16), input,
           layer.weight, layer.activation, batch, layer.outputs, layer.inputs);
    input = layer.activation;
  }
}

static void backward(std::vector<Layer> &layers, int batch) {
  float *delta = zeros(static_cast<size_t>(batch) * layers.back().outputs);
  for (size_t i = layers.size(); i-- > 0;) {
    Layer &layer = layers[i];
    float *workspace =
        zeros(static_cast<size_t>(layer.inputs) * batch * 4); // transposed inputs, tiled
    float *next = zeros(static_cast<size_t>(batch) * layer.inputs);
    LAUNCH(multiply, dim3(layer.outputs / 16 + 1, layer.inputs / 16 + 1), dim3(16, 16), workspace,
           delta, layer.gradient, layer.inputs, layer.outputs, batch);
    cudaFree(workspace);
    cudaFree(delta);
    cudaFree(layer.activation);
    delta = next;
  }
  cudaFree(delta);
}

static void step(std::vector<Layer> &layers) {
  for (Layer &layer : layers) {
    size_t n = static_cast<size_t>(layer.inputs) * layer.outputs;
    LAUNCH(update, static_cast<unsigned>(n / 256 + 1), 256, layer.weight, layer.momentum,
           layer.gradient, n);
  }
}

static float evaluate(std::vector<Layer> &layers, const float *input, int batch) {
  forward(layers, input, batch);
  float *logits = layers.back().activation, first = 0; // never freed: this is the leak
  for (size_t i = 0; i + 1 < layers.size(); i++) cudaFree(layers[i].activation);
  cudaMemcpy(&first, logits, sizeof first, cudaMemcpyDeviceToHost);
  return first;
}

int main() {
  const int batch = 2048, width = 4096, classes = 1000;
  std::vector<Layer> layers;
  layers.push_back(make_layer(1024, width));
  layers.push_back(make_layer(width, width));
  layers.push_back(make_layer(width, classes));

  float *host, *input = zeros(static_cast<size_t>(batch) * 1024);
  cudaMallocHost(&host, sizeof(float) * batch * 1024);
  for (int epoch = 0; epoch < 4; epoch++) {
    GPUMEMPROF_SCOPE("epoch");
    for (int i = 0; i < 8; i++) {
      cudaMemcpy(input, host, sizeof(float) * batch * 1024, cudaMemcpyHostToDevice);
      forward(layers, input, batch);
      backward(layers, batch);
      step(layers);
    }
    std::printf("epoch %d: %g\n", epoch, evaluate(layers, input, batch));
  }

  cudaFreeHost(host);
  cudaFree(input);
  for (Layer &layer : layers) {
    cudaFree(layer.weight);
    cudaFree(layer.gradient);
    cudaFree(layer.momentum);
  }
  return 0;
}
