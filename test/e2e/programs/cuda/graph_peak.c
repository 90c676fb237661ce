/* A graph that has two blocks at once and frees both, launched twice. */
#include <cuda_runtime_api.h>

int main(void) {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t x;
  void *a, *b;
  int bad = cudaStreamCreate(&s);
  bad |= cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  bad |= cudaMallocAsync(&a, 1 << 20, s);
  bad |= cudaMallocAsync(&b, 2 << 20, s);
  bad |= cudaFreeAsync(a, s);
  bad |= cudaFreeAsync(b, s);
  bad |= cudaStreamEndCapture(s, &g);
  bad |= cudaGraphInstantiate(&x, g, 0);
  for (int i = 0; i < 2 && !bad; i++) {
    bad |= cudaGraphLaunch(x, s);
    bad |= cudaStreamSynchronize(s);
  }
  return bad;
}
