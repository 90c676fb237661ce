"""PyTorch's memory by gpumemprof's allocator."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _libraries
from . import _structures as c
from ._errors import Error

_in_use: Any = None


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise Error(f"use_allocator() is for PyTorch, which cannot be imported here ({error}): install it, or leave out the "
                    "call") from None
    if not hasattr(getattr(getattr(torch, "cuda", None), "memory", None), "CUDAPluggableAllocator"):
        raise Error(f"PyTorch {getattr(torch, '__version__', '')} has no pluggable allocator: take version 2.0 or later, built "
                    "for CUDA")
    return torch


def use_allocator() -> Any:
    """PyTorch takes its memory from gpumemprof's allocator from now on, so each tensor counts for its line, scope and label
    (torch.h). Call it before anything uses CUDA: PyTorch refuses to change its allocator later. Returns the allocator; a
    second call does nothing. Without torch, or too late, it raises one Error.

    Bytes are those that PyTorch asks for, which it rounds up by itself in its own allocator.
    """
    global _in_use
    if _in_use is not None:
        return _in_use
    torch = _torch()
    if torch.cuda.is_initialized() and _has_memory(torch):
        raise Error("use_allocator() comes too late: PyTorch has taken memory of a GPU already. Call it before the first tensor "
                    "on a GPU")
    record_stream = c.call("gpumemprof_torch_record_stream")
    allocator = torch.cuda.memory.CUDAPluggableAllocator(_libraries.path_of_runtime(), "gpumemprof_torch_malloc",
                                                         "gpumemprof_torch_free")
    set_record_stream = getattr(allocator.allocator(), "set_record_stream_fn", None)
    if set_record_stream:
        set_record_stream(ctypes.cast(record_stream, ctypes.c_void_p).value)
    try:
        torch.cuda.memory.change_current_allocator(allocator)
    except RuntimeError as error:
        raise Error(f"use_allocator() comes too late, or another allocator is in use. PyTorch says: {error}") from None
    _in_use = allocator
    return allocator


def _has_memory(torch: Any) -> bool:
    try:
        return any(torch.cuda.memory_reserved(device) for device in range(torch.cuda.device_count()))
    except RuntimeError:  # an allocator that keeps no statistics: change_current_allocator says what is wrong
        return False
