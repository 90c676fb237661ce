/* nvtx.h - the part of NVTX's interface to tools that nvtx.c and nvtx_emit.c need.
 *
 * NVTX (version 3) is a header-only library: each object of a program has its own copy, which calls
 * through tables of function pointers that a tool fills. No header of CUDA is included: these
 * declarations repeat nvtx3/nvtxDetail/nvtxTypes.h and nvToolsExt.h of CUDA 13.0, which NVIDIA
 * keeps compatible so that old tools work with new programs. test/e2e/control/nvtx.py compares them
 * with the toolkit's.
 */
#ifndef GPM_NVTX_H
#define GPM_NVTX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* NvtxExportTableID and the two tables. */
enum { GPM_NVTX_TABLE_CALLBACKS = 1, GPM_NVTX_TABLE_VERSION = 3 };
typedef const void *(*gpm_nvtx_export)(uint32_t table);
typedef void (*gpm_nvtx_function)(void);
struct gpm_nvtx_callbacks { /* NvtxExportTableCallbacks */
  size_t size;
  /* Returns 1 and an array of `count` pointers to functions by number; 0: there is no such
   * module. */
  int (*module)(int module, gpm_nvtx_function ***table, unsigned *count);
};
struct gpm_nvtx_version { /* NvtxExportTableVersionInfo */
  size_t size;
  uint32_t version, reserved;
  void (*set_tool)(uint32_t version);
};
enum { GPM_NVTX_VERSION = 3 };

/* The used values of NvtxCallbackModule, NvtxCallbackIdCore and NvtxCallbackIdCore2. */
enum { GPM_NVTX_CORE = 1, GPM_NVTX_CORE2 = 5 };
enum {
  GPM_NVTX_RangeStartEx = 4,
  GPM_NVTX_RangeStartA = 5,
  GPM_NVTX_RangeStartW = 6,
  GPM_NVTX_RangePushEx = 8,
  GPM_NVTX_RangePushA = 9,
  GPM_NVTX_RangePushW = 10,
  GPM_NVTX_RangePop = 11
};
enum {
  GPM_NVTX_DomainRangeStartEx = 2,
  GPM_NVTX_DomainRangePushEx = 4,
  GPM_NVTX_DomainRangePop = 5,
  GPM_NVTX_DomainRegisterStringA = 10,
  GPM_NVTX_DomainRegisterStringW = 11,
  GPM_NVTX_DomainCreateA = 12,
  GPM_NVTX_DomainCreateW = 13
};

#define GPM_NVTX_NO_TRACKING (-2) /* what push and pop return without a tool */

/* nvtxMessageType_t */
enum { GPM_NVTX_TEXT = 1, GPM_NVTX_WIDE_TEXT = 2, GPM_NVTX_REGISTERED = 3 };
struct gpm_nvtx_event { /* nvtxEventAttributes_t */
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  union {
    const char *text;
    const wchar_t *wide;
    const void *registered; /* what the tool returned for it */
  } message;
};
_Static_assert(sizeof(struct gpm_nvtx_event) == 48, "as nvtxEventAttributes_v2");

/* ---- nvtx.c: the runtime is a tool, too ---------------------------------------------------------
 */
__attribute__((weak, visibility("default"))) int InitializeInjectionNvtx2(gpm_nvtx_export export);

/* ---- counters: an extension (nvToolsExtCounters.h, nvtxDetail/nvtxExtTypes.h) -------------------
 */
struct gpm_nvtx_segment { /* nvtxExtModuleSegment_t */
  size_t id, count;
  intptr_t *functions;
};
struct gpm_nvtx_extension { /* nvtxExtModuleInfo_t */
  uint16_t version, size, module, compatible;
  size_t segments_count;
  struct gpm_nvtx_segment *segments;
  intptr_t (*export)(uint32_t);
  const void *more;
};
enum { GPM_NVTX_COUNTERS = 4, GPM_NVTX_COUNTERS_COMPATIBLE = 0x0102, GPM_NVTX_COUNTERS_SLOTS = 63 };
enum { GPM_NVTX_CounterRegister = 0, GPM_NVTX_CounterSampleInt64 = 1 };
struct gpm_nvtx_semantics { /* nvtxSemanticsCounter_t */
  uint32_t size;
  uint16_t id, version;
  const void *next;
  uint64_t flags;
  const char *unit;
  uint64_t numerator, denominator;
  int64_t limit_type;
  int64_t least, most;
};
struct gpm_nvtx_counter { /* nvtxCounterAttr_t */
  size_t size;
  uint64_t schema;
  const char *name, *description;
  uint64_t scope;
  const struct gpm_nvtx_semantics *semantics;
  uint64_t id;
};
enum { GPM_NVTX_INT64 = 17, GPM_NVTX_OF_PROCESS = 21 };
enum { GPM_NVTX_OF_COUNTERS = 5, GPM_NVTX_OF_COUNTERS_VERSION = 2 };
enum { GPM_NVTX_ABSOLUTE = 1 << 4, GPM_NVTX_UNTIL_NEXT = 3 << 8 };

/* ---- nvtx_emit.c: reports to another tool -------------------------------------------------------
 */
struct gpm_open;
struct gpm_thread;
void gpm_nvtx_emit_start(void); /* once; by a thread that is not busy */
void gpm_nvtx_emit_forked(void);
uint64_t gpm_nvtx_emit_round(uint64_t now); /* a task of the helper (helper.h) */

#endif /* GPM_NVTX_H */
