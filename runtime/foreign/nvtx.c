/* nvtx.c - records the program's NVTX ranges as labels (labels.c): the runtime as a tool of NVTX
 * (nvtx.h).
 *
 * An object's copy of NVTX looks for a tool at its first call: in the library that the environment
 * variable NVTX_INJECTION64_PATH names, else in a weak variable of the object itself, whose address
 * compiled code passes to the runtime when the object registers. So another tool (Nsight Systems)
 * has priority and works unchanged. The ranges of a library that was not rebuilt are recorded if
 * the environment variable names libgpumemprof.so, as `gpumemprof run` arranges. If nothing is
 * recorded, the runtime answers NVTX that there is no tool, and NVTX makes its calls return
 * immediately.
 *
 * Each domain owns the ranges that are pushed in it, and pops only those. The labels of a domain
 * with a name are "name:text", as in Nsight Systems. Ranges of nvtxRangeStart belong to no thread
 * and may overlap, so they get numbers but no labels. NVTX marks get no labels either.
 */
#include "foreign/nvtx.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/stay.h"
#include "base/text.h"
#include "options/options.h"
#include "records/labels.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define TEXT_ROOM 1004u /* a label has up to 1000 bytes */

struct nvtx_domain { /* never freed, because threads may have open ranges of it */
  unsigned owner;    /* of its labels, or NOT_FOLLOWED */
  char name[];
};
enum { DEFAULT_DOMAIN = GPM_LABELS_OF_NVTX, NOT_FOLLOWED = GPM_LABELS_OF_KOKKOS };
static _Atomic unsigned next_domain = DEFAULT_DOMAIN + 1;
static struct nvtx_domain no_domain = {.owner = NOT_FOLLOWED};

static unsigned domain_owner(const struct nvtx_domain *domain) {
  return domain ? domain->owner : DEFAULT_DOMAIN;
}

/* ---- texts --------------------------------------------------------------------------------------
 */

static size_t put_code_point(char *to, uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd; /* no character */
  if (c < 0x80) return to[0] = (char)c, 1;
  size_t tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  to[0] = (char)(0xff00u >> (tail + 1) | c >> (6 * tail));
  for (size_t i = 1; i <= tail; i++) to[i] = (char)(0x80 | (c >> (6 * (tail - i)) & 0x3f));
  return tail + 1;
}

/* Converts as much of the text as there is room for; on Linux a wide character is a code point. */
static void put_wide(char *to, size_t room, const wchar_t *text) {
  _Static_assert(sizeof(wchar_t) == 4, "a code point");
  size_t n = 0;
  for (; text && *text && n + 5 <= room; text++) n += put_code_point(to + n, (uint32_t)*text);
  to[n] = 0;
}

/* Writes "name:" and returns where the text begins. */
static size_t put_domain(char *to, const struct nvtx_domain *domain) {
  if (!domain || !*domain->name) return 0;
  size_t n = gpm_text_add(to, TEXT_ROOM, 0, domain->name);
  return gpm_text_add(to, TEXT_ROOM, n, ":");
}

static const char *text_under(char *to, const struct nvtx_domain *domain, const char *text) {
  gpm_text_add(to, TEXT_ROOM, put_domain(to, domain), text && *text ? text : "(unnamed)");
  return to;
}

static const char *wide_text_under(char *to, const struct nvtx_domain *domain,
                                   const wchar_t *text) {
  char narrow[TEXT_ROOM];
  put_wide(narrow, sizeof narrow, text);
  return text_under(to, domain, narrow);
}

static const char *event_text(char *to, const struct nvtx_domain *domain,
                              const struct gpm_nvtx_event *event) {
  if (!event || event->size < sizeof *event) return text_under(to, domain, NULL);
  switch (event->message_type) {
  case GPM_NVTX_TEXT:
    return text_under(to, domain, event->message.text);
  case GPM_NVTX_WIDE_TEXT:
    return wide_text_under(to, domain, event->message.wide);
  case GPM_NVTX_REGISTERED: /* includes its domain's name */
    if (event->message.registered) return gpm_labels_own(event->message.registered);
    return text_under(to, domain, NULL);
  default:
    return text_under(to, domain, NULL);
  }
}

/* ---- ranges -------------------------------------------------------------------------------------
 */

/* Returns the level of the new range, from 0. */
static int push_range(const struct nvtx_domain *domain, const char *text) {
  unsigned owner = domain_owner(domain);
  bool followed = owner != NOT_FOLLOWED && gpm_options.nvtx;
  int count = followed ? gpm_labels_range_push(owner, text) : GPM_RANGE_IGNORED;
  return count == GPM_RANGE_IGNORED ? GPM_NVTX_NO_TRACKING : count - 1;
}

/* Returns the level of the range that ends; -1: there was none. */
static int on_domain_pop(struct nvtx_domain *domain) {
  unsigned owner = domain_owner(domain);
  bool followed = owner != NOT_FOLLOWED && gpm_options.nvtx;
  int left = followed ? gpm_labels_range_pop(owner) : GPM_RANGE_IGNORED;
  return left == GPM_RANGE_IGNORED ? GPM_NVTX_NO_TRACKING : left;
}

static int on_pop(void) {
  return on_domain_pop(NULL);
}

static int on_domain_push(struct nvtx_domain *domain, const struct gpm_nvtx_event *event) {
  char text[TEXT_ROOM];
  return push_range(domain, event_text(text, domain, event));
}

static int on_push_event(const struct gpm_nvtx_event *event) {
  return on_domain_push(NULL, event);
}

static int on_push(const char *text) {
  return push_range(NULL, text); /* labels.c gives it a name if it has no text */
}

static int on_push_wide(const wchar_t *wide) {
  char text[TEXT_ROOM];
  return push_range(NULL, wide_text_under(text, NULL, wide));
}

static uint64_t number_of_range(void) {
  static _Atomic uint64_t latest;
  return atomic_fetch_add(&latest, 1) + 1;
}
static uint64_t on_start(const char *text) {
  (void)text;
  return number_of_range();
}
static uint64_t on_start_wide(const wchar_t *text) {
  (void)text;
  return number_of_range();
}
static uint64_t on_start_event(const struct gpm_nvtx_event *event) {
  (void)event;
  return number_of_range();
}
static uint64_t on_domain_start(struct nvtx_domain *domain, const struct gpm_nvtx_event *event) {
  (void)domain, (void)event;
  return number_of_range();
}

/* ---- domains and registered strings -------------------------------------------------------------
 */

/* Creates a new domain at each call, as NVTX does. Never null, because that is the default
 * domain. */
static struct nvtx_domain *on_create(const char *name) {
  int saved = errno;
  size_t length = strnlen(name ? name : "", TEXT_ROOM / 2);
  struct nvtx_domain *domain = NULL;
  unsigned number = atomic_fetch_add(&next_domain, 1);
  if (number < NOT_FOLLOWED) domain = gpm_memory_get(sizeof *domain + length + 1);
  else if (number > NOT_FOLLOWED) atomic_fetch_sub(&next_domain, 1);
  else
    gpm_text_say("more NVTX domains than gpumemprof follows (62): ranges of those created from now "
                 "on are no labels",
                 NULL);
  errno = saved;
  if (!domain) return &no_domain;
  domain->owner = number;
  if (length) memcpy(domain->name, name, length);
  return domain;
}

static struct nvtx_domain *on_create_wide(const wchar_t *name) {
  char narrow[TEXT_ROOM];
  put_wide(narrow, sizeof narrow, name);
  return on_create(narrow);
}

/* Keeps the text as a label without a parent, once for all equal texts. */
static const void *on_register(struct nvtx_domain *domain, const char *string) {
  int saved = errno;
  char text[TEXT_ROOM];
  sigset_t held;
  gpm_signals_hold(&held); /* a handler that pushes would wait for the labels' lock */
  const void *registered = gpm_labels_find(NULL, text_under(text, domain, string));
  gpm_signals_let_come(&held);
  errno = saved;
  return registered;
}

static const void *on_register_wide(struct nvtx_domain *domain, const wchar_t *string) {
  char narrow[TEXT_ROOM];
  put_wide(narrow, sizeof narrow, string);
  return on_register(domain, narrow);
}

/* ---- being found --------------------------------------------------------------------------------
 */

static const struct nvtx_listener {
  int module;
  unsigned number;
  gpm_nvtx_function function;
} listeners[] = {
#define LISTENER(module, name, function)                                                           \
  {GPM_NVTX_##module, GPM_NVTX_##name, (gpm_nvtx_function)(function)}
    LISTENER(CORE, RangeStartEx, on_start_event),
    LISTENER(CORE, RangeStartA, on_start),
    LISTENER(CORE, RangeStartW, on_start_wide),
    LISTENER(CORE, RangePushEx, on_push_event),
    LISTENER(CORE, RangePushA, on_push),
    LISTENER(CORE, RangePushW, on_push_wide),
    LISTENER(CORE, RangePop, on_pop),
    LISTENER(CORE2, DomainRangeStartEx, on_domain_start),
    LISTENER(CORE2, DomainRangePushEx, on_domain_push),
    LISTENER(CORE2, DomainRangePop, on_domain_pop),
    LISTENER(CORE2, DomainRegisterStringA, on_register),
    LISTENER(CORE2, DomainRegisterStringW, on_register_wide),
    LISTENER(CORE2, DomainCreateA, on_create),
    LISTENER(CORE2, DomainCreateW, on_create_wide),
#undef LISTENER
};

static bool may_listen(void) {
  int state = atomic_load(&gpm_own.state);
  if (state == GPM_RECORDING) return gpm_options.nvtx;
  return state != GPM_OFF && !gpm_options_are_off(); /* recording may start later */
}

/* Fills the tables of one copy of NVTX, at its first call. 0: there is no tool. */
static int listen_to(gpm_nvtx_export export) {
  const struct gpm_nvtx_callbacks *callbacks = export(GPM_NVTX_TABLE_CALLBACKS);
  const struct gpm_nvtx_version *version = export(GPM_NVTX_TABLE_VERSION);
  if (!callbacks || callbacks->size < sizeof *callbacks || !may_listen()) return 0;
  for (size_t i = 0; i < sizeof listeners / sizeof *listeners; i++) {
    const struct nvtx_listener *l = &listeners[i];
    gpm_nvtx_function **table = NULL;
    unsigned count = 0;
    if (callbacks->module(l->module, &table, &count) && l->number < count && table[l->number])
      *table[l->number] = l->function;
  }
  if (version && version->size >= sizeof *version) version->set_tool(GPM_NVTX_VERSION);
  gpm_stay(); /* NVTX calls into the runtime from now on */
  return 1;
}

/* NVTX looks up this name in the library that the environment variable names. It is weak, because
 * another tool may be linked into the program beside the archive. */
int InitializeInjectionNvtx2(gpm_nvtx_export export) {
  return listen_to(export);
}

GPM_EXPORT void __gpumemprof_nvtx(int (**initializer)(gpm_nvtx_export)) {
  if (initializer && !*initializer && atomic_load(&gpm_own.state) == GPM_RECORDING &&
      gpm_options.nvtx)
    *initializer = listen_to;
}
