/* unseen_parts.c - functions of a program or library that use memory and that the plugin did not
 * compile, although it compiled others: a program of which some files were rebuilt, or that was
 * linked with an archive.
 *
 * Compiled code calls CUDA in its thunks only, which lie side by side (gpumemprof_thunks). So code
 * elsewhere that refers to a function of cuda_uses.def was not rebuilt. It is found in the machine
 * code: as a call, a jump or an address relative to the instruction, of the function itself, of its
 * entry in the procedure linkage table, or of its slot in the global offset table. Four bytes that
 * mean something else would have to be the distance to such an address by chance.
 *
 * Where CUDA's runtime is linked in statically its functions are known by the table of symbols, so
 * a program that was stripped of it is not judged.
 */
#include "base/memory.h"
#include "base/taps.h"
#include "cuda/effects.h"
#include "uses/unseen.h"

#include <string.h>

#if defined(__x86_64__)

#define MOST_TARGETS 1024u

struct use_target {
  uintptr_t address;
  bool slot; /* which holds the address of the function */
};
struct part_scan {
  const struct gpm_object_file *file;
  const char *path;
  uintptr_t bias;
  const struct gpm_code_range *thunks;
  struct gpm_symbols exported, all;
  struct use_target *target;
  uint32_t count;
  uintptr_t lowest, highest; /* of their addresses */
};

static bool is_use_of_cuda(const char *function) {
  uint32_t count;
  const struct gpm_found_function *known = gpm_uses_found(&count);
  if (strncmp(function, "cu", 2) != 0 && strncmp(function, "__cuda", 6) != 0) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!strcmp(function, known[i].name)) return true;
  return false;
}

/* ---- what may be referred to -------------------------------------------------------------------
 */

static void add_use_target(struct part_scan *s, uintptr_t address, bool slot) {
  if (s->count == MOST_TARGETS) return;
  s->target[s->count++] = (struct use_target){address, slot};
  if (address < s->lowest) s->lowest = address;
  if (address > s->highest) s->highest = address;
}

static bool is_use_target(const struct part_scan *s, uintptr_t address, bool slot) {
  if (address < s->lowest || address > s->highest) return false;
  for (uint32_t i = 0; i < s->count; i++)
    if (s->target[i].address == address && s->target[i].slot == slot) return true;
  return false;
}

/* The slots of functions of a shared CUDA, by the relocations that fill them. True: data that the
 * linker fills has the address of one, which no compiled code leaves there. */
static bool add_slots(struct part_scan *s) {
  bool in_data = false;
  for (unsigned i = 0; i < s->file->count; i++) {
    if (s->file->section[i].sh_type != SHT_RELA) continue;
    struct gpm_file_part part = gpm_object_file_read(s->file, &s->file->section[i]);
    const Elf64_Rela *r = (const void *)part.bytes;
    for (uint64_t n = part.size / sizeof *r; n--; r++) {
      if (!is_use_of_cuda(gpm_object_file_text(&s->exported, ELF64_R_SYM(r->r_info)))) continue;
      if (ELF64_R_TYPE(r->r_info) == R_X86_64_64) in_data = true;
      else add_use_target(s, s->bias + r->r_offset, true);
    }
    gpm_object_file_free(&part);
  }
  return in_data;
}

/* Functions of a static CUDA; and in programs at a fixed address, of a shared one whose address is
 * that of its entry in the procedure linkage table. */
static void add_functions(struct part_scan *s, const struct gpm_symbols *symbols) {
  for (uint64_t i = 0; i < symbols->count; i++)
    if (symbols->symbol[i].st_value && is_use_of_cuda(gpm_object_file_text(symbols, i)))
      add_use_target(s, s->bias + symbols->symbol[i].st_value, false);
}

/* Machine code, from the file: the object may be unmapped meanwhile. */
struct file_code {
  struct gpm_file_part part;
  const uint8_t *bytes;
  uint64_t size;
  uintptr_t address; /* where it is mapped */
};

/* A section of code of more than a few bytes; size is 0 if it is none. */
static struct file_code read_code(const struct part_scan *s, const Elf64_Shdr *section,
                                  bool linkage) {
  bool wanted = section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
                linkage == !strncmp(gpm_object_file_name(s->file, section), ".plt", 4);
  struct file_code c = {.address = s->bias + section->sh_addr};
  if (!wanted) return c;
  c.part = gpm_object_file_read(s->file, section);
  c.bytes = (const uint8_t *)c.part.bytes;
  c.size = c.part.size;
  return c;
}

/* The address that the four bytes at `at` lead to, as a distance from their end. */
static uintptr_t led_to(const struct file_code *c, uint64_t at) {
  int32_t distance;
  memcpy(&distance, c->bytes + at, sizeof distance);
  return c->address + at + 4 + (uintptr_t)(intptr_t)distance;
}

/* The entries of the procedure linkage table: [endbr64] [bnd] jmp *slot. */
static void add_entries(struct part_scan *s) {
  for (unsigned i = 0; i < s->file->count; i++) {
    struct file_code c = read_code(s, &s->file->section[i], true);
    for (uint64_t n = 0; n + 6 <= c.size; n++) {
      if (c.bytes[n] != 0xff || c.bytes[n + 1] != 0x25 ||
          !is_use_target(s, led_to(&c, n + 2), true))
        continue;
      uint64_t at = n >= 1 && c.bytes[n - 1] == 0xf2 ? n - 1 : n;
      add_use_target(s, c.address + at, false);
      if (at >= 4 && !memcmp(c.bytes + at - 4, "\xf3\x0f\x1e\xfa", 4))
        add_use_target(s, c.address + at - 4, false);
    }
    gpm_object_file_free(&c.part);
  }
}

/* ---- what refers to it -------------------------------------------------------------------------
 */

/* Whether the four bytes behind these two are a distance, and whether it leads to a slot. */
static bool is_use_reference(const uint8_t *c, bool *slot) {
  bool relative = (c[1] & 0xc7) == 0x05; /* the address is that of the instruction plus them */
  *slot = (c[0] == 0xff && (c[1] == 0x15 || c[1] == 0x25)) || (c[0] == 0x8b && relative);
  return *slot || (c[0] == 0x8d && relative) || (c[0] == 0x0f && (c[1] & 0xf0) == 0x80) ||
         (c[1] & 0xfe) == 0xe8;
}

/* The name of the function at this address, or null. */
static const char *referring_function(const struct part_scan *s, uintptr_t address) {
  const struct gpm_symbols *known = s->all.count ? &s->all : &s->exported;
  for (uint64_t i = 0; i < known->count; i++) {
    const Elf64_Sym *f = &known->symbol[i];
    if (ELF64_ST_TYPE(f->st_info) == STT_FUNC && f->st_shndx != SHN_UNDEF &&
        address - (s->bias + f->st_value) < f->st_size)
      return gpm_object_file_text(known, i);
  }
  return NULL;
}

/* Of the static CUDA runtime, which calls itself. */
static bool is_of_static_runtime(const char *function) {
  return function &&
         (!strncmp(function, "libcudart_static_", 17) || !strncmp(function, "__cuda", 6));
}

static void refers(const struct part_scan *s, uintptr_t at) {
  if (at - s->thunks->begin < s->thunks->end - s->thunks->begin) return;
  const char *function = referring_function(s, at);
  if (!is_of_static_runtime(function)) gpm_unseen_add(GPUMEMPROF_UNSEEN_PART, s->path, function);
}

static void scan_code(const struct part_scan *s) {
  for (unsigned i = 0; i < s->file->count; i++) {
    struct file_code c = read_code(s, &s->file->section[i], false);
    for (uint64_t n = 0; n + 6 <= c.size; n++) {
      bool slot;
      if (is_use_reference(c.bytes + n, &slot) && is_use_target(s, led_to(&c, n + 2), slot))
        refers(s, c.address + n);
    }
    gpm_object_file_free(&c.part);
  }
}

/* Whether the CUDA runtime of the object is a shared one. */
static bool takes_runtime(const struct gpm_symbols *symbols) {
  for (uint64_t i = 0; i < symbols->count; i++) {
    const char *name = gpm_object_file_text(symbols, i);
    if (symbols->symbol[i].st_shndx == SHN_UNDEF && !strncmp(name, "cuda", 4)) return true;
  }
  return false;
}

void gpm_unseen_check_parts(const struct gpm_object_file *file, const char *path, uintptr_t bias,
                            const struct gpm_code_range *thunks) {
  struct part_scan s = {.file = file,
                        .path = path,
                        .bias = bias,
                        .thunks = thunks,
                        .exported = gpm_object_file_symbols(file, SHT_DYNSYM),
                        .all = gpm_object_file_symbols(file, SHT_SYMTAB),
                        .lowest = UINTPTR_MAX,
                        .target = gpm_memory_try(MOST_TARGETS * sizeof(struct use_target))};
  if (s.target) {
    if (add_slots(&s)) gpm_unseen_add(GPUMEMPROF_UNSEEN_PART, path, NULL);
    add_functions(&s, &s.exported);
    add_functions(&s, &s.all);
    add_entries(&s);
    if (s.count) scan_code(&s);
    if (thunks->begin != thunks->end && !s.all.count && !takes_runtime(&s.exported))
      gpm_unseen_add(GPUMEMPROF_UNSEEN_STRIPPED, path, NULL);
    gpm_memory_unmap(s.target, MOST_TARGETS * sizeof(struct use_target));
  }
  gpm_object_file_free_symbols(&s.exported);
  gpm_object_file_free_symbols(&s.all);
}

#else /* the machine code of others is not read */

void gpm_unseen_check_parts(const struct gpm_object_file *file, const char *path, uintptr_t bias,
                            const struct gpm_code_range *thunks) {
  (void)file, (void)path, (void)bias, (void)thunks;
}

#endif
