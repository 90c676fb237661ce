/* facts.c - see facts.h. */
#include "facts/facts.h"

#include "facts/fatbin.h"
#include "facts/ptx_access.h"
#include "support/memory.h"
#include "support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const texts[] = {
#define GPM_PTX_REASON(NAME, text) text,
#include "facts/ptx_reasons.def"
};

static uint64_t hash_of(const char *text, size_t size) {
  return gpm_ptx_hash((struct gpm_ptx_text){.at = text, .size = (uint32_t)size});
}

/* ---- one kernel --------------------------------------------------------------------------------
 */

/* The entry of a kernel, which may be new. */
static struct gpm_kernel_facts *entry_of(struct gpm_facts *facts, const char *symbol, size_t size) {
  uint64_t *number = gpm_map_at(&facts->by_symbol, hash_of(symbol, size), 0);
  if (*number) return &facts->kernel[*number - 1];
  if (!(facts->kernels & (facts->kernels - 1)))
    facts->kernel = gpm_memory_resize(facts->kernel, facts->kernels ? 2 * facts->kernels : 1,
                                      sizeof *facts->kernel);
  struct gpm_kernel_facts *k = &facts->kernel[facts->kernels++];
  *k = (struct gpm_kernel_facts){.symbol = gpm_memory_array(size + 1, 1), .closed = true};
  memcpy(k->symbol, symbol, size);
  *number = facts->kernels;
  return k;
}

static enum gpm_facts_class class_of(uint8_t access) {
  if (access & GPM_PTX_ESCAPES) return GPM_FACTS_UNKNOWN;
  bool reads = access & GPM_PTX_READS, writes = access & GPM_PTX_WRITES;
  return reads && writes ? GPM_FACTS_BOTH
         : reads         ? GPM_FACTS_READ
         : writes        ? GPM_FACTS_WRITE
                         : GPM_FACTS_NONE;
}

static enum gpm_facts_class join(enum gpm_facts_class a, enum gpm_facts_class b) {
  if (a == GPM_FACTS_UNKNOWN || b == GPM_FACTS_UNKNOWN) return GPM_FACTS_UNKNOWN;
  return (enum gpm_facts_class)((unsigned)a | (unsigned)b);
}
_Static_assert(((unsigned)GPM_FACTS_READ | (unsigned)GPM_FACTS_WRITE) == GPM_FACTS_BOTH,
               "classes but unknown are masks");

/* Adds a reason. The first in the order of ptx_reasons.def is the one that is printed. */
static void open_for(struct gpm_kernel_facts *k, unsigned reason, const char *name, size_t size) {
  bool first = !k->reasons || reason < (unsigned)__builtin_ctz(k->reasons);
  k->reasons |= 1U << reason;
  k->closed = false;
  if (!first) return;
  k->reason = texts[reason];
  free(k->name);
  k->name = gpm_memory_array(size + 1, 1);
  if (size) memcpy(k->name, name, size);
}

static void forget_words(struct gpm_kernel_facts *k) {
  for (uint32_t w = 0; w < k->words; w++) k->word[w].access = GPM_FACTS_UNKNOWN;
}

static bool has_same_words(const struct gpm_kernel_facts *k, const struct gpm_ptx_access *a) {
  if (k->parameters != a->kernel->parameters || k->words != a->words) return false;
  for (uint32_t w = 0; w < k->words; w++)
    if (k->word[w].parameter != a->word[w].parameter || k->word[w].offset != a->word[w].offset)
      return false;
  return true;
}

static void add_words(struct gpm_kernel_facts *k, const struct gpm_ptx_access *a) {
  k->has_ptx = true;
  k->parameters = a->kernel->parameters;
  k->words = a->words;
  k->word = gpm_memory_array((size_t)k->words + 1, sizeof *k->word);
  for (uint32_t w = 0; w < k->words; w++)
    k->word[w] = (struct gpm_facts_word){.parameter = a->word[w].parameter,
                                         .offset = a->word[w].offset,
                                         .is_number = a->word[w].is_number};
}

static void add_access(const struct gpm_ptx_access *a, void *data) {
  struct gpm_kernel_facts *k = entry_of(data, a->kernel->name.at, a->kernel->name.size);
  if (!k->has_ptx) add_words(k, a);
  bool same = has_same_words(k, a);
  if (!same) open_for(k, GPM_PTX_IS_DIFFERENT, NULL, 0);
  for (uint32_t w = 0; same && w < k->words; w++) {
    k->word[w].access = join(k->word[w].access, class_of(a->word[w].access));
    k->word[w].is_number &= a->word[w].is_number;
  }
  for (unsigned i = 0; i < GPM_PTX_REASONS; i++)
    if (a->open & 1U << i) open_for(k, i, a->name[i].at, a->name[i].size);
  if (k->reasons & (1U << GPM_PTX_IS_DIFFERENT | 1U << GPM_PTX_IS_UNSEEN | 1U << GPM_PTX_IS_UNREAD))
    forget_words(k);
}

bool gpm_facts_add_text(struct gpm_facts *facts, const char *text, size_t size) {
  struct gpm_ptx ptx;
  bool is_ptx = gpm_ptx_read(&ptx, text, size);
  if (is_ptx) {
    facts->texts++;
    gpm_ptx_access_visit(&ptx, add_access, facts);
  }
  gpm_ptx_free(&ptx);
  return is_ptx;
}

/* ---- one file ----------------------------------------------------------------------------------
 */

/* A kernel that a program has as machine code. */
struct machine_code {
  char *symbol;
  uint32_t arch; /* of the PTX that it was made from */
  bool relocatable;
};

struct file {
  struct gpm_facts *facts;
  struct machine_code *code;
  uint32_t codes;
  uint32_t *kernel; /* numbers of those that it has PTX of */
  uint32_t kernels;
  const struct gpm_fatbin_code *visited;
  struct gpm_map seen;        /* by symbol and architecture: 1 if there is PTX of it */
  struct gpm_map relocatable; /* by symbol: 1 if nvlink joined it from what is here, too */
};

static uint64_t seen_key(const char *symbol, size_t size, uint32_t arch) {
  return gpm_map_mix(hash_of(symbol, size) + arch);
}

static void add_seen(const struct gpm_ptx_access *a, void *data) {
  struct file *f = data;
  struct gpm_ptx_text name = a->kernel->name;
  *gpm_map_at(&f->seen, seen_key(name.at, name.size, f->visited->arch), 0) = 1;
  add_access(a, f->facts);
  if (!(f->kernels & (f->kernels - 1)))
    f->kernel = gpm_memory_resize(f->kernel, f->kernels ? 2 * f->kernels : 1, sizeof *f->kernel);
  f->kernel[f->kernels++] = (uint32_t)(entry_of(f->facts, name.at, name.size) - f->facts->kernel);
}

static void add_machine_code(const char *symbol, void *data) {
  struct file *f = data;
  if (!(f->codes & (f->codes - 1)))
    f->code = gpm_memory_resize(f->code, f->codes ? 2 * f->codes : 1, sizeof *f->code);
  f->code[f->codes++] = (struct machine_code){.symbol = gpm_memory_text(symbol),
                                              .arch = f->visited->arch,
                                              .relocatable = f->visited->relocatable};
  if (f->visited->relocatable) *gpm_map_at(&f->relocatable, hash_of(symbol, strlen(symbol)), 0) = 1;
}

static void visit(const struct gpm_fatbin_code *code, void *data) {
  struct file *f = data;
  struct gpm_ptx ptx;
  f->visited = code;
  if (code->kind == GPM_FATBIN_MACHINE_CODE) {
    if (!gpm_fatbin_kernels(code->bytes, code->size, add_machine_code, f)) f->facts->damaged++;
    return;
  }
  if (gpm_ptx_read(&ptx, code->bytes, code->size)) {
    f->facts->texts++;
    gpm_ptx_access_visit(&ptx, add_seen, f);
  } else f->facts->damaged++;
  gpm_ptx_free(&ptx);
}

/* What is there only as machine code may do something else than its PTX for another architecture.
 */
static void open_unseen(struct file *f) {
  for (uint32_t i = 0; i < f->codes; i++) {
    const struct machine_code *code = &f->code[i];
    size_t size = strlen(code->symbol);
    bool joined = *gpm_map_at(&f->relocatable, hash_of(code->symbol, size), 0);
    if (joined && !code->relocatable) continue;
    if (*gpm_map_at(&f->seen, seen_key(code->symbol, size, code->arch), 0)) continue;
    struct gpm_kernel_facts *k = entry_of(f->facts, code->symbol, size);
    char arch[32];
    int length = snprintf(arch, sizeof arch, "compute_%" PRIu32, code->arch);
    open_for(k, GPM_PTX_IS_UNSEEN, arch, (size_t)length);
    forget_words(k);
  }
}

/* What could not be read may be machine code of any of its kernels. */
static void open_unread(struct file *f, uint32_t damaged_before) {
  if (f->facts->damaged == damaged_before && !f->facts->compressed) return;
  for (uint32_t i = 0; i < f->kernels; i++) {
    struct gpm_kernel_facts *k = &f->facts->kernel[f->kernel[i]];
    open_for(k, GPM_PTX_IS_UNREAD, NULL, 0);
    forget_words(k);
  }
}

static char *add_elf(struct gpm_facts *facts, const struct gpm_elf *elf) {
  struct file f = {.facts = facts};
  struct gpm_fatbin_unread unread = {0};
  uint32_t damaged = facts->damaged;
  gpm_fatbin_visit(elf, visit, &f, &unread);
  facts->damaged += unread.damaged;
  facts->compressed += unread.compressed;
  open_unseen(&f);
  open_unread(&f, damaged);
  for (uint32_t i = 0; i < f.codes; i++) free(f.code[i].symbol);
  free(f.code);
  free(f.kernel);
  gpm_map_free(&f.seen);
  gpm_map_free(&f.relocatable);
  return NULL;
}

static char *cannot_read(const char *path, const char *why) {
  char *name = gpm_text_clean(path);
  char *sentence = gpm_memory_format("%s cannot be read: %s", name, why);
  free(name);
  return sentence;
}

/* A regular file that is no ELF file. */
static char *add_text_file(struct gpm_facts *facts, const char *path) {
  struct stat st;
  char *wrong = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot_read(path, strerror(errno));
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) wrong = cannot_read(path, "it is not a regular file");
  void *text = wrong || !st.st_size ? MAP_FAILED
                                    : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  bool is_ptx = text != MAP_FAILED && gpm_facts_add_text(facts, text, (size_t)st.st_size);
  if (!wrong && !is_ptx)
    wrong = cannot_read(path, "it is neither a program, a library or an object file (ELF) nor PTX, "
                              "which begins with .version");
  if (text != MAP_FAILED) munmap(text, (size_t)st.st_size);
  close(fd);
  return wrong;
}

char *gpm_facts_add(struct gpm_facts *facts, const char *path) {
  struct gpm_elf elf;
  if (gpm_elf_open(&elf, path, "") != GPM_ELF_SAME) return add_text_file(facts, path);
  char *wrong = add_elf(facts, &elf);
  gpm_elf_close(&elf);
  return wrong;
}

/* ---- the table ---------------------------------------------------------------------------------
 */

const struct gpm_kernel_facts *gpm_facts_find(struct gpm_facts *facts, const char *symbol) {
  uint64_t number = *gpm_map_at(&facts->by_symbol, hash_of(symbol, strlen(symbol)), 0);
  return number ? &facts->kernel[number - 1] : NULL;
}

char *gpm_facts_reason(const struct gpm_kernel_facts *kernel) {
  const char *text = kernel->closed    ? ""
                     : kernel->has_ptx ? kernel->reason
                                       : "is there only as machine code, made from %s";
  const char *hole = strstr(text, "%s");
  if (!hole) return gpm_memory_text(text);
  return gpm_memory_format("%.*s%s%s", (int)(hole - text), text, kernel->name, hole + 2);
}

void gpm_facts_free(struct gpm_facts *facts) {
  for (uint32_t i = 0; i < facts->kernels; i++) {
    free(facts->kernel[i].symbol);
    free(facts->kernel[i].word);
    free(facts->kernel[i].name);
  }
  free(facts->kernel);
  gpm_map_free(&facts->by_symbol);
  *facts = (struct gpm_facts){0};
}
