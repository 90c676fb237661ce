/* processes.c - see processes.h. */
#include "capture/processes.h"

#include "capture/identity.h"
#include "support/text.h"
#include "support/words.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_header(const char *path, struct gpumemprof_capture_header *h) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t n = fd < 0 ? -1 : pread(fd, h, sizeof *h, 0);
  if (fd >= 0) close(fd);
  return n == sizeof *h && !memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof h->magic);
}

/* Takes ownership of the path. */
static void add(struct gpm_processes *all, char *path) {
  struct gpumemprof_capture_header h;
  if (all->count == all->room) {
    all->room = all->room ? all->room * 2 : 16;
    all->process = gpm_memory_resize(all->process, all->room, sizeof *all->process);
  }
  struct gpm_process *p = &all->process[all->count++];
  *p = (struct gpm_process){.path = path, .has_header = read_header(path, &h)};
  if (!p->has_header) return; /* the error is reported when it is opened */
  p->ranked = h.flags & GPUMEMPROF_CAPTURE_RANKED;
  p->rank = h.rank;
  p->ranks = h.ranks;
  p->copy = h.flags & GPUMEMPROF_CAPTURE_DUMP;
}

/* ---- folders -----------------------------------------------------------------------------------
 */

/* "x.gmprof", and "x.gmprof.123" of a process that found its name taken (runtime/life/output.c). */
static int has_name(const struct dirent *e) {
  const char *at = e->d_name, *suffix = NULL;
  for (; (at = strstr(at, ".gmprof")); at++) suffix = at + strlen(".gmprof");
  return suffix && !suffix[strspn(suffix, ".0123456789")];
}

/* Adds the captures of a folder, sorted by name; run: only those of that run. */
static bool add_folder(struct gpm_processes *all, const char *folder, uint64_t run) {
  struct dirent **entry = NULL;
  int count = scandir(folder, &entry, has_name, alphasort);
  uint32_t before = all->count;
  for (int i = 0; i < count; i++) {
    bool plain = !strcmp(folder, ".");
    char *path =
        plain ? gpm_memory_text(entry[i]->d_name)
              : gpm_memory_format("%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                                  entry[i]->d_name);
    struct gpumemprof_capture_header h;
    struct stat st;
    if (!stat(path, &st) && S_ISREG(st.st_mode) &&
        (!run || (read_header(path, &h) && h.run == run)))
      add(all, path);
    else free(path);
    free(entry[i]);
  }
  free(entry);
  return all->count > before;
}

static char *refuse(const char *path, const char *why) {
  char *clean = gpm_text_clean(path), *wrong = gpm_memory_format("%s%s", clean, why);
  free(clean);
  return wrong;
}

char *gpm_processes_add(struct gpm_processes *all, const char *path) {
  struct stat st;
  if (stat(path, &st) || !S_ISDIR(st.st_mode)) { /* an error is reported when it is opened */
    add(all, gpm_memory_text(path));
    return NULL;
  }
  if (add_folder(all, path, 0)) return NULL;
  return refuse(path, ": there is no *.gmprof in this folder");
}

char *gpm_processes_add_run(struct gpm_processes *all, const char *path) {
  struct gpumemprof_capture_header h;
  if (!read_header(path, &h)) return refuse(path, " is no capture");
  if (!h.run)
    return refuse(path,
                  " was not recorded by `gpumemprof run`; name the captures, or their folder");
  const char *slash = strrchr(path, '/');
  char *folder = slash ? gpm_memory_format("%.*s", slash == path ? 1 : (int)(slash - path), path)
                       : gpm_memory_text(".");
  if (!add_folder(all, folder, h.run)) add(all, gpm_memory_text(path));
  free(folder);
  return NULL;
}

/* ---- which of them -----------------------------------------------------------------------------
 */

static void forget(struct gpm_process *p) {
  free(p->path);
  free(p->name);
  free(p->host);
  free(p->program);
  free(p->fault);
}

static void leave_out(struct gpm_processes *all, const uint8_t *out) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < all->count; i++)
    if (out[i]) forget(&all->process[i]);
    else all->process[kept++] = all->process[i];
  all->count = kept;
}

static void leave_out_repeated(struct gpm_processes *all) {
  struct gpm_words files = {.count = 0};
  uint8_t *out = gpm_memory_array(all->count, 1);
  for (uint32_t i = 0; i < all->count; i++) {
    struct stat st;
    if (stat(all->process[i].path, &st)) continue;
    char *file = gpm_memory_format("%llu:%llu", (unsigned long long)st.st_dev,
                                   (unsigned long long)st.st_ino);
    uint32_t known = files.count;
    out[i] = gpm_words_exact(&files, file) < known;
    all->twice += out[i];
    free(file);
  }
  leave_out(all, out);
  free(out);
  gpm_words_free(&files);
}

/* If the own capture of a process is there, leaves out copies made while it ran, and the same
 * capture under another name. */
static void leave_out_copies(struct gpm_processes *all) {
  struct gpm_words selves = {.count = 0}, wholes = {.count = 0};
  uint8_t *has_own = gpm_memory_array(all->count, 1), *out = gpm_memory_array(all->count, 1);
  for (uint32_t i = 0; i < all->count; i++) {
    struct gpm_process *p = &all->process[i];
    struct gpumemprof_capture_header h;
    if (!p->has_header || !read_header(p->path, &h)) continue;
    char *self = gpm_identity_text(&h);
    p->self = gpm_words_exact(&selves, self);
    if (!p->copy) {
      uint32_t known = wholes.count;
      char *whole = gpm_memory_format("%s:%llu:%llu", self, (unsigned long long)h.last_ticks,
                                      (unsigned long long)h.used);
      out[i] = gpm_words_exact(&wholes, whole) < known;
      all->repeated += out[i];
      has_own[p->self] = 1;
      free(whole);
    }
    free(self);
  }
  for (uint32_t i = 0; i < all->count; i++) {
    if (!all->process[i].copy || !has_own[all->process[i].self]) continue;
    out[i] = 1;
    all->copies++;
  }
  leave_out(all, out);
  free(has_own);
  free(out);
  gpm_words_free(&selves);
  gpm_words_free(&wholes);
}

/* ---- order and names ---------------------------------------------------------------------------
 */

/* The name is the rank, or that many last parts of the path: "run-2", "old/run-2"; beyond all
 * parts, the whole path. */
enum { BY_RANK = 0, BY_FILE = 1 };

static unsigned parts_of(const char *path) {
  unsigned parts = 1;
  for (; *path; path++) parts += *path == '/';
  return parts;
}

static char *name_of(const struct gpm_process *p, unsigned parts) {
  if (parts == BY_RANK) return gpm_memory_format("rank %u", p->rank);
  if (parts > parts_of(p->path)) return gpm_text_clean(p->path);
  const char *name = p->path + strlen(p->path);
  while (name > p->path && (name[-1] != '/' || --parts)) name--;
  size_t length = strlen(name);
  bool suffixed = length > 7 && !strcmp(name + length - 7, ".gmprof");
  char *stem = gpm_memory_format("%.*s", (int)(suffixed ? length - 7 : length), name);
  char *clean = gpm_text_clean(stem);
  free(stem);
  return clean;
}

/* Two processes of the same name get longer ones. */
static void name_all(struct gpm_processes *all) {
  unsigned *parts = gpm_memory_array(all->count, sizeof *parts);
  uint32_t *word = gpm_memory_array(all->count, sizeof *word),
           *times = gpm_memory_array(all->count, sizeof *times);
  for (uint32_t i = 0; i < all->count; i++) parts[i] = all->process[i].ranked ? BY_RANK : BY_FILE;
  for (bool repeated = true; repeated;) {
    struct gpm_words names = {.count = 0};
    repeated = false;
    memset(times, 0, all->count * sizeof *times);
    for (uint32_t i = 0; i < all->count; i++) {
      free(all->process[i].name);
      all->process[i].name = name_of(&all->process[i], parts[i]);
      times[word[i] = gpm_words_exact(&names, all->process[i].name)]++;
    }
    for (uint32_t i = 0; i < all->count; i++)
      if (times[word[i]] > 1 && parts[i] <= parts_of(all->process[i].path)) {
        parts[i]++;
        repeated = true;
      }
    gpm_words_free(&names);
  }
  for (uint32_t i = 0; i < all->count; i++) all->process[i].named_by_rank = parts[i] == BY_RANK;
  free(parts);
  free(word);
  free(times);
}

static int by_rank(const void *a, const void *b) {
  const struct gpm_process *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return x->self < y->self ? -1 : x->self > y->self;
}

void gpm_processes_order(struct gpm_processes *all) {
  bool ranked = true;
  leave_out_repeated(all);
  leave_out_copies(all);
  for (uint32_t i = 0; i < all->count; i++) {
    struct gpm_process *p = &all->process[i];
    if (!p->has_header) p->rank = UINT32_MAX; /* last */
    else ranked &= p->ranked;
    p->self = i; /* from here on the order given */
  }
  if (ranked && all->count) qsort(all->process, all->count, sizeof *all->process, by_rank);
  name_all(all);
}

void gpm_processes_part(struct gpm_processes *all) {
  struct gpm_process *parted = gpm_memory_array(all->count, sizeof *parted);
  all->read = 0;
  for (uint32_t i = 0; i < all->count; i++)
    if (!all->process[i].unread) parted[all->read++] = all->process[i];
  for (uint32_t i = 0, to = all->read; i < all->count; i++)
    if (all->process[i].unread) parted[to++] = all->process[i];
  free(all->process);
  all->process = parted;
  all->room = all->count;
  all->by_rank = all->read > 0;
  for (uint32_t i = 0; i < all->read; i++) all->by_rank &= parted[i].named_by_rank;
}

uint32_t gpm_processes_job(const struct gpm_processes *all) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < all->read; i++)
    if (all->process[i].ranks > most) most = all->process[i].ranks;
  return most;
}

bool gpm_processes_gap(const struct gpm_processes *all, uint32_t *at, uint32_t *first,
                       uint32_t *last) {
  for (; *at <= all->read; ++*at) {
    uint32_t i = *at, end = i < all->read ? all->process[i].rank : gpm_processes_job(all);
    *first = i ? all->process[i - 1].rank + 1 : 0;
    if (end <= *first) continue;
    *last = end - 1;
    ++*at;
    return true;
  }
  return false;
}

void gpm_processes_free(struct gpm_processes *all) {
  for (uint32_t i = 0; i < all->count; i++) forget(&all->process[i]);
  free(all->process);
}
