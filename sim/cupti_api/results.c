/* results.c - names of results, the version and the time. */
#include "cupti_api/cupti.h"

#include <time.h>

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
  *version = 130001; /* that of CUDA 13.0 */
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *nanoseconds) {
  struct timespec now;
  if (!nanoseconds) return CUPTI_ERROR_INVALID_PARAMETER;
  clock_gettime(CLOCK_REALTIME, &now);
  *nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  return CUPTI_SUCCESS;
}
