/* state.c - what became of the recorded program, how its clock maps to time, and which capture is
 * newest.
 *
 * Copies that were made of a capture (dump=) are newest only where there is nothing else.
 *
 * A pid does not identify a process, because it may have been reused: the process runs if its start
 * time and the boot id are those of the capture.
 */
#include "capture/reader.h"
#include "support/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_boot(const struct gpumemprof_capture_header *h) {
  char id[sizeof h->boot_id] = "";
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (!f) return false;
  bool read = fgets(id, sizeof id, f) != NULL;
  fclose(f);
  id[strcspn(id, "\n")] = 0;
  return read && !strncmp(id, h->boot_id, sizeof id);
}

/* Fields 3 (state) and 22 (start time) of /proc/PID/stat; the name before them may hold blanks. */
static bool is_alive(const struct gpumemprof_capture_header *h) {
  char path[64], text[2048];
  snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)h->pid);
  FILE *f = fopen(path, "re");
  if (!f) return false;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  const char *at = strrchr(text, ')');
  if (!at || !at[1] || !at[2]) return false;
  char state = at[2];
  at += 2;
  for (int field = 3; field < 22; field++) {
    at = strchr(at, ' ');
    if (!at) return false;
    at++;
  }
  return state != 'Z' && state != 'X' && strtoull(at, NULL, 10) == h->pid_start;
}

bool gpm_state_is_alive(const struct gpumemprof_capture_header *h) {
  return same_boot(h) && is_alive(h);
}

enum gpm_state gpm_state_now(const struct gpumemprof_capture_header *h) {
  if (h->flags & GPUMEMPROF_CAPTURE_STOPPED) return GPM_STATE_STOPPED;
  if (h->flags & GPUMEMPROF_CAPTURE_DUMP) return GPM_STATE_COPY;
  if (h->flags & GPUMEMPROF_CAPTURE_COMPLETE) return GPM_STATE_COMPLETE;
  if (same_boot(h)) return is_alive(h) ? GPM_STATE_RUNNING : GPM_STATE_ENDED;
  char host[sizeof h->host] = "";
  gethostname(host, sizeof host - 1);
  return strcmp(host, h->host) ? GPM_STATE_ELSEWHERE : GPM_STATE_RESTARTED;
}

uint64_t gpm_reader_duration_ns(const struct gpm_reader *reader, uint64_t ticks) {
  const struct gpumemprof_capture_header *h = &reader->header;
  if (h->last_ticks <= h->first_ticks || h->last_ns <= h->first_ns) return 0;
  long double ns = (long double)ticks * (long double)(h->last_ns - h->first_ns) /
                   (long double)(h->last_ticks - h->first_ticks);
  return ns < 0x1p62L ? (uint64_t)ns : (uint64_t)INT64_MAX;
}

uint64_t gpm_reader_time_ns(const struct gpm_reader *reader, uint64_t ticks) {
  uint64_t first = reader->header.first_ticks;
  return ticks > first ? gpm_reader_duration_ns(reader, ticks - first) : 0;
}

const char *gpm_state_name(enum gpm_state state) {
  switch (state) {
  case GPM_STATE_COMPLETE:
    return "complete";
  case GPM_STATE_STOPPED:
    return "stopped";
  case GPM_STATE_RUNNING:
    return "running";
  case GPM_STATE_ENDED:
    return "ended without a clean exit";
  case GPM_STATE_RESTARTED:
    return "ended without a clean exit before the machine was restarted";
  case GPM_STATE_COPY:
    return "a copy made while it ran";
  default:
    return "unknown";
  }
}

const char *gpm_state_text(enum gpm_state state) {
  switch (state) {
  case GPM_STATE_COMPLETE:
    return "the capture is complete";
  case GPM_STATE_STOPPED:
    return "recording stopped early";
  case GPM_STATE_RUNNING:
    return "still running";
  case GPM_STATE_ELSEWHERE:
    return "recorded on another host, without a clean exit so far";
  default:
    return gpm_state_name(state);
  }
}

/* A copy of another capture. */
static bool is_dump(int folder, const char *name) {
  struct gpumemprof_capture_header h;
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t n = fd < 0 ? -1 : pread(fd, &h, sizeof h, 0);
  if (fd >= 0) close(fd);
  return n == sizeof h && !memcmp(h.magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof h.magic) &&
         h.flags & GPUMEMPROF_CAPTURE_DUMP;
}

char *gpm_reader_newest(const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) return NULL;
  char *newest = NULL;
  bool newest_is_dump = false;
  struct timespec latest = {0, 0};
  for (const struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    struct stat st;
    if (length < 7 || strcmp(e->d_name + length - 7, ".gmprof") ||
        fstatat(dirfd(dir), e->d_name, &st, 0))
      continue;
    if (!S_ISREG(st.st_mode)) continue;
    bool dump = is_dump(dirfd(dir), e->d_name), worse = dump && !newest_is_dump;
    bool newer = st.st_mtim.tv_sec > latest.tv_sec ||
                 (st.st_mtim.tv_sec == latest.tv_sec && st.st_mtim.tv_nsec > latest.tv_nsec);
    if (newest && (dump == newest_is_dump ? !newer : worse)) continue;
    latest = st.st_mtim;
    newest_is_dump = dump;
    free(newest);
    newest = gpm_memory_text(e->d_name);
  }
  closedir(dir);
  if (!newest || !strcmp(folder, ".")) return newest;
  bool has_slash = folder[strlen(folder) - 1] == '/';
  char *path = gpm_memory_format("%s%s%s", folder, has_slash ? "" : "/", newest);
  free(newest);
  return path;
}
