/* capture.h - every byte of a .gmprof file. The runtime writes it and the tools read it. These
 * comments are the specification.
 *
 * The capture is the runtime's working memory: a MAP_SHARED file, to which it only appends chunks,
 * so that a program that is killed at any moment leaves a readable file. It is little-endian, on
 * x86-64 and AArch64 alike.
 *
 *   0          4096          4096 + chunk[0].size
 *   +----------+-------------+-------------+-- - -+
 *   | header   | chunk 0     | chunk 1     | ...  |   up to header.used bytes
 *   +----------+-------------+-------------+-- - -+
 *
 * A chunk contains records of one type, all of record_size bytes (STRINGS: 1), in the first `used`
 * bytes of its payload. The records of a type (and owner) are numbered through the chunks of that
 * type and owner, in file order. Every chunk but the last of a type and owner is full. ACTIVATIONS
 * and MAXIMA are different, because their `used` also shrinks: their records end in the first chunk
 * that is not full. Numbers ("ids") start at 0, and GPUMEMPROF_NONE means no record. Fields marked
 * (live) change while the program runs. All others are final once header.used and chunk.used, which
 * are published with release stores, cover them.
 *
 * A string is an offset into the payloads of STRINGS, concatenated in file order. The text there is
 * UTF-8 and ends with a NUL. Offset 0 is the empty string ("none"). No string crosses a chunk.
 *
 * Bytes are acquired bytes (what the device gave) unless they are called requested. Differences are
 * signed.
 */
#ifndef GPUMEMPROF_CAPTURE_H
#define GPUMEMPROF_CAPTURE_H

#include "gpumemprof/kinds.h"

#include <stddef.h>
#include <stdint.h>

#define GPUMEMPROF_CAPTURE_MAGIC                                                                   \
  "GMPROF\r\n" /* 8 bytes, no NUL; the CR LF shows text-mode copies */
#define GPUMEMPROF_CAPTURE_BYTE_ORDER 0x01020304u
#define GPUMEMPROF_CAPTURE_MAJOR 1 /* other major: not readable */
/* A capture with a higher minor is readable; unknown chunks are skipped. Minor 4 added rank and
 * ranks in the header, and streams; 5 added activations of lines (GPUMEMPROF_SITE_SPANS); 6 added
 * checksums in the header, 7 pages, 8 what is known of the sources of copies, 9 captures of streams
 * (capture_uses.h) and events of nine bytes (GPUMEMPROF_EVENT_REPEATED), 10 which device code ran
 * (GPUMEMPROF_USE_DEVICE_CODE), ends of streams, and
 * which devices were current, 11 launches that overlap (GPUMEMPROF_USE_OVERLAP), 12 functions of
 * code that was not rebuilt (GPUMEMPROF_SITE_AT_ADDRESS), 13 names of such code, 14 names of blocks
 * (GPUMEMPROF_CHUNK_NAMED). */
#define GPUMEMPROF_CAPTURE_MINOR 14
#define GPUMEMPROF_CAPTURE_HEADER_SIZE 4096
#define GPUMEMPROF_CAPTURE_COUNTERS 64
#define GPUMEMPROF_NONE UINT32_MAX
enum gpumemprof_counter {
#define GPUMEMPROF_COUNTER(name, unit, is_loss, text) GPUMEMPROF_COUNTER_##name,
#include "gpumemprof/counters.def"
  GPUMEMPROF_COUNTER_COUNT
};

/* header.flags */
#define GPUMEMPROF_CAPTURE_COMPLETE 1u /* the program ended by returning from main or exit() */
#define GPUMEMPROF_CAPTURE_STOPPED 2u  /* recording stopped early (no space): see stop_reason */
#define GPUMEMPROF_CAPTURE_DUMP 4u     /* a copy made while the program ran: see dump_reason */
/* A reset is under way: see reset_ticks. If the program was killed during it, readers complete the
 * reset, so figures begin at its end. The live memory of a cell whose peak_epoch is UINT64_MAX is
 * in at_peak. */
#define GPUMEMPROF_CAPTURE_RESETTING 8u
#define GPUMEMPROF_CAPTURE_HISTORY_PART 16u /* EVENTS are of parts of the run: it was switched */
#define GPUMEMPROF_CAPTURE_RANKED 32u       /* `rank` is known */

struct gpumemprof_capture_header {
  char magic[8];
  uint32_t byte_order;
  uint16_t major;
  uint16_t minor;
  uint32_t header_size;
  uint32_t flags; /* (live) */
  uint64_t used;  /* (live) bytes of the file in use, header included; a multiple of 64 */
  uint64_t pid;
  /* Field 22 of /proc/PID/stat: distinguishes a running program from a reused pid. */
  uint64_t pid_start;
  uint64_t start_realtime_ns; /* CLOCK_REALTIME at start */
  /* Two points that relate ticks (on x86 the TSC, on AArch64 the virtual counter, shifted to some
   * 1e9 a second, else CLOCK_MONOTONIC in ns) to CLOCK_MONOTONIC in ns. The second is refreshed. */
  uint64_t first_ticks;
  uint64_t first_ns;
  uint64_t last_ticks; /* (live) */
  uint64_t last_ns;    /* (live) */
  char boot_id[40];    /* /proc/sys/kernel/random/boot_id, NUL-terminated */
  char host[64];
  char runtime_version[32];
  char executable[512];
  char command_line[1024];                        /* arguments, separated by blanks, cut to fit */
  char directory[512];                            /* working directory at start */
  char stop_reason[256];                          /* (live) one sentence */
  uint64_t counters[GPUMEMPROF_CAPTURE_COUNTERS]; /* (live) enum gpumemprof_counter */
  /* (live) The interval between the monitor's samples, kept also after it was stopped; 0 if there
   * was none. */
  uint64_t monitor_ns;
  /* DUMP: the allocation clock when the copying began. Figures may be of later events, as in the
   * file of a running program, and readers must not read events (EVENTS) of later clocks. */
  uint64_t dump_clock;
  char dump_reason[48]; /* DUMP: what it was made for, as "signal 12" or "every 10s" */
  uint64_t resets;      /* (live) how often the program began its figures again from 0 */
  uint64_t reset_ticks; /* (live) the latest time: then all that was live became what was allocated,
                         * and what was freed, peaks, calls and counters began again */
  uint64_t run;         /* number that `gpumemprof run` gave the processes it started; 0: none */
  uint64_t steps;       /* (live) how many boundaries of steps there were */
  uint64_t cycles;      /* (live) how many cycles of schedule= have ended */
  uint32_t rank;        /* RANKED: the process's number in a parallel job, from its launcher */
  uint32_t ranks;       /* RANKED: how many processes the job has; 0: not known */
  /* (live) See capture_checksum.h; 0 means none. Written when the program has ended or the dump is
   * complete. */
  uint64_t figures_checksum; /* of this header and every chunk but EVENTS */
  uint64_t events_checksum;  /* of EVENTS; none beyond GPUMEMPROF_CAPTURE_EVENTS_SUMMED bytes */
  uint8_t reserved[928];
};
#define GPUMEMPROF_CAPTURE_EVENTS_SUMMED ((uint64_t)2 << 30) /* a second of the program's exit */
_Static_assert(sizeof(struct gpumemprof_capture_header) == GPUMEMPROF_CAPTURE_HEADER_SIZE,
               "the header is one page");

enum gpumemprof_chunk_type {
  GPUMEMPROF_CHUNK_STRINGS = 1,
  GPUMEMPROF_CHUNK_SITES = 2,
  GPUMEMPROF_CHUNK_LINES = 3,
  GPUMEMPROF_CHUNK_NODES = 4,
  GPUMEMPROF_CHUNK_CELLS = 5,
  GPUMEMPROF_CHUNK_PAIRS = 6,
  GPUMEMPROF_CHUNK_DEVICES = 7,
  GPUMEMPROF_CHUNK_ACTIVATIONS = 8, /* owner: thread number */
  GPUMEMPROF_CHUNK_MAXIMA = 9,      /* owner: device record number */
  GPUMEMPROF_CHUNK_MODULES = 10,
  GPUMEMPROF_CHUNK_EVENTS = 11, /* owner: thread number; only with history= or gpumemprof_history */
  GPUMEMPROF_CHUNK_SAMPLES = 12,
  GPUMEMPROF_CHUNK_POOLS = 13,
  GPUMEMPROF_CHUNK_CUSTOM_POOLS = 14,
  GPUMEMPROF_CHUNK_NATIVE_MODULES = 15,
  GPUMEMPROF_CHUNK_UNACCOUNTED = 16, /* only with the option unaccounted= */
  GPUMEMPROF_CHUNK_OOMS = 17,        /* capture_oom.h */
  GPUMEMPROF_CHUNK_STEPS = 18,
  GPUMEMPROF_CHUNK_MARKS = 19,
  GPUMEMPROF_CHUNK_VIOLATIONS = 20, /* capture_budgets.h */
  GPUMEMPROF_CHUNK_OPERANDS = 21,   /* capture_operands.h */
  GPUMEMPROF_CHUNK_STREAMS = 22,
  GPUMEMPROF_CHUNK_USES = 23,         /* capture_uses.h; only with uses=on, as the next two */
  GPUMEMPROF_CHUNK_KERNELS = 24,      /* capture_uses.h */
  GPUMEMPROF_CHUNK_KERNEL_WORDS = 25, /* capture_uses.h */
  GPUMEMPROF_CHUNK_PAGES = 26, /* capture_pages.h; only with uses=on, of code that marks pages */
  GPUMEMPROF_CHUNK_NAMES = 27, /* capture_names.h; added when the program has ended, as the next */
  GPUMEMPROF_CHUNK_NAME_TEXTS = 28, /* their texts; the first byte is a NUL */
  GPUMEMPROF_CHUNK_NAMED = 29       /* capture_events.h; only with a history */
};

struct gpumemprof_chunk {
  uint32_t type;
  uint32_t record_size;
  uint64_t size;  /* of the whole chunk, this header included; a multiple of 64 */
  uint64_t used;  /* (live) payload bytes in use: records published * record_size */
  uint32_t owner; /* ACTIVATIONS, MAXIMA, EVENTS: whose; else 0 */
  uint32_t reserved0;
  uint64_t reserved[4];
};
_Static_assert(sizeof(struct gpumemprof_chunk) == 64, "chunk header layout");

/* A point in the source; each distinct one has one record. NATIVE is an address in code that was
 * not rebuilt, which is called as a CALL is. Its `file` is the path of its module (NATIVE_MODULES).
 * Its `variable` is the address, followed by those that it was called from in the same module,
 * innermost first. They are hexadecimal ELF addresses ("1a2b 3c4d"), each of the call and not of
 * its return. Its `function` ends with "via " and the name of the module in reports. Readers find
 * the file, line and function of each address in the module.
 *
 * With stacks=native each function of such code is a scope. Its site is a FUNCTION with the flag
 * AT_ADDRESS: `file` is the path of the module, `variable` the address at which its code begins,
 * and `function` the name "0x1a2b in MODULE". The calls that it makes are NATIVE sites with one
 * address each. Two calls from one address between which nothing was recorded count as one
 * activation of such a scope, because nobody saw the first one end: active_calls is at least so
 * many, and an own peak may be that of several calls, one after the other. */
struct gpumemprof_capture_site {
  uint16_t
      kind; /* enum gpumemprof_site_kind; 0: the location is unknown (no instrumented caller) */
  uint16_t flags; /* GPUMEMPROF_SITE_* */
  uint32_t line;
  uint32_t column;
  uint32_t file;
  uint32_t function;
  uint32_t callee;
  uint32_t variable;
  uint32_t type;
  uint32_t size_expr;
  uint32_t source_line;
  uint32_t name;       /* BLOCK: its label */
  uint32_t inlined_at; /* site id */
  uint32_t line_id;    /* CALL: record of LINES; else NONE */
  uint32_t reserved;
  uint64_t budget; /* scopes with GPUMEMPROF_SITE_BUDGET: bytes they may need; else 0 */
};
_Static_assert(sizeof(struct gpumemprof_capture_site) == 64, "site layout");
_Static_assert(offsetof(struct gpumemprof_capture_site, budget) == 56, "site layout");

/* A source line of a function in which calls allocate or free. Its key is (file, line, function),
 * for all devices and threads together. */
struct gpumemprof_capture_line {
  uint32_t file;
  uint32_t line;
  uint32_t function;
  uint32_t reserved;
  uint64_t live;      /* (live) bytes allocated by calls made directly on this line, still live */
  uint64_t live_peak; /* (live) the most of them ever live at once */
};
_Static_assert(sizeof(struct gpumemprof_capture_line) == 32, "line layout");

/* A call path: a site under a parent. The root is node 0 (site NONE, parent NONE). Scopes and calls
 * alternate in a path: root > scope main > call main:11 > scope step > call step:4 > scope make >
 * call make:1 (which is the allocation). A parent's id is smaller than its children's. Scope nodes
 * (FUNCTION, BLOCK) have activations, and call nodes have cells and failures. Call nodes of a site
 * with GPUMEMPROF_SITE_SPANS also have activations, one for each such call in which memory moved;
 * their active_calls, own_peak_* and device_peak are of these. */
struct gpumemprof_capture_node {
  uint32_t parent;
  uint32_t site;
  uint64_t active_calls; /* (live) ended activations in which memory moved */
  uint64_t calls;        /* (live) profiled scopes: every ended activation; else 0 */
  uint64_t wall_ticks;   /* (live) profiled scopes: time in them, ended activations */
  uint64_t own_peak_max; /* (live) over ended activations; device memory only */
  uint64_t own_peak_sum; /* (live) their sum: mean = own_peak_sum / active_calls */
  uint64_t device_peak;  /* (live) highest device total of any one device during an activation */
  uint64_t failed_calls; /* (live) call nodes: allocations that returned an error */
  uint64_t failed_bytes; /* (live) their requested bytes */
  uint64_t oom_calls;    /* (live) those that were out of memory */
  /* A string: the calls that were under way on the machine when the path was made, innermost first
   * (verify=paths); 0 if they were not recorded. It has one text line for each stretch in one
   * module: the module's path, then hexadecimal ELF addresses, each of the call and not of its
   * return, as "1a2b 3c4d", and " ..." where more follow. */
  uint32_t machine_stack;
  uint32_t reserved0;
  uint64_t reserved[5];
};
_Static_assert(sizeof(struct gpumemprof_capture_node) == 128, "node layout");

/* A number of bytes, and the number of blocks that they are in. Both change in one store, so the
 * structure begins at a multiple of 16. */
struct gpumemprof_capture_amount {
  uint64_t bytes;
  uint64_t blocks;
};

/* What one call node allocated on one device in one kind of memory under one label, and for one
 * stream if the memory is ordered by streams. What was live at the device's peak is at_peak if
 * peak_epoch == device.peak_epoch; otherwise it is allocated - freed. The fields that each event
 * changes are in the first cache line. */
struct gpumemprof_capture_cell {
  uint32_t node;
  uint16_t device;                            /* record of DEVICES */
  uint16_t kind;                              /* enum gpumemprof_kind */
  uint64_t padding;                           /* (live) of `allocated`, bytes not requested */
  struct gpumemprof_capture_amount allocated; /* (live) gross */
  struct gpumemprof_capture_amount freed;     /* (live) of these, wherever */
  uint64_t lifetime_clock;   /* (live) sum over freed blocks, in allocation clock ticks */
  uint64_t temporary_blocks; /* (live) freed by the next event of the allocating thread */
  struct gpumemprof_capture_amount at_peak; /* (live) see above */
  uint64_t peak_epoch;                      /* (live) */
  uint64_t min_size;       /* (live) of a block; UINT64_MAX: none was allocated since the reset */
  uint64_t max_size;       /* (live) */
  uint64_t lifetime_ticks; /* (live) sum over freed blocks that were timed: the first 64, then a
                            * random one in 64 */
  uint64_t timed_blocks;   /* (live) how many those are */
  uint32_t label;          /* string: of the program's labels at the allocation, "epoch/forward" */
  uint32_t stream; /* kind pool: record of STREAMS + 1; 0: none, or not known (before minor 4) */
};
_Static_assert(sizeof(struct gpumemprof_capture_cell) == 128, "cell layout");
_Static_assert(offsetof(struct gpumemprof_capture_cell, at_peak) == 64, "cell layout");

/* A stream for which memory was allocated. CUDA gives the handle of a stream that was destroyed to
 * another one; here both are one stream. */
struct gpumemprof_capture_stream {
  uint64_t handle; /* CUDA's; 1: the default stream of the device, 2: those of each thread;
                    * GPUMEMPROF_STREAM_OTHERS: all streams that have no record of their own */
  uint16_t device; /* record of DEVICES: the memory's */
  uint16_t reserved0;
  uint32_t reserved1;
  uint64_t reserved[2];
};
_Static_assert(sizeof(struct gpumemprof_capture_stream) == 32, "stream layout");
#define GPUMEMPROF_STREAM_OTHERS UINT64_MAX

/* The primary record of frees: what calls at node `free_node` freed of `cell`. */
struct gpumemprof_capture_pair {
  uint32_t cell;
  uint32_t free_node;
  uint64_t reserved;
  struct gpumemprof_capture_amount freed; /* (live) */
};
_Static_assert(sizeof(struct gpumemprof_capture_pair) == 32, "pair layout");

/* The ledger of a device. Record 0 is always `host` (pinned memory). It is kept in addition to the
 * cells, so that reports can check one against the other. The fields that each event changes begin
 * at a cache line. */
struct gpumemprof_capture_device {
  int32_t ordinal;    /* CUDA ordinal, or GPUMEMPROF_HOST, IMPORTED or CUSTOM */
  uint32_t peak_node; /* (live) node of the event that reached the peak; NONE: no event yet */
  char name[128];
  uint64_t memory_total; /* bytes of the device when first seen, 0 if unknown */
  uint64_t memory_free;  /* free then, by cudaMemGetInfo; 0 if unknown */
  uint64_t padding;      /* (live) of total, bytes that nobody asked for */
  uint8_t uuid[16];      /* of the device or its part, from the driver; all 0 if unknown */
  uint64_t reserved[2];
  uint64_t total;      /* (live) bytes live now */
  uint64_t peak;       /* (live) highest total */
  uint64_t peak_epoch; /* (live) how often a new peak was reached */
  uint64_t peak_ticks; /* (live) when */
  uint64_t peak_clock; /* (live) allocation clock of that event */
  uint64_t reserved2[3];
  struct gpumemprof_capture_amount live[GPUMEMPROF_KINDS]; /* (live) by kind of memory */
};
_Static_assert(sizeof(struct gpumemprof_capture_device) == 512, "device layout");

#define GPUMEMPROF_ACTIVATION_PROFILED 1u
#define GPUMEMPROF_ACTIVATION_MOVED 2u /* memory moved in it, or in a child that ended */
/* Work was handed over to other threads in it (contexts.c): what its children and those threads
 * allocate and free is charged to it at once. Nothing folds into it. */
#define GPUMEMPROF_ACTIVATION_SHARED 4u
/* It is work taken over from another thread, and does not fold into what its own thread has open.
 */
#define GPUMEMPROF_ACTIVATION_ATTACHED 8u
#define GPUMEMPROF_ACTIVATION_MEASURED 16u /* by gpumemprof_scope_begin; PROFILED too */
/* Its scope has a budget that is judged when it ends. The runtime uses this flag; readers do not
 * need it. */
#define GPUMEMPROF_ACTIVATION_JUDGED 32u
/* It is a range of NVTX as well (nvtx_emit=scopes). The runtime uses this flag; readers do not need
 * it. */
#define GPUMEMPROF_ACTIVATION_EMITTED 64u
/* It is of a line: `node` is that of a call with GPUMEMPROF_SITE_SPANS. It is above the scope that
 * makes the call and below what the call opens, and folds as they do. */
#define GPUMEMPROF_ACTIVATION_LINE 128u
/* The innermost one of a thread: it has ended, its node does not count it yet, and in place of its
 * entry_clock it has the highest total of a device while it lasted. Those around it may have ended
 * as well, which the capture does not say. */
#define GPUMEMPROF_ACTIVATION_ENDED 256u

/* An activation that is still open. The records of a thread are its shadow-stack frames in which
 * memory moved, and profiled ones, with all frames below them, and the calls (LINE) that are under
 * way in them, outermost first. `used` shrinks as they end. Readers fold them as their exit would
 * have done: parent.peak = max(parent.peak, parent.net + peak); parent.net += net; parent.flags |=
 * flags & MOVED. But nothing is folded into a SHARED parent, and nothing out of an ATTACHED
 * activation. */
struct gpumemprof_capture_activation {
  uint32_t node;
  uint32_t flags;       /* (live) GPUMEMPROF_ACTIVATION_* */
  uint64_t entry_clock; /* ENDED: see there */
  int64_t net;  /* (live) bytes allocated - freed by this thread in it, ended children included;
                 * SHARED: open ones and other threads' too */
  int64_t peak; /* (live) highest net, at least 0 */
};
_Static_assert(sizeof(struct gpumemprof_capture_activation) == 32, "activation layout");

/* Suffix maxima of a device's total before the present one: the totals from which it fell, strictly
 * falling, and the clocks of the events that lowered them, rising. The highest total at any moment
 * since clock c is device.total or the total of the first entry with until > c, whichever is
 * higher. `used` shrinks as entries are removed. */
struct gpumemprof_capture_maximum {
  uint64_t until;
  uint64_t total;
};
_Static_assert(sizeof(struct gpumemprof_capture_maximum) == 16, "maximum layout");

/* A shared object or program with instrumented code. */
struct gpumemprof_capture_module {
  uint32_t path;           /* string */
  uint32_t plugin_version; /* string */
  uint64_t address;        /* of its site table in that process */
  uint64_t sites;          /* in the table */
};
_Static_assert(sizeof(struct gpumemprof_capture_module) == 24, "module layout");

/* A shared object or program that was not rebuilt, or only in part, and that contains a NATIVE
 * site.
 */
struct gpumemprof_capture_native_module {
  uint32_t path;     /* string */
  uint32_t build_id; /* string: hexadecimal digits; none where it has none */
};
_Static_assert(sizeof(struct gpumemprof_capture_native_module) == 8, "native module layout");

/* By how much a device's free memory changed during calls of one line into code that was not
 * rebuilt, minus what the ledger recorded during them. */
struct gpumemprof_capture_unaccounted {
  uint32_t node;   /* the calling line */
  uint16_t device; /* record of DEVICES */
  uint16_t reserved0;
  uint64_t calls;  /* (live) in which it changed */
  int64_t bytes;   /* (live) their sum; positive: less is free */
  int64_t largest; /* (live) the change of one call that was farthest from 0 */
  uint64_t reserved[2];
};
_Static_assert(sizeof(struct gpumemprof_capture_unaccounted) == 48, "unaccounted layout");

/* A step of the program ends here and the next begins (schedule.c). Only the first million are
 * recorded. */
enum gpumemprof_phase {
  GPUMEMPROF_PHASE_NONE = 0, /* before the first cycle, after the last, or there is no schedule */
  GPUMEMPROF_PHASE_WAIT = 1,
  GPUMEMPROF_PHASE_WARMUP = 2,
  GPUMEMPROF_PHASE_ACTIVE = 3
};
struct gpumemprof_capture_step {
  uint64_t ticks;
  uint64_t clock;
  uint64_t live;  /* device memory of all devices then */
  uint32_t phase; /* enum gpumemprof_phase: of the step that begins */
  uint32_t cycle; /* the same, from 1; 0: none */
};
_Static_assert(sizeof(struct gpumemprof_capture_step) == 32, "step layout");

/* A moment that the program named (gpumemprof_mark), in the order of their clocks. */
struct gpumemprof_capture_mark {
  uint64_t clock; /* events before it */
  uint64_t ticks;
  uint32_t name;   /* string */
  uint32_t thread; /* number, as the owner of EVENTS */
  uint64_t reserved[5];
};
_Static_assert(sizeof(struct gpumemprof_capture_mark) == 64, "mark layout");

#include "gpumemprof/capture_budgets.h"  /* records of VIOLATIONS */
#include "gpumemprof/capture_events.h"   /* EVENTS */
#include "gpumemprof/capture_names.h"    /* NAMES */
#include "gpumemprof/capture_oom.h"      /* OOMS */
#include "gpumemprof/capture_operands.h" /* OPERANDS */
#include "gpumemprof/capture_pages.h"    /* PAGES */
#include "gpumemprof/capture_pools.h"    /* POOLS, SAMPLES, CUSTOM_POOLS */
#include "gpumemprof/capture_uses.h"     /* USES, KERNELS, KERNEL_WORDS */

#endif /* GPUMEMPROF_CAPTURE_H */
