/* variables.c - the variables of the environment: their values, and the name of each GPUMEMPROF_*
 * that nothing reads.
 *
 * options.c and process.c use it. A program that has more rights than the user who started it
 * (setuid, setgid, file capabilities) gets its environment from that user, who must not use these
 * rights. So no file is written and no library is loaded that the environment names.
 */
#include "base/system_calls.h"
#include "base/text.h"
#include "options/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OUR_VARIABLES "GPUMEMPROF_"
#define MOST_UNREAD 8

bool gpm_variables_may_be_read(void) {
  return !gpm_getauxval(AT_SECURE);
}

/* Functions of the preinit array run before libc has set up the environment, so it is read from the
 * kernel. Few programs have such functions that call CUDA: only they need this memory. */
static const char *environment_text(void) {
  enum { BYTES = 128 << 10 };
  static const char *all; /* stays, since the values lie in it */
  if (all) return all;
  all = "";
  char *room = gpm_mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room != MAP_FAILED) {
    gpm_text_read_file("/proc/self/environ", room, BYTES - 1);
    all = room;
  }
  return all;
}

const char *gpm_options_variable(const char *name) {
  if (!gpm_variables_may_be_read()) return NULL;
  if (__environ) return getenv(name);
  size_t length = strlen(name);
  for (const char *one = environment_text(); *one; one += strlen(one) + 1)
    if (!strncmp(one, name, length) && one[length] == '=') return one + length + 1;
  return NULL;
}

/* The names that the runtime, the tool, the simulator and the tests read, and those in which
 * installations (environment modules, CMake's find_package) keep their paths. */
static bool is_known_variable(const char *rest, size_t length) {
  static const char *const names[] = {
      "OPTIONS",    "RUN",  "RUN_SIGNAL", "RUN_NOTES", "SIM_OPTIONS", "PAGER", "DEBUG_FOLDER",
      "MEMORY_VIZ", "ROOT", "DIR",        "HOME",      "PREFIX",      "PATH",  "VERSION"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (length == strlen(names[i]) && !strncmp(rest, names[i], length)) return true;
  return !strncmp(rest, "TEST_", 5) || !strncmp(rest, "FUZZ_", 5);
}

struct unread_variables {
  char names[512];
  size_t length, count;
};

static void check_variable(struct unread_variables *u, const char *entry) {
  size_t begin = strlen(OUR_VARIABLES), end = strcspn(entry, "=");
  if (strncmp(entry, OUR_VARIABLES, begin) != 0 || is_known_variable(entry + begin, end - begin))
    return;
  char name[64] = "";
  if (end >= sizeof name) end = sizeof name - 1;
  memcpy(name, entry, end);
  name[end] = 0;
  if (u->count++ < MOST_UNREAD) {
    if (u->length) u->length = gpm_text_add(u->names, sizeof u->names, u->length, ", ");
    u->length = gpm_text_add(u->names, sizeof u->names, u->length, name);
  }
}

void gpm_variables_say_unread(void) {
  struct unread_variables u = {.length = 0};
  if (!gpm_variables_may_be_read()) return;
  if (__environ) {
    for (char **one = __environ; *one; one++) check_variable(&u, *one);
  } else {
    for (const char *one = environment_text(); *one; one += strlen(one) + 1)
      check_variable(&u, one);
  }
  if (u.count)
    gpm_text_say("nothing reads the variable", u.count > 1 ? "s " : " ", u.names,
                 u.count > MOST_UNREAD ? " and others" : "",
                 "; options belong into GPUMEMPROF_OPTIONS=key=value:key=value", NULL);
}
