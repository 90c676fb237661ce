/* uses.h - which operations used which memory, with uses=on: see uses.c.
 *
 * cuda_uses.def names the functions gpm_uses_* that follow, which are called before the operation,
 * by the thread that asks for it. site: of the call, or null where that is in code that has no
 * sites; then it is the line of the program that called such code.
 */
#ifndef GPM_USES_H
#define GPM_USES_H

#include "gpumemprof/cuda_types.h"
#include "gpumemprof/hooks.h"

#include <stdint.h>

void gpm_uses_start(void); /* with a capture */
void gpm_uses_forked(void);
void gpm_uses_forget(const void *begin, const void *end); /* an object is unmapped */

/* `<<<>>>` at this site: the launch follows. */
void gpm_uses_launch_begins(const struct gpumemprof_site *site);
/* arguments: the addresses of the kernel's parameters. */
void gpm_uses_launch(const struct gpumemprof_site *site, const void *function, void **arguments,
                     gpm_stream stream);
/* An operation that may use any memory: what it uses is not in its arguments. */
void gpm_uses_any(const struct gpumemprof_site *site, gpm_stream stream);
void gpm_uses_copy(const struct gpumemprof_site *site, void *to, const void *from, uint64_t bytes,
                   gpm_stream stream);
void gpm_uses_copy_rows(const struct gpumemprof_site *site, void *to, uint64_t to_pitch,
                        const void *from, uint64_t from_pitch, uint64_t width, uint64_t height,
                        gpm_stream stream);
void gpm_uses_fill(const struct gpumemprof_site *site, void *to, uint64_t bytes, gpm_stream stream);
void gpm_uses_fill_rows(const struct gpumemprof_site *site, void *to, uint64_t pitch,
                        uint64_t width, uint64_t height, gpm_stream stream);
void gpm_uses_prefetch(const struct gpumemprof_site *site, const void *at, uint64_t bytes,
                       gpm_stream stream);

#endif /* GPM_USES_H */
