/* machine_stack.c - walks the machine stack of the calling thread.
 *
 *   runtime | libcupti | libcuda | libcudart | c | b | main | _start      innermost first
 *   <--------------- left out -------------->  <------->  <-------->
 *
 * Each frame is left by the rule that places.c keeps for its return address, which takes some five
 * nanoseconds. Where a frame has no such rule, libgcc's unwinder walks the stack instead, which
 * takes 150. Code without call frame information (compiled with -fno-asynchronous-unwind-tables, or
 * made at run time) is left by its frame pointer, if it has one. native_scopes.c and native.c use
 * this.
 */
#include "foreign/machine_stack.h"
#include "base/loaded.h"
#include "base/system_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

gpm_unwinder gpm_unwind_all;
uintptr_t (*gpm_unwind_address)(void *context);
static uintptr_t (*unwind_stack)(void *context); /* _Unwind_GetCFA: of the frame inside it */

bool gpm_machine_stack_start(void) {
  if (gpm_unwind_all) return true;
  if (!gpm_getauxval(AT_BASE)) return false; /* libgcc_s would load another C library */
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) return false;
  gpm_unwind_address = (uintptr_t (*)(void *))dlsym(library, "_Unwind_GetIP");
  unwind_stack = (uintptr_t (*)(void *))dlsym(library, "_Unwind_GetCFA");
  gpm_unwinder all = (gpm_unwinder)dlsym(library, "_Unwind_Backtrace");
  if (gpm_unwind_address && unwind_stack) gpm_unwind_all = all;
  return gpm_unwind_all;
}

/* ---- what a walk keeps -------------------------------------------------------------------------
 */

struct walk_state {
  struct gpm_walk *walk;
  struct gpm_known_stack *known;
  uintptr_t below, above;
  uint64_t loaded;
  uint32_t next;       /* frames kept so far */
  bool past_ourselves; /* with libgpumemprof.a, the runtime is in the same object as the program */
  bool only_innermost; /* ends at the first frame that is kept, or at libcudart.so */
};

/* False: the walk ends here. */
static bool keep_frame(struct walk_state *s, struct gpm_place *place, uintptr_t stack,
                       uintptr_t end) {
  if (place->kind == GPM_PLACE_RUNTIME && !s->past_ourselves && !s->below) return true;
  s->past_ourselves = true;
  if (place->kind == GPM_PLACE_CUDART && s->only_innermost) return false;
  bool others = place->kind == GPM_PLACE_CUDA || place->kind == GPM_PLACE_CUDART ||
                place->kind == GPM_PLACE_OUTSIDE;
  if (others || (s->below && stack <= s->below)) return true;
  if (s->above && end > s->above) {
    s->walk->around = place;
    return false;
  }
  s->walk->frames[s->next++ % s->walk->room] =
      (struct gpm_machine_frame){.place = place, .stack = stack, .end = end};
  return !s->only_innermost;
}

/* ---- by rules ----------------------------------------------------------------------------------
 */

#if defined(__x86_64__)
enum { STACK_PAGE = 4096, MOST_UNREAD_STACK = 256 << 10 };

struct position {               /* of a call that is under way */
  uintptr_t address, stack, fp; /* fp: what the frame pointer was at the call */
};

/* Sanitizers would take the stack of other functions for out of bounds. */
__attribute__((no_sanitize("address", "thread"))) static uintptr_t stored(uintptr_t address) {
  return *(const uintptr_t *)address;
}

/* Whether a word can be read. The kernel looks at it before it says that there is no such way to
 * change the signal mask. (The method is that of Abseil's AddressIsReadable.) */
static bool is_readable(uintptr_t address) {
  enum { NO_WAY = -1 };
  errno = 0;
  gpm_syscall(SYS_rt_sigprocmask, NO_WAY, address, 0, sizeof(uintptr_t));
  return errno != EFAULT;
}

/* Reads a word of the stack. Wrong call frame information, or code that uses the frame pointer for
 * something else, leads anywhere, so only what was readable before is read unasked. */
static bool read_word(struct walk_state *s, uintptr_t address, uintptr_t *word) {
  struct gpm_known_stack *known = s->known;
  if (GPM_UNLIKELY(address < known->from || address > known->to - sizeof *word)) {
    if (address % sizeof *word || !is_readable(address)) return false;
    if (address >= known->to) known->to = (address | (STACK_PAGE - 1)) + 1;
  }
  *word = stored(address);
  return true;
}

/* What lies between the innermost frame and a known part is in use, too, if it is not far. */
static void begin_at(struct walk_state *s, uintptr_t frame) {
  struct gpm_known_stack *known = s->known;
  if (frame >= known->from && frame < known->to) return;
  if (frame > known->from || known->from - frame > MOST_UNREAD_STACK)
    known->to = (frame | (STACK_PAGE - 1)) + 1;
  known->from = frame;
}

/* Leaves a frame of code that says nothing about itself, if it keeps a frame pointer. */
static bool leave_by_frame_pointer(struct walk_state *s, struct position *p) {
  uintptr_t fp, address;
  bool plausible = p->fp >= p->stack && p->fp - p->stack < 1u << 20 && p->fp % 16 == 0;
  if (!plausible || !read_word(s, p->fp, &fp) || !read_word(s, p->fp + 8, &address) ||
      !gpm_loaded_is_code((void *)(address - 1)))
    return false;
  *p = (struct position){address, p->fp + 16, fp};
  return true;
}

enum leaving { LEFT, WAS_LAST, LEADS_NOWHERE, CANNOT_LEAVE };

/* Where the frame ends, by its rule. False: what the rule needs cannot be read. */
static bool find_end(struct walk_state *s, const struct gpm_unwind_rule *rule,
                     const struct position *p, uintptr_t *end) {
  uintptr_t offset = (uintptr_t)(intptr_t)rule->offset;
  if (rule->base == GPM_UNWIND_STORED_AT_FP) return read_word(s, p->fp + offset, end);
  *end = (rule->base == GPM_UNWIND_SP ? p->stack : p->fp) + offset;
  return true;
}

static enum leaving leave_frame(struct walk_state *s, const struct gpm_unwind_rule *rule,
                                struct position *p) {
  if (rule->base == GPM_UNWIND_END) return WAS_LAST;
  if (rule->base == GPM_UNWIND_NOT_DESCRIBED)
    return leave_by_frame_pointer(s, p) ? LEFT : LEADS_NOWHERE;
  if (rule->base == GPM_UNWIND_NOT_KNOWN) return CANNOT_LEAVE;
  uintptr_t end, address, fp = p->fp, offset = (uintptr_t)(intptr_t)rule->fp_offset;
  if (!find_end(s, rule, p, &end) || end <= p->stack || end % 8) return LEADS_NOWHERE;
  if (!read_word(s, end - 8, &address)) return LEADS_NOWHERE;
  if (rule->fp == GPM_UNWIND_FP_AT_CFA && !read_word(s, end + offset, &fp)) return LEADS_NOWHERE;
  if (rule->fp == GPM_UNWIND_FP_AT_FP && !read_word(s, p->fp + offset, &fp)) return LEADS_NOWHERE;
  *p = (struct position){address, end, fp};
  return address ? LEFT : WAS_LAST;
}

/* Walks from the caller of the function whose frame is at `frame`. False: another way is needed.
 * libgcc's unwinder would not notice that a frame pointer leads nowhere. */
static bool walk_by_rules(struct walk_state *s, uintptr_t frame) {
  struct position p = {stored(frame + 8), frame + 16, stored(frame)};
  begin_at(s, frame);
  for (;;) {
    struct gpm_place *place = gpm_place_at(p.address, s->loaded);
    if (!place) return false;
    struct position here = p;
    enum leaving left = leave_frame(s, &place->rule, &p);
    if (left == CANNOT_LEAVE) return false;
    if (!keep_frame(s, place, here.stack, left == LEFT ? p.stack : 0)) return true;
    if (left == LEFT) continue;
    s->walk->broken = left == LEADS_NOWHERE && place->kind != GPM_PLACE_START;
    return true;
  }
}
#else
static bool walk_by_rules(struct walk_state *s, uintptr_t frame) {
  (void)s, (void)frame;
  return false;
}
#endif

/* ---- by libgcc ---------------------------------------------------------------------------------
 */

struct libgcc_walk {
  struct walk_state *state;
  struct gpm_place *place; /* of the latest frame, whose end the next one tells */
  uintptr_t stack;
};

static int each_libgcc_frame(void *context, void *data) {
  struct libgcc_walk *w = data;
  uintptr_t address = gpm_unwind_address(context), stack = unwind_stack(context);
  if (w->place && !keep_frame(w->state, w->place, w->stack, stack)) {
    w->place = NULL;
    return GPM_UNWIND_STOP;
  }
  w->place = address ? gpm_place_at(address, w->state->loaded) : NULL;
  w->stack = stack;
  return w->place ? GPM_UNWIND_GO_ON : GPM_UNWIND_STOP;
}

static void walk_by_libgcc(struct walk_state *s) {
  struct libgcc_walk w = {.state = s};
  if (gpm_unwind_all) gpm_unwind_all(each_libgcc_frame, &w);
  if (w.place) keep_frame(s, w.place, w.stack, 0);
}

/* ---- both --------------------------------------------------------------------------------------
 */

/* Returns whether a frame had no rule. */
static GPM_INLINE bool walk_begun(struct walk_state *s) {
  const struct walk_state begun_walk = *s;
  if (walk_by_rules(s, (uintptr_t)__builtin_frame_address(0))) return false;
  *s = begun_walk;
  walk_by_libgcc(s);
  return true;
}

GPM_NOINLINE uintptr_t gpm_machine_stack_cudart_end(struct gpm_known_stack *known) {
  struct gpm_machine_frame innermost;
  struct gpm_walk walk = {.frames = &innermost, .room = 1};
  struct walk_state s = {
      .walk = &walk, .known = known, .loaded = gpm_loaded_changes(), .only_innermost = true};
  walk_begun(&s);
  return s.next && innermost.place->kind != GPM_PLACE_START ? innermost.end : 0;
}

GPM_NOINLINE void gpm_machine_stack(struct gpm_walk *walk, uintptr_t below, uintptr_t above) {
  struct walk_state s = {.walk = walk,
                         .known = &walk->known,
                         .below = below,
                         .above = above,
                         .loaded = gpm_loaded_changes()};
  walk->around = NULL;
  walk->broken = false;
  walk->slowly = walk_begun(&s);
  uint32_t kept = s.next < walk->room ? s.next : walk->room;
  walk->last = s.next - 1;
  walk->cut = s.next > walk->room;
  while (kept && gpm_walk_frame(walk, 0)->place->kind != GPM_PLACE_CODE &&
         gpm_walk_frame(walk, 0)->place->kind != GPM_PLACE_RUNTIME) {
    walk->last--;
    kept--;
  }
  walk->count = kept;
}
