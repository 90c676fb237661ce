/* calls.c - see calls.h. A listener is never freed, because a thread may be about to call it. */
#include "calls/calls.h"
#include "base/lock.h"
#include "device/device.h"

#include <stdatomic.h>
#include <stdlib.h>

struct gpm_sim_listener {
  gpm_sim_callback callback;
  void *data;
  struct gpm_sim_listener *before; /* so that it is reachable for a search for leaks */
  _Atomic bool enabled[GPM_SIM_DOMAIN_RUNTIME + 1][GPM_SIM_CALL_NUMBERS];
};
struct gpm_sim_listener *_Atomic gpm_sim_listening __attribute__((visibility("hidden")));
static struct gpm_sim_listener *latest;

struct gpm_sim_listener *gpm_sim_listen(gpm_sim_callback callback, void *data) {
  GPM_SIM_LOCKED;
  if (atomic_load(&gpm_sim_listening)) return NULL;
  struct gpm_sim_listener *made = calloc(1, sizeof *made);
  if (!made) abort();
  made->callback = callback;
  made->data = data;
  made->before = latest;
  latest = made;
  atomic_store(&gpm_sim_listening, made);
  return made;
}

bool gpm_sim_listen_no_more(const struct gpm_sim_listener *listener) {
  GPM_SIM_LOCKED;
  if (!listener || atomic_load(&gpm_sim_listening) != listener) return false;
  atomic_store(&gpm_sim_listening, NULL);
  return true;
}

void gpm_sim_listen_to(int domain, uint32_t number, bool enabled) {
  struct gpm_sim_listener *listener = atomic_load(&gpm_sim_listening);
  if (listener && number < GPM_SIM_CALL_NUMBERS)
    atomic_store(&listener->enabled[domain][number], enabled);
}

bool gpm_sim_listens_to(int domain, uint32_t number) {
  struct gpm_sim_listener *listener = atomic_load(&gpm_sim_listening);
  return listener && number < GPM_SIM_CALL_NUMBERS &&
         atomic_load(&listener->enabled[domain][number]);
}

struct gpm_sim_listener *gpm_sim_listener(void) {
  return atomic_load(&gpm_sim_listening);
}

static void report(struct gpm_sim_call *call, int site) {
  struct gpm_sim_listener *l = call->listener;
  if (l != atomic_load(&gpm_sim_listening) || !atomic_load(&l->enabled[call->domain][call->number]))
    return;
  const struct gpm_sim_context *context = gpm_sim_context_current();
  call->report.site = site;
  call->report.context = (void *)context;
  call->report.context_id = context ? (uint32_t)context->id : 0;
  l->callback(l->data, call->domain, call->number, &call->report);
}

void gpm_sim_call_begin(struct gpm_sim_call *call, int domain, uint32_t number, const char *name,
                        const void *parameters) {
  static _Atomic uint32_t correlation;
  *call = (struct gpm_sim_call){.report = {.function = name,
                                           .parameters = parameters,
                                           .data = &call->data,
                                           .correlation = atomic_fetch_add(&correlation, 1) + 1},
                                .listener = atomic_load(&gpm_sim_listening),
                                .domain = domain,
                                .number = number};
  if (call->listener) report(call, GPM_SIM_ENTER);
}

void gpm_sim_call_end(struct gpm_sim_call *call, void *result) {
  call->report.result = result;
  if (call->listener) report(call, GPM_SIM_EXIT);
}
