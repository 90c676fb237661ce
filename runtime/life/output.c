/* output.c - which file a process writes its capture to, when several share one name.
 *
 * process.c calls it once per capture. The capture of an earlier run is replaced, as a compiler
 * replaces its output; a file that is not a capture is not replaced (replace.c). A capture that a
 * running process writes, or that this process wrote before an exec or a dlclose, is kept, as its
 * header shows: then the name becomes NAME.PID, as it also does in a forked child. The same holds
 * for a capture that another process of the same `gpumemprof run` has written. The folder is locked
 * from this check until the new header is written, because the processes of an MPI job start within
 * a millisecond.
 */
#include "life/output.h"
#include "base/private_files.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/replace.h"
#include "options/options.h"

#include "gpumemprof/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#define LOCK_WAIT_NS 1000000000u /* another process holds it for less than a millisecond */

void gpm_output_anchor(void) {
  char folder[GPM_PATH_MAX], anchored[GPM_PATH_MAX];
  if (gpm_options.output[0] == '/' || !gpm_getcwd(folder, sizeof folder)) return;
  size_t n = 0;
  for (const char *p = folder; *p; p++) {
    char one[3] = {*p, *p == '%' ? '%' : 0, 0};
    n = gpm_text_add(anchored, sizeof anchored, n, one);
  }
  n = gpm_text_add(anchored, sizeof anchored, n, "/");
  n = gpm_text_add(anchored, sizeof anchored, n, gpm_options.output);
  if (n + 1 < sizeof anchored) memcpy(gpm_options.output, anchored, n + 1);
}

/* Opens the folder and locks it if possible. Returns its descriptor, or -1 if it cannot be
 * opened. */
static int lock_folder(const char *path) {
  char folder[GPM_PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) : 0;
  memcpy(folder, path, n);
  gpm_text_add(folder, sizeof folder, n, n ? "" : slash ? "/" : ".");
  int fd = gpm_private_files_open(folder, O_RDONLY | O_DIRECTORY, 0);
  uint64_t start = gpm_ticks_monotonic_ns();
  while (fd >= 0 && gpm_syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) &&
         (errno == EWOULDBLOCK || errno == EINTR) &&
         gpm_ticks_monotonic_ns() - start < LOCK_WAIT_NS)
    gpm_yield();
  return fd;
}

/* Whether it is the capture of another process that the same `gpumemprof run` started. */
static bool is_of_this_run(const char *path) {
  struct gpumemprof_capture_header h;
  uint64_t run;
  const char *number = gpm_options_variable("GPUMEMPROF_RUN");
  if (!number || !gpm_values_uint(number, &run)) return false;
  int fd = gpm_private_files_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return false;
  int64_t bytes = gpm_private_files_read(fd, &h, sizeof h, 0);
  gpm_private_files_close(fd);
  return bytes == sizeof h && h.run == run &&
         !memcmp(h.magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof h.magic);
}

/* Whether a capture may get this name, or fails with it: then the message names it. */
static bool may_have_name(const char *path) {
  int error = gpm_replace_check(path);
  return error ? error != EBUSY : !is_of_this_run(path);
}

int gpm_output_choose(char *path, size_t size, bool forked) {
  char host[64] = "unknown";
  gpm_gethostname(host, sizeof host - 1);
  uint64_t pid = gpm_getpid();
  bool names_process = gpm_options_output(path, size, host, pid);
  int lock = lock_folder(path);
  size_t length = strlen(path), stem = length;
  bool suffixed = length > 7 && !strcmp(path + length - 7, ".gmprof");
  if (names_process) {
    if (!gpm_is_there(path)) return lock;
    if (suffixed) stem -= 7;
  } else {
    if (!forked && may_have_name(path)) return lock;
    stem = gpm_text_add_number(path, size, gpm_text_add(path, size, length, "."), pid);
    if (!gpm_is_there(path)) return lock;
    suffixed = false;
  }
  for (uint64_t n = 2; n < 1000 && gpm_is_there(path); n++) {
    size_t at = gpm_text_add_number(path, size, gpm_text_add(path, size, stem, "."), n);
    if (suffixed) gpm_text_add(path, size, at, ".gmprof");
  }
  return lock;
}

void gpm_output_chosen(int lock) {
  if (lock >= 0) gpm_private_files_close(lock);
}
