/* one_runtime.c - one copy of this runtime records in a process, however many were linked into it.
 *
 * A program linked with libgpumemprof.a that uses a library linked with libgpumemprof.so has two
 * copies. Usually the dynamic linker makes both use the same one, because their symbols have the
 * same names. Where the program does not export its symbols, or the library does not let its own be
 * replaced, there are two sets of shadow stacks, captures and figures, each of them incomplete. So
 * the copy that starts second prints what is wrong and records nothing, and the one that records
 * counts that as a loss. process.c asks when the runtime starts.
 *
 * dlmopen() makes a second copy, too, of the same file. Copies find one another by a note (PT_NOTE)
 * in the object of each, which needs no symbol: it contains the distance from itself to
 * `gpm_one_copy`, whose layout is the same in all versions.
 */
#include "life/one_runtime.h"
#include "base/loaded.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/capture.h"

#include <string.h>

#define NOTE_NAME "gpumemprof" /* with its NUL, 11 bytes */
#define NOTE_TYPE 1u
#define MOST_COPIES 16
#define LONGEST_WAIT_NS 1000000000u /* for another copy that is about to decide */

enum copy_state { COPY_IDLE, COPY_ASKS, COPY_RECORDS, COPY_REFUSED };

struct gpm_copy {
  uint64_t size;
  _Atomic uint64_t state;
  void (*refused)(void); /* another copy calls it after it found this one recording */
};

static void count_refused(void) {
  if (atomic_load(&gpm_own.state) == GPM_RECORDING)
    gpm_capture_count(GPUMEMPROF_COUNTER_other_runtimes);
}

extern struct gpm_copy gpm_one_copy __attribute__((visibility("hidden")));
struct gpm_copy gpm_one_copy = {sizeof(struct gpm_copy), COPY_IDLE, count_refused};

__asm__(".pushsection .note.gpumemprof,\"a\",@note\n"
        ".balign 4\n"
        ".long 11, 8, 1\n" /* lengths of name and content, type */
        ".asciz \"gpumemprof\"\n"
        ".byte 0\n"
        ".Lgpumemprof_copy: .quad gpm_one_copy - .Lgpumemprof_copy\n"
        ".popsection\n");

/* ---- other copies -------------------------------------------------------------------------------
 */

struct copies {
  struct {
    struct gpm_copy *copy;
    const char *path; /* the path of the object that contains it */
    bool elsewhere;   /* in another namespace */
  } of[MOST_COPIES];
  unsigned count;
  bool elsewhere; /* where the walk is */
};

static void add_copy(struct copies *others, struct gpm_copy *copy, const char *path) {
  if (copy == &gpm_one_copy || copy->size < sizeof *copy || others->count == MOST_COPIES) return;
  others->of[others->count].copy = copy;
  others->of[others->count].path = *path ? path : "the program";
  others->of[others->count++].elsewhere = others->elsewhere;
}

static int read_notes(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_NOTE) continue;
    uintptr_t pad = p->p_align == 8 ? 7 : 3;
    const char *at = (const char *)(info->dlpi_addr + p->p_vaddr), *end = at + p->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) n;
      memcpy(&n, at, sizeof n);
      const char *name = at + sizeof n, *content = name + ((n.n_namesz + pad) & ~pad);
      at = content + ((n.n_descsz + pad) & ~pad);
      int64_t distance;
      if (at > end || n.n_type != NOTE_TYPE || n.n_namesz != sizeof NOTE_NAME ||
          n.n_descsz != sizeof distance || memcmp(name, NOTE_NAME, sizeof NOTE_NAME) != 0)
        continue;
      memcpy(&distance, content, sizeof distance);
      add_copy(data, (struct gpm_copy *)(uintptr_t)(content + distance), info->dlpi_name);
    }
  }
  return 0;
}

static void find_others(struct copies *others) {
  *others = (struct copies){.count = 0};
  gpm_loaded_each(read_notes, others);
  others->elsewhere = true;
  gpm_loaded_elsewhere(read_notes, others);
}

/* ---- which one records --------------------------------------------------------------------------
 */

static const char *where_is(const void *copy) {
  struct gpm_loaded object;
  return gpm_loaded_at(copy, &object) && *object.path ? object.path : "the program";
}

static bool refuse_beside(const struct copies *others, unsigned i) {
  atomic_store(&gpm_one_copy.state, COPY_REFUSED);
  gpm_text_say("two copies of the profiler's runtime are in this process: the one in ",
               others->of[i].path, " records, and what is linked with the one in ",
               where_is(&gpm_one_copy), " is not recorded; ",
               others->of[i].elsewhere
                   ? "dlmopen() made the second one: what dlopen() opens uses the first"
                   : "link the program and its libraries with libgpumemprof.so (-lgpumemprof), "
                     "none with libgpumemprof.a",
               NULL);
  others->of[i].copy->refused();
  return false;
}

/* Two copies may start at the same time. Then the one with the lower address waits until the other,
 * which does not wait, has seen it. */
static uint64_t decided_state(struct gpm_copy *other) {
  uint64_t state, start = gpm_ticks_monotonic_ns();
  while ((state = atomic_load(&other->state)) == COPY_ASKS && other > &gpm_one_copy &&
         gpm_ticks_monotonic_ns() - start < LONGEST_WAIT_NS)
    gpm_yield();
  return state;
}

bool gpm_one_runtime_begin(void) {
  struct copies others;
  bool was_first = atomic_load(&gpm_one_copy.state) == COPY_RECORDS; /* in a forked child */
  if (!was_first) atomic_store(&gpm_one_copy.state, COPY_ASKS);
  find_others(&others);
  for (unsigned i = 0; i < others.count && !was_first; i++) {
    uint64_t state = decided_state(others.of[i].copy);
    if (state == COPY_RECORDS || state == COPY_ASKS) return refuse_beside(&others, i);
  }
  atomic_store(&gpm_one_copy.state, COPY_RECORDS);
  return true;
}

void gpm_one_runtime_begun(bool recording) {
  struct copies others;
  if (!recording) {
    if (atomic_load(&gpm_one_copy.state) == COPY_RECORDS)
      atomic_store(&gpm_one_copy.state, COPY_IDLE);
    return;
  }
  find_others(&others);
  for (unsigned i = 0; i < others.count; i++)
    if (atomic_load(&others.of[i].copy->state) == COPY_REFUSED) count_refused();
}

bool gpm_one_runtime_is_only(void) {
  struct copies others;
  find_others(&others);
  return !others.count;
}
