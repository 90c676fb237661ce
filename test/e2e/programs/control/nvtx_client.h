/* nvtx_client.h - a copy of NVTX as an object of a program has it, written after its binary
 * interface alone (nvtx3/nvtxDetail), for machines without the toolkit. With TOOLKIT the toolkit's.
 */
#ifndef NVTX_CLIENT_H
#define NVTX_CLIENT_H

#ifdef TOOLKIT
#include <nvtx3/nvToolsExt.h>
#else
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *nvtxDomainHandle_t, *nvtxStringHandle_t;
typedef uint64_t nvtxRangeId_t;
typedef union {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  uint64_t payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
enum {
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
};
enum { NVTX_NO_PUSH_POP_TRACKING = -2 };

typedef void (*nvtx_function)(void);
typedef int (*nvtx_initializer)(const void *(*)(uint32_t));
__attribute__((weak, visibility("hidden"))) nvtx_initializer InitializeInjectionNvtx2_fnptr;
static nvtx_function nvtx_core[16], nvtx_core2[16], *nvtx_core_places[17], *nvtx_core2_places[17];

static int nvtx_module(int module, nvtx_function ***table, unsigned *count) {
  if (module != 1 && module != 5) return 0;
  for (int i = 1; i < 16; i++) {
    nvtx_core_places[i] = &nvtx_core[i];
    nvtx_core2_places[i] = &nvtx_core2[i];
  }
  *table = module == 1 ? nvtx_core_places : nvtx_core2_places;
  *count = 16;
  return 1;
}
static void nvtx_set_tool(uint32_t version) {
  (void)version;
}
static const void *nvtx_export(uint32_t table) {
  static const struct {
    size_t size;
    int (*module)(int, nvtx_function ***, unsigned *);
  } callbacks = {sizeof callbacks, nvtx_module};
  static const struct {
    size_t size;
    uint32_t version, reserved;
    void (*set_tool)(uint32_t);
  } version = {sizeof version, 3, 0, nvtx_set_tool};
  return table == 1 ? (const void *)&callbacks : table == 3 ? (const void *)&version : NULL;
}
/* Called by several threads, one of which has finished before the others began. */
static nvtx_function nvtx_find(nvtx_function *table, int number) {
  static int searched;
  if (!searched) {
    searched = 1;
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    nvtx_initializer found = InitializeInjectionNvtx2_fnptr;
    if (path) found = library ? (nvtx_initializer)dlsym(library, "InitializeInjectionNvtx2") : NULL;
    if ((!found || !found(nvtx_export)) && library) dlclose(library);
  }
  return table[number];
}
#define NVTX_CALL(table, number, type, nothing, name, parameters, types, arguments)                \
  static inline __attribute__((unused)) type name parameters {                                     \
    nvtx_function f = nvtx_find(table, number);                                                    \
    return f ? ((type(*) types)f)arguments : nothing;                                              \
  }
#define NVTX_ONE(table, number, type, nothing, name, one)                                          \
  NVTX_CALL(table, number, type, nothing, name, (one a), (one), (a))
#define NVTX_TWO(table, number, type, nothing, name, one, two)                                     \
  NVTX_CALL(table, number, type, nothing, name, (one a, two b), (one, two), (a, b))
NVTX_ONE(nvtx_core, 5, nvtxRangeId_t, 0, nvtxRangeStartA, const char *)
NVTX_ONE(nvtx_core, 8, int, -2, nvtxRangePushEx, const nvtxEventAttributes_t *)
NVTX_ONE(nvtx_core, 9, int, -2, nvtxRangePushA, const char *)
NVTX_ONE(nvtx_core, 10, int, -2, nvtxRangePushW, const wchar_t *)
NVTX_CALL(nvtx_core, 11, int, -2, nvtxRangePop, (void), (void), ())
NVTX_TWO(nvtx_core2, 2, nvtxRangeId_t, 0, nvtxDomainRangeStartEx, nvtxDomainHandle_t,
         const nvtxEventAttributes_t *)
NVTX_TWO(nvtx_core2, 4, int, -2, nvtxDomainRangePushEx, nvtxDomainHandle_t,
         const nvtxEventAttributes_t *)
NVTX_ONE(nvtx_core2, 5, int, -2, nvtxDomainRangePop, nvtxDomainHandle_t)
NVTX_TWO(nvtx_core2, 10, nvtxStringHandle_t, NULL, nvtxDomainRegisterStringA, nvtxDomainHandle_t,
         const char *)
NVTX_TWO(nvtx_core2, 11, nvtxStringHandle_t, NULL, nvtxDomainRegisterStringW, nvtxDomainHandle_t,
         const wchar_t *)
NVTX_ONE(nvtx_core2, 12, nvtxDomainHandle_t, NULL, nvtxDomainCreateA, const char *)
NVTX_ONE(nvtx_core2, 13, nvtxDomainHandle_t, NULL, nvtxDomainCreateW, const wchar_t *)

#ifdef __cplusplus
}
#endif
#endif /* TOOLKIT */
#endif
