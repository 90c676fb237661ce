/* handle.h - what a reader of the library is, and how each of its functions is called.
 *
 * include/gpumemprof/read.h is the interface; call.c holds the reader and the one way in, open.c
 * opens captures, list.c is what every answer looks like, list_*.c make the answers, events.c tells
 * events. Only these files know that there is a library: the rooms below are the tool's as well.
 */
#ifndef GPM_TOOLS_READ_HANDLE_H
#define GPM_TOOLS_READ_HANDLE_H

#include "events/apart.h"
#include "model/patterns.h"
#include "support/host.h"
#include "support/memory.h"
#include "support/recovery.h"

#include "gpumemprof/read.h"

/* What gpumemprof_read_set said, or what it was when a capture was opened. Texts are owned. */
struct gpm_read_settings {
  const char *device, *kind, *from, *to; /* null: all of it */
  const char **filter;
  uint32_t filters;
  bool short_names, no_libraries;
};

struct gpm_read_capture {
  struct gpm_read_capture
      *next;     /* of all that are open, those that only lists still use included */
  uint32_t uses; /* by the reader's numbers, lists and events */
  struct gpm_read_settings settings;
  struct gpm_reader *reader;
  struct gpm_patterns patterns;
  struct gpm_filter filter;
  struct gpm_profile *profile;
  struct gpm_map paths; /* node -> its call path as text, where it was asked for */
};

#define GPM_READ_SENTENCE 8704 /* the longest path, and what is said of it */

struct gpumemprof_read {
  struct gpm_owned owned; /* all memory and files of this reader but the reader itself */
  struct gpm_host host;   /* of its captures: say() fills `sentence` */
  enum gpumemprof_read_status status;
  char sentence[GPM_READ_SENTENCE];
  bool failed; /* memory ran out: what is below may be half done */
  struct gpm_read_settings settings;
  struct gpm_read_capture **capture;
  uint32_t captures;
  struct gpm_read_capture *all;
  char **note;
  uint32_t notes;
  void (*progress)(void *data, const char *what, uint64_t done, uint64_t of);
  void *progress_data;
  const char *doing;
};

/* Runs `body` so that it may run out of memory anywhere. What it returns becomes the status; what
 * was said meanwhile is the sentence of an error, or else a note. Calls may be inside each other.
 */
int gpm_read_call(struct gpumemprof_read *reader, int (*body)(void *arguments), void *arguments);
/* Says what is wrong and returns the status, for a body to return. */
int gpm_read_fail(struct gpumemprof_read *reader, enum gpumemprof_read_status status,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same of a sentence that the rooms below made, which is freed. */
int gpm_read_wrong(struct gpumemprof_read *reader, enum gpumemprof_read_status status, char *wrong);
/* The capture of that number; null after it said that there is none. */
struct gpm_read_capture *gpm_read_capture(struct gpumemprof_read *reader, uint32_t number);

/* open.c: opens a capture by settings, apart by `by` (apart.h; COUNT: by nothing); used once. */
int gpm_read_capture_open(struct gpumemprof_read *reader, const char *path,
                          const struct gpm_read_settings *settings, enum gpm_by by,
                          struct gpm_read_capture **capture);
/* The same with no cell taken apart: neither `from` and `to` nor sizes of a filter leave anything
 * out. */
int gpm_read_capture_open_whole(struct gpumemprof_read *reader, const char *path,
                                const struct gpm_read_settings *settings,
                                struct gpm_read_capture **capture);
/* One use less; closes it behind the last. */
void gpm_read_capture_drop(struct gpumemprof_read *reader, struct gpm_read_capture *capture);

#endif
