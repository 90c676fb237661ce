/* handle.h - the state of a reader of the library, and how each of its functions is called.
 *
 * include/gpumemprof/read.h is the interface. call.c has the reader and the only way in, settings.c
 * how captures are read, open.c opens them, list.c implements lists, list_*.c make the lists,
 * events.c delivers events. Only these files know of the library: the folders that they call serve
 * the tool as well.
 */
#ifndef GPM_TOOLS_READ_HANDLE_H
#define GPM_TOOLS_READ_HANDLE_H

#include "events/split.h"
#include "model/patterns.h"
#include "model/suppressions.h"
#include "support/host.h"
#include "support/map.h"
#include "support/memory.h"
#include "support/recovery.h"

#include "gpumemprof/read.h"

/* The current settings of gpumemprof_read_set, or those with which a capture was opened. Texts are
 * owned. */
struct gpm_read_settings {
  const char *device, *kind, *from, *to; /* null: not restricted */
  const char **filter;
  uint32_t filters;
  bool short_names, no_libraries;
  const struct gpm_suppressions *suppressions; /* null: none. What it hides is counted in a copy */
};

struct gpm_read_capture {
  struct gpm_read_capture
      *next;     /* next in the list of open captures, including those that only lists still use */
  uint32_t uses; /* number of uses: by the reader's capture numbers, by lists and by events */
  struct gpm_read_settings settings;
  struct gpm_reader *reader;
  struct gpm_patterns patterns;
  struct gpm_filter filter;
  struct gpm_profile *profile;
  struct gpm_map paths; /* node -> its call path as text, once it was requested */
};

#define GPM_READ_SENTENCE 8704 /* room for the longest path, and a message about it */

struct gpumemprof_read {
  struct gpm_owned owned; /* all memory and files of this reader except the reader itself */
  struct gpm_host host;   /* host of its captures: say() fills `sentence` */
  enum gpumemprof_read_status status;
  char sentence[GPM_READ_SENTENCE];
  bool failed; /* memory ran out, so that captures and lists may be incomplete */
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

/* Runs `body`, which may run out of memory anywhere. Its result becomes the status. A sentence that
 * was reported meanwhile becomes the sentence of the error, or a note if there is none. Calls may
 * be nested. */
int gpm_read_call(struct gpumemprof_read *reader, int (*body)(void *arguments), void *arguments);
/* Reports what is wrong and returns the status, for a body to return. */
int gpm_read_fail(struct gpumemprof_read *reader, enum gpumemprof_read_status status,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with a sentence that another folder made. Frees the sentence. */
int gpm_read_wrong(struct gpumemprof_read *reader, enum gpumemprof_read_status status, char *wrong);
/* Returns the capture of that number; null after it reported that there is none. */
struct gpm_read_capture *gpm_read_capture(struct gpumemprof_read *reader, uint32_t number);

/* open.c: opens a capture by the settings. The caller has one use of it. */
int gpm_read_capture_open(struct gpumemprof_read *reader, const char *path,
                          const struct gpm_read_settings *settings,
                          struct gpm_read_capture **capture);
/* Opens the file of a capture again with its cells split by `by` (split.h), of the same moment if
 * its program runs. The caller has one use of it. */
int gpm_read_capture_by(struct gpumemprof_read *reader, const struct gpm_read_capture *of,
                        enum gpm_by by, struct gpm_read_capture **capture);
/* Returns the capture, or if its cells are split the same file opened without splitting: `from` and
 * `to` leave nothing out then, nor do sizes of a filter. The caller has one use of it. */
int gpm_read_capture_whole(struct gpumemprof_read *reader, struct gpm_read_capture *capture,
                           struct gpm_read_capture **whole);
/* Finds the moments of the settings `from` and `to`. */
int gpm_read_window(const struct gpm_read_capture *capture, struct gpm_window *window);
/* Drops one use of a capture; closes it after the last. */
void gpm_read_capture_drop(struct gpumemprof_read *reader, struct gpm_read_capture *capture);

#endif
