/* uses.h - which operation used which block, over the whole history: what `gpumemprof advise`
 * reasons about.
 *
 *   events of blocks --> blocks of each device, each from a position to another
 *   uses (uses=on)   --> operations: for each block that one uses, how        (operations.c)
 *
 * A device has a position for each allocation on it, and for each operation that uses memory of it:
 * what is live there is what the total is made of, right after the allocation or during the
 * operation. A free has none, because a total is never highest there: a block lives at the
 * positions from `begin` to before `end`.
 *
 * For each block and operation there are three values. It is used: the operation was given its
 * address, and may read or write it. It may be used: the operation is open, which means that it
 * follows addresses that it finds in memory, and the block is exposed, which means that its address
 * may be in memory that a device can read, or kept by a library. Or it is unused, which is certain.
 * While others may use a block whose operations are not recorded, it may be used at each position.
 */
#ifndef GPM_TOOLS_USES_H
#define GPM_TOOLS_USES_H

#include "events/walk.h"
#include "uses/kernel_code.h"

#define GPM_USE_WHOLE 1u /* every byte is overwritten */
#define GPM_USE_FILL 2u  /* by a copy from the host, or with a value */
#define GPM_USE_MAYBE 4u /* what may be its address was passed as a number */
/* Of a copy from the host (uses=verify): the source still had the content when the block was used
 * for anything but a fill, or another copy overwrote it before that; or the content had changed. */
#define GPM_USE_UNCHANGED 8u
#define GPM_USE_CHANGED 16u
/* The end of a capture of a stream at whose beginning is the use before: the block is used from the
 * one to the other (captured.c). */
#define GPM_USE_HELD 32u
#define GPM_USE_OUT 64u /* it is the source of a copy to the host */
/* By another thread than the first, whose number a later thread may have. */
#define GPM_USE_THREAD 128u

struct gpm_use {
  uint32_t block;
  uint32_t at;     /* position on the block's device */
  uint32_t record; /* of USES */
  uint8_t access;  /* enum gpm_access, READ to BOTH */
  uint8_t flags;   /* GPM_USE_* */
  /* How many streams before had the handle of its stream; GPM_USE_MOST_STREAMS: so many or more. */
  uint16_t stream_before;
};
#define GPM_USE_MOST_STREAMS UINT16_MAX

struct gpm_use_block {
  uint64_t address, bytes, requested;
  uint32_t cell, node; /* what allocated it */
  uint32_t free_node;  /* what freed it; NONE: nothing did */
  uint32_t device, kind;
  uint32_t begin, end;   /* positions; `end` of a block that is not freed: as many as there are */
  uint32_t exposed;      /* position from which on it is; NONE: never */
  uint32_t exposed_by;   /* of USES: the operation at that position */
  uint32_t kept;         /* position from which on a library keeps its address; NONE: never */
  uint32_t shared;       /* position from which on others may use it at any time; NONE: never */
  uint32_t shared_by;    /* of USES: what made it so */
  uint32_t first, count; /* its uses, in order */
  uint32_t thread;       /* that allocated it; a later thread may have its number */
  bool threads;          /* others use it */
  bool live, replaced;   /* replaced: another block got its address before it was freed */
  bool needed;           /* it has a use that is no fill */
  bool captured;         /* during the walk: an open capture has used it */
};

/* Operations that follow addresses, in order. */
struct gpm_use_open {
  uint32_t *at, *record;
  size_t count, room;
};

/* Which blocks an operation may use that were not given to it: those whose addresses a library
 * keeps, those that are exposed, or all, to whose addresses it may have come by itself; or all
 * because their addresses may have been stored at any time before, which is not recorded. */
enum gpm_use_openness {
  GPM_OPEN_TO_KEPT,
  GPM_OPEN_TO_EXPOSED,
  GPM_OPEN_TO_ALL,
  GPM_OPEN_TO_STORED
};
#define GPM_OPENNESSES 4u

struct gpm_use_device {
  uint32_t positions;
  uint64_t operation; /* number of the latest that has a position here */
  struct gpm_use_open open[GPM_OPENNESSES];
};

struct gpm_uses {
  const struct gpm_profile *profile;
  struct gpm_use_block *block;
  size_t count, room;
  struct gpm_use *use; /* block by block */
  size_t use_count, use_room;
  struct gpm_use_device *device; /* by record of DEVICES */
  uint32_t *place, *line;        /* by record of SITES: the first of the same place, or line */
  uint64_t *runs;                /* by the first of a line: its operations */
  char **open;                   /* by record of KERNELS: why it is open; null: it is closed */
  uint32_t unseen;               /* of USES: code that was not rebuilt; NONE: there is none */
  uint64_t operations;
  uint32_t thread;      /* that of the first of them */
  bool several_threads; /* they are of several */
  bool several_streams; /* operations are in several, or what is in one does not always wait */
  bool several_gpus;    /* which of them was current at an operation is not recorded */
  bool other_gpu;       /* threads began with another one than was current later */
  bool ended;           /* the program ended, and the history reaches to its end */
};

/* Returns what a capture lacks for that, and how to record it, as a sentence that the caller frees;
 * null: nothing. `what` needs it: "advice". */
char *gpm_uses_lacks(const struct gpm_reader *reader, const char *what);
/* Reads the history. Returns false after it reported what is wrong. */
bool gpm_uses_read(struct gpm_uses *uses, struct gpm_reader *reader,
                   const struct gpm_profile *profile, struct gpm_kernel_code *code);
void gpm_uses_free(struct gpm_uses *uses);

/* Returns the first site at the same place of the source as a site, which may be NONE. */
static inline uint32_t gpm_uses_place(const struct gpm_uses *u, uint32_t site) {
  return site == GPUMEMPROF_NONE ? site : u->place[site];
}
/* Whether two sites are of one line; each may be NONE. */
static inline bool gpm_uses_same_line(const struct gpm_uses *u, uint32_t site, uint32_t other) {
  if (site == GPUMEMPROF_NONE || other == GPUMEMPROF_NONE) return site == other;
  return u->line[site] == u->line[other];
}
/* Whether the line of a site made more than one operation. */
static inline bool gpm_uses_repeats(const struct gpm_uses *u, uint32_t site) {
  return site != GPUMEMPROF_NONE && u->runs[u->line[site]] > 1;
}
/* source_places.c: fills in `place` and `line`, and makes room for `runs`. */
void gpm_uses_find_places(struct gpm_uses *uses);

/* Finds the first (or last) operation from position `from` to before `to` that may use the block
 * without being given its address. Returns its position, or NONE; *record: of USES. */
uint32_t gpm_uses_first_maybe(const struct gpm_uses *uses, const struct gpm_use_block *block,
                              uint32_t from, uint32_t to, uint32_t *record);
uint32_t gpm_uses_last_maybe(const struct gpm_uses *uses, const struct gpm_use_block *block,
                             uint32_t from, uint32_t to, uint32_t *record);
/* Finds the first operation from position `from` on that may find the address of the block where it
 * was stored before that position, so that the block has to be at the same address still. Returns
 * its position, or NONE. */
uint32_t gpm_uses_first_by_stored_address(const struct gpm_uses *uses,
                                          const struct gpm_use_block *block, uint32_t from,
                                          uint32_t *record);
/* Whether two uses are certainly in one stream, so that the first has ended when the second begins.
 * The default stream is one of each device, and cudaStreamPerThread one of each thread and device.
 */
bool gpm_uses_same_stream(const struct gpm_uses *uses, const struct gpm_use *one,
                          const struct gpm_use *other);
/* Whether all uses of a block are certainly in the stream of a use. */
bool gpm_uses_in_stream_of(const struct gpm_uses *uses, const struct gpm_use *use,
                           const struct gpm_use_block *block);
/* The same as gpm_uses_same_stream as far as a program says so: which device is current is left
 * out. */
bool gpm_uses_same_handle(const struct gpm_uses *uses, const struct gpm_use *one,
                          const struct gpm_use *other);
/* Returns the handle of a stream; the default stream has two, of which it is 0. */
static inline uint64_t gpm_uses_stream(uint64_t handle) {
  enum { LEGACY_STREAM = 1 };
  return handle == LEGACY_STREAM ? 0 : handle;
}
/* Returns why a use may be of blocks that it was not given, as a sentence without an end: "kernel
 * walk (tree.cu:40) follows addresses that it loads". The caller frees it. */
char *gpm_uses_why_open(const struct gpm_uses *uses, uint32_t record);

/* ---- between uses.c and the walk (use_walk.h) ---- */

struct gpm_uses_walk;
struct gpm_uses_walk *gpm_uses_walk_new(struct gpm_uses *uses, struct gpm_kernel_code *code);
/* The history ends, and so does the walk, which is freed. */
void gpm_uses_walk_end(struct gpm_uses_walk *walk);
/* Adds the operation of an event to `uses`. */
void gpm_uses_operation(struct gpm_uses_walk *walk, const struct gpm_event *event);
/* Called when a block begins to live, and when it is freed. */
void gpm_uses_begins(struct gpm_uses_walk *walk, uint32_t block);
void gpm_uses_ends(struct gpm_uses_walk *walk, uint32_t block);
/* Whether the address in the history is where kernels find the block. Arrays and physical memory
 * have handles, variables that of the host's variable, and pieces lie in other blocks. */
bool gpm_uses_has_address(uint32_t kind, uint64_t bytes);
/* Returns the live block that has an address and begins there, or NONE. */
uint32_t gpm_uses_at(const struct gpm_uses_walk *walk, uint64_t address);

#endif
