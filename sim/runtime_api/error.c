/* error.c - cudaGetLastError and the names of errors. */
#include "base/errors.h"
#include "base/lock.h"
#include "runtime_api/cudart.h"

cudaError_t cudaGetLastError(void) {
  struct gpm_sim_thread *thread = gpm_sim_thread();
  int error = thread->last_error;
  thread->last_error = 0;
  return (cudaError_t)error;
}

cudaError_t cudaPeekAtLastError(void) {
  return (cudaError_t)gpm_sim_thread()->last_error;
}

const char *cudaGetErrorName(cudaError_t error) {
  const char *name = gpm_sim_error_name((int)error, true);
  return name ? name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const char *text = gpm_sim_error_text((int)error, true);
  return text ? text : "unrecognized error code";
}
