/* compiled.c - see compiled.h. */
#include "facts/compiled.h"

#include "support/memory.h"

#include "gpumemprof/kernel_facts.h"

#include <stdlib.h>
#include <string.h>

/* No kernel has more: the parameters of one have at most 32 KiB. */
enum { MOST_WORDS = 4096 };

/* ---- one name ----------------------------------------------------------------------------------
 */

static bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

/* The part up to the next `$`, which it steps over. */
static bool take_part(const char **at, const char *end, const char **part, size_t *size) {
  const char *dollar = memchr(*at, '$', (size_t)(end - *at));
  if (!dollar) return false;
  *part = *at;
  *size = (size_t)(dollar - *at);
  *at = dollar + 1;
  return true;
}

static bool read_kernel(const char *part, size_t size, uint64_t *kernel) {
  enum { DIGITS = 16 };
  if (size != DIGITS) return false;
  for (size_t i = 0; i < size; i++) {
    char c = part[i];
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                            : 16;
    if (digit > 15) return false;
    *kernel = *kernel << 4 | digit;
  }
  return true;
}

static bool read_reasons(const char *part, size_t size, uint32_t *reasons) {
  static const char letters[] = {
#define GPUMEMPROF_KERNEL_REASON(NAME, letter, text) letter,
#include "gpumemprof/kernel_reasons.def"
  };
  for (size_t i = 0; i < size; i++) {
    const char *letter = memchr(letters, part[i], sizeof letters);
    if (!letter) return false;
    *reasons |= 1U << (letter - letters);
  }
  return true;
}

static bool read_class(char letter, struct gpm_facts_word *word) {
  static const char classes[] = GPUMEMPROF_FACTS_CLASSES;
  char small = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
  const char *class = memchr(classes, small, sizeof classes - 1);
  if (!class) return false;
  word->access = (enum gpm_facts_class)(class - classes);
  word->is_number = small != letter;
  word->is_followed = !word->is_number && word->access != GPM_FACTS_NONE;
  return true;
}

static bool read_parameters(const char *part, size_t size, struct gpm_kernel_facts *k) {
  uint32_t offset = 0;
  k->word = gpm_memory_array(MOST_WORDS, sizeof *k->word);
  for (size_t i = 0; i < size;) {
    struct gpm_facts_word word = {.parameter = k->parameters - 1};
    uint32_t times = 0;
    if (part[i] == 'p') {
      k->parameters++;
      offset = 0;
      i++;
      continue;
    }
    if (!k->parameters || !read_class(part[i++], &word)) return false;
    for (; i < size && part[i] >= '0' && part[i] <= '9' && times <= MOST_WORDS; i++)
      times = times * 10 + (uint32_t)(part[i] - '0');
    if (!times) times = 1;
    if (times > MOST_WORDS - k->words) return false;
    for (; times; times--, offset += 8) {
      word.offset = offset;
      k->word[k->words++] = word;
    }
  }
  k->word = gpm_memory_resize(k->word, (size_t)k->words + 1, sizeof *k->word);
  return true;
}

static bool read_name(const char *at, const char *end, uint64_t *kernel,
                      struct gpm_kernel_facts *k) {
  static const char version[] = GPUMEMPROF_FACTS_VERSION;
  const char *part;
  size_t size;
  uint32_t reasons = 0;
  *k = (struct gpm_kernel_facts){.closed = true, .sources = GPM_FACTS_OF_COMPILER};
  if (!take_part(&at, end, &part, &size) || size != sizeof version - 1 ||
      memcmp(part, version, size))
    return false;
  if (!take_part(&at, end, &part, &size) || !read_kernel(part, size, kernel)) return false;
  if (!take_part(&at, end, &part, &size) || !read_reasons(part, size, &reasons)) return false;
  if (!take_part(&at, end, &part, &size) || !read_parameters(part, size, k)) return false;
  if (!reasons) return at == end;
  gpm_kernel_facts_open(k, (enum gpm_facts_reason)__builtin_ctz(reasons), at, (size_t)(end - at));
  k->reasons = reasons;
  for (char *c = k->name; *c; c++)
    if (*c == '$') *c = '.';
  return true;
}

/* ---- all of them -------------------------------------------------------------------------------
 */

static void add(struct gpm_compiled *c, const char *at, const char *end) {
  struct gpm_kernel_facts k;
  uint64_t kernel = 0;
  if (!read_name(at, end, &kernel, &k)) {
    gpm_kernel_facts_free(&k);
    return;
  }
  uint64_t *number = gpm_map_at(&c->by_symbol, gpm_map_mix(kernel), 0);
  uint64_t name = gpumemprof_facts_kernel(at, (size_t)(end - at)),
           *seen = gpm_map_at(&c->by_name, gpm_map_mix(name + kernel), 0);
  bool is_new = !*seen;
  *seen = 1;
  if (*number) { /* weak kernels of several files that nvlink joined */
    struct gpm_compiled_kernel *known = &c->kernel[*number - 1];
    gpm_kernel_facts_join(&known->facts, &k);
    if (is_new) known->names += name;
    gpm_kernel_facts_free(&k);
    return;
  }
  if (!(c->kernels & (c->kernels - 1)))
    c->kernel = gpm_memory_resize(c->kernel, c->kernels ? 2 * c->kernels : 1, sizeof *c->kernel);
  c->kernel[c->kernels++] = (struct gpm_compiled_kernel){.facts = k, .names = name};
  *number = c->kernels;
}

void gpm_compiled_read(struct gpm_compiled *c, const char *bytes, size_t size) {
  static const char prefix[] = GPUMEMPROF_FACTS_PREFIX "$",
                    joined[] = "$" GPUMEMPROF_FACTS_PREFIX "$";
  const char *end = bytes + size, *at = bytes;
  *c = (struct gpm_compiled){0};
  while ((at = memmem(at, (size_t)(end - at), prefix, sizeof prefix - 1))) {
    const char *name = at += sizeof prefix - 1;
    while (at < end && is_of_name(*at)) at++;
    /* What is said about several kernels is one name. */
    const char *next = memmem(name, (size_t)(at - name), joined, sizeof joined - 1);
    if (next) at = next;
    add(c, name, at);
  }
}

bool gpm_compiled_is_name(const char *symbol, size_t size) {
  static const char prefix[] = GPUMEMPROF_FACTS_PREFIX "$";
  return size >= sizeof prefix && !memcmp(symbol, prefix, sizeof prefix - 1);
}

const struct gpm_compiled_kernel *gpm_compiled_find(const struct gpm_compiled *c,
                                                    const char *symbol, size_t size) {
  uint64_t key = gpm_map_mix(gpumemprof_facts_kernel(symbol, size));
  uint64_t number = gpm_map_find(&c->by_symbol, key, 0);
  return number ? &c->kernel[number - 1] : NULL;
}

void gpm_compiled_free(struct gpm_compiled *c) {
  for (uint32_t i = 0; i < c->kernels; i++) gpm_kernel_facts_free(&c->kernel[i].facts);
  free(c->kernel);
  gpm_map_free(&c->by_symbol);
  gpm_map_free(&c->by_name);
  *c = (struct gpm_compiled){0};
}
