/* native.c - finds the location in code that was not rebuilt from which a call came: its module and
 * the addresses there, as a scope and a call of made_sites.c.
 *
 * cupti.c and torch.c call this. libgcc's unwinder, which is loaded only when it is needed, walks
 * the machine stack: past the frames of the runtime and of CUDA, to the innermost frame outside of
 * them and its callers in the same module. With stacks=native it goes on through all modules, each
 * of which becomes a scope inside that of its caller, up to the first module that was rebuilt,
 * whose own scopes continue the path. The tool finds names for the addresses after the run. The
 * build-id of a module is read here, so that the tool can tell whether the module is still the same
 * file.
 *
 * The scope is called "via libcublas.so.13"; where the module is one that registered (a file of it
 * was not rebuilt, or a header's function has no frame) "via code that was not rebuilt in app".
 */
#include "foreign/native.h"
#include "base/loaded.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "core/shadow_stack.h"
#include "options/options.h"
#include "records/call_tree.h"
#include "records/made_sites.h"
#include "records/modules.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#define MOST_STRETCHES 12u /* if there are more, the innermost are recorded */
#define MOST_FRAMES 96     /* visited */
#define MOST_IN_MODULE 8   /* recorded */

typedef uintptr_t (*get_address)(void *context);
typedef int (*unwind)(int (*each)(void *context, void *data), void *data);
static unwind walk_stack;
static get_address address_of;

struct object {
  uintptr_t begin, end, bias;
  const char *path;
};

/* ---- modules ------------------------------------------------------------------------------------
 */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
static int (*find_object)(void *address, struct dl_find_object *found); /* takes no lock */
#endif

static bool object_at(uintptr_t address, struct object *o) {
  const struct link_map *map = NULL;
  *o = (struct object){.begin = address, .end = address + 1};
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  if (find_object && !find_object((void *)address, &found)) {
    o->begin = (uintptr_t)found.dlfo_map_start;
    o->end = (uintptr_t)found.dlfo_map_end;
    map = found.dlfo_link_map;
  }
#endif
  struct gpm_loaded loaded;
  if (!map && !gpm_loaded_at((const void *)address, &loaded)) return false;
  if (!map) { /* musl, and glibc before 2.35 */
    o->begin = loaded.begin;
    o->end = loaded.end;
  }
  o->bias = map ? map->l_addr : loaded.bias;
  o->path = map ? map->l_name : loaded.path;
  if (!*o->path) o->path = gpm_capture->executable;
  return true;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_cuda(const struct object *o) {
  static const char *const names[] = {"libcuda.so", "libcudart.so", "libcupti.so"};
  const char *name = base_name(o->path);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i]))) return true;
  return false;
}

/* Reads the build-id of an object as hexadecimal digits; "" if it has none. The headers are in the
 * first page of the object, and the notes are loaded with it. */
static void read_build_id(const struct object *o, char *text, size_t size) {
  text[0] = 0;
  ElfW(Ehdr) e;
  memcpy(&e, (const void *)o->begin, sizeof e);
  if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_phoff + e.e_phnum * sizeof(ElfW(Phdr)) > 4096)
    return;
  const ElfW(Phdr) *p = (const void *)(o->begin + e.e_phoff);
  for (unsigned i = 0; i < e.e_phnum; i++, p++) {
    if (p->p_type != PT_NOTE) continue;
    const unsigned char *at = (const void *)(o->bias + p->p_vaddr), *end = at + p->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) n;
      memcpy(&n, at, sizeof n);
      const unsigned char *name = at + sizeof n, *id = name + ((n.n_namesz + 3) & ~3u);
      if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(name, "GNU", 4)) {
        for (unsigned k = 0; k < n.n_descsz && 2 * k + 2 < size; k++) {
          text[2 * k] = "0123456789abcdef"[id[k] >> 4];
          text[2 * k + 1] = "0123456789abcdef"[id[k] & 15];
          text[2 * k + 2] = 0;
        }
        return;
      }
      at = id + ((n.n_descsz + 3) & ~3u);
    }
  }
}

static struct native_known { /* modules that the capture names */
  uint32_t path;
  uintptr_t begin;
  struct native_known *next;
} *native_modules;
static struct gpm_table native_table = {
    GPUMEMPROF_CHUNK_NATIVE_MODULES, sizeof(struct gpumemprof_capture_native_module), 0, 0, NULL};

/* Under gpm_tree_lock. */
static void record_module_locked(const struct object *o) {
  char id[2 * 32 + 1];
  uint32_t path = gpm_strings_intern(o->path);
  struct native_known *k = native_modules;
  while (k && (k->path != path || k->begin != o->begin)) k = k->next;
  struct gpumemprof_capture_native_module *record = k ? NULL : gpm_table_next(&native_table);
  if (record && (k = gpm_memory_get(sizeof *k))) {
    read_build_id(o, id, sizeof id);
    record->path = path;
    record->build_id = gpm_strings_intern(id);
    gpm_table_publish(&native_table);
    *k = (struct native_known){path, o->begin, native_modules};
    native_modules = k;
  }
}

static void record_module(const struct object *o) {
  gpm_lock_take(&gpm_tree_lock);
  record_module_locked(o);
  gpm_lock_release(&gpm_tree_lock);
}

/* The stack of the thread that began stacks=native; null: none. */
static const void *_Atomic beginner;
static _Atomic bool begun;

void gpm_native_forked(void) {
  if (!atomic_load(&begun)) atomic_store(&beginner, NULL); /* another thread had only begun it */
  native_modules = NULL;
  native_table.count = 0;
  native_table.last = NULL;
}

/* ---- the stack ----------------------------------------------------------------------------------
 */

struct stretch { /* calls of one module below one another */
  struct object module;
  bool rebuilt;
  unsigned count;
  uintptr_t address[MOST_IN_MODULE]; /* in it, innermost first */
};
struct walk {
  unsigned visited, count;
  bool whole, past_ourselves, below_a_scope;
  struct stretch stretch[MOST_STRETCHES]; /* innermost first */
};

enum { GO_ON = 0, STOP = 4 }; /* _URC_NO_REASON, _URC_NORMAL_STOP */

/* Begins a stretch at a call; null: the call is not recorded. */
static struct stretch *begin_stretch(struct walk *w, uintptr_t call) {
  struct object o;
  if (!object_at(call, &o)) return NULL;
  uintptr_t own = (uintptr_t)&gpm_native_push_at; /* an archive: in the same object as others */
  if (!w->past_ourselves && own >= o.begin && own < o.end) return NULL;
  w->past_ourselves = true;
  if (is_cuda(&o)) return NULL;
  struct stretch *s = &w->stretch[w->count++];
  *s = (struct stretch){.module = o, .rebuilt = gpm_modules_are_in(o.begin, o.end)};
  return s;
}

static int each_frame(void *context, void *data) {
  struct walk *w = data;
  uintptr_t call = address_of(context) - 1; /* the return address may be of the next line */
  if (++w->visited > MOST_FRAMES) return STOP;
  struct stretch *s = w->count ? &w->stretch[w->count - 1] : NULL;
  bool inside = s && call >= s->module.begin && call < s->module.end;
  if (s && !w->whole && (!inside || s->rebuilt || s->count == MOST_IN_MODULE)) return STOP;
  if (!inside) {
    unsigned before = w->count;
    if (before == MOST_STRETCHES) return STOP;
    s = begin_stretch(w, call);
    if (!s) return GO_ON;
    if (before && s->rebuilt && w->below_a_scope) { /* the program's scopes continue from there */
      w->count = before;
      return STOP;
    }
  }
  if (s->count < MOST_IN_MODULE) s->address[s->count++] = call - s->module.bias;
  return GO_ON;
}

static size_t add_hex(char *text, size_t size, size_t length, uint64_t number) {
  char digits[17], *at = digits + 16;
  *at = 0;
  do *--at = "0123456789abcdef"[number & 15];
  while (number >>= 4);
  return gpm_text_add(text, size, length, at);
}

static const char unknown_code[] = "via code that was not rebuilt";

struct native_location {
  const struct gpumemprof_site *scope, *call;
};

static struct native_location location_of(const struct stretch *s) {
  char scope[512], call[600], addresses[MOST_IN_MODULE * 17 + 1];
  record_module(&s->module);
  size_t n = gpm_text_add(scope, sizeof scope, 0, s->rebuilt ? unknown_code : "via ");
  if (s->rebuilt) n = gpm_text_add(scope, sizeof scope, n, " in ");
  gpm_text_add(scope, sizeof scope, n, base_name(s->module.path));
  n = gpm_text_add(call, sizeof call, 0, "0x");
  n = add_hex(call, sizeof call, n, s->address[0]);
  n = gpm_text_add(call, sizeof call, n, " ");
  gpm_text_add(call, sizeof call, n, scope);
  n = 0;
  for (unsigned i = 0; i < s->count; i++) {
    if (i) n = gpm_text_add(addresses, sizeof addresses, n, " ");
    n = add_hex(addresses, sizeof addresses, n, s->address[i]);
  }
  struct gpm_source_location via = {.kind = GPUMEMPROF_SITE_FUNCTION, .function = scope};
  struct gpm_source_location at = {.kind = GPUMEMPROF_SITE_NATIVE,
                                   .file = s->module.path,
                                   .function = call,
                                   .variable = addresses};
  return (struct native_location){gpm_sites_make(&via), gpm_sites_make(&at)};
}

struct gpumemprof_frame *gpm_native_push_at(struct gpm_thread *thread, uintptr_t machine_stack) {
  struct native_location location[MOST_STRETCHES]; /* innermost first */
  gpm_set_busy(thread, true); /* locks are taken, so signal handlers must stay out */
  (void)gpm_recording();      /* finds out whether it is sealed */
  gpm_count_ended(thread);
  struct walk w = {.whole = gpm_native_is_whole(),
                   .below_a_scope = gpm_thread_scope(thread) != NULL};
  if (walk_stack && !gpm_thread_outlives_code()) walk_stack(each_frame, &w);
  for (unsigned i = 0; i < w.count; i++) location[i] = location_of(&w.stretch[i]);
  if (!w.count) {
    struct gpm_source_location nowhere = {.kind = GPUMEMPROF_SITE_FUNCTION,
                                          .function = unknown_code};
    location[w.count++] = (struct native_location){gpm_sites_make(&nowhere), &gpm_sites_unknown};
  }
  gpm_set_busy(thread, false);
  struct gpumemprof_frame *outermost = NULL;
  for (unsigned i = w.count; i-- > 0;) {
    struct gpumemprof_frame *frame =
        gpm_thread_push_at(location[i].scope, location[i].call, machine_stack);
    if (!outermost) outermost = frame;
  }
  return outermost;
}

/* ---- verify=paths -------------------------------------------------------------------------------
 */

static _Atomic bool verifies;

void gpm_native_verify_begin(void) {
  static _Atomic bool begun_once;
  if (gpm_options.verify[0] != 'p' || !gpm_recording() || atomic_exchange(&begun_once, true))
    return;
  int saved = errno;
  gpm_native_start();
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  bool free_of_locks = walk_stack && find_object;
#else
  bool free_of_locks = false;
#endif
  if (free_of_locks) atomic_store(&verifies, true);
  else
    gpm_text_say("verify=paths is off: it needs a program with shared libraries, libgcc_s.so.1 "
                 "and a C library with _dl_find_object (glibc 2.35)",
                 NULL);
  errno = saved;
}

static struct machine_stack { /* under gpm_tree_lock */
  char text[3900];            /* strings.c cuts longer ones */
  size_t length;
  struct object module;
  unsigned visited;
  bool outside; /* the latest frame is of no file, so it may not be the last one */
} machine_stack;

static int each_machine_frame(void *context, void *data) {
  struct machine_stack *s = data;
  uintptr_t call = address_of(context) - 1;
  if (call == UINTPTR_MAX) return GO_ON; /* after the first function of the thread */
  bool inside = call >= s->module.begin && call < s->module.end;
  s->outside = !inside && !object_at(call, &s->module);
  if (s->outside) {
    s->module = (struct object){0};
    return GO_ON;
  }
  if (++s->visited > 1000 || s->length + strlen(s->module.path) + 32 > sizeof s->text) {
    s->length = gpm_text_add(s->text, sizeof s->text, s->length, " ...");
    return STOP;
  }
  if (!inside) {
    record_module_locked(&s->module); /* the tool compares only with the same file */
    if (s->length) s->length = gpm_text_add(s->text, sizeof s->text, s->length, "\n");
    s->length = gpm_text_add(s->text, sizeof s->text, s->length, s->module.path);
  }
  s->length = gpm_text_add(s->text, sizeof s->text, s->length, " ");
  s->length = add_hex(s->text, sizeof s->text, s->length, call - s->module.bias);
  return GO_ON;
}

const char *gpm_native_machine_stack(void) {
  struct gpm_thread *thread = gpm_thread_current;
  /* The path of work from another thread continues that thread's path, so no stack can confirm
   * it. */
  if (!atomic_load(&verifies) || !thread || thread->delegating) return NULL;
  if (gpm_thread_outlives_code()) return " ..."; /* the stack is not known */
  machine_stack.length = machine_stack.visited = 0;
  machine_stack.module = (struct object){0};
  machine_stack.outside = false;
  walk_stack(each_machine_frame, &machine_stack);
  if (machine_stack.outside)
    gpm_text_add(machine_stack.text, sizeof machine_stack.text, machine_stack.length, " ...");
  return machine_stack.text;
}

/* ---- how much of it -----------------------------------------------------------------------------
 */

_Atomic bool gpm_native_whole;

static void set_stacks(const char *mode) {
  bool whole = mode[0] == 'n';
  if (whole) gpm_native_start();
  atomic_store(&gpm_native_whole, whole);
}

/* Other threads wait until the first one has finished, so that their first allocations have whole
 * stacks as well. The wait is limited, because they may hold a lock that dlopen needs. A signal
 * handler that interrupted the first thread does not wait. */
void gpm_native_begin(void) {
  if (gpm_options.stacks[0] == 's' || !gpm_recording() || atomic_load(&begun)) return;
  const void *first = NULL, *mine = &__gpumemprof_stack;
  if (!atomic_compare_exchange_strong(&beginner, &first, mine)) {
    for (int i = 0; i < 10000 && first != mine && !atomic_load(&begun); i++) gpm_yield();
    return;
  }
  int saved = errno;
  set_stacks(gpm_options.stacks);
  atomic_store(&begun, true);
  errno = saved;
}

int __gpumemprof_stacks(const char *mode) {
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  if (!gpm_values_among(mode, "scopes", "native", NULL)) {
    gpm_values_refuse("gpumemprof_stacks", mode, "scopes or native");
    return GPUMEMPROF_ERROR_ARGUMENT;
  }
  gpm_native_begin(); /* otherwise it could run later and undo this */
  int saved = errno;
  set_stacks(mode);
  errno = saved;
  return 0;
}

void gpm_native_start(void) {
  if (walk_stack) return;
  if (!gpm_getauxval(AT_BASE)) return; /* a static program: libgcc_s would load another C library */
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  find_object = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
#endif
  if (!library) return;
  address_of = (get_address)dlsym(library, "_Unwind_GetIP");
  unwind walk = (unwind)dlsym(library, "_Unwind_Backtrace");
  if (address_of) walk_stack = walk;
}
