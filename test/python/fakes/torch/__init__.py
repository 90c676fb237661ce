"""A stand-in for PyTorch: what its pluggable allocator asks of one, in the same order and by the same names. It is no PyTorch."""
import ctypes
import types

_state = types.SimpleNamespace(initialized=False, allocator=None, recorded=[])


class _Functions:
    """torch._C._cuda_CUDAAllocator"""

    def set_record_stream_fn(self, address):
        self.record_stream = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)


class CUDAPluggableAllocator:
    def __init__(self, path, malloc, free):
        library = ctypes.CDLL(path)
        self.malloc, self.free, self.functions = library[malloc], library[free], _Functions()
        self.malloc.restype, self.free.restype = ctypes.c_void_p, None
        self.malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
        self.free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]

    def allocator(self):
        return self.functions


def _change(allocator):
    if _state.initialized:
        raise RuntimeError("Can't swap an already initialized allocator")
    _state.allocator = allocator


memory = types.SimpleNamespace(CUDAPluggableAllocator=CUDAPluggableAllocator, change_current_allocator=_change)
cuda = types.SimpleNamespace(memory=memory, is_initialized=lambda: _state.initialized, device_count=lambda: 1,
                             memory_reserved=lambda device: 512 * _state.initialized)


class empty:  # noqa: N801 - as PyTorch calls it
    """A tensor of so many bytes."""

    def __init__(self, size):
        _state.initialized = True
        self.size, self.address = size, _state.allocator.malloc(size, 0, None)
        assert self.address

    def record_stream(self, stream):
        _state.allocator.functions.record_stream(self.address, stream)

    def __del__(self):
        if self.address:
            _state.allocator.free(self.address, self.size, 0, None)
            self.address = None
