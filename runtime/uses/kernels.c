/* kernels.c - finds the kernel that a launch names.
 *
 *   function in an object  <- gpm_modules_find_kernel -  its record in that object (kernels.h)
 *   handle, from nvcc's code  - handle_functions ->  function
 *
 * A kernel that no object has a record of gets one without words: readers then assume that it may
 * use any block.
 */
#include "uses/kernels.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "records/call_tree.h"
#include "records/modules.h"
#include "records/sites.h"
#include "tables/map.h"

#include "gpumemprof/capture.h"

#include <string.h>

struct gpm_lock gpm_uses_lock = GPM_LOCK(uses);

static struct gpm_table kernel_table, word_table;
static struct gpm_kernel *kernels; /* all that were launched */
static struct gpm_map kernels_by_function, handle_functions;

void gpm_kernels_start(void) {
  kernel_table = (struct gpm_table){GPUMEMPROF_CHUNK_KERNELS,
                                    sizeof(struct gpumemprof_capture_kernel), 0, 0, NULL};
  word_table = (struct gpm_table){GPUMEMPROF_CHUNK_KERNEL_WORDS,
                                  sizeof(struct gpumemprof_capture_kernel_word), 0, 0, NULL};
  kernels = NULL;
  kernels_by_function = (struct gpm_map){NULL, 0, 0};
}

static const struct gpumemprof_kernel_word *words_of(const struct gpumemprof_kernel *k) {
  return (const void *)((const char *)&k->word + k->word);
}

/* Records the words, and keeps where they are. False: no room. */
static bool add_words(struct gpm_kernel *kernel, const struct gpumemprof_kernel *from) {
  const struct gpumemprof_kernel_word *word = words_of(from);
  for (uint16_t i = 0; i < from->words; i++) {
    struct gpumemprof_capture_kernel_word *record = gpm_table_next(&word_table);
    if (!record) return false;
    *record = (struct gpumemprof_capture_kernel_word){
        .kernel = kernel->number,
        .parameter = word[i].parameter,
        .offset = word[i].offset,
        .name = gpm_strings_intern(gpm_sites_text(&word[i].name)),
        .flags = word[i].flags};
    gpm_table_publish(&word_table);
    kernel->word[i].parameter = word[i].parameter;
    kernel->word[i].offset = word[i].offset;
  }
  return true;
}

/* from: null if no object has a record of the kernel. Under the tree lock. */
static struct gpm_kernel *add_kernel(const void *function, const struct gpumemprof_kernel *from) {
  uint16_t words = from ? from->words : 0;
  struct gpm_kernel *kernel = gpm_memory_get(sizeof *kernel + words * sizeof kernel->word[0]);
  struct gpumemprof_capture_kernel *record = kernel ? gpm_table_next(&kernel_table) : NULL;
  if (!record) return NULL;
  kernel->function = function;
  kernel->number = kernel_table.count;
  *record = (struct gpumemprof_capture_kernel){.flags = GPUMEMPROF_KERNEL_UNKNOWN,
                                               .first_word = word_table.count};
  if (from) {
    record->name = gpm_strings_intern(gpm_sites_text(&from->name));
    record->symbol = gpm_strings_intern(gpm_sites_text(&from->symbol));
    record->file = gpm_strings_intern(gpm_sites_text(&from->file));
    record->line = from->line;
    record->flags = from->flags;
    if (!add_words(kernel, from)) return NULL;
    record->words = kernel->words = words;
  }
  gpm_table_publish(&kernel_table);
  return kernel;
}

const struct gpm_kernel *gpm_kernels_of(const void *function) {
  const void *named = gpm_map_get(&handle_functions, (uintptr_t)function);
  if (named) function = named;
  struct gpm_kernel *kernel = gpm_map_get(&kernels_by_function, (uintptr_t)function);
  if (kernel) return kernel;
  const struct gpumemprof_kernel *from = gpm_modules_find_kernel(function);
  gpm_lock_take(&gpm_tree_lock);
  kernel = add_kernel(function, from);
  gpm_lock_release(&gpm_tree_lock);
  if (!kernel || !gpm_map_put(&kernels_by_function, (uintptr_t)function, kernel)) return NULL;
  kernel->next = kernels;
  kernels = kernel;
  return kernel;
}

void gpm_kernels_named(const void *handle, const void *function) {
  if (handle && function) gpm_map_put(&handle_functions, (uintptr_t)handle, (void *)function);
}

void gpm_kernels_forget(const void *begin, const void *end) {
  for (struct gpm_kernel *k = kernels; k; k = k->next)
    if (k->function >= begin && k->function < end) {
      gpm_map_take(&kernels_by_function, (uintptr_t)k->function);
      k->function = NULL;
    }
}
