/* kernel_code_files.c - the files whose device code a capture's kernels have (kernel_code.h).
 *
 * The capture has the paths of the program and of its libraries, and a hash of the device code of
 * each: what lies at a path now may be another build, and so may a file that the user names.
 * Captures of earlier versions have no hashes. Then a file counts as another build if it was
 * changed after the recording began. Objects and PTX texts are not compared, because a program's
 * device code is not made of one of them alone.
 */
#include "uses/kernel_code.h"

#include "rows/devices.h"
#include "support/memory.h"
#include "support/say.h"
#include "support/text.h"

#include "gpumemprof/capture_uses.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MINOR_WITH_HASHES = 10 };

struct recorded_code {
  char *path;
  uint64_t hash; /* 0: not known */
};
struct recorded_codes {
  struct recorded_code *code;
  size_t count;
  uint64_t start; /* of the recording, as a file's time */
};

/* How much device code there is, of whatever kind. */
static uint32_t amount_of(const struct gpm_facts *f) {
  return f->texts + f->machine_codes + f->damaged + f->compressed;
}

/* ---- what was recorded -------------------------------------------------------------------------
 */

static void add_recorded(struct recorded_codes *c, const struct gpm_reader *r, uint32_t path,
                         uint64_t hash) {
  const char *text = gpm_reader_string(r, path);
  c->code = gpm_memory_resize(c->code, c->count + 1, sizeof *c->code);
  c->code[c->count++] = (struct recorded_code){
      .path = *text == '/' ? gpm_memory_text(text)
                           : gpm_memory_format("%s/%s", r->header.directory, text),
      .hash = hash};
}

static struct recorded_codes recorded_in(const struct gpm_reader *r) {
  struct recorded_codes c = {.start = r->header.start_realtime_ns};
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *u; (u = gpm_cursor_next(&at));)
    if (u->what == GPUMEMPROF_USE_DEVICE_CODE) add_recorded(&c, r, u->object, u->stream);
  if (r->header.minor >= MINOR_WITH_HASHES) return c;
  at = (struct gpm_cursor){.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));)
    add_recorded(&c, r, m->path, 0);
  return c;
}

static void free_recorded(struct recorded_codes *c) {
  for (size_t i = 0; i < c->count; i++) free(c->code[i].path);
  free(c->code);
}

/* Whether another build lies at the path now. */
static bool is_other(const struct recorded_codes *c, size_t number) {
  const struct recorded_code *code = &c->code[number];
  struct stat st;
  if (stat(code->path, &st)) return false;
  if (code->hash) return gpm_facts_hash(code->path) != code->hash;
  uint64_t changed = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
  return changed > c->start;
}

/* ---- sentences ---------------------------------------------------------------------------------
 */

static void say_other(const struct recorded_code *code) {
  char *name = gpm_text_clean(code->path);
  gpm_say("%s %s, so what its kernels do is not known; record it again, or name the program that "
          "was recorded with --facts",
          name,
          code->hash ? "is another build than the one that was recorded"
                     : "was changed after the recording began");
  free(name);
}

static void say_unread(const char *wrong) {
  gpm_say("%s; what its kernels do is not known, unless --facts names the file", wrong);
}

static void say_named_other(const char *path) {
  char *name = gpm_text_clean(path);
  gpm_say("%s is another build than the one that was recorded, so it says nothing of these "
          "kernels; name the one that ran, or record this one",
          name);
  free(name);
}

static void say_named_foreign(const struct gpm_kernel_code *code) {
  gpm_say("warning: no kernel that this run launched is in %s; name the PTX or the program that "
          "its kernels were compiled to",
          code->named_count > 1 ? "the files that --facts names" : code->named[0].path);
}

/* ---- files that the user names -----------------------------------------------------------------
 */

char *gpm_kernel_code_add(struct gpm_kernel_code *code, const char *path) {
  uint32_t before = amount_of(&code->facts);
  char *wrong = gpm_facts_add(&code->facts, path);
  if (wrong) return wrong;
  if (amount_of(&code->facts) == before) {
    char *name = gpm_text_clean(path);
    wrong = gpm_memory_format("%s has no kernel; name the program, or the library that the "
                              "kernels are in",
                              name);
    free(name);
    return wrong;
  }
  code->named = gpm_memory_resize(code->named, code->named_count + 1, sizeof *code->named);
  code->named[code->named_count++] = (struct gpm_named_code){.path = gpm_memory_text(path)};
  return NULL;
}

/* Whether the files have a kernel that the program of the capture has. */
static bool has_any(struct gpm_kernel_code *code, const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->kernels};
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));)
    if (gpm_facts_find(&code->facts, gpm_reader_string(r, k->symbol))) return true;
  return false;
}

static bool was_recorded(const struct recorded_codes *c, uint64_t hash) {
  for (size_t i = 0; i < c->count; i++)
    if (c->code[i].hash == hash) return true;
  return false;
}

/* Takes back what files say that are of another build. */
static void leave_out_named(struct gpm_kernel_code *code, const struct recorded_codes *c) {
  bool any = false;
  for (size_t i = 0; i < code->named_count && c->count; i++) {
    uint64_t hash = gpm_facts_hash(code->named[i].path);
    code->named[i].other = hash && !was_recorded(c, 0) && !was_recorded(c, hash);
    if (code->named[i].other) say_named_other(code->named[i].path);
    any |= code->named[i].other;
  }
  if (!any) return;
  code->left_out = true;
  gpm_facts_free(&code->facts);
  for (size_t i = 0; i < code->named_count; i++)
    if (!code->named[i].other) free(gpm_facts_add(&code->facts, code->named[i].path));
}

/* ---- files that the capture names --------------------------------------------------------------
 */

/* Whether a kernel whose parameters are known was launched, and nothing is known of its code. */
static bool lacks_any(struct gpm_kernel_code *code, const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->kernels};
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));)
    if (!(k->flags & GPUMEMPROF_KERNEL_UNKNOWN) &&
        !gpm_facts_find(&code->facts, gpm_reader_string(r, k->symbol)))
      return true;
  return false;
}

static bool is_simulated(const struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->device_count; i++)
    if (gpm_devices_is_simulated(r, i)) return true;
  return false;
}

void gpm_kernel_code_add_modules(struct gpm_kernel_code *code, const struct gpm_reader *r) {
  struct recorded_codes c = recorded_in(r);
  if (code->named_count && r->kernels.count && !has_any(code, r)) say_named_foreign(code);
  leave_out_named(code, &c);
  uint32_t before = amount_of(&code->facts);
  char **wrong = gpm_memory_array(c.count + 1, sizeof *wrong);
  bool *other = gpm_memory_array(c.count + 1, sizeof *other);
  for (size_t i = 0; i < c.count; i++) {
    other[i] = is_other(&c, i);
    if (!other[i]) wrong[i] = gpm_facts_add(&code->facts, c.code[i].path);
  }
  bool lacks = lacks_any(code, r);
  for (size_t i = 0; i < c.count; i++) {
    if (lacks && other[i]) say_other(&c.code[i]);
    if (lacks && wrong[i]) say_unread(wrong[i]);
    code->left_out |= other[i] || wrong[i];
    free(wrong[i]);
  }
  code->host_only = !code->left_out && amount_of(&code->facts) == before && is_simulated(r);
  free(wrong);
  free(other);
  free_recorded(&c);
}

bool gpm_kernel_code_add_small(struct gpm_kernel_code *code, const struct gpm_reader *r,
                               uint64_t most) {
  struct recorded_codes c = recorded_in(r);
  uint64_t all = 0;
  bool ok = true;
  for (size_t i = 0; i < c.count && ok; i++) {
    struct stat st;
    ok = !stat(c.code[i].path, &st) && (all += (uint64_t)st.st_size) <= most && !is_other(&c, i);
    char *wrong = ok ? gpm_facts_add(&code->facts, c.code[i].path) : NULL;
    ok &= !wrong;
    free(wrong);
  }
  free_recorded(&c);
  return ok;
}

void gpm_kernel_code_free(struct gpm_kernel_code *code) {
  for (size_t i = 0; i < code->named_count; i++) free(code->named[i].path);
  free(code->named);
  gpm_facts_free(&code->facts);
}
