// One program for every way to compile and link: scopes of all sorts, exceptions, threads one after
// the other, pinned memory, a peak and a leak. The same figures whatever the compiler and linker
// do.
//   main: layer<float> 256 KiB, layer<char> 64 KiB; 3 steps of 32 KiB + a failing one of 128 KiB;
//   workers: 16 KiB each, handed to main; pinned 8 KiB. Peak 448 KiB in fails; 64 KiB leak.
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cpp_exceptions
#define TRY try
#define CATCH(declaration) catch (declaration)
#define THROW(value) throw value
#else
#define TRY
#define CATCH(declaration) if (false)
#define THROW(value) return
#endif

template <class T> static T *layer(size_t n) {
  T *p;
  if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) abort();
  return p;
}

struct Buffer {
  char *p = nullptr;
  explicit Buffer(size_t bytes) { cudaMalloc(&p, bytes); }
  ~Buffer() { cudaFree(p); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
};

__attribute__((noinline)) static void fails(size_t bytes) {
  Buffer large(bytes);
  Buffer small(bytes / 128);
  THROW(bytes);
}

static int steps(int n) {
  int caught = 0;
  for (int i = 0; i < n; i++) {
    Buffer scratch(32 << 10);
    char local[256]; // on the fake stack of AddressSanitizer
    snprintf(local, sizeof local, "step %d", i);
    TRY {
      if (local[5] == '1') fails(128 << 10);
    }
    CATCH(size_t) {
      caught++;
    }
  }
  return caught;
}

static char *handed;

static void *worker(void *argument) {
  auto made = [](size_t bytes) {
    char *p;
    cudaMallocAsync(&p, bytes, nullptr);
    return p;
  };
  char *mine = made(*static_cast<size_t *>(argument));
  cudaFree(handed); // what the thread before allocated
  handed = mine;
  return nullptr;
}

int main() {
  float *weights = layer<float>(64 << 10);
  char *leaked = layer<char>(64 << 10);
  int caught = steps(3);
  void *pinned;
  cudaMallocHost(&pinned, 8 << 10);
  for (size_t i = 0; i < 4; i++) {
    size_t bytes = (16 + i) << 10;
    pthread_t thread;
    pthread_create(&thread, nullptr, worker, &bytes);
    pthread_join(thread, nullptr);
  }
  cudaFreeAsync(handed, nullptr);
  cudaFreeHost(pinned);
  cudaFree(weights);
  printf("done %d\n", caught + !leaked);
  return 0;
}
