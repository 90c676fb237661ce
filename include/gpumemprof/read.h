/* read.h - captures for other programs: libgpumemprof-read, the part of the tool that reads and
 * computes. Link with -lgpumemprof-read (pkg-config gpumemprof-read or gpumemprof-read-static,
 * CMake gpumemprof::read or ::read_static). The header is C99 and C++17. A program that is profiled
 * needs none of it; its header is gpumemprof.h.
 *
 *   struct gpumemprof_read *r = gpumemprof_read_new();
 *   if (gpumemprof_read_open(r, "run.gmprof")) puts(gpumemprof_read_sentence(r));
 *   struct gpumemprof_read_list *lines = gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE);
 *   int peak = gpumemprof_read_column(lines, "at_peak");
 *   gpumemprof_read_sort(lines, peak);
 *   for (uint32_t i = 0; i < gpumemprof_read_count(lines); i++)
 *     printf("%llu\n", (unsigned long long)gpumemprof_read_number(lines, i, peak));
 *   gpumemprof_read_free(r);
 *
 * Units: bytes, nanoseconds, hundredths of a percent; the column tells which. A clock is the
 * allocation clock, one tick for each allocation or free of the process. ACCOUNTING.md defines the
 * figures; they are those that the tool prints, under the keys of its JSON (READER.md names the
 * few columns that JSON does not have).
 *
 * Ownership: a reader owns whatever it hands out (lists, iterators, texts), until it is freed.
 * Lists and iterators may be freed before it, with their texts. Texts are UTF-8 without control
 * characters, and never null unless it says so. What the program passes in (paths, values,
 * listeners) stays its own, and is not used after the call.
 *
 * Errors are values: functions that return an int return 0 or a status below 0, those that return a
 * pointer return null, and gpumemprof_read_sentence() says in one sentence what is wrong and what
 * to do. A capture that is damaged, truncated or no capture at all is such an error. A null may be
 * passed on unchecked: a null list reads like an empty one, a null reader like an error. The
 * library does not print, exit, or change signals, the working folder or the locale.
 *
 * Threads: a reader and what it owns belong to one thread at a time; that holds for every function
 * here. Different readers are independent of each other, there is no state outside of them.
 *
 * Names: a function whose result is a type of the same name ends in _of, so that C++ programs write
 * every type without struct or enum.
 *
 * Versions: what is compiled against this header works with every later library of the same
 * SOVERSION. Enumerations get new values and lists new columns: skip those you do not know.
 * Structures that are handed out get new members behind the last, and begin with their size.
 */
#ifndef GPUMEMPROF_READ_H
#define GPUMEMPROF_READ_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct gpumemprof_read;
struct gpumemprof_read_list;
struct gpumemprof_read_events;

enum gpumemprof_read_status {
  GPUMEMPROF_READ_OK = 0,
  GPUMEMPROF_READ_END = 1,       /* of an iterator: there is no more */
  GPUMEMPROF_READ_ARGUMENT = -1, /* what was asked cannot be: a wrong setting, index or value */
  GPUMEMPROF_READ_CAPTURE = -2,  /* the file is not there, is no capture, or is damaged */
  GPUMEMPROF_READ_LACKS = -3,    /* the capture does not hold it: it has to be recorded otherwise */
  GPUMEMPROF_READ_MEMORY = -4,   /* out of memory: the reader answers nothing any more */
  GPUMEMPROF_READ_STOPPED = -5   /* a listener ended the walk */
};

/* ---- readers -----------------------------------------------------------------------------------
 */

/* A reader without captures, to be freed. Null: there is no memory for one. */
struct gpumemprof_read *gpumemprof_read_new(void);

/* Frees it with all that it handed out. Null is fine. */
void gpumemprof_read_free(struct gpumemprof_read *reader);

/* Of the latest call with this reader (those that only look at a list aside): its status, and what
 * was wrong, "" when nothing was. The sentence is valid until the next call. */
enum gpumemprof_read_status gpumemprof_read_status_of(const struct gpumemprof_read *reader);
const char *gpumemprof_read_sentence(const struct gpumemprof_read *reader);

/* What is worth knowing though nothing failed ("libx.so is not on this machine; functions in it are
 * not named"), in the order in which it came up; null behind the last. */
const char *gpumemprof_read_note(const struct gpumemprof_read *reader, uint32_t number);

/* How captures that are opened from now on are read; a null value is as at first. The keys are
 * those of the tool's options:
 *
 *   device      only this device: its number, GPU-UUID, `host`, `imported` or `custom`
 *   kind        only this kind of memory: device, pool, managed, ...
 *   filter      KEY=PATTERN, as --filter has it; each call adds one, null takes all away
 *   from, to    a part of the run: 1.5s, 1234 (clock), step:3 or mark:NAME
 *   names       full (at first), or short: without template arguments
 *   libraries   yes (at first), or no: addresses in code that was not rebuilt are not looked up
 *   suppressions a file in the format of LeakSanitizer's, as --suppressions has it: call paths that
 *               LEAKS and GROWTH leave out. It is read at once
 *   folder      files are named as seen from this folder, as the tool does; at first as compiled
 *
 * Both texts are copied. */
int gpumemprof_read_set(struct gpumemprof_read *reader, const char *key, const char *value);

/* What a long call is doing, and how much of it is done (0 of 0: not known); called by the thread
 * that is in the call, some thousand times a second at most. It must return, and not call the
 * library. Null: it is not reported. */
void gpumemprof_read_on_progress(struct gpumemprof_read *reader,
                                 void (*progress)(void *data, const char *what, uint64_t done,
                                                  uint64_t of),
                                 void *data);

/* "0.1.0": of the library, which may be newer than this header. */
const char *gpumemprof_read_version(void);

/* ---- captures ----------------------------------------------------------------------------------
 */

/* Opens one more capture, or all *.gmprof of a folder, ranks in order. A capture of any size, of a
 * program that runs, was killed or ended: its figures are those of this moment. All of it is read
 * and checked; events are read when they are asked for. On an error no capture is added. */
int gpumemprof_read_open(struct gpumemprof_read *reader, const char *path);

/* How many are open. Functions below take their number, from 0. */
uint32_t gpumemprof_read_captures(const struct gpumemprof_read *reader);

/* Reads the whole capture of a program that runs once more; until then the reader shows it, events
 * included, as it was when it was opened. Lists, iterators and texts that were made before stay
 * valid and as they are. Nodes and devices keep their numbers. On an error
 * (GPUMEMPROF_READ_CAPTURE: the file is gone, or is of another run now) nothing changes. */
int gpumemprof_read_refresh(struct gpumemprof_read *reader, uint32_t capture);

/* ---- lists -------------------------------------------------------------------------------------
 * Every answer is a list: rows by number, columns by key. A column is found once, by its key, and
 * then used by its number.
 */
enum gpumemprof_read_what {
  GPUMEMPROF_READ_CAPTURES = 1, /* the captures themselves: path, program, host, state. Number: 0 */
  GPUMEMPROF_READ_DEVICES = 2,  /* devices: peak, what is live, memory */
  GPUMEMPROF_READ_COUNTERS = 3, /* what is missing or was counted: one row for each counter not 0 */
  GPUMEMPROF_READ_STEPS = 4,    /* boundaries of steps */
  GPUMEMPROF_READ_MARKS = 5,    /* moments that the program named */
  GPUMEMPROF_READ_SAMPLES = 6,  /* what devices held, at intervals */
  GPUMEMPROF_READ_NODES = 7,    /* the call tree: each row is a node, its parent above it */
  GPUMEMPROF_READ_LEAKS = 8,    /* call paths with blocks that were never freed */
  GPUMEMPROF_READ_VARIABLES = 9,    /* variables in device memory: there to the end, and no leak */
  GPUMEMPROF_READ_BUDGETS = 10,     /* GPUMEMPROF_BUDGET and so on: kept, broken or undecided */
  GPUMEMPROF_READ_OOMS = 11,        /* allocations that were out of memory */
  GPUMEMPROF_READ_POOLS = 12,       /* allocators and pools: what they hold, use and waste */
  GPUMEMPROF_READ_TEMPORARIES = 13, /* lines whose blocks the next event of their thread frees */
  GPUMEMPROF_READ_GROWTH = 14,      /* lines that hold more from step to step; needs history=all */
  GPUMEMPROF_READ_BLOCKS = 15,      /* each block that ever was; needs history=all */
  GPUMEMPROF_READ_SUPPRESSED = 16   /* what each suppression of the setting hides */
};

/* A list of what a capture holds; null: an error. */
struct gpumemprof_read_list *gpumemprof_read_list_of(struct gpumemprof_read *reader,
                                                     uint32_t capture,
                                                     enum gpumemprof_read_what what);

enum gpumemprof_read_by {
  GPUMEMPROF_READ_BY_LINE = 0,
  GPUMEMPROF_READ_BY_FUNCTION = 1,
  GPUMEMPROF_READ_BY_FILE = 2,
  GPUMEMPROF_READ_BY_PATH = 3,
  GPUMEMPROF_READ_BY_KIND = 4,
  GPUMEMPROF_READ_BY_DEVICE = 5,
  GPUMEMPROF_READ_BY_LABEL = 6,
  GPUMEMPROF_READ_BY_VARIABLE = 7,
  GPUMEMPROF_READ_BY_TYPE = 8,
  GPUMEMPROF_READ_BY_STREAM = 9,
  GPUMEMPROF_READ_BY_SIZE = 10,  /* exact where the capture has events */
  GPUMEMPROF_READ_BY_THREAD = 11 /* needs history=all */
};

/* The rows of `gpumemprof report --by`, with all of its columns; by path also
 * `node`. Their order is not defined before they are sorted. */
struct gpumemprof_read_list *gpumemprof_read_rows(struct gpumemprof_read *reader, uint32_t capture,
                                                  enum gpumemprof_read_by by);

/* Fills the columns of lifetimes (from `freed_blocks` on) of rows by line, function, file or path;
 * they are not known before. Reads the events, where the capture has all; else some stay unknown.
 */
int gpumemprof_read_lifetimes(struct gpumemprof_read_list *rows);

/* What was live when a device was at its peak, by line, the largest first. device: its row in
 * GPUMEMPROF_READ_DEVICES. */
struct gpumemprof_read_list *gpumemprof_read_peak(struct gpumemprof_read *reader, uint32_t capture,
                                                  uint32_t device);

enum gpumemprof_read_axis { GPUMEMPROF_READ_AXIS_TIME = 0, GPUMEMPROF_READ_AXIS_CLOCK = 1 };

/* What each device held over the run, as `gpumemprof timeline` has it: the axis in `parts` (from 1
 * to 10000) of equal length, device by device, with the least, the most and the last of each part.
 * It is exact with history=all; else made from the samples of monitor=, which `samples` counts. The
 * setting `from` and `to` are the ends of the axis. */
struct gpumemprof_read_list *gpumemprof_read_timeline(struct gpumemprof_read *reader,
                                                      uint32_t capture,
                                                      enum gpumemprof_read_axis axis,
                                                      uint32_t parts);

/* When a function or block needed most on top of what was live at its start, as `gpumemprof peak
 * --scope` has it: a list of one row, of the call that did. Needs history=all, and all of the run.
 * last: how many allocations right before are kept (at most 100000). Made from its list, without
 * reading the events again: the lines whose memory was live then, the largest first, and those
 * allocations, the latest at the end. */
struct gpumemprof_read_list *gpumemprof_read_scope_peak(struct gpumemprof_read *reader,
                                                        uint32_t capture, const char *scope,
                                                        uint32_t last);
struct gpumemprof_read_list *gpumemprof_read_scope_live(struct gpumemprof_read_list *scope_peak);
struct gpumemprof_read_list *gpumemprof_read_scope_before(struct gpumemprof_read_list *scope_peak);

/* What changed from one capture to another, BY_LINE or BY_FUNCTION: rows of the same place though
 * it moved, with `status` and each figure as `a.KEY` (before), `b.KEY` (after) and
 * `difference.KEY`. */
struct gpumemprof_read_list *gpumemprof_read_diff(struct gpumemprof_read *reader, uint32_t before,
                                                  uint32_t after, enum gpumemprof_read_by by);

/* The rows of all captures as one list, as `gpumemprof merge` has them: `processes` that have the
 * row, and each figure as `KEY.sum` (where a sum means something), `KEY.min` and `KEY.max` over the
 * captures. Not by stream, size or thread, whose rows are those of one process. */
struct gpumemprof_read_list *gpumemprof_read_merge(struct gpumemprof_read *reader,
                                                   enum gpumemprof_read_by by);

/* Frees a list before its reader goes, with its texts. Null is fine. */
void gpumemprof_read_list_free(struct gpumemprof_read_list *list);

/* How many rows and columns it has. */
uint32_t gpumemprof_read_count(const struct gpumemprof_read_list *list);
uint32_t gpumemprof_read_columns(const struct gpumemprof_read_list *list);

/* The number of a column; -1: there is none of that key. */
int gpumemprof_read_column(const struct gpumemprof_read_list *list, const char *key);

/* Its key, null behind the last; what it means, in a sentence. Static. */
const char *gpumemprof_read_key(const struct gpumemprof_read_list *list, int column);
const char *gpumemprof_read_meaning(const struct gpumemprof_read_list *list, int column);

enum gpumemprof_read_unit {
  GPUMEMPROF_READ_TEXT = 0,
  GPUMEMPROF_READ_BYTES = 1,
  GPUMEMPROF_READ_SIGNED_BYTES = 2, /* a difference; bytes that may be below 0 */
  GPUMEMPROF_READ_COUNT = 3,
  GPUMEMPROF_READ_PERCENT = 4, /* hundredths of a percent */
  GPUMEMPROF_READ_NS = 5,
  GPUMEMPROF_READ_NUMBER = 6, /* names something: a node, a line, a device, an address, a clock */
  GPUMEMPROF_READ_FLAG = 7,   /* 0 or 1 */
  GPUMEMPROF_READ_SIGNED = 8, /* a difference of counts; a number that may be below 0 */
  GPUMEMPROF_READ_SIGNED_PERCENT = 9, /* a difference of hundredths of a percent */
  GPUMEMPROF_READ_SIGNED_NS = 10      /* a difference of times */
};

/* The unit of a column; GPUMEMPROF_READ_TEXT also where there is no such column. */
enum gpumemprof_read_unit gpumemprof_read_unit_of(const struct gpumemprof_read_list *list,
                                                  int column);

/* A figure; 0 where it does not apply, which gpumemprof_read_knows() tells, and for rows, columns
 * and texts that are none. Of a column with a SIGNED unit take the second. */
uint64_t gpumemprof_read_number(const struct gpumemprof_read_list *list, uint32_t row, int column);
int64_t gpumemprof_read_signed(const struct gpumemprof_read_list *list, uint32_t row, int column);
int gpumemprof_read_knows(const struct gpumemprof_read_list *list, uint32_t row, int column);

/* A text; "" where there is none, and of figures. It is made when it is first asked for: null only
 * when that runs out of memory. */
const char *gpumemprof_read_text(struct gpumemprof_read_list *list, uint32_t row, int column);

/* Orders the rows by a column: figures from high to low, those that do not apply last; texts from a
 * to z. Rows that are equal keep their order. GPUMEMPROF_READ_ARGUMENT: there is no such column. */
int gpumemprof_read_sort(struct gpumemprof_read_list *list, int column);

/* A call path, "main.c:11 main > main.c:4 step", of a node (a row of GPUMEMPROF_READ_NODES, or what
 * a column `node` says). Valid as long as the reader, also after a refresh. Null: there is no such
 * node. */
const char *gpumemprof_read_path(struct gpumemprof_read *reader, uint32_t capture, uint32_t node);

/* ---- events ------------------------------------------------------------------------------------
 * Only captures recorded with GPUMEMPROF_OPTIONS=history=ring or =all have any. They come in the
 * order of the allocation clock, all threads together; memory does not grow with their number, but
 * with the addresses that the program ever used. Any number of iterators and walks of one reader
 * may be under way at a time, and other calls in between: each has a position and a file of its
 * own.
 */
enum gpumemprof_read_event_what {
  GPUMEMPROF_READ_ALLOCATED = 0,
  GPUMEMPROF_READ_FREED = 1,
  GPUMEMPROF_READ_FREE_TAKEN_BACK = 2, /* the latest free of that block failed */
  GPUMEMPROF_READ_SCOPE_ENDED = 3,     /* the innermost activation of `node` in that thread */
  GPUMEMPROF_READ_FAILED = 4           /* an allocation returned an error */
};
struct gpumemprof_read_event {
  uint32_t size;   /* of this structure */
  uint32_t what;   /* enum gpumemprof_read_event_what */
  uint32_t thread; /* number of the thread, as the program has them in order of appearance */
  uint32_t node;   /* where it was made: of the free where it is a free */
  uint64_t clock;
  uint64_t time_ns;         /* since the program's start; 0: not known */
  uint64_t bytes;           /* of the block; FAILED: asked for; SCOPE_ENDED: 0 */
  uint64_t address;         /* of the block, as the program has it; 0: it has none */
  uint32_t kind;            /* enum gpumemprof_kind, of the block */
  uint32_t device;          /* of the block: row in GPUMEMPROF_READ_DEVICES; UINT32_MAX: none */
  uint64_t allocated_clock; /* of the block: no two blocks have one; 0: none */
  uint32_t allocated_node;  /* UINT32_MAX: none */
  uint32_t out_of_memory;   /* FAILED: 1 when it was */
};

/* A function that is called for each event. Set `size` to sizeof; returning anything but 0 ends the
 * walk. */
struct gpumemprof_read_listener {
  uint32_t size; /* of this structure */
  uint32_t reserved;
  void *data;
  int (*event)(void *data, const struct gpumemprof_read_event *event);
};

/* Reads the events once and calls all listeners for each event, in their order. Events that the
 * settings of a capture leave out are left out. A listener may ask for lists, paths and other
 * events, but not open, refresh or free, and it has to return: no longjmp, no exception. If the
 * program runs or was killed, the walk ends before the first event that is missing.
 * GPUMEMPROF_READ_STOPPED: a listener ended it. */
int gpumemprof_read_walk(struct gpumemprof_read *reader, uint32_t capture,
                         const struct gpumemprof_read_listener *listeners, uint32_t count);

/* The same events one by one, of the capture as it is now: a refresh does not change the iterator.
 * Null: an error (GPUMEMPROF_READ_LACKS: it has no events). */
struct gpumemprof_read_events *gpumemprof_read_events_of(struct gpumemprof_read *reader,
                                                         uint32_t capture);

/* The next event, valid until the next call with this iterator: 0, GPUMEMPROF_READ_END (and again
 * after that), or an error. Unless it is 0, *event becomes null. */
int gpumemprof_read_next(struct gpumemprof_read_events *events,
                         const struct gpumemprof_read_event **event);

/* Frees an iterator before its reader goes. Null is fine. */
void gpumemprof_read_events_free(struct gpumemprof_read_events *events);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#if defined(__cplusplus)
}
#endif

#endif
