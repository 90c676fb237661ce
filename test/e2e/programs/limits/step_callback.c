/* What a step left is freed by the callback that gpumemprof_step calls: after the second step and
 * the fourth, which left more than those before them. */
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

static void *left;

static void *take(size_t bytes) {
  void *p = NULL;
  cudaMalloc(&p, bytes);
  return p;
}

static void drop(const struct gpumemprof_growth *growth, void *data) {
  (void)growth, (void)data;
  cudaFree(left);
  left = NULL;
}

int main(void) {
  gpumemprof_on_growth(1, drop, NULL);
  gpumemprof_step();
  for (int i = 0; i < 3; i++) {
    left = take(4096);
    gpumemprof_step();
  }
  return left != NULL;
}
