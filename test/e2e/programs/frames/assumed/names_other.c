#include "parts.h"
#include <grow.h>
#include <stdlib.h>
void *mtx_create(size_t n) {
  return take(n);
}
void *cnd_create(size_t n) {
  return take(n);
}
void *sem_create(size_t n) {
  return take(n);
}
void *omp_create(size_t n) {
  return take(n);
}
void *nvtxCreate(size_t n) {
  return take(n);
}
void *pthread_mutex_pool(size_t n) {
  return take(n);
}
void *__printf_buffer(size_t n) {
  return take(n);
}
void *leaf_one(size_t n) {
  return take(n);
}
void *pure_one(size_t n) {
  return take(n);
}
void *const_one(size_t n) {
  return take(n);
}
int cuGrowBuffer(unsigned long n) {
  return take(n) == 0;
}
int cudaGrowBuffer(unsigned long n) {
  return take(n) == 0;
}
void dies(size_t n) {
  take(n);
  exit(0);
}
void ends_too(size_t n) {
  take(n);
  exit(0);
}
