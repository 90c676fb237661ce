// init and vars allocate for their callers as far as their own code says, but lat fills two
// members, so it is no wrapper, and no memory passes through the calls of the others.
#include <cuda_runtime.h>

struct Lattice {
  float *a, *b;
};
struct Variables {
  Lattice first, second;
};
struct Simulation {
  Variables device;
};
static void lat(Lattice *l, size_t n) {
  cudaMalloc((void **)&l->a, n);
  cudaMalloc((void **)&l->b, n);
}
static void vars(Variables *v, size_t n) {
  lat(&v->first, n);
  lat(&v->second, n);
}
static void init(Simulation *s, size_t n) {
  vars(&s->device, n);
}
static void *take(size_t n) {
  void *p = nullptr;
  cudaMalloc(&p, n);
  return p;
}

int main() {
  Simulation s;
  init(&s, 1 << 20);
  return take(1) == nullptr;
}
