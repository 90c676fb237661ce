/* recovery.h - where a thread goes on when memory runs out, and what was taken until then.
 *
 * Memory is asked for in hundreds of places, and none of them could do anything about a failure but
 * pass it up. So whoever calls into the rooms says first where that ends: main.c of the tool, and
 * each function of the reader library (read/call.c):
 *
 *   struct gpm_recovery recovery = {.owned = &handle->owned};
 *   gpm_recovery_begin(&recovery);
 *   if (setjmp(recovery.point)) return NO_MEMORY;    gpm_recovery_fail came back; it has ended
 *   ... calls ...
 *   gpm_recovery_end(&recovery);
 *
 * With `owned` every block of memory.h and every open file is entered there, so that all of it can
 * be given back however far the calls came. Which recovery holds is the one thing that is kept per
 * thread and not handed on. See docs/decisions/87-reader-library.md.
 */
#ifndef GPM_TOOLS_RECOVERY_H
#define GPM_TOOLS_RECOVERY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Memory and files that belong to one owner. A zeroed struct has none. Not for two threads at once.
 */
struct gpm_owned {
  void **block; /* open addressing by address; null: free */
  size_t room;  /* a power of two, or 0 */
  size_t count;
  int *file; /* descriptors */
  size_t file_room, file_count;
};
/* Frees and closes all of it. */
void gpm_owned_release(struct gpm_owned *owned);

struct gpm_recovery {
  jmp_buf point;
  struct gpm_owned *owned; /* null: nobody keeps track */
  struct gpm_recovery *outer;
};
void gpm_recovery_begin(struct gpm_recovery *recovery);
void gpm_recovery_end(struct gpm_recovery *recovery);
/* Ends the innermost recovery of the thread and goes on at its point. Traps where there is none. */
_Noreturn void gpm_recovery_fail(void);

/* For memory.c: a block that was taken, or is given back. Taking one may fail, and frees it then.
 */
void gpm_recovery_took(void *block);
void gpm_recovery_gives(void *block);
/* A file that was opened, or is about to be closed. Opening one may fail, and closes it then. */
void gpm_recovery_opened(int file);
void gpm_recovery_closes(int file);

#endif
