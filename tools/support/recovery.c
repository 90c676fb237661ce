/* recovery.c - see recovery.h. Without an owner, as in the tool, a block costs one read of the
 * thread's variable; with one, an operation on a hash table of addresses. */
#include "support/recovery.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static _Thread_local struct gpm_recovery *current;

static struct gpm_owned *owner(void) {
  return current ? current->owned : NULL;
}

void gpm_recovery_begin(struct gpm_recovery *recovery) {
  recovery->outer = current;
  current = recovery;
}

void gpm_recovery_end(struct gpm_recovery *recovery) {
  current = recovery->outer;
}

void gpm_recovery_fail(void) {
  struct gpm_recovery *recovery = current;
  if (!recovery) __builtin_trap();
  current = recovery->outer;
  longjmp(recovery->point, 1);
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

/* The index at which the search for a block begins. */
static size_t home(const struct gpm_owned *o, const void *block) {
  return (size_t)((uintptr_t)block * 0x9e3779b97f4a7c15ULL >> 20) & (o->room - 1);
}

/* The index of the block, or of the free slot where it would be inserted. */
static size_t slot_of(const struct gpm_owned *o, const void *block) {
  size_t at = home(o, block);
  while (o->block[at] && o->block[at] != block) at = (at + 1) & (o->room - 1);
  return at;
}

static bool grow(struct gpm_owned *o) {
  struct gpm_owned larger = *o;
  larger.room = o->room ? o->room * 2 : 256;
  larger.block = calloc(larger.room, sizeof *larger.block);
  if (!larger.block) return false;
  for (size_t i = 0; i < o->room; i++)
    if (o->block[i]) larger.block[slot_of(&larger, o->block[i])] = o->block[i];
  free(o->block);
  *o = larger;
  return true;
}

void gpm_recovery_took(void *block) {
  struct gpm_owned *o = owner();
  if (!o) return;
  if (o->count * 2 >= o->room && !grow(o)) {
    free(block);
    gpm_recovery_fail();
  }
  o->block[slot_of(o, block)] = block;
  o->count++;
}

/* The entries after it move up, so that no search ends too early. */
static void take_out(struct gpm_owned *o, size_t hole) {
  o->count--;
  for (size_t at = (hole + 1) & (o->room - 1); o->block[at]; at = (at + 1) & (o->room - 1)) {
    size_t distance = (at - home(o, o->block[at])) & (o->room - 1);
    if (distance < ((at - hole) & (o->room - 1))) continue;
    o->block[hole] = o->block[at];
    hole = at;
  }
  o->block[hole] = NULL;
}

void gpm_recovery_gives(void *block) {
  struct gpm_owned *o = owner();
  if (!o || !o->room || !block) return;
  size_t at = slot_of(o, block);
  if (o->block[at]) take_out(o, at);
}

/* ---- files -------------------------------------------------------------------------------------
 */

void gpm_recovery_opened(int file) {
  struct gpm_owned *o = owner();
  if (!o || file < 0) return;
  if (o->file_count == o->file_room) {
    int *larger = reallocarray(o->file, o->file_room + 8, sizeof *larger);
    if (!larger) {
      close(file);
      gpm_recovery_fail();
    }
    o->file = larger;
    o->file_room += 8;
  }
  o->file[o->file_count++] = file;
}

void gpm_recovery_closes(int file) {
  struct gpm_owned *o = owner();
  for (size_t i = 0; o && i < o->file_count; i++)
    if (o->file[i] == file) {
      o->file[i] = o->file[--o->file_count];
      return;
    }
}

void gpm_owned_release(struct gpm_owned *o) {
  for (size_t i = 0; i < o->room; i++) free(o->block[i]);
  for (size_t i = 0; i < o->file_count; i++) close(o->file[i]);
  free(o->block);
  free(o->file);
  *o = (struct gpm_owned){0};
}
