/* facts_file.c - facts of kernels from a JSON file (facts.h), and the source that knows nothing. */
#include "uses/facts.h"

#include "support/memory.h"

#include <jansson.h>
#include <string.h>

/* ---- nothing -----------------------------------------------------------------------------------
 */

static enum gpm_access unknown_word(void *self, const char *symbol, uint16_t parameter,
                                    uint16_t offset) {
  (void)self, (void)symbol, (void)parameter, (void)offset;
  return GPM_ACCESS_UNKNOWN;
}

static const char not_known[] = "has code that is not known";

static const char *unknown_kernel(void *self, const char *symbol) {
  (void)self, (void)symbol;
  return not_known;
}

const struct gpm_facts gpm_facts_none = {.word = unknown_word, .open = unknown_kernel};

/* ---- a file ------------------------------------------------------------------------------------
 */

static const char *const accesses[] = {"none", "read", "write", "both", "unknown", NULL};

static const json_t *kernel_of(void *self, const char *symbol) {
  return json_object_get(json_object_get(self, "kernels"), symbol);
}

static enum gpm_access access_of(const json_t *word) {
  const char *text = json_string_value(json_object_get(word, "access"));
  for (unsigned i = 0; text && accesses[i]; i++)
    if (!strcmp(accesses[i], text)) return (enum gpm_access)i;
  return GPM_ACCESS_UNKNOWN;
}

static enum gpm_access word(void *self, const char *symbol, uint16_t parameter, uint16_t offset) {
  const json_t *words = json_object_get(kernel_of(self, symbol), "words");
  for (size_t i = 0; i < json_array_size(words); i++) {
    const json_t *one = json_array_get(words, i);
    if (json_integer_value(json_object_get(one, "parameter")) == parameter &&
        json_integer_value(json_object_get(one, "offset")) == offset)
      return access_of(one);
  }
  return GPM_ACCESS_UNKNOWN;
}

static const char *open(void *self, const char *symbol) {
  const json_t *kernel = kernel_of(self, symbol);
  return kernel ? json_string_value(json_object_get(kernel, "open")) : not_known;
}

/* Returns what is wrong with a kernel's entry, or null. */
static const char *check_kernel(const json_t *kernel) {
  const json_t *reason = json_object_get(kernel, "open"), *words = json_object_get(kernel, "words");
  if (!json_is_object(kernel)) return "is no object";
  if (reason && !json_is_string(reason) && !json_is_null(reason))
    return "has an `open` that is no text";
  if (words && !json_is_array(words)) return "has `words` that are no list";
  for (size_t i = 0; i < json_array_size(words); i++) {
    const json_t *one = json_array_get(words, i);
    const char *text = json_string_value(json_object_get(one, "access"));
    bool known = false;
    for (unsigned k = 0; text && accesses[k]; k++) known |= !strcmp(accesses[k], text);
    if (!known) return "has a word whose `access` is none of none, read, write, both and unknown";
    if (!json_is_integer(json_object_get(one, "parameter")) ||
        !json_is_integer(json_object_get(one, "offset")))
      return "has a word without the numbers `parameter` and `offset`";
  }
  return NULL;
}

static char *check(const char *path, const json_t *all) {
  json_t *kernels = json_object_get(all, "kernels"), *kernel;
  const char *symbol;
  if (!json_is_object(kernels))
    return gpm_memory_format("%s has no facts of kernels: it lacks the object `kernels`", path);
  json_object_foreach(kernels, symbol, kernel) {
    const char *wrong = check_kernel(kernel);
    if (wrong) return gpm_memory_format("%s: the kernel %s %s", path, symbol, wrong);
  }
  return NULL;
}

char *gpm_facts_read(const char *path, struct gpm_facts *facts) {
  json_error_t error;
  json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!all && error.line < 1) return gpm_memory_format("%s cannot be read: %s", path, error.text);
  if (!all) return gpm_memory_format("%s is no JSON: line %d: %s", path, error.line, error.text);
  char *wrong = check(path, all);
  if (wrong) json_decref(all);
  else *facts = (struct gpm_facts){.self = all, .word = word, .open = open};
  return wrong;
}

void gpm_facts_free(struct gpm_facts *facts) {
  if (facts->self) json_decref(facts->self);
  *facts = gpm_facts_none;
}
