/* cupti_library.c - finds and loads libcupti. Of several, the one beside the program's CUDA comes
 * first, because others may be of another version; then what the loader finds, then that of a
 * toolkit. cupti.c calls this.
 */
#include "foreign/cupti_library.h"
#include "base/loaded.h"
#include "base/private_files.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "foreign/objects.h"
#include "options/options.h"

#include <dlfcn.h>
#include <string.h>

#define TOOLKITS "/usr/local"

static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
enum { CUPTI_NAMES = sizeof cupti_names / sizeof *cupti_names };
enum { CUPTI_VERSIONS = 2 }; /* of them have a version in their name */
_Static_assert(CUPTI_PLACES == 2 * CUPTI_NAMES + 1,
               "beside CUDA, where the loader looks, a toolkit");

static void *load(const char *path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

struct toolkits {
  char latest[64], next[64]; /* names in the folder, in their order */
};

static void compare_toolkit(void *data, const char *name) {
  struct toolkits *t = data;
  if (strncmp(name, "cuda", 4) || strnlen(name, sizeof t->next) == sizeof t->next) return;
  if (strcmp(name, t->latest) <= 0 || (*t->next && strcmp(name, t->next) >= 0)) return;
  gpm_text_add(t->next, sizeof t->next, 0, name);
}

static void find_next_toolkit(void *argument) {
  struct toolkits *t = argument;
  int fd = gpm_private_files_open(TOOLKITS, O_RDONLY | O_DIRECTORY, 0);
  t->next[0] = 0;
  if (fd < 0) return;
  gpm_private_files_each(fd, compare_toolkit, t);
  gpm_private_files_close(fd);
}

struct beside {
  const char *name;
  char path[GPM_PATH_MAX];
};

static int compare_beside(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct beside *b = data;
  const char *file = gpm_text_last_part(info->dlpi_name);
  bool cuda = gpm_object_is_cudart(file) || !strncmp(file, "libcuda.so", 10);
  size_t folder = cuda ? (size_t)(file - info->dlpi_name) : 0;
  if (!folder || folder + 32 > sizeof b->path) return 0;
  memcpy(b->path, info->dlpi_name, folder);
  b->path[folder] = 0;
  gpm_text_add(b->path, sizeof b->path, folder, b->name);
  return gpm_is_there(b->path);
}

/* Loads CUPTI from the folder of the CUDA libraries that the program uses. */
static void *load_beside_cuda(const char *name) {
  struct beside b = {.name = name};
  return gpm_loaded_each(compare_beside, &b) ? load(b.path) : NULL;
}

/* Loads CUPTI from a toolkit that is installed on this machine. */
static void *load_from_toolkit(void) {
  static const char *const places[] = {"/extras/CUPTI/lib64/libcupti.so", "/lib64/libcupti.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    struct toolkits t = {.latest = ""};
    while (!library && !gpm_private_files_run(find_next_toolkit, &t) && *t.next) {
      char path[GPM_PATH_MAX];
      size_t n = gpm_text_add(path, sizeof path, 0, TOOLKITS "/");
      n = gpm_text_add(path, sizeof path, n, t.next);
      gpm_text_add(path, sizeof path, n, places[i]);
      if (gpm_is_there(path)) library = load(path);
      memcpy(t.latest, t.next, sizeof t.latest);
    }
  }
  return library;
}

bool gpm_cupti_is_loaded(void) {
  bool any = false;
  for (size_t i = 0; i < CUPTI_NAMES; i++) {
    void *library = dlopen(cupti_names[i], RTLD_NOLOAD | RTLD_LAZY);
    if (library) dlclose(library);
    any |= library != NULL;
  }
  return any;
}

void *gpm_cupti_library(size_t place, bool one_with_version) {
  bool has_version = place < CUPTI_PLACES - 1 && place % CUPTI_NAMES < CUPTI_VERSIONS;
  if (one_with_version && !has_version) return NULL;
  if (place < CUPTI_NAMES) return load_beside_cuda(cupti_names[place]);
  if (place < CUPTI_PLACES - 1) return load(cupti_names[place - CUPTI_NAMES]);
  return load_from_toolkit();
}
