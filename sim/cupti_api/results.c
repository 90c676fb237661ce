/* results.c - names of results, the version and the time. */
#include "cupti_api/cupti.h"

#include <time.h>

#ifndef GPM_CUPTI_VERSION /* cuda12.h */
#define GPM_CUPTI_VERSION 130001
#endif

CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
  static const struct {
    CUptiResult result;
    const char *text;
  } names[] = {
#define GPM_CUPTI_RESULT(name, number) {name, #name},
#include "cupti_api/results.def"
  };
  if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
  *text = "<unknown>";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].result == result) *text = names[i].text;
  return **text == '<' ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiGetVersion(uint32_t *version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = GPM_CUPTI_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *nanoseconds) {
  struct timespec now;
  if (!nanoseconds) return CUPTI_ERROR_INVALID_PARAMETER;
  clock_gettime(CLOCK_REALTIME, &now);
  *nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  return CUPTI_SUCCESS;
}
