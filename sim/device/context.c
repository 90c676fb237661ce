/* context.c - contexts, the stack of them a thread has, and which device is current.
 *
 * The runtime API's device is that of the context on top of the stack; a thread without one has a
 * number to start from. Destroying a context frees what was made in it, but not what pools handed
 * out, memory of cuMemCreate and graphs' memory: those are a device's, as an H200 has it.
 */
#include "base/errors.h"
#include "base/injection.h"
#include "base/lock.h"
#include "base/object.h"
#include "base/options.h"
#include "device/device.h"

/* Defaults as a data-centre device reports them, by cudaLimit. */
static const uint64_t default_limits[8] = {1024, 7340032, 8388608, 2, 2048, 64, 0, 0};

/* The memory that larger limits need: a stack for each thread that a device can hold; heap and FIFO
 * as large as they are. */
static uint64_t cost_of(const uint64_t limits[8]) {
  enum { STACK, FIFO, HEAP, THREADS = 132 * 2048 };
  const uint64_t factors[] = {[STACK] = THREADS, [FIFO] = 1, [HEAP] = 1};
  uint64_t bytes = 0;
  for (int i = STACK; i <= HEAP && gpm_sim_options()->limits; i++)
    if (limits[i] > default_limits[i]) bytes += (limits[i] - default_limits[i]) * factors[i];
  return bytes;
}

/* Makes the context take that much memory of its device; false: there is not so much. */
static bool charge(struct gpm_sim_context *context, uint64_t bytes) {
  struct gpm_sim_space *space = &gpm_sim_device(context->device)->space;
  bytes = gpm_sim_round_up(bytes, gpm_sim_options()->granularity);
  if (bytes > context->charged && !gpm_sim_space_charge(space, bytes - context->charged))
    return false;
  if (bytes < context->charged) space->used -= context->charged - bytes;
  context->charged = bytes;
  return true;
}

static bool begin(struct gpm_sim_context *context) {
  for (int i = 0; i < 8; i++) context->limits[i] = default_limits[i];
  context->active = charge(context, gpm_sim_options()->context);
  return context->active;
}

int gpm_sim_context_limit(struct gpm_sim_context *context, int limit, uint64_t value) {
  GPM_SIM_LOCKED;
  if (limit < 0 || limit > 6) return GPM_SIM_INVALID_VALUE;
  uint64_t before = context->limits[limit];
  context->limits[limit] = value;
  if (charge(context, gpm_sim_options()->context + cost_of(context->limits))) return GPM_SIM_OK;
  context->limits[limit] = before;
  return GPM_SIM_OUT_OF_MEMORY;
}

static struct gpm_sim_context *make(int device, unsigned flags, bool primary) {
  static uint64_t ids;
  if (!gpm_sim_device(device)) return NULL;
  struct gpm_sim_context *context = gpm_sim_object_create(GPM_SIM_CONTEXT, sizeof *context, NULL);
  if (!context) return NULL;
  context->device = device;
  context->flags = flags;
  context->primary = primary;
  context->id = ++ids;
  return context;
}

struct gpm_sim_context *gpm_sim_context_create(int device, unsigned flags) {
  GPM_SIM_LOCKED;
  struct gpm_sim_context *context = make(device, flags, false);
  if (!context || begin(context)) return context;
  gpm_sim_object_destroy(context);
  return NULL;
}

struct gpm_sim_context *gpm_sim_context_primary(int device) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *d = gpm_sim_device(device);
  if (!d) return NULL;
  if (!d->primary) d->primary = make(device, 0, true);
  if (!d->primary || (!d->primary->active && !begin(d->primary))) return NULL;
  return d->primary;
}

struct gpm_sim_context *gpm_sim_context_green(int device) {
  GPM_SIM_LOCKED;
  struct gpm_sim_context *primary = gpm_sim_context_primary(device);
  struct gpm_sim_context *context = primary ? make(device, 0, false) : NULL;
  if (!context) return NULL;
  primary->retained++;
  for (int i = 0; i < 8; i++) context->limits[i] = primary->limits[i];
  context->active = context->green = true;
  return context;
}

struct gpm_sim_context *gpm_sim_context_get(const void *handle) {
  struct gpm_sim_context *context = gpm_sim_object_get(handle, GPM_SIM_CONTEXT);
  return context && context->active ? context : NULL;
}

void gpm_sim_context_close(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  context->peers = 0;
  charge(context, 0);
  context->active = false; /* the handle of a primary context stays valid for its device */
  context->in_use = false;
  if (context->primary) return;
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (thread->depth && thread->stack[thread->depth - 1] == context) thread->depth--;
  gpm_sim_object_destroy(context);
}

int gpm_sim_context_push(struct gpm_sim_context *context) {
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (thread->depth == GPM_SIM_MAX_CONTEXTS) return GPM_SIM_INVALID_VALUE;
  thread->stack[thread->depth++] = context;
  return GPM_SIM_OK;
}

void gpm_sim_context_set(struct gpm_sim_context *context) {
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (thread->depth) thread->depth--;
  if (context) {
    thread->stack[thread->depth++] = context;
    thread->device = context->device;
  }
}

struct gpm_sim_context *gpm_sim_context_current(void) {
  GPM_SIM_LOCKED;
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (!thread->depth) return NULL;
  /* Another thread may have destroyed it. */
  return gpm_sim_context_get(thread->stack[thread->depth - 1]);
}

static bool initialized;

static void set_initialized(void) {
  GPM_SIM_LOCKED;
  initialized = true;
}

void gpm_sim_initialize(void) {
  set_initialized(); /* before, because the library may call the driver */
  gpm_sim_inject();
}

bool gpm_sim_initialized(void) {
  GPM_SIM_LOCKED;
  return initialized;
}

/* The device of the current context. A primary context that was reset still has its device. */
int gpm_sim_current_device(void) {
  GPM_SIM_LOCKED;
  struct gpm_sim_thread *thread = gpm_sim_thread();
  const void *top = thread->depth ? thread->stack[thread->depth - 1] : NULL;
  struct gpm_sim_context *context = gpm_sim_object_get(top, GPM_SIM_CONTEXT);
  return context ? context->device : thread->device;
}

struct gpm_sim_context *gpm_sim_context_ensure(void) {
  gpm_sim_initialize();
  GPM_SIM_LOCKED;
  struct gpm_sim_context *context = gpm_sim_context_current();
  if (context) return context;
  context = gpm_sim_context_primary(gpm_sim_current_device());
  if (!context) return NULL;
  context->in_use = true;
  gpm_sim_context_set(context);
  return context;
}
