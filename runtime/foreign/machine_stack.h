/* machine_stack.h - the calls that are under way on the calling thread, by its machine stack: see
 * machine_stack.c.
 */
#ifndef GPM_MACHINE_STACK_H
#define GPM_MACHINE_STACK_H

#include "base/compiler.h"
#include "foreign/places.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_machine_frame {
  struct gpm_place *place; /* the call that is under way in it */
  uintptr_t stack;         /* the stack pointer at that call */
  uintptr_t end;           /* where its caller's part of the stack begins (CFA); 0: not known */
};

/* A part of a stack that could be read before. A thread keeps it between its walks; zero: none. */
struct gpm_known_stack {
  uintptr_t from, to;
};

/* A walk keeps the outermost frames if there are more than there is room for. */
struct gpm_walk {
  struct gpm_machine_frame *frames;
  uint32_t room;
  struct gpm_known_stack known;
  /* The frames that are the program's, outermost first, are frames[(last - k) % room] for k from
   * 0 to count - 1. Set by gpm_machine_stack. */
  uint32_t last, count;
  struct gpm_place *around; /* of the frame that ended the walk, as `above` says; null: none did */
  bool broken; /* it ended at a frame that cannot be left and is not the first of its thread */
  bool cut;    /* some frames at the inner end are left out */
  bool slowly; /* a frame had no rule, so libgcc's unwinder walked */
};
static inline struct gpm_machine_frame *gpm_walk_frame(const struct gpm_walk *w, uint32_t k) {
  return &w->frames[(w->last - k) % w->room];
}

/* Loads libgcc's unwinder. Once, by a thread that is not busy. False: stacks cannot be walked. */
bool gpm_machine_stack_start(void);
/* Walks the stack from the caller outwards. Left out are the runtime, CUDA's libraries, and what
 * calls `main` or the first function of a thread; and the frames with a stack pointer of `below`
 * or lower, unless that is 0, and those whose callers' begins above `above`. The thread is busy and
 * holds no lock. */
void gpm_machine_stack(struct gpm_walk *walk, uintptr_t below, uintptr_t above);

/* For a thread in a callback that a function of the runtime API is called with: where the part of
 * the stack that is of its callers begins, if the function is linked into the program or a library
 * (libcudart_static.a). 0: it is of libcudart.so. The thread is busy and holds no lock. */
uintptr_t gpm_machine_stack_cudart_end(struct gpm_known_stack *known);

/* For those who look at each frame themselves: libgcc's _Unwind_Backtrace and _Unwind_GetIP, null
 * until they were loaded. */
typedef int (*gpm_unwinder)(int (*each)(void *context, void *data), void *data);
extern gpm_unwinder gpm_unwind_all;
extern uintptr_t (*gpm_unwind_address)(void *context);
enum { GPM_UNWIND_GO_ON = 0, GPM_UNWIND_STOP = 4 }; /* _URC_NO_REASON, _URC_NORMAL_STOP */

#endif /* GPM_MACHINE_STACK_H */
