/* nvtx_tool.c - another tool that listens to NVTX, as Nsight Systems does: a library that
 * NVTX_INJECTION64_PATH names. Appends a line for each call to the file $NVTX_TOOL_LOG:
 *   push THREAD DOMAIN TEXT
 *   pop THREAD DOMAIN
 *   counter DOMAIN SCHEMA UNIT NAME
 *   sample DOMAIN COUNTER VALUE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

struct event { /* nvtxEventAttributes_t */
  uint16_t version, size;
  uint32_t category, color_type, color, payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
};

__attribute__((format(printf, 1, 2))) static void log_line(const char *format, ...) {
  static int fd = -1;
  if (fd < 0) fd = open(getenv("NVTX_TOOL_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0666);
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(fd, line, (size_t)n) != n) abort();
}

static __thread int level;

static int push(const char *domain, const char *text) {
  log_line("push %d %s %s\n", (int)gettid(), domain ? domain : "-", text);
  return level++;
}
static const char *text_of(const struct event *e) {
  return e->message_type == 2 ? "(wide)" : e->message ? e->message : "(null)";
}

static int push_text(const char *text) {
  return push(NULL, text);
}
static int push_event(const struct event *e) {
  return push(NULL, text_of(e));
}
static int domain_push(const char *domain, const struct event *e) {
  return push(domain, text_of(e));
}
static int domain_pop(const char *domain) {
  log_line("pop %d %s\n", (int)gettid(), domain ? domain : "-");
  return --level;
}
static int pop(void) {
  return domain_pop(NULL);
}
static const char *create(const char *name) { /* a domain is its name */
  return strdup(name);
}
static const char *register_text(const char *domain, const char *text) {
  (void)domain;
  return strdup(text);
}

typedef void (*function)(void);
struct callbacks {
  size_t size;
  int (*module)(int module, function ***table, unsigned *count);
};

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export)(uint32_t));
int InitializeInjectionNvtx2(const void *(*export)(uint32_t)) {
  const struct callbacks *c = export(1);
  function **core = NULL, **core2 = NULL;
  unsigned count = 0;
  if (!c || !c->module(1, &core, &count) || count < 12 || !c->module(5, &core2, &count) ||
      count < 14)
    abort();
  *core[8] = (function)push_event;
  *core[9] = (function)push_text;
  *core[11] = (function)pop;
  *core2[4] = (function)domain_push;
  *core2[5] = (function)domain_pop;
  *core2[10] = (function)register_text;
  *core2[12] = (function)create;
  return 1;
}

/* ---- counters: nvToolsExtCounters.h -------------------------------------------------------------
 */

struct semantics { /* nvtxSemanticsCounter_t */
  uint32_t size;
  uint16_t id, version;
  const void *next;
  uint64_t flags;
  const char *unit;
};
struct counter { /* nvtxCounterAttr_t */
  size_t size;
  uint64_t schema;
  const char *name, *description;
  uint64_t scope;
  const struct semantics *semantics;
  uint64_t id;
};
struct extension { /* nvtxExtModuleInfo_t */
  uint16_t version, size, module, compatible;
  size_t segments_count;
  struct {
    size_t id, count;
    intptr_t *functions;
  } *segments;
};

static uint64_t register_counter(const char *domain, const struct counter *c) {
  static uint64_t latest = 100;
  log_line("counter %s %d %s %s\n", domain, (int)c->schema, c->semantics->unit, c->name);
  return ++latest;
}
static void sample(const char *domain, uint64_t counter, int64_t value) {
  log_line("sample %s %d %lld\n", domain, (int)counter, (long long)value);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(struct extension *e);
int InitializeInjectionNvtxExtension(struct extension *e) {
  if (e->module != 4 || e->compatible != 0x0102 || e->segments_count != 1 ||
      getenv("NVTX_TOOL_OLD"))
    return 0;
  e->segments[0].functions[0] = (intptr_t)register_counter;
  e->segments[0].functions[1] = (intptr_t)sample;
  return 1;
}
