/* interpreter.c - functions of an interpreted language, such as Python, as frames on the shadow
 * stack.
 *
 *   frames     main  │ train.py  block "step"  model.py │ via torch
 *              built │ ◄── gpumemprof_interpreted_stack ──► │ not needed
 *
 * The interpreter names its active functions right before an event (gpumemprof_interpreter). Each
 * gets a frame as compiled code pushes one, but without a machine stack address, so nothing takes
 * it for a frame that was jumped over. Its line is the call under way, and an activation of its own
 * (GPUMEMPROF_SITE_SPANS) until the function is at another line. Blocks of measured scopes may lie
 * between these frames, and compiled functions below and above them.
 */
#include "foreign/interpreter.h"
#include "base/compiler.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "core/shadow_stack.h"
#include "records/made_sites.h"
#include "records/sites.h"

#include <errno.h>
#include <stdatomic.h>

static void (*_Atomic before_event)(void);
static void *(*_Atomic thread_has_code)(void);
static void *(*_Atomic owner_of_code)(void *);
static void *_Atomic owner_asked;
static _Atomic bool ever_used;
static _Thread_local bool asking GPM_IE_TLS, answered GPM_IE_TLS;

static bool is_function(const struct gpumemprof_frame *frame) {
  return frame->scope && *(const uint16_t *)frame->scope != GPUMEMPROF_SITE_BLOCK;
}

/* Frames of compiled code and of native.c have the address of a machine stack. */
static bool is_interpreted(const struct gpumemprof_frame *frame) {
  return is_function(frame) && !frame->stack;
}

static struct gpumemprof_frame *end_of_stack(struct gpm_thread *thread) {
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  return top < thread->limit ? top : thread->limit;
}

static bool is_on_stack(struct gpm_thread *thread, const struct gpumemprof_interpreted *i) {
  const struct gpumemprof_frame *frame = i->frame;
  return frame && frame >= thread->frames && frame < end_of_stack(thread) &&
         is_interpreted(frame) && frame->operand[0] == i->number;
}

/* Ends the first interpreted function from `first` on, with all that it called. False: a compiled
 * function is under way there. */
static bool end_functions(struct gpm_thread *thread, struct gpumemprof_frame *first) {
  struct gpumemprof_frame *end = end_of_stack(thread), *cut = NULL;
  for (struct gpumemprof_frame *f = first; f < end; f++) {
    if (!cut && is_interpreted(f)) cut = f;
    if (cut && is_function(f) && f->stack) return false;
  }
  if (cut) __gpumemprof_block_exit(cut);
  return true;
}

/* The interpreter does not say what is active. Functions around a block that goes on stay until it
 * ends. */
static void end_without_blocks(struct gpm_thread *thread) {
  bool found = false;
  for (struct gpumemprof_frame *f = thread->frames; f < end_of_stack(thread); f++) {
    found = found || is_interpreted(f);
    if (found && f->scope && !is_function(f)) return;
  }
  if (found) end_functions(thread, thread->frames);
}

static bool push_function(struct gpm_thread *thread, struct gpumemprof_interpreted *i) {
  static _Atomic uint64_t numbers;
  i->frame = NULL;
  if (!i->function || !i->line || end_of_stack(thread) == thread->limit) return false;
  struct gpumemprof_frame *frame = gpm_thread_push_at(i->function, i->line, 0);
  frame->operand[0] = i->number = atomic_fetch_add(&numbers, 1) + 1;
  i->frame = frame;
  return true;
}

/* The function has come to another line. */
static void move_to(struct gpumemprof_frame *frame, const void *line) {
  if (!line || frame->call == line) return;
  __gpumemprof_call_ended(frame);
  frame->call = line;
}

uint32_t __gpumemprof_interpreted_stack(struct gpumemprof_interpreted *functions, uint32_t keep,
                                        uint32_t count) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread) || keep > count) return 0;
  int saved = errno;
  answered = true;
  uint32_t n = keep;
  while (n && !is_on_stack(thread, &functions[n - 1]))
    n--; /* others were ended with their blocks */
  struct gpumemprof_frame *latest = n ? functions[n - 1].frame : NULL;
  if (end_functions(thread, latest ? latest + 1 : thread->frames)) {
    if (latest) move_to(latest, functions[n - 1].line);
    while (n < count && push_function(thread, &functions[n])) n++;
  }
  for (uint32_t i = n; i < count; i++) functions[i].frame = NULL;
  errno = saved;
  return n;
}

static struct gpumemprof_frame *innermost_function(struct gpm_thread *thread) {
  struct gpumemprof_frame *f = end_of_stack(thread);
  while (f > thread->frames)
    if (is_function(--f)) return f;
  return NULL;
}

static bool has_its_code(void) {
  void *(*has_code)(void) = atomic_load(&thread_has_code);
  void *(*owner)(void *) = atomic_load(&owner_of_code);
  void *code = has_code ? has_code() : NULL;
  return !has_code || (code && (!owner || owner(code) == atomic_load(&owner_asked)));
}

/* Without an answer, as when the interpreter's own stack is full, nothing is known. */
static bool ask_interpreter(void) {
  void (*ask)(void) = atomic_load(&before_event);
  if (!ask || !has_its_code()) return false;
  asking = true;
  answered = false;
  ask();
  asking = false;
  return answered;
}

bool gpm_interpreter_charged(struct gpm_thread *thread) {
  if (GPM_LIKELY(!atomic_load_explicit(&ever_used, memory_order_relaxed))) return false;
  if (!asking && !ask_interpreter()) end_without_blocks(thread);
  const struct gpumemprof_frame *innermost = innermost_function(thread);
  return innermost && is_interpreted(innermost);
}

int __gpumemprof_interpreter(void (*before)(void), void *(*has_code)(void),
                             void *(*owner)(void *)) {
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  void *code = has_code && owner ? has_code() : NULL;
  atomic_store(&owner_of_code, owner);
  atomic_store(&owner_asked, code ? owner(code) : NULL);
  atomic_store(&thread_has_code, has_code);
  atomic_store(&before_event, before);
  if (before) atomic_store(&ever_used, true);
  return 0;
}

static const void *location(uint16_t kind, uint16_t flags, const char *function, const char *file,
                            uint32_t line) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread)) return NULL;
  int saved = errno;
  gpm_set_busy(thread, true); /* a lock is taken, so signal handlers must stay out */
  struct gpm_source_location l = {
      .kind = kind, .flags = flags, .line = line, .file = file, .function = function};
  const struct gpumemprof_site *site = gpm_sites_make(&l);
  gpm_set_busy(thread, false);
  errno = saved;
  return site == &gpm_sites_unknown ? NULL : site;
}

const void *__gpumemprof_interpreted_function(const char *function, const char *file,
                                              uint32_t line) {
  return location(GPUMEMPROF_SITE_FUNCTION, 0, function, file, line);
}

const void *__gpumemprof_interpreted_line(const char *function, const char *file, uint32_t line) {
  return location(GPUMEMPROF_SITE_CALL, GPUMEMPROF_SITE_SPANS, function, file, line);
}
