// Two devices and every kind of memory: each device has its own peak, pinned memory one for the
// host.
#include "../oracle/oracle.h"

static cudaStream_t stream;

__attribute__((noinline)) static char *on(int device, size_t bytes) {
  SCOPE("on");
  char *p;
  cudaSetDevice(device);
  ALLOC(p, bytes);
  return p;
}

static void pooled(int rounds) {
  SCOPE("pooled");
  for (int i = 0; i < rounds; i++) {
    char *p, *q;
    ALLOC_ASYNC(p, 8 * KIB, stream);
    ALLOC_ASYNC(q, 24 * KIB, stream);
    FREE_ASYNC(p, stream);
    FREE_ASYNC(q, stream);
  }
}

static void mixed() {
  SCOPE("mixed");
  char *host, *managed;
  ALLOC_PINNED(host, 512 * KIB);
  ALLOC_MANAGED(managed, 96 * KIB);
  FREE_PINNED(host);
  FREE(managed);
  ALLOC_PINNED(host, 128 * KIB); // leaks
}

int main() {
  SCOPE("main");
  cudaStreamCreate(&stream);
  char *a = on(0, 100 * KIB);
  char *b = on(1, 300 * KIB);
  char *c = on(0, 50 * KIB);
  FREE(a); // of device 0 while device 0 is current
  cudaSetDevice(1);
  FREE(c); // of device 0 while device 1 is current
  mixed();
  cudaSetDevice(0);
  pooled(5);
  char *d = on(1, 40 * KIB);
  FREE(b);
  (void)d;
  SUMMARY();
  return 0;
}
