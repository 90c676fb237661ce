/* torch.h - functions for PyTorch's allocator. control.h includes it. */
#ifndef GPUMEMPROF_TORCH_H
#define GPUMEMPROF_TORCH_H

#include "gpumemprof/calls.h"

#include <stddef.h>

/* ---- PyTorch -----------------------------------------------------------------------------------
 *
 * The functions that torch.cuda.memory.CUDAPluggableAllocator takes, by name from libgpumemprof.so:
 *
 *   allocator = torch.cuda.memory.CUDAPluggableAllocator("libgpumemprof.so",
 *                                     "gpumemprof_torch_malloc", "gpumemprof_torch_free")
 *   torch.cuda.memory.change_current_allocator(allocator)
 *
 * The memory comes from the device's pool in the order of the stream (cuMemAllocAsync, or
 * cuMemAlloc if a device has no pools), whether or not it is recorded. It is charged to the
 * innermost scope that the thread opened by measure.h, or else to "via torch". The sizes are those
 * that torch asks for, which it does not round here. The pool keeps what is freed.
 * gpumemprof_torch_record_stream is what tensor.record_stream needs, so that a free waits for other
 * streams: pass its address to set_record_stream_fn of the allocator. Memory of a CUDA graph
 * becomes nodes of the graph. examples/torch_scopes.py is a complete example.
 *
 * gpumemprof_torch_malloc takes the size in bytes, the CUDA ordinal of the device, whose primary
 * context is used, and a stream of that context. For a size of 0 it returns null. If it fails while
 * torch is in the process, it raises torch's own error (a RuntimeError in Python); otherwise it
 * returns null. Unless the device is out of memory, it also prints a sentence on standard error.
 * The caller owns the block, and frees it by gpumemprof_torch_free with the same device and stream;
 * freeing null does nothing. Any thread may call these functions, and they keep errno. Beyond the
 * driver's call, a recorded call costs a few hundred nanoseconds.
 */
GPUMEMPROF_SYMBOL_(void *, gpumemprof_torch_malloc, (ptrdiff_t size, int device, void *stream))
GPUMEMPROF_SYMBOL_(void, gpumemprof_torch_free,
                   (void *pointer, ptrdiff_t size, int device, void *stream))
GPUMEMPROF_SYMBOL_(void, gpumemprof_torch_record_stream, (void *pointer, void *stream))

#endif /* GPUMEMPROF_TORCH_H */
