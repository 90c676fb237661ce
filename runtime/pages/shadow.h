/* shadow.h - the words of pages (gpumemprof/pages.h) in the memory of devices: see shadow.c. Under
 * gpm_pages_lock, by a busy thread, where calls of CUDA may be made.
 */
#ifndef GPM_SHADOW_H
#define GPM_SHADOW_H

#include "base/lock.h"
#include "gpumemprof/cuda_types.h"
#include "gpumemprof/pages.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_shadow; /* of a device */
struct gpm_shadow_module;

extern struct gpm_lock gpm_pages_lock;

/* That of the current device, made at the first call; null: it has none. */
struct gpm_shadow *gpm_shadow_current(void);
/* Those of all devices that have words, one after the other. */
struct gpm_shadow *gpm_shadow_next(struct gpm_shadow *shadow);
/* Finds the CUfunction of a kernel: cudaGetFuncBySymbol of the program's CUDA runtime. */
typedef int (*gpm_shadow_find)(void **function, const void *kernel);
/* The module of a kernel on that device. Null: it marks no pages. */
struct gpm_shadow_module *gpm_shadow_module_of(struct gpm_shadow *shadow, const void *kernel,
                                               gpm_shadow_find find);
/* Whether it has a variable of this name. */
bool gpm_shadow_has(const struct gpm_shadow_module *module, const char *name);
/* Lets the module, or all modules of the device (null), mark pages with the epoch of this clock,
 * and makes words for all windows in which blocks were allocated. kernel: of the module, which is
 * launched. */
void gpm_shadow_enter(struct gpm_shadow *shadow, struct gpm_shadow_module *module,
                      const void *kernel, uint64_t clock);
/* An address range in which blocks are. Any thread, without the lock. */
void gpm_shadow_want(uint64_t address, uint64_t bytes);
/* Copies the words of `count` pages, or sets them to 0. Pages that have none get 0. False: that
 * failed. */
bool gpm_shadow_read(struct gpm_shadow *shadow, uint64_t page, uint32_t count,
                     struct gpumemprof_page *to);
bool gpm_shadow_clear(struct gpm_shadow *shadow, uint64_t page, uint64_t count);
/* The context ends, and its memory with it. False: there were no words. */
bool gpm_shadow_drop(const void *context);
/* Handles of kernels and modules may mean others from now on. */
void gpm_shadow_forget(void);
void gpm_shadow_forked(void);

#endif /* GPM_SHADOW_H */
