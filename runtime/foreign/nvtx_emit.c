/* nvtx_emit.c - reports scopes and bytes to another tool through NVTX (option nvtx_emit=): the
 * runtime as a program that uses NVTX (nvtx.h), in its own domain, "gpumemprof".
 *
 *   scopes   an activation that opens pushes a range and pops it when it ends (shadow_stack.c),
 *            whichever way. Blocks, profiled functions and measured scopes open where they begin;
 *            other functions where memory first moves below them, or such a scope begins. A
 *            stack that leaves its thread (a fiber) takes its ranges along.
 *   bytes    a counter for each GPU: the live bytes there. The helper reads them every
 *            millisecond and reports a sample when they changed, so that events cost nothing.
 *
 * The tool is the library that NVTX_INJECTION64_PATH names. It is found as NVTX finds it, at the
 * first frame or event. Its functions are called directly, so the calls do not pass through nvtx.c
 * or the program's copies of NVTX. The thread is busy during such a call. A forked child reports
 * nothing, because threads that do not exist there may have held the tool's locks.
 */
#include "base/lock.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "capture/strings.h"
#include "foreign/nvtx.h"
#include "options/options.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define ROUND_NS 1000000u
#define COUNTED 64u        /* GPUs that have counters */
#define SLOTS_OF_TABLE 16u /* slots in a table of NVTX; all numbers are lower */

typedef void *(*create_domain)(const char *name);
typedef int (*push_in_domain)(void *domain, const struct gpm_nvtx_event *event);
typedef int (*pop_in_domain)(void *domain);
typedef uint64_t (*register_counter)(void *domain, const struct gpm_nvtx_counter *counter);
typedef void (*sample_counter)(void *domain, uint64_t counter, int64_t value);

/* The functions that the tool registered; null: it did not register one. */
static gpm_nvtx_function tool_core[SLOTS_OF_TABLE], tool_core2[SLOTS_OF_TABLE];
static intptr_t tool_counters[GPM_NVTX_COUNTERS_SLOTS];
static void *own_domain;
static push_in_domain tool_push;
static pop_in_domain tool_pop;
static struct { /* used only by the helper */
  bool known;
  uint64_t counter;
  uint64_t latest;
} counted[COUNTED];

/* ---- ranges -------------------------------------------------------------------------------------
 */

static const char *scope_name(const struct gpm_node *node) {
  gpm_lock_take(&gpm_tree_lock);
  const struct gpumemprof_capture_site *s = gpm_sites_record(node->record->site);
  const char *name = gpm_strings_keep(s->name ? s->name : s->function);
  gpm_lock_release(&gpm_tree_lock);
  return name;
}

void gpm_nvtx_emit_opened(const struct gpm_open *open) {
  const struct gpm_node *node = open->frame->node;
  if (!gpm_nvtx_emits(GPM_NVTX_SCOPES) || atomic_load(&gpm_exiting)) return;
  struct gpm_nvtx_event e = {.version = GPM_NVTX_VERSION,
                             .size = sizeof e,
                             .message_type = GPM_NVTX_TEXT,
                             .message.text = scope_name(node)};
  int saved = errno;
  tool_push(own_domain, &e);
  errno = saved;
}

void gpm_nvtx_emit_ended(void) {
  if (!gpm_nvtx_emits(GPM_NVTX_SCOPES) || atomic_load(&gpm_exiting)) return;
  int saved = errno;
  tool_pop(own_domain);
  errno = saved;
}

void gpm_nvtx_emit_switched(const struct gpm_thread *from, const struct gpm_thread *to) {
  if (from)
    for (const struct gpm_open *open = from->latest; open->frame; open--)
      if (open->record->flags & GPUMEMPROF_ACTIVATION_EMITTED) gpm_nvtx_emit_ended();
  const struct gpm_open *open = to ? to->latest : NULL;
  while (open && open->frame) open--; /* down to the bottom */
  while (open && open++ < to->latest)
    if (open->record->flags & GPUMEMPROF_ACTIVATION_EMITTED) gpm_nvtx_emit_opened(open);
}

/* ---- counters -----------------------------------------------------------------------------------
 */

static uint64_t make_counter(const struct gpm_device *device) {
  static const struct gpm_nvtx_semantics bytes = {.size = sizeof bytes,
                                                  .id = GPM_NVTX_OF_COUNTERS,
                                                  .version = GPM_NVTX_OF_COUNTERS_VERSION,
                                                  .flags = GPM_NVTX_ABSOLUTE | GPM_NVTX_UNTIL_NEXT,
                                                  .unit = "B",
                                                  .numerator = 1,
                                                  .denominator = 1};
  char name[64];
  size_t n = gpm_text_add(name, sizeof name, 0, "GPU ");
  n = gpm_text_add_number(name, sizeof name, n, (uint64_t)device->record->ordinal);
  gpm_text_add(name, sizeof name, n, " live bytes");
  struct gpm_nvtx_counter counter = {.size = sizeof counter,
                                     .schema = GPM_NVTX_INT64,
                                     .name = name,
                                     .description = "what the program allocated and has not freed",
                                     .scope = GPM_NVTX_OF_PROCESS,
                                     .semantics = &bytes};
  return ((register_counter)tool_counters[GPM_NVTX_CounterRegister])(own_domain, &counter);
}

uint64_t gpm_nvtx_emit_round(uint64_t now) {
  if (!gpm_nvtx_emits(GPM_NVTX_BYTES) || atomic_load(&gpm_exiting)) return UINT64_MAX;
  sample_counter sample = (sample_counter)tool_counters[GPM_NVTX_CounterSampleInt64];
  unsigned count = gpm_ledger_device_count();
  for (unsigned i = 1; i < count && i < COUNTED; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    if (gpm_is_not_gpu(device)) continue;
    uint64_t live = gpm_peek(&device->record->total);
    if (counted[i].known && counted[i].latest == live) continue;
    if (!counted[i].known) counted[i].counter = make_counter(device);
    counted[i].known = true;
    counted[i].latest = live;
    sample(own_domain, counted[i].counter, (int64_t)live);
  }
  return now + ROUND_NS;
}

void gpm_nvtx_emit_forked(void) {
  atomic_store(&gpm_nvtx_emitted, 0);
}

/* ---- finding the tool ---------------------------------------------------------------------------
 */

static int tool_module(int module, gpm_nvtx_function ***table, unsigned *count) {
  static gpm_nvtx_function *core[SLOTS_OF_TABLE], *core2[SLOTS_OF_TABLE];
  if (module != GPM_NVTX_CORE && module != GPM_NVTX_CORE2) return 0;
  for (unsigned i = 1; i < SLOTS_OF_TABLE; i++) {
    core[i] = &tool_core[i];
    core2[i] = &tool_core2[i];
  }
  *table = module == GPM_NVTX_CORE ? core : core2;
  *count = SLOTS_OF_TABLE;
  return 1;
}

static void tool_version(uint32_t version) {
  (void)version;
}

static const void *tool_export(uint32_t table) {
  static const struct gpm_nvtx_callbacks callbacks = {sizeof callbacks, tool_module};
  static const struct gpm_nvtx_version version = {sizeof version, GPM_NVTX_VERSION, 0,
                                                  tool_version};
  return table == GPM_NVTX_TABLE_CALLBACKS ? (const void *)&callbacks
         : table == GPM_NVTX_TABLE_VERSION ? (const void *)&version
                                           : NULL;
}

static bool has_counters(void *library) {
  typedef int (*initializer)(struct gpm_nvtx_extension *);
  initializer start = (initializer)dlsym(library, "InitializeInjectionNvtxExtension");
  static struct gpm_nvtx_segment segment = {0, GPM_NVTX_COUNTERS_SLOTS, tool_counters};
  static struct gpm_nvtx_extension counters = {.version = GPM_NVTX_VERSION,
                                               .size = sizeof counters,
                                               .module = GPM_NVTX_COUNTERS,
                                               .compatible = GPM_NVTX_COUNTERS_COMPATIBLE,
                                               .segments_count = 1,
                                               .segments = &segment};
  return start && start(&counters) && tool_counters[GPM_NVTX_CounterRegister] &&
         tool_counters[GPM_NVTX_CounterSampleInt64];
}

/* Returns which of the wanted kinds the tool listens to; 0 after a message. */
static unsigned connect_tool(const char *path, unsigned wanted) {
  typedef int (*initializer)(gpm_nvtx_export);
  void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
  initializer start = library ? (initializer)dlsym(library, "InitializeInjectionNvtx2") : NULL;
  if (!path || start == InitializeInjectionNvtx2) {
    gpm_text_say("nvtx_emit= does nothing: no other tool listens to NVTX (Nsight Systems sets "
                 "NVTX_INJECTION64_PATH for the program it starts)",
                 NULL);
    return 0;
  }
  if (!start || !start(tool_export)) {
    gpm_text_say("nvtx_emit= does nothing: the tool that NVTX_INJECTION64_PATH names cannot be "
                 "used: ",
                 path, NULL);
    return 0;
  }
  create_domain make = (create_domain)tool_core2[GPM_NVTX_DomainCreateA];
  own_domain = make ? make("gpumemprof") : NULL;
  tool_push = (push_in_domain)tool_core2[GPM_NVTX_DomainRangePushEx];
  tool_pop = (pop_in_domain)tool_core2[GPM_NVTX_DomainRangePop];
  unsigned found = own_domain && tool_push && tool_pop ? GPM_NVTX_SCOPES : 0;
  if (wanted & GPM_NVTX_BYTES && own_domain && has_counters(library)) found |= GPM_NVTX_BYTES;
  if ((found & wanted) != wanted)
    gpm_text_say("nvtx_emit=: the tool takes no ",
                 found & wanted ? found & GPM_NVTX_SCOPES ? "counters" : "ranges" : "part of it",
                 " in NVTX: ", path, NULL);
  return found & wanted;
}

void gpm_nvtx_emit_start(void) {
  static _Atomic bool started;
  const char *text = gpm_options.nvtx_emit;
  unsigned wanted = (strstr(text, "scopes") ? GPM_NVTX_SCOPES : 0u) |
                    (strstr(text, "bytes") ? GPM_NVTX_BYTES : 0u);
  if (!wanted || !gpm_recording() || atomic_exchange(&started, true)) return;
  int saved = errno;
  sigset_t held;
  gpm_signals_hold(&held); /* inherited by threads that the tool may start */
  unsigned found = connect_tool(gpm_options_variable("NVTX_INJECTION64_PATH"), wanted);
  atomic_store(&gpm_nvtx_emitted, found);
  gpm_signals_let_come(&held);
  errno = saved;
}
