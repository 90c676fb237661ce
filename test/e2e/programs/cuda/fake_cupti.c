/* fake_cupti.c - libcupti.so.13 for machines without a GPU: hands its subscriber to traced_cuda.c.
 * FAKE_CUPTI=taken: another tool has it; FAKE_CUPTI=broken: it cannot be used. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cupti_call;
typedef void (*listener)(void *data, int domain, uint32_t number, const struct cupti_call *call);

int cuptiSubscribe(void **subscriber, listener given, void *data) {
  const char *how = getenv("FAKE_CUPTI");
  listener *place = dlsym(RTLD_DEFAULT, "traced_listener");
  (void)data;
  if (how && !strcmp(how, "taken")) return 39; /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
  if (how || !place || *place) return 15;      /* CUPTI_ERROR_NOT_INITIALIZED */
  *place = given;
  *subscriber = place;
  return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t number) {
  unsigned char *enabled = dlsym(RTLD_DEFAULT, "traced_enabled");
  if (!subscriber || !enabled || domain != 1 || number >= 1024) return 1;
  enabled[number] = (unsigned char)enable;
  return 0;
}

int cuptiGetResultString(int result, const char **text) {
  *text = result == 15 ? "CUPTI_ERROR_NOT_INITIALIZED" : "another error";
  return 0;
}
