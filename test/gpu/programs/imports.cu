// Memory of another process: counted separately, once, however often it is opened.
#include "expect.h"
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

static int owner(int out, int done) {
  cudaIpcMemHandle_t handle;
  void *p;
  char go;
  CHECK(cudaMalloc(&p, 6 * MIB));
  CHECK(cudaIpcGetMemHandle(&handle, p));
  if (write(out, &handle, sizeof handle) != sizeof handle || read(done, &go, 1) != 1) return 5;
  CHECK(cudaFree(p));
  return 0;
}

int main() {
  int handles[2], done[2], status = 1;
  if (pipe(handles) || pipe(done)) return 6;
  pid_t child = fork(); // before CUDA begins in either
  if (child == 0) {
    setenv("GPUMEMPROF", "0", 1);
    _exit(owner(handles[1], done[0]));
  }
  expect e;
  cudaIpcMemHandle_t handle;
  if (read(handles[0], &handle, sizeof handle) != sizeof handle) return 7;
  void *p, *reopened, *own;
  CHECK(cudaMalloc(&own, 1 * MIB));
  CHECK(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle(&reopened, handle, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcCloseMemHandle(reopened));
  CHECK(cudaIpcCloseMemHandle(p));
  CHECK(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcCloseMemHandle(p));
  if (cudaIpcCloseMemHandle(own) == cudaSuccess) return 4;
  (void)cudaGetLastError();
  CHECK(cudaFree(own));
  if (write(done[1], "x", 1) != 1 || waitpid(child, &status, 0) != child || status) return 8;
  e.device(0, 1 * MIB, 1 * MIB, 1 * MIB);
  e.device(-2, 12 * MIB, 12 * MIB, 6 * MIB);
  return 0;
}
