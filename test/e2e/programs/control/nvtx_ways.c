/* nvtx_ways.c - a program that is built in many ways: 1 KiB under no label, 2 under "main", 4 under
 * "main/part:library" and, with LIBRARY, as the library that has these. C, C++ and CUDA.
 */
#include "nvtx_client.h"

#include <cuda_runtime.h>
#include <string.h>

#ifdef __cplusplus
extern "C"
#endif
    void in_library(void (*work)(void));

#ifdef LIBRARY
void in_library(void (*work)(void)) {
  nvtxDomainHandle_t part = nvtxDomainCreateA("part");
  nvtxEventAttributes_t e;
  memset(&e, 0, sizeof e);
  e.version = NVTX_VERSION;
  e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  e.message.registered = nvtxDomainRegisterStringA(part, "library");
  nvtxDomainRangePushEx(part, &e);
  work();
  nvtxDomainRangePop(part);
#ifdef ITSELF
  void *p;
  cudaMalloc(&p, 16384);
#endif
}
#else

static void work(void) {
  void *p;
  cudaMalloc(&p, 4096);
}

int main(void) {
  void *p, *q;
  nvtxRangePushA("main");
  cudaMalloc(&p, 2048);
  in_library(work);
  nvtxRangePop();
  cudaMalloc(&q, 1024);
  return 0;
}
#endif
