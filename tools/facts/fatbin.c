/* fatbin.c - see fatbin.h. The layout is not documented; it was read from programs of nvcc 13.0 and
 * clang, and agrees with what others found (github.com/n-eiling/cuda-fatbin-decompression).
 */
#include "facts/fatbin.h"

#include "facts/lz4.h"
#include "support/memory.h"

#include "gpumemprof/capture_checksum.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#ifdef GPM_HAVE_ZSTD
#include <zstd.h>
#endif

#define MAGIC UINT32_C(0xBA55ED50)

struct container {
  uint32_t magic;
  uint16_t version, head;
  uint64_t size; /* without the head */
};

struct entry {
  uint16_t kind, version;
  uint32_t head;
  uint64_t size;       /* of what follows the head, which is filled up to 8 bytes */
  uint32_t compressed; /* bytes that are not filling; 0: it is not compressed */
  uint32_t options;
  uint16_t minor, major;
  uint32_t arch;
  uint32_t name, name_size;
  uint64_t flags;
  uint64_t unused;
  uint64_t plain; /* bytes after decompression */
};
_Static_assert(sizeof(struct entry) == 64, "the part of the head that all entries have");

enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

/* No text has more: a longer claim is damage. LZ4 makes at most 255 bytes of one, and so much the
 * bytes that are there may claim. */
#define MOST_PLAIN (UINT64_C(1) << 30)
enum { MOST_OF_LZ4 = 255, MOST_OF_ZSTD = 1 << 16 };

#ifdef GPM_HAVE_ZSTD
static bool decode_zstd(const unsigned char *bytes, size_t size, char *out, size_t room) {
  return ZSTD_decompress(out, room, bytes, size) == room;
}
#endif

/* The bytes of the entry in a new block with a zero byte behind them. Null: they cannot be read,
 * which is counted. */
static char *plain_bytes(const struct entry *e, const unsigned char *bytes, size_t *size,
                         struct gpm_fatbin_unread *unread) {
  bool lz4 = e->flags & FLAG_LZ4, zstd = e->flags & FLAG_ZSTD;
  uint64_t most = zstd ? MOST_OF_ZSTD : MOST_OF_LZ4;
  if (!lz4 && !zstd) {
    char *copy = gpm_memory_array(e->size + 1, 1);
    memcpy(copy, bytes, e->size);
    *size = e->size;
    return copy;
  }
  if (e->compressed > e->size || e->plain > MOST_PLAIN || e->plain / most > e->compressed) {
    unread->damaged++;
    return NULL;
  }
#ifndef GPM_HAVE_ZSTD
  if (zstd) {
    unread->compressed++;
    return NULL;
  }
#endif
  char *out = gpm_memory_array(e->plain + 1, 1);
  *size = e->plain;
#ifdef GPM_HAVE_ZSTD
  bool ok = zstd ? decode_zstd(bytes, e->compressed, out, e->plain)
                 : gpm_lz4_decode(bytes, e->compressed, (unsigned char *)out, e->plain);
#else
  bool ok = gpm_lz4_decode(bytes, e->compressed, (unsigned char *)out, e->plain);
#endif
  if (ok) return out;
  free(out);
  unread->damaged++;
  return NULL;
}

/* The architecture of the PTX that machine code was made from, by the compiler's note in it; `arch`
 * if there is none. */
static uint32_t source_arch(const char *bytes, size_t size, uint32_t arch) {
  static const char vendor[] = "NVIDIA Corp";
  struct note {
    Elf64_Nhdr head;
    char vendor[sizeof vendor];
    uint16_t version, arch;
  } note;
  enum { CUDA_INFO = 1000, ALIGNMENT = 4 };
  for (size_t at = 0; at + sizeof note <= size; at += ALIGNMENT) {
    memcpy(&note, bytes + at, sizeof note);
    if (note.head.n_type == CUDA_INFO && note.head.n_namesz == sizeof vendor &&
        !memcmp(note.vendor, vendor, sizeof vendor))
      return note.arch;
  }
  return arch;
}

static void visit_entry(const struct entry *e, const unsigned char *bytes, bool relocatable,
                        gpm_fatbin_visitor *visit, void *data, struct gpm_fatbin_unread *unread) {
  if (e->kind != GPM_FATBIN_PTX && e->kind != GPM_FATBIN_MACHINE_CODE) return;
  struct gpm_fatbin_code code = {.kind = e->kind, .relocatable = relocatable, .arch = e->arch};
  char *plain = plain_bytes(e, bytes, &code.size, unread);
  if (!plain) return;
  code.bytes = plain;
  if (e->kind == GPM_FATBIN_MACHINE_CODE) code.arch = source_arch(plain, code.size, e->arch);
  visit(&code, data);
  free(plain);
}

static void visit_entries(const unsigned char *at, uint64_t size, bool relocatable,
                          gpm_fatbin_visitor *visit, void *data, struct gpm_fatbin_unread *unread) {
  while (size) {
    struct entry e;
    if (size < sizeof e) break;
    memcpy(&e, at, sizeof e);
    if (e.head < sizeof e || e.head > size || e.size > size - e.head) break;
    visit_entry(&e, at + e.head, relocatable, visit, data, unread);
    at += e.head + e.size;
    size -= e.head + e.size;
  }
  if (size) unread->damaged++;
}

void gpm_fatbin_visit_section(const unsigned char *section, uint64_t size, bool relocatable,
                              gpm_fatbin_visitor *visit, void *data,
                              struct gpm_fatbin_unread *unread) {
  enum { ALIGNMENT = 8 };
  for (uint64_t at = 0; at < size && size - at >= sizeof(struct container);) {
    struct container c;
    memcpy(&c, section + at, sizeof c);
    if (c.magic != MAGIC) { /* filling between containers */
      at += ALIGNMENT;
      continue;
    }
    if (c.head < sizeof c || c.head > size - at || c.size > size - at - c.head) {
      unread->damaged++;
      return;
    }
    visit_entries(section + at + c.head, c.size, relocatable, visit, data, unread);
    at = (at + c.head + c.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}

void gpm_fatbin_visit(const struct gpm_elf *elf, gpm_fatbin_visitor *visit, void *data,
                      struct gpm_fatbin_unread *unread) {
  static const char *const sections[] = {"__nv_relfatbin", ".nv_fatbin"};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    uint64_t size = 0;
    const unsigned char *section = gpm_elf_section(elf, sections[i], &size);
    if (section) gpm_fatbin_visit_section(section, size, !i, visit, data, unread);
  }
}

uint64_t gpm_fatbin_hash(const struct gpm_elf *elf) {
  uint64_t hash = 0, size = 0;
  const unsigned char *joined = gpm_elf_section(elf, "__nv_relfatbin", &size);
  if (joined && size) hash = gpumemprof_checksum(joined, size, 0);
  const unsigned char *code = gpm_elf_section(elf, ".nv_fatbin", &size);
  return code && size ? gpumemprof_checksum(code, size, hash) : 0;
}

/* ---- machine code ------------------------------------------------------------------------------
 */

static const void *at(const char *bytes, size_t size, uint64_t offset, uint64_t length) {
  return offset <= size && length <= size - offset ? bytes + offset : NULL;
}

/* Each kernel has a section of constants, which begin with its parameters. */
bool gpm_fatbin_kernels(const char *bytes, size_t size, gpm_fatbin_kernel_visitor *visit,
                        void *data) {
  static const char prefix[] = ".nv.constant0.";
  const size_t length = sizeof prefix - 1;
  Elf64_Ehdr e;
  Elf64_Shdr s, names;
  if (size < sizeof e || memcmp(bytes, ELFMAG, SELFMAG)) return false;
  memcpy(&e, bytes, sizeof e);
  const void *header =
      e.e_shstrndx < e.e_shnum
          ? at(bytes, size, e.e_shoff + (uint64_t)e.e_shstrndx * sizeof names, sizeof names)
          : NULL;
  if (!header) return false;
  memcpy(&names, header, sizeof names);
  const char *text = at(bytes, size, names.sh_offset, names.sh_size);
  if (!text) return false;
  for (uint16_t i = 0; i < e.e_shnum; i++) {
    if (!(header = at(bytes, size, e.e_shoff + (uint64_t)i * sizeof s, sizeof s))) return false;
    memcpy(&s, header, sizeof s);
    if (s.sh_name >= names.sh_size) continue;
    const char *name = text + s.sh_name;
    size_t most = names.sh_size - s.sh_name;
    if (most > length && !memcmp(name, prefix, length) && memchr(name, 0, most))
      visit(name + length, data);
  }
  return true;
}
