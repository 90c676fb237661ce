/* cupti_count.c - counts what CUPTI says of the memory a program takes: the driver's own numbers.
 *
 *   CUDA_INJECTION64_PATH=.../libcupti_count.so CUPTI_COUNT_OUT=file.json ./program
 *
 * The driver loads the library at cuInit and calls InitializeInjection. CUPTI's MEMORY2 records
 * name every allocation and free of the process, also those of libraries with a CUDA runtime of
 * their own, and which shared object asked. At exit the tally is printed.
 */
#include "tally.h"

#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20 };

static size_t lost_records;

static int failed(CUptiResult result, const char *what) {
  const char *text = "?";
  if (result == CUPTI_SUCCESS) return 0;
  cuptiGetResultString(result, &text);
  fprintf(stderr, "cupti_count: %s: %s\n", what, text);
  return 1;
}

static enum tally_kind kind_of(const CUpti_ActivityMemory4 *r) {
  switch (r->memoryKind) {
  case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    return r->memoryPoolConfig.memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID
               ? TALLY_POOL
               : TALLY_DEVICE;
  case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
    return TALLY_PINNED;
  case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
    return TALLY_ARRAY;
  case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    return TALLY_MANAGED;
  case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
  case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
    return TALLY_STATIC;
  default:
    return TALLY_OTHER;
  }
}

/* CUPTI_COUNT_RECORDS=1 prints every record: the way to explain a difference. */
static void trace(const CUpti_ActivityMemory4 *r) {
  static int wanted = -1;
  if (wanted < 0) wanted = getenv("CUPTI_COUNT_RECORDS") != NULL;
  if (wanted)
    fprintf(stderr,
            "cupti %s kind=%d device=%u address=0x%llx bytes=%llu time=%llu async=%u pool=%d "
            "source=%s\n",
            r->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE ? "free"
                                                                                   : "alloc",
            (int)r->memoryKind, r->deviceId, (unsigned long long)r->address,
            (unsigned long long)r->bytes, (unsigned long long)r->timestamp, r->isAsync,
            (int)r->memoryPoolConfig.memoryPoolType, r->source ? r->source : "?");
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records) {
  *size = BUFFER_BYTES;
  *buffer = aligned_alloc(64, BUFFER_BYTES);
  *max_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                      size_t size, size_t valid) {
  CUpti_Activity *record = NULL;
  size_t dropped = 0;
  (void)size;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const CUpti_ActivityMemory4 *r = (const CUpti_ActivityMemory4 *)(const void *)record;
    if (record->kind != CUPTI_ACTIVITY_KIND_MEMORY2) continue;
    trace(r);
    tally_add(r->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, kind_of(r),
              (int)r->deviceId, r->address, r->bytes, r->source, r->timestamp);
  }
  if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
    __atomic_add_fetch(&lost_records, dropped, __ATOMIC_RELAXED);
  free(buffer);
}

static void at_exit(void) {
  failed(cuptiActivityFlushAll(1), "cuptiActivityFlushAll");
  tally_print("cupti", "CUPTI_COUNT_OUT", __atomic_load_n(&lost_records, __ATOMIC_RELAXED));
}

__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void) {
  if (failed(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed),
             "cuptiActivityRegisterCallbacks") ||
      failed(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMORY2), "cuptiActivityEnable MEMORY2"))
    return 1;
  failed(cuptiActivityEnableAllocationSource(1), "cuptiActivityEnableAllocationSource");
  atexit(at_exit);
  return 1;
}
