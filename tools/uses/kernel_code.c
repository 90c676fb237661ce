/* kernel_code.c - see kernel_code.h. */
#include "uses/kernel_code.h"

#include "rows/devices.h"
#include "support/memory.h"
#include "support/say.h"
#include "support/text.h"

#include "gpumemprof/capture_uses.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- files -------------------------------------------------------------------------------------
 */

/* How much device code there is, of whatever kind. */
static uint32_t amount_of(const struct gpm_facts *f) {
  return f->texts + f->kernels + f->damaged + f->compressed;
}

char *gpm_kernel_code_add(struct gpm_kernel_code *code, const char *path) {
  uint32_t before = amount_of(&code->facts);
  char *wrong = gpm_facts_add(&code->facts, path);
  if (wrong || amount_of(&code->facts) > before) return wrong;
  char *name = gpm_text_clean(path);
  wrong = gpm_memory_format("%s has no kernel; name the program, or the library that the "
                            "kernels are in",
                            name);
  free(name);
  return wrong;
}

/* Whether a kernel whose parameters are known was launched, and nothing is known of its code. */
static bool lacks_any(struct gpm_kernel_code *code, const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->kernels};
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));)
    if (!(k->flags & GPUMEMPROF_KERNEL_UNKNOWN) &&
        !gpm_facts_find(&code->facts, gpm_reader_string(r, k->symbol)))
      return true;
  return false;
}

static bool is_changed(const char *path, const struct gpm_reader *r) {
  struct stat st;
  if (stat(path, &st)) return false;
  uint64_t changed = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
  return changed > r->header.start_realtime_ns;
}

static void say_changed(const char *path) {
  char *name = gpm_text_clean(path);
  gpm_say("%s was changed after the recording began, so what its kernels do is not known; record "
          "it again, or name the program that was recorded with --facts",
          name);
  free(name);
}

static void say_unread(char *wrong) {
  gpm_say("%s; what its kernels do is not known, unless --facts names the file", wrong);
}

static bool is_simulated(const struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->device_count; i++)
    if (gpm_devices_is_simulated(r, i)) return true;
  return false;
}

void gpm_kernel_code_add_modules(struct gpm_kernel_code *code, const struct gpm_reader *r) {
  uint32_t before = amount_of(&code->facts);
  char **wrong = gpm_memory_array(r->modules.count + 1, sizeof *wrong);
  struct gpm_cursor at = {.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));) {
    const char *path = gpm_reader_string(r, m->path);
    if (!is_changed(path, r)) wrong[at.number] = gpm_facts_add(&code->facts, path);
  }
  bool lacks = lacks_any(code, r);
  at = (struct gpm_cursor){.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));) {
    const char *path = gpm_reader_string(r, m->path);
    if (lacks && is_changed(path, r)) say_changed(path);
    if (lacks && wrong[at.number]) say_unread(wrong[at.number]);
    code->left_out |= is_changed(path, r) || wrong[at.number];
    free(wrong[at.number]);
  }
  code->host_only = !code->left_out && amount_of(&code->facts) == before && is_simulated(r);
  free(wrong);
}

bool gpm_kernel_code_add_small(struct gpm_kernel_code *code, const struct gpm_reader *r,
                               uint64_t most) {
  uint64_t all = 0;
  struct gpm_cursor at = {.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));) {
    const char *path = gpm_reader_string(r, m->path);
    struct stat st;
    if (stat(path, &st) || is_changed(path, r)) return false;
    all += (uint64_t)st.st_size;
    if (all > most) return false;
    char *wrong = gpm_facts_add(&code->facts, path);
    free(wrong);
    if (wrong) return false;
  }
  return true;
}

void gpm_kernel_code_free(struct gpm_kernel_code *code) {
  gpm_facts_free(&code->facts);
}

static const char no_device_code[] =
    "has no device code in this program, because `gpumemprof flags sim` compiles none; let clang "
    "write it as PTX, and name that file with --facts (`gpumemprof advise --help` has the command)";

/* ---- questions ---------------------------------------------------------------------------------
 */

enum gpm_access gpm_kernel_code_word(struct gpm_kernel_code *code, const char *symbol,
                                     uint16_t parameter, uint16_t offset) {
  static const enum gpm_access accesses[] = {[GPM_FACTS_NONE] = GPM_ACCESS_NONE,
                                             [GPM_FACTS_READ] = GPM_ACCESS_READ,
                                             [GPM_FACTS_WRITE] = GPM_ACCESS_WRITE,
                                             [GPM_FACTS_BOTH] = GPM_ACCESS_BOTH,
                                             [GPM_FACTS_UNKNOWN] = GPM_ACCESS_UNKNOWN};
  const struct gpm_kernel_facts *k = gpm_facts_find(&code->facts, symbol);
  for (uint32_t i = 0; k && i < k->words; i++)
    if (k->word[i].parameter == parameter && k->word[i].offset == offset)
      return accesses[k->word[i].access];
  return GPM_ACCESS_UNKNOWN;
}

static bool is_at(const struct gpm_reader *r, uint32_t number, const struct gpm_facts_word *at) {
  const struct gpumemprof_capture_kernel_word *word = gpm_reader_record(&r->kernel_words, number);
  return word->parameter == at->parameter && word->offset == at->offset;
}

/* Whether the kernel follows an address in a word that the capture does not list. Both lists are
 * nearly always in the same order. */
static bool follows_unlisted(const struct gpm_kernel_facts *k, const struct gpm_reader *r,
                             const struct gpumemprof_capture_kernel *listed) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < k->words; i++) {
    if (!k->word[i].is_followed) continue;
    uint32_t left = listed->words;
    for (; left && !is_at(r, listed->first_word + next % listed->words, &k->word[i]); left--)
      next++;
    if (!left) return true;
  }
  return false;
}

char *gpm_kernel_code_open(struct gpm_kernel_code *code, const struct gpm_reader *r,
                           const struct gpumemprof_capture_kernel *kernel) {
  const struct gpm_kernel_facts *k =
      gpm_facts_find(&code->facts, gpm_reader_string(r, kernel->symbol));
  if (!k && code->left_out) return gpm_memory_text("has code that is not known");
  if (!k && code->host_only) return gpm_memory_text(no_device_code);
  if (!k) return gpm_memory_format("has code that is not known; %s", gpm_facts_remedy);
  if (k->closed && follows_unlisted(k, r, kernel))
    return gpm_memory_text("uses an address in a part of a parameter that is not recorded");
  if (k->closed) return NULL;
  char *reason = gpm_facts_reason(k);
  if (k->sources) return reason;
  char *with_remedy = gpm_memory_format("%s; %s", reason, gpm_facts_remedy);
  free(reason);
  return with_remedy;
}

bool gpm_kernel_code_makes_addresses(struct gpm_kernel_code *code, const struct gpm_reader *r,
                                     const struct gpumemprof_capture_kernel *kernel) {
  const struct gpm_kernel_facts *k =
      gpm_facts_find(&code->facts, gpm_reader_string(r, kernel->symbol));
  if (!k) return false;
  return (!k->closed && k->reasons & 1u << GPM_FACTS_IS_NUMBER) || follows_unlisted(k, r, kernel);
}
