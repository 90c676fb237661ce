/* loaded.c - the shared objects of the process, as the loader lists them: where each lies, and the
 * functions that one exports.
 *
 * driver.c, found_functions.c, native.c, registration.c, one_runtime.c and ticks.c use it. A
 * function is looked up in the symbol table of one object, and never by name in the whole process,
 * where a variable or a function of the program may have the name of a function of CUDA.
 * dl_iterate_phdr allocates no memory, and takes only a lock that the loader holds for short times,
 * so constructors may call these functions, too. But in a child that is forked during a walk that
 * lock would stay taken for ever; so fork waits for a lock of this file.
 */
#include "base/loaded.h"
#include "base/lock.h"
#include "base/signals.h"
#include "base/system_calls.h"
#include "base/text.h"

#include <string.h>

static struct gpm_lock gate = GPM_LOCK(loader); /* held around every walk, and by fork */

void gpm_loaded_fork_begins(void) {
  gpm_lock_take(&gate);
}
void gpm_loaded_fork_ends(void) {
  gpm_lock_release(&gate);
}
void gpm_loaded_forked(void) {
  atomic_store(&gate.held, 0);
}

bool gpm_loaded_each(int (*visit)(struct dl_phdr_info *info, size_t size, void *data), void *data) {
  sigset_t held;
  gpm_signals_hold(&held); /* a handler that takes the lock or forks would deadlock */
  gpm_lock_take(&gate);
  bool stopped = dl_iterate_phdr(visit, data);
  gpm_lock_release(&gate);
  gpm_signals_let_come(&held);
  return stopped;
}

static bool is_inside(const struct dl_phdr_info *info, uintptr_t address, uint32_t flags) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && (p->p_flags & flags) == flags &&
        address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
      return true;
  }
  return false;
}

/* ---- by address ---------------------------------------------------------------------------------
 */

struct at {
  uintptr_t address;
  uint32_t flags; /* PF_* that the address has to have */
  struct gpm_loaded found;
};

static int compare_address(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct at *a = data;
  if (!is_inside(info, a->address, a->flags)) return 0;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (from + p->p_memsz > end) end = from + p->p_memsz;
  }
  a->found = (struct gpm_loaded){begin, end, info->dlpi_addr, info->dlpi_name};
  return 1;
}

bool gpm_loaded_at(const void *address, struct gpm_loaded *object) {
  struct at a = {.address = (uintptr_t)address};
  bool found = gpm_loaded_each(compare_address, &a);
  *object = a.found;
  return found;
}

bool gpm_loaded_is_code(const void *address) {
  struct at a = {.address = (uintptr_t)address, .flags = PF_X};
  return gpm_loaded_each(compare_address, &a);
}

/* ---- by name ------------------------------------------------------------------------------------
 */

struct symbols {
  const struct dl_phdr_info *info;
  const ElfW(Sym) * table;
  const char *texts, *soname;
  const uint32_t *gnu_hash, *hash;
};

/* Some loaders (such as glibc's) have added the address of the object to the values of its dynamic
 * section. */
static const void *mapped_at(const struct dl_phdr_info *info, ElfW(Addr) value) {
  return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static bool read_symbols(const struct dl_phdr_info *info, struct symbols *s) {
  *s = (struct symbols){.info = info};
  const ElfW(Dyn) *d = NULL, *soname = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  for (; d && d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) s->table = mapped_at(info, d->d_un.d_ptr);
    else if (d->d_tag == DT_STRTAB) s->texts = mapped_at(info, d->d_un.d_ptr);
    else if (d->d_tag == DT_GNU_HASH) s->gnu_hash = mapped_at(info, d->d_un.d_ptr);
    else if (d->d_tag == DT_HASH) s->hash = mapped_at(info, d->d_un.d_ptr);
    else if (d->d_tag == DT_SONAME) soname = d;
  }
  if (!s->table || !s->texts || !(s->gnu_hash || s->hash)) return false;
  s->soname = soname ? s->texts + soname->d_un.d_val : "";
  return true;
}

/* The address of symbol number `i`, if it is a function of this name. */
static void *function_at(const struct symbols *s, uint32_t i, const char *name) {
  const ElfW(Sym) *symbol = &s->table[i];
  if ((symbol->st_info & 15) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
      strcmp(s->texts + symbol->st_name, name) != 0)
    return NULL;
  uintptr_t address = s->info->dlpi_addr + symbol->st_value;
  return is_inside(s->info, address, PF_X) ? (void *)address : NULL;
}

/* The table of DT_GNU_HASH: four numbers, a filter of words, the buckets, and for each symbol from
 * `first` on its hash, whose lowest bit says that it is the last of its bucket. */
static void *by_gnu_hash(const struct symbols *s, const char *name) {
  const uint32_t *h = s->gnu_hash, buckets = h[0], first = h[1], words = h[2];
  const uint32_t *bucket = h + 4 + words * (sizeof(ElfW(Addr)) / sizeof *h);
  const uint32_t *chain = bucket + buckets;
  uint32_t hash = 5381;
  for (const char *c = name; *c; c++) hash = hash * 33 + (unsigned char)*c;
  uint32_t i = buckets ? bucket[hash % buckets] : 0;
  void *found = NULL;
  for (; i >= first && i && !found; i++) {
    if ((chain[i - first] | 1) == (hash | 1)) found = function_at(s, i, name);
    if (chain[i - first] & 1) break;
  }
  return found;
}

static void *function_named(const struct symbols *s, const char *name) {
  if (s->gnu_hash) return by_gnu_hash(s, name);
  void *found = NULL; /* the second number of DT_HASH is the number of symbols */
  for (uint32_t i = 1; i < s->hash[1] && !found; i++) found = function_at(s, i, name);
  return found;
}

struct named {
  const char *library; /* null: that which holds `beside` */
  const void *beside;
  const char *const *names;
  void **functions;
  size_t count;
  uint64_t changes;
};

static bool is_named(const struct symbols *s, const char *library) {
  return !strcmp(s->soname, library) || !strcmp(gpm_text_last_part(s->info->dlpi_name), library);
}

static int compare_name(struct dl_phdr_info *info, size_t size, void *data) {
  struct named *n = data;
  if (size >= sizeof *info) n->changes = info->dlpi_adds + info->dlpi_subs;
  struct symbols s;
  bool wanted = n->library || is_inside(info, (uintptr_t)n->beside, 0);
  if (!wanted || !read_symbols(info, &s) || (n->library && !is_named(&s, n->library))) return 0;
  for (size_t i = 0; i < n->count; i++) n->functions[i] = function_named(&s, n->names[i]);
  return 1;
}

bool gpm_loaded_functions(const char *library, const char *const *names, void **functions,
                          size_t count) {
  struct named n = {library, NULL, names, functions, count, 0};
  return gpm_loaded_each(compare_name, &n);
}

void *gpm_loaded_beside(const void *address, const char *name) {
  void *function = NULL;
  struct named n = {NULL, address, &name, &function, 1, 0};
  return gpm_loaded_each(compare_name, &n) ? function : NULL;
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *data) {
  *(uint64_t *)data = size >= sizeof *info ? info->dlpi_adds + info->dlpi_subs : 0;
  return 1;
}

uint64_t gpm_loaded_changes(void) {
  uint64_t changes = 0;
  gpm_loaded_each(read_changes, &changes);
  return changes;
}

/* ---- other namespaces ---------------------------------------------------------------------------
 *
 * dl_iterate_phdr visits only the namespace of its caller. For debuggers the loader keeps a list of
 * all namespaces, beginning with the program's own. The list is read from inside a walk, whose lock
 * covers all namespaces, so that no object is added or removed meanwhile.
 */

struct namespaces { /* struct r_debug_extended of glibc 2.35 */
  struct r_debug objects;
  const struct namespaces *next;
};

struct elsewhere {
  int (*visit)(struct dl_phdr_info *info, size_t size, void *data);
  void *data;
};

/* The first entry of that list; null where the loader has none, or only the older form. */
static const struct namespaces *first_namespace(void) {
  const ElfW(Phdr) *program = (const void *)gpm_getauxval(AT_PHDR);
  const ElfW(Dyn) *d = NULL;
  const ElfW(Phdr) *self = NULL; /* a program without a loader has none */
  unsigned long count = program ? gpm_getauxval(AT_PHNUM) : 0;
  for (unsigned long i = 0; i < count; i++)
    if (program[i].p_type == PT_PHDR) self = &program[i];
  for (unsigned long i = 0; i < count && self; i++)
    if (program[i].p_type == PT_DYNAMIC)
      d = (const void *)((uintptr_t)program - self->p_vaddr + program[i].p_vaddr);
  while (d && d->d_tag != DT_NULL && d->d_tag != DT_DEBUG) d++;
  const struct namespaces *first = d && d->d_tag == DT_DEBUG ? (const void *)d->d_un.d_ptr : NULL;
  return first && first->objects.r_version >= 2 ? first : NULL;
}

/* Finds the program headers at the begin of the object, if that page is mapped. */
static bool headers_of(const struct link_map *object, struct dl_phdr_info *info) {
  unsigned char resident;
  uintptr_t page = object->l_addr & ~(gpm_getauxval(AT_PAGESZ) - 1);
  const ElfW(Ehdr) *head = (const void *)object->l_addr;
  if (!object->l_addr || gpm_syscall(SYS_mincore, page, 1, &resident)) return false;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof(ElfW(Phdr)))
    return false;
  *info = (struct dl_phdr_info){.dlpi_addr = object->l_addr,
                                .dlpi_name = object->l_name,
                                .dlpi_phdr = (const void *)(object->l_addr + head->e_phoff),
                                .dlpi_phnum = head->e_phnum};
  return true;
}

static bool is_in(const struct namespaces *one, const ElfW(Dyn) * dynamic) {
  const struct link_map *object = one->objects.r_map;
  while (object && object->l_ld != dynamic) object = object->l_next;
  return object != NULL;
}

/* Does its work at the first object of this namespace that has a dynamic section. */
static int walk_elsewhere(struct dl_phdr_info *own, size_t size, void *data) {
  (void)size;
  const struct elsewhere *e = data;
  const ElfW(Dyn) *dynamic = NULL;
  for (int i = 0; i < own->dlpi_phnum; i++)
    if (own->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const void *)(own->dlpi_addr + own->dlpi_phdr[i].p_vaddr);
  if (!dynamic) return 0;
  for (const struct namespaces *one = first_namespace(); one; one = one->next) {
    if (is_in(one, dynamic)) continue;
    for (const struct link_map *o = one->objects.r_map; o; o = o->l_next) {
      struct dl_phdr_info info;
      if (headers_of(o, &info) && e->visit(&info, sizeof info, e->data)) return 1;
    }
  }
  return 1;
}

bool gpm_loaded_elsewhere(int (*visit)(struct dl_phdr_info *info, size_t size, void *data),
                          void *data) {
  struct elsewhere e = {visit, data};
  int saved = errno;
  bool stopped = gpm_loaded_each(walk_elsewhere, &e);
  errno = saved;
  return stopped;
}
