/* capture.c - any bytes either are refused in one sentence or can be reported on, by every command
 * in every format, with memory in proportion to them.
 *
 * libFuzzer calls it; the commands' output goes to /dev/null. capture_mutator.c keeps most inputs
 * readable enough to get behind the first checks.
 */
#include "capture_judge.h"
#include "input/command.h"
#include "support/text.h"

#include <sanitizer/allocator_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* ---- memory ------------------------------------------------------------------------------------
 * One allocation may take this much, and this much for each byte of the capture. */
#define ALWAYS ((size_t)1 << 20)
#define PER_BYTE 64

static size_t input_size;
static bool reading;

static void on_malloc(const volatile void *p, size_t size) {
  (void)p;
  if (!reading || size <= ALWAYS + PER_BYTE * input_size) return;
  fprintf(stderr, "%zu bytes for a capture of %zu\n", size, input_size);
  abort();
}
static void on_free(const volatile void *p) {
  (void)p;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  if (!freopen("/dev/null", "w", stdout)) abort();
  return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) ? 0 : (abort(), 1);
}

/* ---- commands ----------------------------------------------------------------------------------
 */

/* `@` stands for the capture, `#` for the same of another process, which it may be compared with.
 */
static const char *const lines[][8] = {
    {"report", "@"},
    {"report", "@", "--by=function", "--sort=lifetime_ns", "--explain"},
    {"report", "@", "--by=path", "--format=json"},
    {"report", "@", "--by=path", "--format=csv", "--bytes", "--sort=location"},
    {"report", "@", "--by=kind", "--format=json"},
    {"report", "@", "--by=device"},
    {"report", "@", "--device=host", "--kind=pinned", "--sort=function"},
    {"report", "@", "--kind=custom", "--by=path"},
    {"pools", "@"},
    {"pools", "@", "--format=json"},
    {"oom", "@"},
    {"oom", "@", "--format=json"},
    {"oom", "@", "--limit=0", "--bytes"},
    {"report", "@", "--from=2", "--to=9", "--by=size"},
    {"report", "@", "--from=2", "--filter=size=1..4KiB", "--by=thread", "--format=json"},
    {"report", "@", "--by=thread"},
    {"leaks", "@", "--from=1ms"},
    {"matrix", "@", "--from=step:1"},
    {"tree", "@"},
    {"tree", "@", "--layout=cupy", "--min=1KiB"},
    {"tree", "@", "--format=json", "--limit=7"},
    {"tree", "@", "--names=short"},
    {"leaks", "@", "--fail"},
    {"leaks", "@", "--format=json"},
    {"check", "@"},
    {"check", "@", "--format=json"},
    {"check", "@", "--against", "#", "--max-peak=1MiB", "--max-leaks=1 block", "--format=sarif"},
    {"check", "@", "--max-peak=1B", "--max-leaks=1B", "--format=junit"},
    {"diff", "@", "@"},
    {"diff", "@", "@", "--by=function", "--format=json"},
    {"diff", "@", "@", "--kind=pool", "--threshold=1%", "--format=csv"},
    {"events", "@"},
    {"events", "@", "--format=json", "--bytes"},
    {"events", "@", "--replay"},
    {"events", "@", "--to=5", "--last=2"},
    {"export", "@", "--to=folded", "--value=self_freed", "-o-"},
    {"export", "@", "--to=pprof", "-o-"},
    {"export", "@", "--to=speedscope", "-o-"},
    {"export", "@", "--to=dhat", "-o-"},
    {"export", "@", "--to=callgrind", "-o-"},
    {"export", "@", "-o-", "--to=chrome"},
    {"export", "@", "-o-", "--to=perfetto"},
    {"export", "@", "-o-", "--to=memory_viz"},
    {"export", "@", "-o-", "--to=memory_viz-json", "--kind=device"},
    {"export", "@", "-o-", "--to=massif"},
    {"export", "@", "-o-", "--to=firefox"},
    {"export", "@", "-o-", "--to=heaptrack"},
    {"html", "@", "-o-"},
    {"html", "@", "-o-", "--against", "#", "--redact-source"},
    {"html", "@", "-o-", "--max-size=16KiB", "--names=short"},
    {"lifetimes", "@"},
    {"lifetimes", "@", "--by=path", "--format=json"},
    {"report", "@", "--columns=kept_blocks,oldest_ns,lifetime_clock", "--by=file"},
    {"temporaries", "@"},
    {"temporaries", "@", "--format=json"},
    {"histogram", "@"},
    {"histogram", "@", "--of=lifetime"},
    {"timeline", "@"},
    {"timeline", "@", "--axis=clock", "--width=500", "--height=3"},
    {"timeline", "@", "--format=json", "--kind=pool"},
    {"timeline", "@", "--from=2", "--to=1ms"},
    {"leaks", "@", "--growth"},
    {"leaks", "@", "--growth", "--format=json", "--steps=1:3"},
    {"info", "@"},
    {"info", "@", "--format=json"},
};

/* Runs a command, which ends with 0 unless its figures need events and those are damaged or
 * missing. */
static void run(const char *const *words, const char *path, const char *other,
                bool events_are_right) {
  char *argv[9], text[8][64];
  int argc = 0;
  for (; argc < 8 && words[argc]; argc++) {
    snprintf(text[argc], sizeof text[argc], "%s",
             *words[argc] == '@'   ? path
             : *words[argc] == '#' ? other
                                   : words[argc]);
    argv[argc] = text[argc];
  }
  argv[argc] = NULL;
  const struct gpm_command *c = gpm_commands;
  while (strcmp(c->name, words[0])) c++;
  int status = c->run(c, argc, argv);
  bool may_not =
      !strcmp(words[0], "events") /* none, a ring's, other figures */ ||
      !strcmp(words[0], "check") || !strcmp(words[0], "timeline") ||
      (words[2] && !strcmp(words[2], "-o-")) || /* of events, too */
      (words[2] && !strncmp(words[2], "--from", 6)) ||
      (words[2] && (!strcmp(words[2], "--of=lifetime") || !strcmp(words[2], "--growth"))) ||
      (words[2] && !strcmp(words[2], "--by=thread")) || /* of events, too */
      (words[2] && (!strcmp(words[2], "--fail") || !strcmp(words[2], "--device=host")));
  bool is_damaged = status == GPM_EXIT_USAGE && !events_are_right;
  if (status != GPM_EXIT_OK && !is_damaged && !may_not) abort();
}

/* A file without a name; its path is written to `path`. Returns its descriptor, or -1 if there
 * is none. */
static int make_file(const uint8_t *data, size_t size, char path[64]) {
  int fd = memfd_create("capture", MFD_CLOEXEC);
  if (fd < 0) return fd;
  for (size_t at = 0; at < size;) {
    ssize_t n = write(fd, data + at, size - at);
    if (n <= 0) abort();
    at += (size_t)n;
  }
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

/* The same with another number of its process, and so without checksums. */
static int make_other(const uint8_t *data, size_t size, char path[64]) {
  struct gpumemprof_capture_header h;
  int fd = make_file(data, size, path);
  if (fd < 0 || size < sizeof h) return fd;
  memcpy(&h, data, sizeof h);
  h.pid ^= 1;
  h.figures_checksum = h.events_checksum = 0;
  if (pwrite(fd, &h, sizeof h, 0) != (ssize_t)sizeof h) abort();
  return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64], other[64], error[1024] = "";
  int fd = make_file(data, size, path), other_fd = make_other(data, size, other);
  if (fd < 0 || other_fd < 0) return 0;
  input_size = size;
  reading = true;
  struct gpm_reader *reader = gpm_reader_open(path, NULL, error, sizeof error);
  if (reader) {
    capture_judge(reader);
    bool events_are_right = capture_events_are_right(reader);
    gpm_reader_close(reader);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
      run(lines[i], path, other, events_are_right);
  } else if (strncmp(error, path, strlen(path)) || strlen(error) < strlen(path) + 10) abort();
  reading = false;
  close(fd);
  close(other_fd);
  return 0;
}
