/* places.c - the addresses to which calls on machine stacks return, each looked up once.
 *
 * machine_stack.c needs for each frame of each walk: how the frame is left (unwind_rules.c), and
 * whether it is the program's or one of CUDA's. native_scopes.c needs the function and the call as
 * sites (made_sites.c). All of this depends on the return address only, so it is kept under that,
 * as long as the same object is loaded there: after a dlopen or dlclose a place is compared with
 * what lies there now, when it is next used, and another object's place is made if it differs.
 */
#include "foreign/places.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "foreign/objects.h"
#include "gpumemprof/hooks.h"
#include "records/call_tree.h"
#include "records/made_sites.h"
#include "records/sites.h"
#include "tables/index.h"

#include <string.h>

static struct gpm_lock places_lock = GPM_LOCK(places); /* protects what follows; reads are free */
static struct gpm_index places;

static uint32_t place_hash(uintptr_t address) {
  return (uint32_t)((address * 0x9e3779b97f4a7c15u) >> 32);
}

static bool starts_with_any(const char *name, const char *const *prefixes) {
  for (; *prefixes; prefixes++)
    if (!strncmp(name, *prefixes, strlen(*prefixes))) return true;
  return false;
}

static enum gpm_place_kind place_kind(const struct gpm_object *o, uintptr_t function) {
  static const char *const starting[] = {"libc.so", "libc-2.",   "libpthread", "ld-linux",
                                         "ld-musl", "libc.musl", NULL};
  uintptr_t own = (uintptr_t)&gpm_place_at;
  if (function && function == gpm_getauxval(AT_ENTRY)) return GPM_PLACE_START;
  bool ours = own >= o->begin && own < o->end;
  /* Functions that the program finds by name are the runtime's, which call CUDA's. */
  bool library = ours && !strncmp(gpm_text_last_part(o->path), "libgpumemprof.so", 16);
  if (gpm_object_is_cudart(o->path)) return GPM_PLACE_CUDART;
  if (library || gpm_object_is_cuda(o)) return GPM_PLACE_CUDA;
  if (ours) return GPM_PLACE_RUNTIME;
  return starts_with_any(gpm_text_last_part(o->path), starting) ? GPM_PLACE_START : GPM_PLACE_CODE;
}

struct object_name {
  uint32_t path, build; /* strings of the capture */
};

/* Takes the lock of the tree, which protects the strings. */
static struct object_name object_name(const struct gpm_object *o) {
  char id[GPM_BUILD_ID_MAX];
  gpm_object_build_id(o, id, sizeof id);
  gpm_lock_take(&gpm_tree_lock);
  struct object_name name = {gpm_strings_intern(o->path), gpm_strings_intern(id)};
  gpm_lock_release(&gpm_tree_lock);
  return name;
}

static struct gpm_place *new_place(uintptr_t address, uint64_t loaded) {
  struct gpm_place *p = gpm_memory_get(sizeof *p);
  struct gpm_object o;
  if (!p) return NULL;
  p->address = address;
  atomic_store_explicit(&p->loaded, loaded, memory_order_relaxed);
  if (!gpm_object_at(address - 1, &o)) return p;
  gpm_unwind_rule_at(o.unwind_table, address - 1, &p->rule);
  p->kind = place_kind(&o, p->rule.function);
  p->object = o.begin;
  p->object_end = o.end;
  struct object_name name = object_name(&o);
  p->path = name.path;
  p->build = name.build;
  return p;
}

/* A file may have been replaced by another one of the same size, and not each has a build-id. */
static bool is_object_of(const struct gpm_place *p, const struct gpm_object *o) {
  if (p->object != o->begin || p->object_end != o->end) return false;
  struct object_name name = object_name(o);
  struct gpm_unwind_rule rule;
  gpm_unwind_rule_at(o->unwind_table, p->address - 1, &rule);
  const struct gpm_unwind_rule *r = &p->rule;
  return name.path == p->path && name.build == p->build && rule.base == r->base &&
         rule.fp == r->fp && rule.offset == r->offset && rule.fp_offset == r->fp_offset &&
         rule.function == r->function;
}

/* Whether what was loaded there is still, or again, that of the place. */
static bool place_is_current(struct gpm_place *p, uint64_t loaded) {
  struct gpm_object o;
  if (GPM_LIKELY(atomic_load_explicit(&p->loaded, memory_order_relaxed) == loaded)) return true;
  bool found = gpm_object_at(p->address - 1, &o);
  if (found ? !is_object_of(p, &o) : p->object != 0) return false;
  atomic_store_explicit(&p->loaded, loaded, memory_order_relaxed);
  return true;
}

static struct gpm_place *known_place(uintptr_t address, uint64_t loaded) {
  uint32_t hash = place_hash(address), at = hash;
  struct gpm_place *p;
  do p = gpm_index_next(&places, hash, &at);
  while (p && (p->address != address || !place_is_current(p, loaded)));
  return p;
}

static GPM_COLD struct gpm_place *placed(uintptr_t address, uint64_t loaded) {
  gpm_lock_take(&places_lock);
  struct gpm_place *p = known_place(address, loaded);
  if (!p && (p = new_place(address, loaded)) &&
      !gpm_index_add(&places, place_hash(address), p, true))
    p = NULL;
  gpm_lock_release(&places_lock);
  return p;
}

struct gpm_place *gpm_place_at(uintptr_t return_address, uint64_t loaded) {
  struct gpm_place *p = known_place(return_address, loaded);
  return GPM_LIKELY(p != NULL) ? p : placed(return_address, loaded);
}

/* "0x1a2b via libx.so" */
static void describe_place(char *text, size_t size, uintptr_t address, const char *between,
                           const struct gpm_object *o) {
  size_t n = gpm_text_add(text, size, 0, "0x");
  n = gpm_text_add_hex(text, size, n, address - o->bias);
  n = gpm_text_add(text, size, n, between);
  gpm_text_add(text, size, n, gpm_text_last_part(o->path));
}

static const struct gpumemprof_site *place_site(uint16_t kind, uint16_t flags, uintptr_t address,
                                                const char *between, const struct gpm_object *o) {
  char name[600], digits[17];
  describe_place(name, sizeof name, address, between, o);
  gpm_text_add_hex(digits, sizeof digits, 0, address - o->bias);
  return gpm_sites_make(&(struct gpm_source_location){
      .kind = kind, .flags = flags, .file = o->path, .function = name, .variable = digits});
}

void gpm_place_name(struct gpm_place *p) {
  struct gpm_object o;
  if (!gpm_object_at(p->address - 1, &o)) return;
  gpm_object_record(&o);
  uintptr_t call = p->address - 1, function = p->rule.function ? p->rule.function : call;
  atomic_store_explicit(&p->call, place_site(GPUMEMPROF_SITE_NATIVE, 0, call, " via ", &o),
                        memory_order_relaxed);
  atomic_store_explicit(
      &p->scope,
      place_site(GPUMEMPROF_SITE_FUNCTION, GPUMEMPROF_SITE_AT_ADDRESS, function, " in ", &o),
      memory_order_release);
}

void gpm_places_forked(void) {
  atomic_store(&places_lock.held, 0);
  places = (struct gpm_index){.table = NULL}; /* the child's capture names its objects again */
}
