/* raw_log.h - the peer of history=all: each event as a record of 32 bytes, a time stamp in it, into
 * a buffer of 1 MiB that write() empties into the file that RAW_LOG names. Included by a program
 * whose calls of cudaMalloc and cudaFree it then sees. */
#ifndef BENCH_RAW_LOG_H
#define BENCH_RAW_LOG_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

struct raw_record {
  uint64_t ticks, address, bytes, line; /* bytes 0: a free */
};
#define RAW_RECORDS ((1u << 20) / sizeof(struct raw_record))
static struct raw_record raw_buffer[RAW_RECORDS];
static uint32_t raw_used;
static int raw_file = -1;

static __attribute__((noinline)) void raw_write(void) {
  const char *path = getenv("RAW_LOG");
  if (raw_file < 0) raw_file = open(path ? path : "raw.log", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  size_t bytes = raw_used * sizeof *raw_buffer;
  if (raw_file < 0 || write(raw_file, raw_buffer, bytes) != (ssize_t)bytes) abort();
  raw_used = 0;
}

static inline void raw_event(const void *p, uint64_t bytes, uint64_t line) {
#if defined(__x86_64__)
  uint64_t ticks = __builtin_ia32_rdtsc();
#else
  uint64_t ticks = __builtin_readcyclecounter();
#endif
  raw_buffer[raw_used] = (struct raw_record){ticks, (uint64_t)(uintptr_t)p, bytes, line};
  if (++raw_used == RAW_RECORDS) raw_write();
}

static inline int raw_malloc(void **p, uint64_t bytes, uint64_t line) {
  int error = cudaMalloc(p, bytes);
  if (!error) raw_event(*p, bytes, line);
  return error;
}

static inline int raw_free(void *p, uint64_t line) {
  raw_event(p, 0, line);
  return cudaFree(p);
}

#define cudaMalloc(p, bytes) raw_malloc(p, bytes, __LINE__)
#define cudaFree(p) raw_free(p, __LINE__)

#endif /* BENCH_RAW_LOG_H */
