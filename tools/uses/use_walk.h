/* use_walk.h - what the walk over the events knows while it finds which operation uses which block:
 *
 *   operations.c      what each operation uses
 *   pointed.c         in which block an address lies, or is meant to lie
 *   captured.c        what is used while a stream is captured into a graph
 *   copy_sources.c    whether the host still had what it copied (uses=verify)
 *
 * Only these files include it.
 */
#ifndef GPM_TOOLS_USE_WALK_H
#define GPM_TOOLS_USE_WALK_H

#include "uses/live_blocks.h"
#include "uses/uses.h"

enum { GPM_USES_CACHED = 65536 }; /* a power of two */

struct gpm_uses_walk {
  struct gpm_uses *uses;
  struct gpm_live_blocks live;
  uint32_t *hidden; /* blocks since all were exposed, and none that was exposed before */
  size_t hidden_count, hidden_room;
  uint8_t *word;         /* by record of KERNEL_WORDS: enum gpm_access */
  bool host_memory_read; /* an operation on a device may have read memory that the host writes to */
  size_t first_use;      /* of the present operation */
  uint32_t thread;       /* that of it */
  uint16_t stream_before; /* struct gpm_use */
  struct gpm_map streams; /* how many streams have ended, by their handle */
  bool given_elsewhere;   /* the present launch has a pointer into no block */
  struct gpm_kernel_code *code;
  uint64_t host_written; /* the latest operation that may have written to such memory */
  struct gpm_captured {
    uint32_t depth;            /* how many captures are open */
    uint32_t begins;           /* of USES: what began the first of them */
    uint32_t *from;            /* position of that, by record of DEVICES */
    uint32_t *block;           /* blocks that were used since */
    size_t count, room;        /* of them */
    bool open[GPM_OPENNESSES]; /* some operation since was open to these */
  } captured;
  struct gpm_upload {
    uint64_t operation, from;
    uint32_t use, block;
  } *upload; /* from the host, if their sources are compared */
  size_t upload_count, upload_room;
  struct gpm_map upload_at; /* the latest to a range */
  bool compares;
  struct gpm_cached_block {
    uint64_t address;
    uint32_t block;
  } cached[GPM_USES_CACHED]; /* blocks in which addresses were, by a hash */
};

/* ---- operations.c -------------------------------------------------------------------------------
 */

/* Returns the position of the present operation on a device. */
uint32_t gpm_uses_position(struct gpm_uses_walk *walk, uint32_t device);
void gpm_uses_add(struct gpm_uses *uses, struct gpm_use use);
/* The address of the block may be in memory that devices read, from the present operation on. */
void gpm_uses_expose(struct gpm_uses_walk *walk, uint32_t block, uint32_t record);
/* An operation at that position of the device follows addresses. */
void gpm_uses_add_open(struct gpm_uses_walk *walk, uint32_t device, enum gpm_use_openness to,
                       uint32_t at, uint32_t record);

/* ---- pointed.c ----------------------------------------------------------------------------------
 */

/* Returns the live block in which an address lies, or NONE. */
uint32_t gpm_uses_block_at(struct gpm_uses_walk *walk, uint64_t address);
struct gpm_pointed {
  uint32_t block;  /* in which the address lies; or NONE */
  uint32_t behind; /* another one, before which the address lies, and which may be meant; or NONE */
};
/* Finds what a pointer may be meant to lead into. pointed->block: that of gpm_uses_block_at; if
 * there is none, it is set to the block that ends there. */
void gpm_uses_pointed(struct gpm_uses_walk *walk, uint64_t address, struct gpm_pointed *pointed);

/* ---- captured.c ---------------------------------------------------------------------------------
 */

void gpm_uses_capture_begins(struct gpm_uses_walk *walk, uint32_t record);
void gpm_uses_capture_ends(struct gpm_uses_walk *walk, uint32_t record);
/* The history ends. */
void gpm_uses_captures_end(struct gpm_uses_walk *walk);
/* The present operation uses the block. Returns true if it is one of a capture: then it is taken to
 * be used from the beginning of that to its end. */
bool gpm_uses_captured(struct gpm_uses_walk *walk, uint32_t block);
/* The same for an operation that follows addresses. */
bool gpm_uses_captured_open(struct gpm_uses_walk *walk, enum gpm_use_openness to);
/* Sets *at to the position of the present operation on the block's device; in a capture *record and
 * *at are those of its beginning. */
void gpm_uses_captured_from(struct gpm_uses_walk *walk, uint32_t block, uint32_t *record,
                            uint32_t *at);
/* The block was freed. */
void gpm_uses_captured_ends(struct gpm_uses_walk *walk, uint32_t block);

/* ---- copy_sources.c -----------------------------------------------------------------------------
 */

/* The present operation is a copy from the host. */
void gpm_uses_note_upload(struct gpm_uses_walk *walk, const struct gpm_event *event, bool rows);
/* The source of one was compared. */
void gpm_uses_compared(struct gpm_uses_walk *walk, const struct gpm_event *event, bool changed);

#endif
