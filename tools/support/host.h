/* host.h - the receiver of messages and progress while a capture is read, and how it wants file
 * names written. A reader has one (capture/reader.h), and all code that works on that reader
 * reports only through it.
 *
 * The tool is one host (input/command.c): it writes to the terminal. The reader library is another
 * (read/call.c): it keeps the latest sentence, for a caller that asks why a call failed.
 */
#ifndef GPM_TOOLS_HOST_H
#define GPM_TOOLS_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct gpm_host {
  /* Receives one sentence: why a function returns false, or a remark. May be null. */
  void (*say)(void *to, const char *sentence);
  /* Receives what is being done now, and how much of it is done; null: not wanted. The text is
   * static. */
  void (*doing)(void *to, const char *what);
  void (*share)(void *to, uint64_t done, uint64_t of);
  void *to;
  const char *folder; /* file names are relative to it; null: as the compiler got them */
  bool bare_files;    /* file names are shown without folders */
  char *shared;     /* folder of the program's files, with its last slash, which names of files are
                       shown     without; null: none */
  bool lacks_libdw; /* the message that the build has no libdw was given */
};

/* The host may be null in all of them; then nothing is reported. */
void gpm_host_say(const struct gpm_host *host, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void gpm_host_doing(const struct gpm_host *host, const char *what);
void gpm_host_share(const struct gpm_host *host, uint64_t done, uint64_t of);

#endif
