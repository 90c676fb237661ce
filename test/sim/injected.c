/* injected.c - a library for CUDA_INJECTION64_PATH: counts how often it is started, calls CUDA
 * while it is, and returns 0, which has no effect.
 */
#include <cuda.h>

int InitializeInjection(void);
int injected_count(void);
int injected_devices(void);

static int count, devices;

int InitializeInjection(void) {
  count++;
  if (cuInit(0) || cuDeviceGetCount(&devices)) devices = -1;
  return 0;
}

int injected_count(void) {
  return count;
}

int injected_devices(void) {
  return devices;
}
