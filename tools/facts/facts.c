/* facts.c - see facts.h. */
#include "facts/facts.h"

#include "facts/compiled.h"
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

const char gpm_facts_remedy[] =
    "compile it again with the flags of `gpumemprof flags clang`, or with nvcc and -gencode "
    "arch=compute_N,code=[sm_N,compute_N]";

struct file;

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
  bool reads = access & (GPM_PTX_READS | GPM_PTX_ASKS), writes = access & GPM_PTX_WRITES;
  return reads && writes ? GPM_FACTS_BOTH
         : reads         ? GPM_FACTS_READ
         : writes        ? GPM_FACTS_WRITE
                         : GPM_FACTS_NONE;
}

static void make_words(struct gpm_kernel_facts *k, const struct gpm_ptx_access *a) {
  k->parameters = a->kernel->parameters;
  k->words = a->words;
  k->word = gpm_memory_array((size_t)k->words + 1, sizeof *k->word);
  for (uint32_t w = 0; w < k->words; w++)
    k->word[w] = (struct gpm_facts_word){.parameter = a->word[w].parameter,
                                         .offset = a->word[w].offset,
                                         .access = class_of(a->word[w].access),
                                         .is_number = a->word[w].is_number,
                                         .is_followed =
                                             a->word[w].access & (GPM_PTX_READS | GPM_PTX_WRITES)};
}

/* What a PTX text says, and what the plugin says in it. */
struct text {
  struct gpm_facts *facts;
  struct gpm_compiled compiled;
  struct file *file; /* that it is in, or null */
};

static void note_seen(struct file *f, struct gpm_ptx_text name, uint64_t names);

static void add_access(const struct gpm_ptx_access *a, void *data) {
  struct text *text = data;
  struct gpm_ptx_text name = a->kernel->name;
  if (gpm_compiled_is_name(name.at, name.size)) return;
  const struct gpm_compiled_kernel *compiled =
      gpm_compiled_find(&text->compiled, name.at, name.size);
  struct gpm_kernel_facts k = {.sources = GPM_FACTS_OF_PTX, .closed = true};
  make_words(&k, a);
  for (unsigned i = 0; i < GPM_FACTS_REASONS; i++)
    if (a->open & 1U << i) gpm_kernel_facts_open(&k, i, a->name[i].at, a->name[i].size);
  if (compiled) gpm_kernel_facts_meet(&k, &compiled->facts);
  gpm_kernel_facts_join(entry_of(text->facts, name.at, name.size), &k);
  gpm_kernel_facts_free(&k);
  if (text->file) note_seen(text->file, name, compiled ? compiled->names : 0);
}

static bool add_text(struct gpm_facts *facts, const char *bytes, size_t size, struct file *file) {
  struct gpm_ptx ptx;
  bool is_ptx = gpm_ptx_read(&ptx, bytes, size);
  if (is_ptx) {
    struct text text = {.facts = facts, .file = file};
    facts->texts++;
    facts->cut += ptx.cut;
    gpm_compiled_read(&text.compiled, bytes, size);
    gpm_ptx_access_visit(&ptx, add_access, &text);
    gpm_compiled_free(&text.compiled);
  }
  gpm_ptx_free(&ptx);
  return is_ptx;
}

bool gpm_facts_add_text(struct gpm_facts *facts, const char *text, size_t size) {
  return add_text(facts, text, size, NULL);
}

/* ---- one file ----------------------------------------------------------------------------------
 */

/* A kernel that a program has as machine code. */
struct machine_code {
  char *symbol;
  uint32_t arch; /* of the PTX that it was made from */
  bool relocatable;
  struct gpm_kernel_facts compiled; /* what it says of itself; without sources: nothing */
  uint64_t names;
};

struct file {
  struct gpm_facts *facts;
  struct machine_code *code;
  uint32_t codes;
  uint32_t *kernel; /* numbers of those of which something is known */
  uint32_t kernels;
  const struct gpm_fatbin_code *visited;
  const struct gpm_compiled *compiled; /* what the visited machine code says */
  struct gpm_map seen;                 /* by symbol and architecture: 1 if there is PTX of it */
  struct gpm_map agreeing;    /* the same and what the plugin says: 1 if the PTX says it, too */
  struct gpm_map relocatable; /* by symbol: 1 if nvlink joined it from what is here, too */
};

static uint64_t seen_key(const char *symbol, size_t size, uint32_t arch) {
  return gpm_map_mix(hash_of(symbol, size) + arch);
}

static void note_known(struct file *f, const char *symbol, size_t size) {
  if (!(f->kernels & (f->kernels - 1)))
    f->kernel = gpm_memory_resize(f->kernel, f->kernels ? 2 * f->kernels : 1, sizeof *f->kernel);
  f->kernel[f->kernels++] = (uint32_t)(entry_of(f->facts, symbol, size) - f->facts->kernel);
}

static void note_seen(struct file *f, struct gpm_ptx_text name, uint64_t names) {
  uint64_t key = seen_key(name.at, name.size, f->visited->arch);
  *gpm_map_at(&f->seen, key, 0) = 1;
  *gpm_map_at(&f->agreeing, gpm_map_mix(key + names), 0) = 1;
  note_known(f, name.at, name.size);
}

static void add_machine_code(const char *symbol, void *data) {
  struct file *f = data;
  size_t size = strlen(symbol);
  if (gpm_compiled_is_name(symbol, size)) return;
  f->facts->machine_codes++;
  const struct gpm_compiled_kernel *compiled = gpm_compiled_find(f->compiled, symbol, size);
  if (!(f->codes & (f->codes - 1)))
    f->code = gpm_memory_resize(f->code, f->codes ? 2 * f->codes : 1, sizeof *f->code);
  struct machine_code *code = &f->code[f->codes++];
  *code = (struct machine_code){.symbol = gpm_memory_text(symbol),
                                .arch = f->visited->arch,
                                .relocatable = f->visited->relocatable,
                                .compiled = {.closed = true}};
  if (compiled) {
    gpm_kernel_facts_join(&code->compiled, &compiled->facts);
    code->names = compiled->names;
  }
  if (f->visited->relocatable) *gpm_map_at(&f->relocatable, hash_of(symbol, size), 0) = 1;
}

static void visit(const struct gpm_fatbin_code *code, void *data) {
  struct file *f = data;
  struct gpm_compiled compiled;
  f->visited = code;
  if (code->kind == GPM_FATBIN_PTX) {
    if (!add_text(f->facts, code->bytes, code->size, f)) f->facts->damaged++;
    return;
  }
  gpm_compiled_read(&compiled, code->bytes, code->size);
  f->compiled = &compiled;
  if (!gpm_fatbin_kernels(code->bytes, code->size, add_machine_code, f)) f->facts->damaged++;
  gpm_compiled_free(&compiled);
}

/* Adds what machine code says of itself. Where its PTX says the same, more is known from both. */
static void add_compiled(struct file *f) {
  for (uint32_t i = 0; i < f->codes; i++) {
    const struct machine_code *code = &f->code[i];
    size_t size = strlen(code->symbol);
    uint64_t key = seen_key(code->symbol, size, code->arch);
    if (!code->compiled.sources || gpm_map_find(&f->agreeing, gpm_map_mix(key + code->names), 0))
      continue;
    gpm_kernel_facts_join(entry_of(f->facts, code->symbol, size), &code->compiled);
    note_known(f, code->symbol, size);
  }
}

/* What is there only as machine code may do something else than its PTX for another architecture.
 */
static void open_unseen(struct file *f) {
  for (uint32_t i = 0; i < f->codes; i++) {
    const struct machine_code *code = &f->code[i];
    size_t size = strlen(code->symbol);
    bool joined = gpm_map_find(&f->relocatable, hash_of(code->symbol, size), 0);
    if (code->compiled.sources || (joined && !code->relocatable)) continue;
    if (gpm_map_find(&f->seen, seen_key(code->symbol, size, code->arch), 0)) continue;
    struct gpm_kernel_facts *k = entry_of(f->facts, code->symbol, size);
    char arch[32];
    int length = snprintf(arch, sizeof arch, "compute_%" PRIu32, code->arch);
    gpm_kernel_facts_open(k, GPM_FACTS_IS_UNSEEN, arch, (size_t)length);
    gpm_kernel_facts_forget(k);
  }
}

/* What could not be read may be machine code of any of its kernels. */
static void open_unread(struct file *f, uint32_t damaged_before) {
  if (f->facts->damaged == damaged_before && !f->facts->compressed) return;
  for (uint32_t i = 0; i < f->kernels; i++) {
    struct gpm_kernel_facts *k = &f->facts->kernel[f->kernel[i]];
    gpm_kernel_facts_open(k, GPM_FACTS_IS_UNREAD, NULL, 0);
    gpm_kernel_facts_forget(k);
  }
}

static char *add_elf(struct gpm_facts *facts, const struct gpm_elf *elf) {
  struct file f = {.facts = facts};
  struct gpm_fatbin_unread unread = {0};
  uint32_t damaged = facts->damaged;
  gpm_fatbin_visit(elf, visit, &f, &unread);
  facts->damaged += unread.damaged;
  facts->compressed += unread.compressed;
  add_compiled(&f);
  open_unseen(&f);
  open_unread(&f, damaged);
  for (uint32_t i = 0; i < f.codes; i++) {
    free(f.code[i].symbol);
    gpm_kernel_facts_free(&f.code[i].compiled);
  }
  free(f.code);
  free(f.kernel);
  gpm_map_free(&f.seen);
  gpm_map_free(&f.agreeing);
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

uint64_t gpm_facts_hash(const char *path) {
  struct gpm_elf elf;
  if (gpm_elf_open(&elf, path, "") != GPM_ELF_SAME) return 0;
  uint64_t hash = gpm_elf_is_linked(&elf) ? gpm_fatbin_hash(&elf) : 0;
  gpm_elf_close(&elf);
  return hash;
}

/* ---- the table ---------------------------------------------------------------------------------
 */

const struct gpm_kernel_facts *gpm_facts_find(struct gpm_facts *facts, const char *symbol) {
  uint64_t number = *gpm_map_at(&facts->by_symbol, hash_of(symbol, strlen(symbol)), 0);
  return number ? &facts->kernel[number - 1] : NULL;
}

char *gpm_facts_reason(const struct gpm_kernel_facts *kernel) {
  const char *text = kernel->closed ? "" : kernel->reason;
  const char *hole = strstr(text, "%s");
  if (!kernel->sources)
    return gpm_memory_format("is there only as machine code, made from %s", kernel->name);
  if (!hole) return gpm_memory_text(text);
  return gpm_memory_format("%.*s%s%s", (int)(hole - text), text, kernel->name, hole + 2);
}

void gpm_facts_free(struct gpm_facts *facts) {
  for (uint32_t i = 0; i < facts->kernels; i++) gpm_kernel_facts_free(&facts->kernel[i]);
  free(facts->kernel);
  gpm_map_free(&facts->by_symbol);
  *facts = (struct gpm_facts){0};
}
