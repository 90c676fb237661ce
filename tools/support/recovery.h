/* recovery.h - where a thread continues when memory runs out, and what it had acquired until then.
 *
 * Memory is asked for in hundreds of places, and none of them could do anything about a failure but
 * pass it up. So the code that calls into these folders first sets the point to return to: main.c
 * of the tool does, and each function of the reader library (read/call.c):
 *
 *   struct gpm_recovery recovery = {.owned = &handle->owned};
 *   gpm_recovery_begin(&recovery);
 *   if (setjmp(recovery.point)) return NO_MEMORY;    gpm_recovery_fail came back; it has ended
 *   ... calls ...
 *   gpm_recovery_end(&recovery);
 *
 * With `owned`, every block of memory.h and every open file is recorded there, so that all of them
 * can be released no matter how far the calls got. The current recovery is the only state that is
 * kept per thread and not passed as an argument. See docs/decisions/87-reader-library.md.
 */
#ifndef GPM_TOOLS_RECOVERY_H
#define GPM_TOOLS_RECOVERY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Memory and files that belong to one owner. A zeroed struct has none. Two threads may not use one
 * at the same time.
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
  struct gpm_owned *owned; /* null: blocks and files are not recorded */
  struct gpm_recovery *outer;
};
void gpm_recovery_begin(struct gpm_recovery *recovery);
void gpm_recovery_end(struct gpm_recovery *recovery);
/* Ends the innermost recovery of the thread and jumps to its point. Traps if there is none. */
_Noreturn void gpm_recovery_fail(void);

/* For memory.c: records a block that was allocated, or is about to be freed. If a new block cannot
 * be recorded, it is freed and gpm_recovery_fail is called.
 */
void gpm_recovery_took(void *block);
void gpm_recovery_gives(void *block);
/* Records a file that was opened, or is about to be closed. If a new file cannot be recorded, it is
 * closed and gpm_recovery_fail is called. */
void gpm_recovery_opened(int file);
void gpm_recovery_closes(int file);

#endif
