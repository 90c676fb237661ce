/* sources.c - whether the host still has what it copied to a block, when the block is first used
 * for anything else (uses=verify). Then the copy can be moved to that place.
 *
 *   copy from the host --> its bytes are hashed, and kept with the block
 *   first operation that is given an address in the block --> they are hashed once more, and the
 *       result is an event behind that of the operation: UNCHANGED or CHANGED
 *
 * A launch that repeats its addresses, with no allocation in between, is no first use, so it need
 * not come here. Later copies to the block say nothing about where it could be allocated, so they
 * are not hashed. A source says nothing if it cannot be read any more, if devices may write to it
 * without the history knowing that, or if functions of the host run in streams, which may write to
 * it at any time. The bytes are read through a system call, as in uploads.c: memory that was freed
 * is not an error. What is hashed is bounded over the whole run; no event comes from what is beyond
 * that.
 */
#include "uses/sources.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/system_calls.h"
#include "cuda/driver.h"
#include "options/options.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "uses/copies.h"
#include "uses/kernels.h"
#include "uses/uses.h"
#include "uses/xxh64.h"

#include "gpumemprof/kinds.h"

#include <sys/uio.h>

#define HASHED_PIECE ((uint64_t)128 << 10) /* bytes that are read at once */
#define SMALL_ROW 4096u
#define LARGEST_STACK ((uint64_t)8 << 20) /* bytes below a frame that count as of its stack */
#define MOST_HASHED ((uint64_t)32 << 30)  /* bytes of a run, both times that they are read */
#define MOST_KEPT 4096u
#define SOURCE_BUCKETS 256u /* of blocks with copies; a power of two */
#define SETTLED 4096u /* blocks that were used, as far as they are remembered; a power of two */

/* A block, told from others that had its address before. */
struct source_block {
  uint64_t start, clock; /* start 0: none */
};
struct kept {
  struct source_block block;
  struct gpm_source source;
  uint64_t hash;
  struct kept *next;
};

_Atomic uint32_t gpm_sources_kept; /* how many are in buckets, or due */
/* Under gpm_uses_lock: */
static struct kept *source_bucket[SOURCE_BUCKETS], *due_sources, *unused_kept;
static uint32_t made_kept;
static struct source_block settled_blocks[SETTLED];
static _Atomic uint64_t hashed_bytes;

void gpm_sources_start(void) {
  for (uint32_t i = 0; i < SOURCE_BUCKETS; i++) source_bucket[i] = NULL;
  for (uint32_t i = 0; i < SETTLED; i++) settled_blocks[i] = (struct source_block){0, 0};
  due_sources = unused_kept = NULL; /* of another process, after a fork: the memory stays */
  made_kept = 0;
  atomic_store(&gpm_sources_kept, 0);
  atomic_store(&hashed_bytes, 0);
}

/* ---- bytes -------------------------------------------------------------------------------------
 */

static bool hash_row_of_source(struct gpm_xxh64 *h, uint64_t from, uint64_t bytes, uint8_t *piece,
                               uint64_t room) {
  while (bytes) {
    uint64_t now = bytes < room ? bytes : room;
    struct iovec here = {piece, now}, there = {(void *)(uintptr_t)from, now};
    long done = gpm_syscall(SYS_process_vm_readv, gpm_getpid(), &here, 1, &there, 1, 0);
    if (done != (long)now) return false;
    gpm_xxh64_add(h, piece, now);
    from += now;
    bytes -= now;
  }
  return true;
}

static bool hash_rows(const struct gpm_source *s, uint8_t *piece, uint64_t room, uint64_t *hash) {
  struct gpm_xxh64 h;
  gpm_xxh64_begin(&h);
  for (uint64_t z = 0; z < s->depth; z++)
    for (uint64_t y = 0; y < s->height; y++)
      if (!hash_row_of_source(&h, s->from + z * s->plane + y * s->pitch, s->width, piece, room))
        return false;
  *hash = gpm_xxh64_end(&h);
  return true;
}

/* False: it cannot be read, or too much was. */
static bool hash_source(const struct gpm_source *s, uint64_t *hash) {
  uint64_t bytes = s->width * s->height * s->depth;
  if (atomic_fetch_add(&hashed_bytes, bytes) + bytes > MOST_HASHED) {
    atomic_fetch_sub(&hashed_bytes, bytes);
    return false;
  }
  uint8_t small[SMALL_ROW];
  if (s->width <= sizeof small) return hash_rows(s, small, sizeof small, hash);
  uint8_t *piece = gpm_memory_try(HASHED_PIECE);
  bool read = piece && hash_rows(s, piece, HASHED_PIECE, hash);
  if (piece) gpm_memory_unmap(piece, HASHED_PIECE);
  return read;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static bool is_pinned_block(struct gpm_block *b) {
  struct gpm_cell *cell = atomic_load_explicit(&b->cell, memory_order_acquire);
  return cell && cell->kind == GPUMEMPROF_KIND_PINNED;
}

/* The live block, not of the host, in which an address lies. */
static struct source_block source_block_at(uint64_t address) {
  uint64_t start = address;
  struct gpm_block *b = gpm_blocks_find(address);
  if (!b) b = gpm_blocks_find_regular(address, &start);
  if (!b || is_pinned_block(b)) return (struct source_block){0, 0};
  return (struct source_block){start, __atomic_load_n(&b->clock, __ATOMIC_RELAXED)};
}

/* Whether no device writes to it but by operations of the history: CUDA does not know it, or it is
 * a pinned block of the program's. Managed memory moves between host and devices. */
static bool is_the_hosts(uint64_t from) {
  const struct gpm_driver *driver = gpm_driver();
  unsigned type = 0;
  if (!driver->cuPointerGetAttribute) return false;
  if (driver->cuPointerGetAttribute(&type, GPM_POINTER_MEMORY_TYPE, (gpm_deviceptr)from))
    return true;
  uint64_t start;
  struct gpm_block *b = gpm_blocks_find_interior(from, &start);
  return b && is_pinned_block(b);
}

static uint64_t hash_of_block(struct source_block b) {
  return b.start * 0x9e3779b97f4a7c15u >> 32;
}

static bool is_same_block(struct source_block a, struct source_block b) {
  return a.start == b.start && a.clock == b.clock;
}

static bool is_settled_block(struct source_block b) {
  return is_same_block(settled_blocks[hash_of_block(b) & (SETTLED - 1)], b);
}

/* ---- what is kept ------------------------------------------------------------------------------
 */

static void give_back_kept(struct kept *k) {
  k->next = unused_kept;
  unused_kept = k;
  atomic_fetch_sub(&gpm_sources_kept, 1);
}

/* Takes out the copies to blocks that were freed. */
static void drop_freed(void) {
  for (uint32_t i = 0; i < SOURCE_BUCKETS; i++)
    for (struct kept **at = &source_bucket[i]; *at;) {
      struct kept *k = *at;
      if (is_same_block(source_block_at(k->block.start), k->block)) {
        at = &k->next;
        continue;
      }
      *at = k->next;
      give_back_kept(k);
    }
}

/* Null: there is no room. */
static struct kept *make_kept(void) {
  if (!unused_kept && made_kept == MOST_KEPT) drop_freed();
  struct kept *k = unused_kept;
  if (k) unused_kept = k->next;
  else if (made_kept < MOST_KEPT && (k = gpm_memory_get(sizeof *k))) made_kept++;
  return k;
}

static bool is_same_place(const struct gpm_source *a, const struct gpm_source *b) {
  return a->to == b->to && a->to_bytes == b->to_bytes && a->width == b->width &&
         a->height == b->height && a->depth == b->depth;
}

/* A copy over all that another one wrote replaces it. */
static void keep_source(struct source_block b, const struct gpm_source *s, uint64_t hash) {
  struct kept **first = &source_bucket[hash_of_block(b) & (SOURCE_BUCKETS - 1)], *k = *first;
  while (k && !(is_same_block(k->block, b) && is_same_place(&k->source, s))) k = k->next;
  struct kept *next = k ? k->next : *first;
  if (!k) {
    k = make_kept();
    if (!k) return;
    next = *first; /* some may have been taken out */
    *first = k;
    atomic_fetch_add(&gpm_sources_kept, 1);
  }
  *k = (struct kept){b, *s, hash, next};
}

void gpm_sources_copied(const struct gpm_source *s) {
  if (!gpm_options.uses_verify || !s->width) return;
  struct source_block b = source_block_at(s->to);
  gpm_lock_take(&gpm_uses_lock);
  bool wanted = b.start && !is_settled_block(b);
  gpm_lock_release(&gpm_uses_lock);
  uint64_t hash;
  if (!wanted || !is_the_hosts(s->from) || !hash_source(s, &hash)) return;
  gpm_lock_take(&gpm_uses_lock);
  keep_source(b, s, hash);
  gpm_lock_release(&gpm_uses_lock);
}

/* ---- operations --------------------------------------------------------------------------------
 */

static void use_block(uint64_t address) {
  struct source_block b = address ? source_block_at(address) : (struct source_block){0, 0};
  if (!b.start) return;
  settled_blocks[hash_of_block(b) & (SETTLED - 1)] = b;
  for (struct kept **at = &source_bucket[hash_of_block(b) & (SOURCE_BUCKETS - 1)]; *at;) {
    struct kept *k = *at;
    if (k->block.start != b.start) {
      at = &k->next;
      continue;
    }
    *at = k->next;
    if (k->block.clock != b.clock) {
      give_back_kept(k); /* it was freed since */
      continue;
    }
    k->next = due_sources;
    due_sources = k;
  }
}

/* What is filled or copied to from the host is not used for anything else by that. */
bool gpm_sources_given(enum gpumemprof_use what, uint32_t count, const uint64_t *value) {
  gpm_lock_take(&gpm_uses_lock);
  switch (what) {
  case GPUMEMPROF_USE_LAUNCH:
  case GPUMEMPROF_USE_LIBRARY:
  case GPUMEMPROF_USE_LIBRARY_CALL:
  case GPUMEMPROF_USE_LIBRARY_ARGUMENTS:
    for (uint32_t i = 0; i < count; i++) use_block(value[i]);
    break;
  case GPUMEMPROF_USE_COPY:
  case GPUMEMPROF_USE_COPY_ROWS:
    use_block(value[2]);
    if (source_block_at(value[2]).start) use_block(value[0]);
    break;
  case GPUMEMPROF_USE_PREFETCH:
    use_block(value[0]);
    break;
  default: /* also the results of comparisons */
    break;
  }
  bool result = what == GPUMEMPROF_USE_UNCHANGED || what == GPUMEMPROF_USE_CHANGED;
  bool any = due_sources != NULL && !result;
  gpm_lock_release(&gpm_uses_lock);
  return any;
}

static struct kept *take_due(void) {
  gpm_lock_take(&gpm_uses_lock);
  struct kept *k = due_sources;
  if (k) due_sources = k->next;
  gpm_lock_release(&gpm_uses_lock);
  return k;
}

/* Whether the source is below the calling thread's stack, where a function that has returned had
 * its variables. They may have their bytes still, but the program cannot name them any more. */
static bool is_left_stack(const struct gpm_source *s) {
  uintptr_t top = (uintptr_t)__builtin_frame_address(0);
  return s->from < top && top - s->from < LARGEST_STACK;
}

void gpm_sources_compare(const struct gpumemprof_site *site) {
  for (struct kept *k; (k = take_due());) {
    const struct gpm_source *s = &k->source;
    const uint64_t value[] = {s->to, s->to_bytes, s->from};
    uint64_t hash;
    bool known = !gpm_uses_ran_host_functions() && !is_left_stack(s) && hash_source(s, &hash);
    if (known)
      gpm_uses_record(hash == k->hash ? GPUMEMPROF_USE_UNCHANGED : GPUMEMPROF_USE_CHANGED, site,
                      NULL, 3, value);
    gpm_lock_take(&gpm_uses_lock);
    give_back_kept(k);
    gpm_lock_release(&gpm_uses_lock);
  }
}
