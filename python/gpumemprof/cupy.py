"""CuPy's memory by gpumemprof's allocator."""
from __future__ import annotations

from typing import Any

from . import _allocator
from ._errors import Error

_in_use: Any = None


def use_allocator() -> Any:
    """CuPy takes its memory from gpumemprof's allocator from now on, in all threads, so each array counts for its line, scope
    and label. Arrays that are live keep the memory that they have. Returns the allocator (cupy.cuda.PythonFunctionAllocator);
    `cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)` goes back. Without CuPy, it raises one Error.

    CuPy's own pool rounds sizes up to 512 bytes and keeps what is freed; this allocator takes what is asked for, in the order
    of CuPy's current stream, from the pool of CUDA.
    """
    global _in_use
    try:
        import cupy
    except ImportError as error:
        raise Error(f"use_allocator() is for CuPy, which cannot be imported here ({error}): install it, or leave out the "
                    "call") from None
    if _in_use is None:
        blocks = _allocator.Blocks(lambda: cupy.cuda.get_current_stream().ptr,
                                   lambda size: cupy.cuda.memory.OutOfMemoryError(size, 0))
        _in_use = cupy.cuda.PythonFunctionAllocator(lambda size, device: blocks.allocate(size, device),
                                                    lambda address, device: blocks.free(address))
    cupy.cuda.set_allocator(_in_use.malloc)
    return _in_use
