/* entry.c - cuGetProcAddress: from a name of the documentation to the exported function.
 *
 * A name means the newest form of the function that the requested version has: cuMemAlloc is
 * cuMemAlloc_v2. The table below has the changes of forms after CUDA 4; earlier ones do not matter.
 */
#include "base/options.h"
#include "driver_api/cudrv.h"

#include <stdlib.h>
#include <string.h>

struct name {
  const char *name;
  void (*function)(void);
};

#define GPM_CU(symbol) extern void gpm_cu_##symbol(void) __asm__(#symbol);
#include "driver_api/names.def"

/* Sorted by name, as names.def is. */
static const struct name names[] = {
#define GPM_CU(symbol) {#symbol, gpm_cu_##symbol},
#include "driver_api/names.def"
};

/* `form` of `name` exists since `version`. */
static const struct {
  const char *name, *form;
  int version;
} forms[] = {
    {"cuCtxCreate", "_v4", 12050},
    {"cuCtxCreate", "_v3", 11040},
    {"cuDeviceGetUuid", "_v2", 11040},
    {"cuEventElapsedTime", "_v2", 12080},
    {"cuGetProcAddress", "_v2", 12000},
    {"cuMemAdvise", "_v2", 12020},
    {"cuMemPrefetchAsync", "_v2", 12020},
    {"cuStreamGetCaptureInfo", "_v3", 12030},
    {"cuStreamGetCaptureInfo", "_v2", 11030},
    {"cuStreamWaitValue32", "_v2", 11070},
    {"cuStreamWaitValue64", "_v2", 11070},
    {"cuStreamWriteValue32", "_v2", 11070},
    {"cuStreamWriteValue64", "_v2", 11070},
    {"cuCtxGetDevice", "_v2", 13000},
    {"cuCtxSynchronize", "_v2", 13000},
    {"cuGraphExecUpdate", "_v2", 12000},
    {"cuGraphAddNode", "_v2", 12030},
};

static int compare(const void *a, const void *b) {
  return strcmp(((const struct name *)a)->name, ((const struct name *)b)->name);
}

/* base + form + suffix; null: no such function. */
static void *find(const char *base, const char *form, const char *suffix) {
  char text[128];
  if (strlen(base) + strlen(form) + strlen(suffix) >= sizeof text) return NULL;
  strcat(strcat(strcpy(text, base), form), suffix);
  struct name key = {text, NULL};
  const struct name *found =
      bsearch(&key, names, sizeof names / sizeof names[0], sizeof names[0], compare);
  return found ? (void *)found->function : NULL;
}

/* The form with the given suffix that the version has. */
static void *pick(const char *base, int version, const char *suffix) {
  bool dated = false;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    if (strcmp(forms[i].name, base)) continue;
    dated = true;
    void *found = version >= forms[i].version ? find(base, forms[i].form, suffix) : NULL;
    if (found) return found;
  }
  void *second = dated && strcmp(base, "cuCtxCreate") ? NULL : find(base, "_v2", suffix);
  return second ? second : find(base, "", suffix);
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus) {
  GPM_CU_REQUIRE(symbol && pfn);
  void *found = NULL;
  if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) {
    found = pick(symbol, cudaVersion, "_ptsz");
    if (!found) found = pick(symbol, cudaVersion, "_ptds");
  }
  if (!found) found = pick(symbol, cudaVersion, "");
  *pfn = found;
  if (!symbolStatus) return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  *symbolStatus = found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

#undef cuGetProcAddress /* the older form has no status */
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}

CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId);

/* These are private tables of NVIDIA's own libraries. A program that needs one cannot run here, and
 * the message says why. */
CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId) {
  (void)ppExportTable, (void)pExportTableId;
  return (CUresult)gpm_sim_unsupported(
      "the private interface of a statically linked CUDA runtime (the program's: link with -cudart "
      "shared; cuBLAS and other libraries: they need a real device)");
}
