/* worked_example.h - what docs/ACCOUNTING.md's worked example needs around its 15 lines, so that these
 * keep the line numbers of that page. Compile with -include worked_example.h. */
#include <cuda_runtime.h>
#include <stddef.h>

#define MiB *((size_t)1 << 20)

static float *kept;
static void keep(float *p) { kept = p; }
