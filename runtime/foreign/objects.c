/* objects.c - which object of the process an address is in, and the record of that object in the
 * capture.
 *
 * Code that was not rebuilt is known by its addresses. The tool finds names for them after the run,
 * in the file that the object was loaded from. The build-id is read here, so that the tool can tell
 * whether that is still the same file. native.c, places.c and verify_paths.c call this.
 */
#include "foreign/objects.h"
#include "base/loaded.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "records/call_tree.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
static int (*find_object)(void *address, struct dl_find_object *found); /* takes no lock */

bool gpm_objects_start(void) {
  find_object = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
  return find_object;
}
#else
bool gpm_objects_start(void) {
  return false;
}
#endif

static bool is_program(const struct gpm_object *o) {
  uintptr_t entry = gpm_getauxval(AT_ENTRY);
  return entry >= o->begin && entry < o->end;
}

/* The program headers of an object: of the program where the kernel says, of a library in its first
 * page. Null: it does not look like one. */
static const ElfW(Phdr) * program_headers(const struct gpm_object *o, unsigned *count) {
  ElfW(Ehdr) e;
  if (is_program(o) && gpm_getauxval(AT_PHDR)) {
    *count = (unsigned)gpm_getauxval(AT_PHNUM);
    return (const void *)gpm_getauxval(AT_PHDR);
  }
  memcpy(&e, (const void *)o->begin, sizeof e);
  *count = e.e_phnum;
  bool any =
      !memcmp(e.e_ident, ELFMAG, SELFMAG) && e.e_phoff + e.e_phnum * sizeof(ElfW(Phdr)) <= 4096;
  return any ? (const void *)(o->begin + e.e_phoff) : NULL;
}

static uintptr_t find_unwind_table(const struct gpm_object *o) {
  unsigned count;
  const ElfW(Phdr) *p = program_headers(o, &count);
  for (; p && count; p++, count--)
    if (p->p_type == PT_GNU_EH_FRAME) return o->bias + p->p_vaddr;
  return 0;
}

bool gpm_object_at(uintptr_t address, struct gpm_object *o) {
  const struct link_map *map = NULL;
  *o = (struct gpm_object){.begin = address, .end = address + 1};
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  if (find_object && !find_object((void *)address, &found)) {
    o->begin = (uintptr_t)found.dlfo_map_start;
    o->end = (uintptr_t)found.dlfo_map_end;
    o->unwind_table = (uintptr_t)found.dlfo_eh_frame;
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
  if (!o->unwind_table) o->unwind_table = find_unwind_table(o);
  return true;
}

bool gpm_object_is_cudart(const char *path) {
  return !strncmp(gpm_text_last_part(path), "libcudart.so", 12);
}

bool gpm_object_is_cuda(const struct gpm_object *o) {
  const char *name = gpm_text_last_part(o->path);
  return gpm_object_is_cudart(o->path) || !strncmp(name, "libcuda.so", 10) ||
         !strncmp(name, "libcupti.so", 11);
}

/* The notes are loaded with the headers. */
void gpm_object_build_id(const struct gpm_object *o, char *text, size_t size) {
  text[0] = 0;
  unsigned count;
  const ElfW(Phdr) *p = program_headers(o, &count);
  for (; p && count; p++, count--) {
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

static struct recorded_object { /* modules that the capture names */
  uint32_t path, build;
  struct recorded_object *next;
} *recorded_objects;
static struct gpm_table object_table = {
    GPUMEMPROF_CHUNK_NATIVE_MODULES, sizeof(struct gpumemprof_capture_native_module), 0, 0, NULL};

void gpm_object_record_locked(const struct gpm_object *o) {
  char id[GPM_BUILD_ID_MAX];
  gpm_object_build_id(o, id, sizeof id);
  uint32_t path = gpm_strings_intern(o->path), build = gpm_strings_intern(id);
  struct recorded_object *k = recorded_objects;
  while (k && (k->path != path || k->build != build)) k = k->next;
  struct gpumemprof_capture_native_module *record = k ? NULL : gpm_table_next(&object_table);
  if (record && (k = gpm_memory_get(sizeof *k))) {
    record->path = path;
    record->build_id = build;
    gpm_table_publish(&object_table);
    *k = (struct recorded_object){path, build, recorded_objects};
    recorded_objects = k;
  }
}

void gpm_object_record(const struct gpm_object *o) {
  gpm_lock_take(&gpm_tree_lock);
  gpm_object_record_locked(o);
  gpm_lock_release(&gpm_tree_lock);
}

void gpm_objects_forked(void) {
  recorded_objects = NULL;
  object_table.count = 0;
  object_table.last = NULL;
}
