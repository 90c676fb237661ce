/* read.h - captures for other programs: libgpumemprof-read, the part of the tool that reads
 * captures and computes figures. Link with -lgpumemprof-read (pkg-config gpumemprof-read or
 * gpumemprof-read-static, CMake gpumemprof::read or gpumemprof::read_static). The header is C99 and
 * C++17. A program that is profiled needs none of it; its header is gpumemprof.h.
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
 * Units: figures are in bytes, nanoseconds or hundredths of a percent, as the unit of their column
 * says. A clock is the allocation clock, with one tick for each allocation or free of the process.
 * ACCOUNTING.md defines the figures. They are those that the tool prints, under the keys of its
 * JSON (READER.md names the few columns that JSON does not have).
 *
 * Ownership: a reader owns everything that it hands out (lists, iterators, texts) until it is
 * freed. Lists and iterators may be freed earlier, with their texts. Texts are UTF-8 without
 * control characters, and are never null unless the comment says so. What the program passes in
 * (paths, values, listeners) remains its own, and is not used after the call.
 *
 * Errors are values: functions that return an int return 0 or a status below 0, and those that
 * return a pointer return null. gpumemprof_read_sentence() then says in one sentence what is wrong
 * and what to do. A capture that is damaged or truncated, or a file that is no capture, is such an
 * error. Results may be passed on unchecked: a null list is read as an empty one, and a call with a
 * null reader is an error. The library does not print, exit, or change signals, the working folder
 * or the locale.
 *
 * Threads: a reader and what it owns must be used by only one thread at a time. That is true of
 * every function here. Different readers are independent of each other, because there is no state
 * outside of them.
 *
 * Names: a function whose result is a type of the same name ends in _of, so that C++ programs can
 * write every type without struct or enum.
 *
 * Versions: a program that is compiled with this header works with every later library of the same
 * SOVERSION. Enumerations get new values, and lists new columns; skip those that you do not know.
 * Structures that are handed out begin with their size, and get new members behind the last one.
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
  GPUMEMPROF_READ_END = 1,       /* an iterator has no more events */
  GPUMEMPROF_READ_ARGUMENT = -1, /* the request is impossible: a wrong setting, index or value */
  GPUMEMPROF_READ_CAPTURE = -2,  /* the file is not there, is no capture, or is damaged */
  GPUMEMPROF_READ_LACKS = -3,    /* the capture does not contain it: record it with other options */
  GPUMEMPROF_READ_MEMORY = -4,   /* out of memory: the reader answers nothing any more */
  GPUMEMPROF_READ_STOPPED = -5   /* a listener ended the walk */
};

/* ---- readers -----------------------------------------------------------------------------------
 */

/* Creates a reader without captures, which the caller frees by gpumemprof_read_free. Returns null
 * if there is no memory for one. */
struct gpumemprof_read *gpumemprof_read_new(void);

/* Frees the reader with everything that it handed out. A null reader is ignored. */
void gpumemprof_read_free(struct gpumemprof_read *reader);

/* The status of the latest call with this reader, and a sentence about what was wrong with it. The
 * sentence is "" if nothing was wrong, and is valid until the next call. Calls that only look at a
 * list do not count here. */
enum gpumemprof_read_status gpumemprof_read_status_of(const struct gpumemprof_read *reader);
const char *gpumemprof_read_sentence(const struct gpumemprof_read *reader);

/* Returns a note about something worth knowing although nothing failed ("libx.so is not on this
 * machine; functions in it are not named"). Notes are numbered from 0 in the order in which they
 * came up. Returns null behind the last one. */
const char *gpumemprof_read_note(const struct gpumemprof_read *reader, uint32_t number);

/* Sets how captures that are opened from now on are read. A null value restores the initial
 * setting. Both texts are copied. The keys are those of the tool's options:
 *
 *   device      only this device: its number, GPU-UUID, `host`, `imported` or `custom`
 *   kind        only this kind of memory: device, pool, managed, ...
 *   filter      KEY=PATTERN, as for --filter. Each call adds one, and null removes all
 *   from, to    a part of the run: 1.5s, 1234 (clock), step:3 or mark:NAME
 *   names       full (initially), or short: without template arguments
 *   libraries   yes (initially), or no: addresses in code that was not rebuilt are not looked up
 *   suppressions a file in the format of LeakSanitizer's, as for --suppressions: call paths that
 *               LEAKS and GROWTH leave out. It is read at once
 *   folder      files are named as seen from this folder, as the tool does. Initially they are
 *               named as compiled
 *
 * Returns 0 or a status below 0. */
int gpumemprof_read_set(struct gpumemprof_read *reader, const char *key, const char *value);

/* Sets a function that is called with what a long call is doing and how much of it is done (0 of 0
 * if that is not known). It runs on the thread that makes the call, some thousand times a second at
 * most. It must return, and must not call the library. With null, progress is not reported. The
 * program must keep `data` as long as the function is set. */
void gpumemprof_read_on_progress(struct gpumemprof_read *reader,
                                 void (*progress)(void *data, const char *what, uint64_t done,
                                                  uint64_t of),
                                 void *data);

/* Returns the version of the library, as in "0.1.0". It may be newer than this header. The text is
 * static. */
const char *gpumemprof_read_version(void);

/* ---- captures ----------------------------------------------------------------------------------
 */

/* Opens one more capture, or all *.gmprof files of a folder, in the order of their ranks. A capture
 * may be of any size, and its program may still run, may have been killed or may have ended; its
 * figures are those of this moment. All of it is read and checked, but events are read when they
 * are asked for. Returns 0 or a status below 0; on an error no capture is added. */
int gpumemprof_read_open(struct gpumemprof_read *reader, const char *path);

/* Returns how many captures are open. Other functions take the number of a capture, from 0. */
uint32_t gpumemprof_read_captures(const struct gpumemprof_read *reader);

/* Reads the whole capture of a running program once more. Until then the reader shows the capture,
 * including its events, as it was when it was opened. Lists, iterators and texts that were made
 * before remain valid and unchanged. Nodes and devices keep their numbers. On an error nothing
 * changes; it is GPUMEMPROF_READ_CAPTURE if the file is gone or is now of another run. */
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

/* Returns a list of what a capture contains, or null on an error. */
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

/* Returns the rows of `gpumemprof report --by` with all of its columns, or null on an error. Rows
 * by path also have the column `node`. The order is undefined until the rows are sorted. */
struct gpumemprof_read_list *gpumemprof_read_rows(struct gpumemprof_read *reader, uint32_t capture,
                                                  enum gpumemprof_read_by by);

/* Fills the columns of lifetimes (from `freed_blocks` on) of rows by line, function, file or path,
 * which are not known before. It reads the events if the capture has all of them; otherwise some
 * columns remain unknown. Returns 0 or a status below 0; GPUMEMPROF_READ_CAPTURE: the events
 * could not be read, and only columns which need none are filled. */
int gpumemprof_read_lifetimes(struct gpumemprof_read_list *rows);

/* Returns what was live when a device was at its peak, by line, the largest first, or null on an
 * error. The device is given by its row in GPUMEMPROF_READ_DEVICES. */
struct gpumemprof_read_list *gpumemprof_read_peak(struct gpumemprof_read *reader, uint32_t capture,
                                                  uint32_t device);

enum gpumemprof_read_axis { GPUMEMPROF_READ_AXIS_TIME = 0, GPUMEMPROF_READ_AXIS_CLOCK = 1 };

/* Returns what was live on each device over the run, as `gpumemprof timeline` shows it, or null on
 * an error. The axis is divided into `parts` (from 1 to 10000) of equal length. For each device in
 * turn, each part is a row with the lowest, the highest and the last total. The result is exact
 * with history=all; otherwise it is made from the samples of monitor=, and the column `samples`
 * counts them. The settings `from` and `to` are the ends of the axis. */
struct gpumemprof_read_list *gpumemprof_read_timeline(struct gpumemprof_read *reader,
                                                      uint32_t capture,
                                                      enum gpumemprof_read_axis axis,
                                                      uint32_t parts);

/* Returns when a function or block needed most on top of what was live at its start, as `gpumemprof
 * peak --scope` does: a list of one row, for the call that needed most. Returns null on an error.
 * It needs history=all and the whole run. `last` says how many of the allocations right before that
 * moment are kept (at most 100000). The two other functions use this list without reading the
 * events again. They return the lines whose memory was live then, the largest first, and those
 * allocations, the latest at the end; null on an error. */
struct gpumemprof_read_list *gpumemprof_read_scope_peak(struct gpumemprof_read *reader,
                                                        uint32_t capture, const char *scope,
                                                        uint32_t last);
struct gpumemprof_read_list *gpumemprof_read_scope_live(struct gpumemprof_read_list *scope_peak);
struct gpumemprof_read_list *gpumemprof_read_scope_before(struct gpumemprof_read_list *scope_peak);

/* Returns what changed from one capture to another, by line or by function, or null on an error.
 * Rows are matched although their location moved. They have the column `status`, and each figure as
 * `a.KEY` (before), `b.KEY` (after) and `difference.KEY`. */
struct gpumemprof_read_list *gpumemprof_read_diff(struct gpumemprof_read *reader, uint32_t before,
                                                  uint32_t after, enum gpumemprof_read_by by);

/* Returns the rows of all captures as one list, as `gpumemprof merge` has them, or null on an
 * error. The column `processes` is how many processes have the row. Each figure is there as
 * `KEY.sum` (where a sum means something), `KEY.min` and `KEY.max` over the captures. Rows by
 * stream, size or thread cannot be merged, because they are those of one process. */
struct gpumemprof_read_list *gpumemprof_read_merge(struct gpumemprof_read *reader,
                                                   enum gpumemprof_read_by by);

/* Frees a list before its reader is freed, with its texts. A null list is ignored. */
void gpumemprof_read_list_free(struct gpumemprof_read_list *list);

/* Return how many rows and columns the list has. */
uint32_t gpumemprof_read_count(const struct gpumemprof_read_list *list);
uint32_t gpumemprof_read_columns(const struct gpumemprof_read_list *list);

/* Returns the number of the column with this key, or -1 if there is none. */
int gpumemprof_read_column(const struct gpumemprof_read_list *list, const char *key);

/* Return the key of a column, and a sentence that says what the column means. Both return null if
 * there is no such column. The texts are static. */
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

/* Returns the unit of a column. It is GPUMEMPROF_READ_TEXT also if there is no such column. */
enum gpumemprof_read_unit gpumemprof_read_unit_of(const struct gpumemprof_read_list *list,
                                                  int column);

/* Return a figure. It is 0 where it does not apply, which gpumemprof_read_knows() reports, and also
 * for texts and for rows and columns that do not exist. For a column with a SIGNED unit use
 * gpumemprof_read_signed(). */
uint64_t gpumemprof_read_number(const struct gpumemprof_read_list *list, uint32_t row, int column);
int64_t gpumemprof_read_signed(const struct gpumemprof_read_list *list, uint32_t row, int column);
int gpumemprof_read_knows(const struct gpumemprof_read_list *list, uint32_t row, int column);

/* Returns a text, or "" if there is none or the column has figures. The text is made when it is
 * first asked for, so it is null only if that runs out of memory. It belongs to the list. */
const char *gpumemprof_read_text(struct gpumemprof_read_list *list, uint32_t row, int column);

/* Sorts the rows by a column. Figures go from high to low, with those that do not apply last; texts
 * go from a to z. Equal rows keep their order. Returns GPUMEMPROF_READ_ARGUMENT if there is no such
 * column. */
int gpumemprof_read_sort(struct gpumemprof_read_list *list, int column);

/* Returns the call path of a node, as in "main.c:11 main > main.c:4 step", or null on an error, for
 * instance if there is no such node. A node is a row of GPUMEMPROF_READ_NODES, or a value of a
 * column `node`. The text is valid until the reader is freed, also after a refresh. */
const char *gpumemprof_read_path(struct gpumemprof_read *reader, uint32_t capture, uint32_t node);

/* ---- events ------------------------------------------------------------------------------------
 * Only captures that were recorded with GPUMEMPROF_OPTIONS=history=ring or =all have events. They
 * come in the order of the allocation clock, with all threads together. The memory that this takes
 * does not grow with their number, but with the number of addresses that the program ever used. Any
 * number of iterators and walks of one reader may be under way at a time, with other calls in
 * between, because each has a position and a file of its own. Operations that used memory (uses=on)
 * are not among them.
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
  uint32_t thread; /* number of the thread, in the order of their appearance */
  uint32_t node;   /* where the event was made; for a free, where it was freed */
  uint64_t clock;
  uint64_t time_ns;         /* since the program's start; 0: not known */
  uint64_t bytes;           /* of the block; FAILED: requested; SCOPE_ENDED: 0 */
  uint64_t address;         /* of the block, as the program has it; 0: it has none */
  uint32_t kind;            /* enum gpumemprof_kind, of the block */
  uint32_t device;          /* of the block: row in GPUMEMPROF_READ_DEVICES; UINT32_MAX: none */
  uint64_t allocated_clock; /* of the block, unique to it; 0: none */
  uint32_t allocated_node;  /* UINT32_MAX: none */
  uint32_t out_of_memory;   /* FAILED: 1 if it was out of memory, else 0 */
};

/* A function that is called for each event. Set `size` to sizeof the structure. The function ends
 * the walk by returning anything but 0. */
struct gpumemprof_read_listener {
  uint32_t size; /* of this structure */
  uint32_t reserved;
  void *data;
  int (*event)(void *data, const struct gpumemprof_read_event *event);
};

/* Reads the events once and calls all listeners for each event, in their order. Events that the
 * settings of a capture leave out are skipped. A listener may ask for lists, paths and other
 * events, but must not open, refresh or free anything. It must return, not leave by longjmp or an
 * exception. If the program still runs or was killed, the walk ends before the first event that is
 * missing. Returns 0 or a status below 0, which is GPUMEMPROF_READ_STOPPED if a listener ended the
 * walk. */
int gpumemprof_read_walk(struct gpumemprof_read *reader, uint32_t capture,
                         const struct gpumemprof_read_listener *listeners, uint32_t count);

/* Returns an iterator over the same events, one by one, of the capture as it is now: a refresh does
 * not change the iterator. Returns null on an error (GPUMEMPROF_READ_LACKS if the capture has no
 * events). */
struct gpumemprof_read_events *gpumemprof_read_events_of(struct gpumemprof_read *reader,
                                                         uint32_t capture);

/* Stores the next event in *event, where it is valid until the next call with this iterator.
 * Returns 0, or GPUMEMPROF_READ_END after the last event (and again in further calls), or an error.
 * If the result is not 0, *event becomes null. */
int gpumemprof_read_next(struct gpumemprof_read_events *events,
                         const struct gpumemprof_read_event **event);

/* Frees an iterator before its reader is freed. A null iterator is ignored. */
void gpumemprof_read_events_free(struct gpumemprof_read_events *events);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#if defined(__cplusplus)
}
#endif

#endif
