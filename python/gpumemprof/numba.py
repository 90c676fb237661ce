"""Numba's memory by gpumemprof's allocator: a plugin of its External Memory Management."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _allocator
from ._errors import Error

_in_use: Any = None


def use_allocator() -> Any:
    """Numba takes its device memory from gpumemprof's allocator from now on, so each array counts for its line, scope and
    label. Call it before Numba uses CUDA, as for every memory manager (numba.cuda.set_memory_manager). Returns the class of the
    manager. Without Numba, it raises one Error. Pinned and managed memory, and memory of other processes, are Numba's own, and
    are recorded under `gpumemprof run`.
    """
    global _in_use
    try:
        from numba import cuda
    except ImportError as error:
        raise Error(f"use_allocator() is for Numba, which cannot be imported here ({error}): install it with its CUDA part, or "
                    "leave out the call") from None
    if _in_use is None:
        _in_use = _manager(cuda)
        cuda.set_memory_manager(_in_use)
    return _in_use


def _pointer(address: int) -> Any:
    """An address as Numba's driver takes it: an object of NVIDIA's bindings where Numba uses them, as newer versions always do."""
    from numba.cuda.cudadrv import driver
    if getattr(driver, "USE_NV_BINDING", hasattr(driver, "binding")):
        return driver.binding.CUdeviceptr(address)
    return ctypes.c_uint64(address)


def _manager(cuda: Any) -> Any:
    blocks = _allocator.Blocks(lambda: 0, lambda size: MemoryError(f"gpumemprof's allocator got no {size} bytes"))

    class GpumemprofManager(cuda.GetIpcHandleMixin, cuda.HostOnlyCUDAMemoryManager):
        """HostOnlyCUDAMemoryManager has pinned and managed memory; this one has device memory."""

        interface_version = 1

        def initialize(self) -> None:
            """Nothing: the allocator is ready."""

        def memalloc(self, size: int) -> Any:
            address = blocks.allocate(size, self.context.device.id)
            return cuda.MemoryPointer(self.context, _pointer(address), size, finalizer=lambda: blocks.free(address))

        def get_memory_info(self) -> Any:
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            ctypes.CDLL("libcuda.so.1").cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
            return cuda.MemoryInfo(free=free.value, total=total.value)

    return GpumemprofManager
