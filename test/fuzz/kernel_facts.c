/* kernel_facts.c - `gpumemprof facts` looks into any PTX and any container of device code without
 * harm. The first byte says which. What it finds has to be in order: words within parameters,
 * reasons of what is open, and the same again when the same is read twice. */
#include "facts/facts.h"
#include "facts/fatbin.h"
#include "support/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(struct gpm_facts *facts) {
  for (uint32_t i = 0; i < facts->kernels; i++) {
    const struct gpm_kernel_facts *k = &facts->kernel[i];
    if (k->closed != !k->reason || k->closed != !k->reasons) abort();
    if (gpm_facts_find(facts, k->symbol) != k) abort();
    for (uint32_t w = 0; w < k->words; w++)
      if (k->word[w].parameter >= k->parameters || k->word[w].offset % 8 ||
          (w && k->word[w].parameter < k->word[w - 1].parameter))
        abort();
    free(gpm_facts_reason(k));
  }
}

static void read_text(const char *text, size_t size) {
  struct gpm_facts once = {0}, twice = {0};
  bool is_ptx = gpm_facts_add_text(&once, text, size);
  if (gpm_facts_add_text(&twice, text, size) != is_ptx) abort();
  gpm_facts_add_text(&twice, text, size);
  judge(&once);
  judge(&twice);
  if (once.kernels != twice.kernels) abort();
  for (uint32_t i = 0; i < once.kernels; i++)
    if (once.kernel[i].closed != twice.kernel[i].closed ||
        strcmp(once.kernel[i].symbol, twice.kernel[i].symbol) != 0)
      abort();
  gpm_facts_free(&once);
  gpm_facts_free(&twice);
}

static void ignore_kernel(const char *symbol, void *data) {
  *(size_t *)data += strlen(symbol);
}

static void visit(const struct gpm_fatbin_code *code, void *data) {
  if (code->bytes[code->size]) abort();
  if (code->kind == GPM_FATBIN_MACHINE_CODE)
    gpm_fatbin_kernels(code->bytes, code->size, ignore_kernel, data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct gpm_fatbin_unread unread = {0};
  size_t seen = 0;
  if (!size) return 0;
  uint8_t *copy = malloc(size); /* without the zero byte that a literal has behind it */
  memcpy(copy, data + 1, size - 1);
  if (*data == 'f') gpm_fatbin_visit_section(copy, size - 1, false, visit, &seen, &unread);
  else if (*data == 'm') gpm_fatbin_kernels((char *)copy, size - 1, ignore_kernel, &seen);
  else read_text((char *)copy, size - 1);
  free(copy);
  return 0;
}
