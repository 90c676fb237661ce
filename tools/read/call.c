/* call.c - see handle.h: the reader itself, and the way into it.
 *
 *   gpumemprof_read_open(reader, path)
 *     gpm_read_call(reader, body, {path})      from here on, running out of memory is an error
 *       body                                   calls the other folders, returns a status
 *
 * Everything that a call allocates or opens is entered in reader->owned. So nothing is leaked after
 * an error, in whichever function it occurred: gpumemprof_read_free releases all of it.
 */
#include "read/handle.h"

#include "support/text.h"

#include <stdio.h>
#include <string.h>

/* ---- what is said ------------------------------------------------------------------------------
 */

static void keep_as_note(struct gpumemprof_read *r) {
  r->note = gpm_memory_resize(r->note, (size_t)r->notes + 1, sizeof *r->note);
  r->note[r->notes] = gpm_memory_text(r->sentence);
  r->notes++;
  r->sentence[0] = 0;
}

/* Keeps the sentence. If the call fails, its last sentence is the reason. */
static void say(void *to, const char *sentence) {
  struct gpumemprof_read *r = to;
  if (r->sentence[0]) keep_as_note(r);
  char *clean = gpm_text_clean(sentence);
  snprintf(r->sentence, sizeof r->sentence, "%s", clean);
  free(clean);
}

static void doing(void *to, const char *what) {
  struct gpumemprof_read *r = to;
  r->doing = what;
  if (r->progress && what) r->progress(r->progress_data, what, 0, 0);
}

static void share(void *to, uint64_t done, uint64_t of) {
  struct gpumemprof_read *r = to;
  if (r->progress) r->progress(r->progress_data, r->doing ? r->doing : "reading", done, of);
}

int gpm_read_fail(struct gpumemprof_read *r, enum gpumemprof_read_status status, const char *format,
                  ...) {
  va_list list;
  va_start(list, format);
  char *sentence = gpm_memory_format_list(format, list);
  va_end(list);
  return gpm_read_wrong(r, status, sentence);
}

int gpm_read_wrong(struct gpumemprof_read *r, enum gpumemprof_read_status status, char *wrong) {
  say(r, wrong);
  free(wrong);
  return status;
}

struct gpm_read_capture *gpm_read_capture(struct gpumemprof_read *r, uint32_t number) {
  if (number < r->captures) return r->capture[number];
  gpm_read_fail(r, GPUMEMPROF_READ_ARGUMENT, "there is no capture %u: %u %s open, counted from 0",
                number, r->captures, r->captures == 1 ? "is" : "are");
  return NULL;
}

/* ---- calls -------------------------------------------------------------------------------------
 */

static int out_of_memory(struct gpumemprof_read *r) {
  r->failed = true;
  snprintf(r->sentence, sizeof r->sentence,
           "out of memory: the capture is too large for this machine; free this reader");
  return r->status = GPUMEMPROF_READ_MEMORY;
}

int gpm_read_call(struct gpumemprof_read *r, int (*body)(void *arguments), void *arguments) {
  if (!r) return GPUMEMPROF_READ_ARGUMENT;
  struct gpm_recovery recovery = {.owned = &r->owned};
  if (r->failed) return out_of_memory(r);
  r->sentence[0] = 0;
  gpm_recovery_begin(&recovery);
  if (setjmp(recovery.point)) return out_of_memory(r);
  int status = body(arguments);
  if (status >= 0 && r->sentence[0]) keep_as_note(r);
  gpm_recovery_end(&recovery);
  if (r->failed) return out_of_memory(r); /* a nested call, made by a listener, ran out of memory */
  return r->status = (enum gpumemprof_read_status)status;
}

/* ---- readers -----------------------------------------------------------------------------------
 */

struct gpumemprof_read *gpumemprof_read_new(void) {
  struct gpumemprof_read *r = calloc(1, sizeof *r);
  if (r) r->host = (struct gpm_host){.say = say, .doing = doing, .share = share, .to = r};
  return r;
}

void gpumemprof_read_free(struct gpumemprof_read *r) {
  if (!r) return;
  struct gpm_recovery recovery = {.owned = &r->owned};
  gpm_recovery_begin(&recovery);
  /* Memory of the C library itself (regular expressions) is not entered in `owned`. */
  for (struct gpm_read_capture *c = r->all; c; c = c->next) gpm_patterns_free(&c->patterns);
  gpm_recovery_end(&recovery);
  gpm_owned_release(&r->owned);
  (free)(r); /* the reader itself is not in `owned` */
}

enum gpumemprof_read_status gpumemprof_read_status_of(const struct gpumemprof_read *r) {
  return r ? r->status : GPUMEMPROF_READ_ARGUMENT;
}

const char *gpumemprof_read_sentence(const struct gpumemprof_read *r) {
  return r ? r->sentence : "there is no reader; gpumemprof_read_new() returns null without memory";
}

const char *gpumemprof_read_note(const struct gpumemprof_read *r, uint32_t number) {
  return r && number < r->notes && !r->failed ? r->note[number] : NULL;
}

uint32_t gpumemprof_read_captures(const struct gpumemprof_read *r) {
  return !r || r->failed ? 0 : r->captures;
}

void gpumemprof_read_on_progress(struct gpumemprof_read *r,
                                 void (*progress)(void *data, const char *what, uint64_t done,
                                                  uint64_t of),
                                 void *data) {
  if (!r) return;
  r->progress = progress;
  r->progress_data = data;
}

const char *gpumemprof_read_version(void) {
  return GPM_VERSION;
}
