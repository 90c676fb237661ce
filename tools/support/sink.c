/* sink.c - see sink.h. */
#include "support/sink.h"

#include "support/gzip.h"
#include "support/memory.h"
#include "support/say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- removal of a partial file when the tool ends early
 * ----------------------------------------------
 */

static char *volatile unfinished; /* a path */

static void remove_unfinished(void) {
  if (unfinished) unlink(unfinished);
}

static void ended_by(int number) {
  remove_unfinished();
  signal(number, SIG_DFL);
  raise(number);
}

static void guard(char *path) {
  static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
  static bool registered;
  unfinished = path;
  if (registered) return;
  registered = true;
  atexit(remove_unfinished);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction old, action = {.sa_handler = ended_by};
    if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
      sigaction(numbers[i], &action, NULL);
  }
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void failed(const struct gpm_sink *sink) {
  const char *path = sink->path ? sink->path : "standard output";
  gpm_say("%s could not be written completely: %s", path, strerror(errno ? errno : EIO));
}

/* Of a symbolic link, the target is written and the link stays. */
static char *resolve(const char *path) {
  char *real = realpath(path, NULL);
  return real ? real : gpm_memory_text(path);
}

/* A new file in the folder of `path`, with the permissions of a new file. */
static int make_temporary(struct gpm_sink *sink) {
  sink->temporary = gpm_memory_format("%s.XXXXXX", sink->path);
  int fd = mkstemp(sink->temporary);
  if (fd < 0) return fd;
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  guard(sink->temporary);
  return fd;
}

static int begin(struct gpm_sink *sink, const char *path) {
  struct stat s;
  *sink = (struct gpm_sink){.path = resolve(path)};
  if (!stat(sink->path, &s) && S_ISDIR(s.st_mode)) return errno = EISDIR, -1;
  if (!stat(sink->path, &s) && !S_ISREG(s.st_mode)) return open(sink->path, O_WRONLY | O_CLOEXEC);
  return make_temporary(sink);
}

static bool cannot_begin(struct gpm_sink *sink, const char *path) {
  gpm_say("%s cannot be written: %s", path, strerror(errno));
  free(sink->path);
  free(sink->temporary);
  return false;
}

bool gpm_sink_open(struct gpm_sink *sink, const char *path, bool gzip) {
  if (!strcmp(path, "-")) *sink = (struct gpm_sink){.below = stdout};
  else {
    int fd = begin(sink, path);
    if (fd < 0 || !(sink->below = fdopen(fd, "w"))) return cannot_begin(sink, path);
  }
  sink->file = gzip ? gpm_gzip_open(sink->below) : sink->below;
  return sink->file || cannot_begin(sink, path);
}

bool gpm_sink_name(struct gpm_sink *sink, const char *path) {
  int fd = begin(sink, path);
  if (fd < 0) return cannot_begin(sink, path);
  close(fd);
  if (sink->temporary) return true;
  gpm_say("%s is no regular file, and a database has to be in one", path);
  free(sink->path);
  return false;
}

bool gpm_sink_close(struct gpm_sink *sink, bool keep) {
  errno = 0;
  bool ok = true;
  if (sink->file) ok = !ferror(sink->file) && !fflush(sink->file);
  if (sink->file && sink->file != sink->below) ok = !fclose(sink->file) && ok;
  if (sink->below && sink->path) ok = !fclose(sink->below) && ok;
  else if (sink->below) ok = !fflush(sink->below) && ok;
  if (keep && ok && sink->temporary) ok = !rename(sink->temporary, sink->path);
  if (!ok && keep) failed(sink);
  if (sink->temporary && !(keep && ok)) unlink(sink->temporary);
  unfinished = NULL;
  free(sink->temporary);
  free(sink->path);
  *sink = (struct gpm_sink){0};
  return ok;
}
