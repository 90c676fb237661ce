// Constructors and destructors that look as if they only handed on, and those that do.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <new>

struct V {
  int v = 0;
};
struct Node : virtual V {
  Node *next = nullptr;
  void *gpu;
  explicit Node(int depth) {
    if (depth) next = new Node(depth - 1);
    cudaMalloc(&gpu, 1000);
  }
  ~Node() {
    delete next;
    cudaFree(gpu);
  }
};
struct Leaf : Node {
  Leaf() : Node(1) {}
};
struct Buf {
  void *p;
  explicit Buf(int n) { cudaMalloc(&p, n); }
  ~Buf() { cudaFree(p); }
};
struct Plain {
  Buf w;
  explicit Plain(int n) : w(n) {}
  GPUMEMPROF_PROFILE ~Plain();
};
Plain::~Plain() {}
struct Owner {
  Buf *b;
  ~Owner() { b->~Buf(); }
};
struct Derived : Buf {
  explicit Derived(int n) : Buf(n) {}
  ~Derived();
};
Derived::~Derived() {} // an alias of ~Buf at -O2, so no level at -O0 either

int main() {
  {
    Leaf leaf;
  }
  for (int i = 0; i < 3; ++i) Plain plain(500);
  alignas(Buf) char room[sizeof(Buf)];
  {
    Owner owner{new (room) Buf(70)};
  }
  {
    Derived derived(8);
  }
  return 0;
}
