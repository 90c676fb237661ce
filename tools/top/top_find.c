/* top_find.c - see top_find.h.
 *
 * A capture is a file that its program has mapped, wherever the option output= put it: so a process
 * is asked for its mappings (/proc/PID/maps), and each *.gmprof or other file among them that has
 * this process's id in its header is its capture. If no argument is given, the current folder is
 * searched first, then all processes.
 */
#include "top/top_find.h"

#include "input/command.h"
#include "support/memory.h"
#include "support/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_header(int folder, const char *path, struct gpumemprof_capture_header *h) {
  int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t n = fd < 0 ? -1 : pread(fd, h, sizeof *h, 0);
  if (fd >= 0) close(fd);
  if (n != sizeof *h || memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof h->magic)) return false;
  h->boot_id[sizeof h->boot_id - 1] = h->host[sizeof h->host - 1] = 0;
  return true;
}

/* ---- a process ---------------------------------------------------------------------------------
 */

/* A process in a container has another id inside it: the last one that the kernel lists. */
static uint64_t id_inside(uint32_t pid) {
  char path[64], line[512];
  uint64_t inside = pid;
  snprintf(path, sizeof path, "/proc/%u/status", pid);
  FILE *f = fopen(path, "re");
  while (f && fgets(line, sizeof line, f)) {
    if (strncmp(line, "NSpid:", 6) != 0) continue;
    char *end = line + 6;
    for (char *next = end;; end = next) {
      uint64_t number = strtoull(end, &next, 10);
      if (next == end) break;
      inside = number;
    }
  }
  if (f) fclose(f);
  return inside;
}

/* Searches the mappings of a process for its capture; null if there is none. *gone: the file was
 * deleted. */
static char *search_maps(FILE *maps, uint64_t pid, bool *gone) {
  static const char deleted[] = " (deleted)";
  char *line = NULL, *found = NULL;
  size_t room = 0;
  struct gpumemprof_capture_header h;
  while (!found && getline(&line, &room, maps) > 0) {
    line[strcspn(line, "\n")] = 0;
    char *path = strchr(line, '/'), access[5] = "";
    if (!path || sscanf(line, "%*s %4s", access) != 1 || strcmp(access, "rw-s") != 0) continue;
    size_t length = strlen(path), end = sizeof deleted - 1;
    bool removed = length > end && !strcmp(path + length - end, deleted);
    if (removed) path[length - end] = 0;
    if (removed) *gone = *gone || strstr(path, ".gmprof");
    else if (read_header(AT_FDCWD, path, &h) && h.pid == pid) found = gpm_memory_text(path);
  }
  free(line);
  return found;
}

static char *find_of_process(uint32_t pid) {
  char path[64];
  bool gone = false;
  snprintf(path, sizeof path, "/proc/%u/maps", pid);
  FILE *maps = fopen(path, "re");
  int why = errno;
  char *found = maps ? search_maps(maps, id_inside(pid), &gone) : NULL;
  bool unreadable = maps && ferror(maps);
  if (unreadable) why = errno;
  if (maps) fclose(maps);
  if (found) return found;
  if (!maps && why == ENOENT)
    gpm_say("there is no process %u; of a program that has ended, name the capture: gpumemprof top "
            "FILE",
            pid);
  else if (!maps || unreadable)
    gpm_say("what process %u has mapped may not be read (%s); name its capture, or look as the "
            "user who started it",
            pid, strerror(why));
  else if (gone)
    gpm_say("the capture of process %u was removed or replaced while it runs; nothing can be read "
            "of it",
            pid);
  else
    gpm_say("process %u has no capture open: it was not built with the plugin, has not recorded "
            "anything yet, was switched off (GPUMEMPROF=0), or writes its capture when it exits",
            pid);
  return NULL;
}

/* ---- a folder, and all processes ----------------------------------------------------------------
 */

static char *find_in_folder(void) {
  DIR *folder = opendir(".");
  char *found = NULL;
  uint64_t latest = 0;
  for (const struct dirent *e; folder && (e = readdir(folder));) {
    struct gpumemprof_capture_header h;
    size_t length = strlen(e->d_name);
    if (length < 7 || strcmp(e->d_name + length - 7, ".gmprof") ||
        !read_header(dirfd(folder), e->d_name, &h) || gpm_state_now(&h) != GPM_STATE_RUNNING ||
        (found && h.start_realtime_ns <= latest))
      continue;
    latest = h.start_realtime_ns;
    free(found);
    found = gpm_memory_text(e->d_name);
  }
  if (folder) closedir(folder);
  return found;
}

struct running {
  uint32_t pid;
  char *path;
};

static int by_pid(const void *a, const void *b) {
  const struct running *x = a, *y = b;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* The captures of all processes whose mappings may be read, in the order of process ids; to be
 * freed. */
static struct running *find_everywhere(uint32_t *count) {
  DIR *processes = opendir("/proc");
  struct running *all = NULL;
  *count = 0;
  for (const struct dirent *e; processes && (e = readdir(processes));) {
    uint32_t pid;
    char path[64];
    bool gone = false;
    if (!gpm_text_parse_count(e->d_name, INT32_MAX, &pid)) continue;
    snprintf(path, sizeof path, "/proc/%u/maps", pid);
    FILE *maps = fopen(path, "re");
    char *found = maps ? search_maps(maps, id_inside(pid), &gone) : NULL;
    if (maps) fclose(maps);
    if (!found) continue;
    all = gpm_memory_resize(all, (size_t)*count + 1, sizeof *all);
    all[(*count)++] = (struct running){.pid = pid, .path = found};
  }
  if (processes) closedir(processes);
  if (*count) qsort(all, *count, sizeof *all, by_pid);
  return all;
}

static void list(const struct running *all, uint32_t count) {
  enum { MOST = 20 };
  gpm_say("%u programs run that record, none into this folder; choose one:", count);
  for (uint32_t i = 0; i < count && i < MOST; i++) {
    char *path = gpm_text_clean(all[i].path);
    fprintf(stderr, "  gpumemprof top %-10u %s\n", all[i].pid, path);
    free(path);
  }
  if (count > MOST) fprintf(stderr, "  ... and %u more\n", count - MOST);
}

/* The latest capture of the folder; else the only one of all processes. */
static char *find_running(void) {
  char *found = find_in_folder();
  if (found) return found;
  uint32_t count;
  struct running *all = find_everywhere(&count);
  if (count == 1) found = gpm_memory_text(all[0].path);
  else if (count) list(all, count);
  else
    gpm_say("no program that you may look at records into a capture now, here or elsewhere; name a "
            "capture");
  for (uint32_t i = 0; i < count; i++) free(all[i].path);
  free(all);
  return found;
}

char *gpm_top_find(const char *word) {
  uint32_t pid;
  if (!word) return find_running();
  if (gpm_text_parse_count(word, INT32_MAX, &pid)) return find_of_process(pid);
  return gpm_memory_text(word);
}
