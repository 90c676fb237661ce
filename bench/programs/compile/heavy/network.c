/* network.c - training state of a transformer in C: one array per tensor, sizes from a table,
 * buffers grown on demand, activations rebuilt when the batch changes. */
#include "bench_cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error_ = (call);                                                                   \
    if (error_) {                                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));              \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#define PARAMETERS 16
#define ACTIVATIONS 21

struct config {
  size_t layers, heads, channels, vocabulary, context;
};

struct network {
  struct config config;
  size_t parameter_size[PARAMETERS], activation_size[ACTIVATIONS];
  size_t parameters, activations;
  float *parameter[PARAMETERS], *gradient[PARAMETERS];
  float *moment1, *moment2;
  float *activation[ACTIVATIONS], *activation_gradient[3];
  int *inputs, *targets;
  float *losses, *host_losses;
  size_t batch, tokens;
};

void forward_kernels(struct network *n, size_t layer, cudaStream_t stream);
void backward_kernels(struct network *n, size_t layer, cudaStream_t stream);
void update_kernel(float *p, const float *g, float *m, float *v, size_t count, int step);

static void fill_parameter_sizes(struct network *n) {
  size_t c = n->config.channels, l = n->config.layers, v = n->config.vocabulary;
  const size_t sizes[PARAMETERS] = {v * c,
                                    n->config.context * c,
                                    l * c,
                                    l * c,
                                    l * 3 * c * c,
                                    l * 3 * c,
                                    l * c * c,
                                    l * c,
                                    l * c,
                                    l * c,
                                    l * 4 * c * c,
                                    l * 4 * c,
                                    l * c * 4 * c,
                                    l * c,
                                    c,
                                    c};
  memcpy(n->parameter_size, sizes, sizeof sizes);
  n->parameters = 0;
  for (int i = 0; i < PARAMETERS; i++) n->parameters += sizes[i];
}

static void fill_activation_sizes(struct network *n, size_t b, size_t t) {
  size_t c = n->config.channels, l = n->config.layers, h = n->config.heads,
         v = n->config.vocabulary;
  const size_t sizes[ACTIVATIONS] = {b * t * c,
                                     l * b * t * c,
                                     l * b * t,
                                     l * b * t,
                                     l * b * t * 3 * c,
                                     l * b * t * c,
                                     l * b * h * t * t,
                                     l * b * t * c,
                                     l * b * t * c,
                                     l * b * t * c,
                                     l * b * t,
                                     l * b * t,
                                     l * b * t * 4 * c,
                                     l * b * t * 4 * c,
                                     l * b * t * c,
                                     l * b * t * c,
                                     b * t * c,
                                     b * t,
                                     b * t,
                                     b * t * v,
                                     b * t};
  memcpy(n->activation_size, sizes, sizeof sizes);
  n->activations = 0;
  for (int i = 0; i < ACTIVATIONS; i++) n->activations += sizes[i];
}

static float *allocate_tensors(float **tensors, const size_t *sizes, int count, size_t total) {
  float *block;
  CHECK(cudaMalloc((void **)&block, total * sizeof(float)));
  float *at = block;
  for (int i = 0; i < count; i++) {
    tensors[i] = at;
    at += sizes[i];
  }
  return block;
}

static void initialise(struct network *n) {
  float *host = malloc(n->parameters * sizeof(float));
  uint32_t seed = 1;
  for (size_t i = 0; i < n->parameters; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = ((float)(seed >> 8) / 16777216.0f - 0.5f) * 0.04f;
  }
  CHECK(cudaMemcpy(n->parameter[0], host, n->parameters * sizeof(float), cudaMemcpyHostToDevice));
  free(host);
}

void network_create(struct network *n, const struct config *config) {
  memset(n, 0, sizeof *n);
  n->config = *config;
  fill_parameter_sizes(n);
  allocate_tensors(n->parameter, n->parameter_size, PARAMETERS, n->parameters);
  initialise(n);
}

static void grow(struct network *n, size_t batch, size_t tokens) {
  if (n->activation[0] && batch <= n->batch && tokens <= n->tokens) return;
  if (n->activation[0]) {
    CHECK(cudaFree(n->activation[0]));
    CHECK(cudaFree(n->inputs));
    CHECK(cudaFree(n->targets));
    CHECK(cudaFree(n->losses));
    CHECK(cudaFreeHost(n->host_losses));
  }
  n->batch = batch;
  n->tokens = tokens;
  fill_activation_sizes(n, batch, tokens);
  allocate_tensors(n->activation, n->activation_size, ACTIVATIONS, n->activations);
  CHECK(cudaMalloc((void **)&n->inputs, batch * tokens * sizeof(int)));
  CHECK(cudaMalloc((void **)&n->targets, batch * tokens * sizeof(int)));
  CHECK(cudaMalloc((void **)&n->losses, batch * tokens * sizeof(float)));
  CHECK(cudaMallocHost((void **)&n->host_losses, batch * tokens * sizeof(float)));
}

float network_forward(struct network *n, const int *inputs, const int *targets, size_t batch,
                      size_t tokens) {
  grow(n, batch, tokens);
  CHECK(cudaMemcpy(n->inputs, inputs, batch * tokens * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(n->targets, targets, batch * tokens * sizeof(int), cudaMemcpyHostToDevice));
  for (size_t layer = 0; layer < n->config.layers; layer++) forward_kernels(n, layer, NULL);
  CHECK(cudaMemcpy(n->host_losses, n->losses, batch * tokens * sizeof(float),
                   cudaMemcpyDeviceToHost));
  double sum = 0;
  for (size_t i = 0; i < batch * tokens; i++) sum += n->host_losses[i];
  return (float)(sum / (double)(batch * tokens));
}

static void lazy_gradients(struct network *n) {
  if (n->gradient[0]) return;
  allocate_tensors(n->gradient, n->parameter_size, PARAMETERS, n->parameters);
  const size_t c = n->config.channels, rows = n->batch * n->tokens;
  const size_t sizes[3] = {rows * 4 * c, n->batch * n->config.heads * n->tokens * n->tokens,
                           rows * c};
  for (int i = 0; i < 3; i++)
    CHECK(cudaMalloc((void **)&n->activation_gradient[i], sizes[i] * sizeof(float)));
}

void network_backward(struct network *n) {
  lazy_gradients(n);
  CHECK(cudaMemset(n->gradient[0], 0, n->parameters * sizeof(float)));
  for (size_t layer = n->config.layers; layer-- > 0;) backward_kernels(n, layer, NULL);
}

void network_update(struct network *n, int step) {
  if (!n->moment1) {
    CHECK(cudaMalloc((void **)&n->moment1, n->parameters * sizeof(float)));
    CHECK(cudaMalloc((void **)&n->moment2, n->parameters * sizeof(float)));
    CHECK(cudaMemset(n->moment1, 0, n->parameters * sizeof(float)));
    CHECK(cudaMemset(n->moment2, 0, n->parameters * sizeof(float)));
  }
  update_kernel(n->parameter[0], n->gradient[0], n->moment1, n->moment2, n->parameters, step);
}

void network_destroy(struct network *n) {
  CHECK(cudaFree(n->parameter[0]));
  CHECK(cudaFree(n->gradient[0]));
  for (int i = 0; i < 3; i++) CHECK(cudaFree(n->activation_gradient[i]));
  CHECK(cudaFree(n->moment1));
  CHECK(cudaFree(n->moment2));
  CHECK(cudaFree(n->activation[0]));
  CHECK(cudaFree(n->inputs));
  CHECK(cudaFree(n->targets));
  CHECK(cudaFree(n->losses));
  CHECK(cudaFreeHost(n->host_losses));
}
