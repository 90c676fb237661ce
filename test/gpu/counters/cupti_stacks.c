/* cupti_stacks.c - which addresses of the program asked for how much memory, by CUPTI's callbacks
 * and glibc's backtrace(): what not_rebuilt.py compares reports of programs that were not rebuilt
 * with. It shares no code with the profiler on purpose.
 *
 *   CUDA_INJECTION64_PATH=.../libcupti_stacks.so CUPTI_STACKS_OUT=file ./program
 *
 * At exit it writes a line for each allocation that succeeded: its bytes, and the return addresses
 * that lie in the program itself, innermost first, as ELF addresses.
 */
#define _GNU_SOURCE
#include <cupti.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static uintptr_t begin, end, bias;

/* The program comes first. */
static int find_program(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  bias = info->dlpi_addr;
  begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD) continue;
    if (bias + p->p_vaddr < begin) begin = bias + p->p_vaddr;
    if (bias + p->p_vaddr + p->p_memsz > end) end = bias + p->p_vaddr + p->p_memsz;
  }
  return 1;
}

static size_t pitched_bytes(const cuMemAllocPitch_v2_params *a) {
  return *a->pPitch * a->Height;
}

static size_t bytes_of(CUpti_CallbackId number, const void *parameters) {
  switch (number) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2:
    return ((const cuMemAlloc_v2_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2:
    return pitched_bytes(parameters);
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged:
    return ((const cuMemAllocManaged_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2:
    return ((const cuMemAllocHost_v2_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc:
    return ((const cuMemHostAlloc_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2:
    return ((const cuMemHostRegister_v2_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    return ((const cuMemAllocAsync_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz:
    return ((const cuMemAllocAsync_ptsz_params *)parameters)->bytesize;
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    return ((const cuMemAllocFromPoolAsync_params *)parameters)->bytesize;
  default:
    return 0;
  }
}

static void CUPTIAPI on_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId number,
                             const void *record) {
  const CUpti_CallbackData *call = record;
  (void)data, (void)domain;
  if (call->callbackSite != CUPTI_API_EXIT || *(const int *)call->functionReturnValue) return;
  size_t bytes = bytes_of(number, call->functionParams);
  void *stack[MOST];
  int count = bytes ? backtrace(stack, MOST) : 0;
  pthread_mutex_lock(&lock);
  if (count) fprintf(out, "%zu", bytes);
  for (int i = 0; i < count; i++)
    if ((uintptr_t)stack[i] >= begin && (uintptr_t)stack[i] < end)
      fprintf(out, " %lx", (unsigned long)((uintptr_t)stack[i] - bias));
  if (count) fprintf(out, "\n");
  pthread_mutex_unlock(&lock);
}

static void at_exit(void) {
  pthread_mutex_lock(&lock);
  fflush(out);
}

__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void) {
  CUpti_SubscriberHandle subscriber;
  const char *path = getenv("CUPTI_STACKS_OUT");
  dl_iterate_phdr(find_program, NULL);
  out = path ? fopen(path, "w") : NULL;
  if (!out || cuptiSubscribe(&subscriber, on_call, NULL) != CUPTI_SUCCESS) return 0;
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  atexit(at_exit);
  return 1;
}
