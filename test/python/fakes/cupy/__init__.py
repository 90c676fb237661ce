"""A stand-in for CuPy: its PythonFunctionAllocator and its current stream, as they call an allocator. It is no CuPy."""
import types


class _Memory:
    def __init__(self, allocator, size, device):
        self.allocator, self.size, self.device = allocator, size, device
        self.ptr = allocator.malloc_func(size, device) if size else 0

    def __del__(self):
        if getattr(self, "ptr", 0):
            self.allocator.free_func(self.ptr, self.device)
            self.ptr = 0


class PythonFunctionAllocator:
    def __init__(self, malloc_func, free_func):
        self.malloc_func, self.free_func = malloc_func, free_func

    def malloc(self, size):
        return _Memory(self, size, 0)


class OutOfMemoryError(MemoryError):
    def __init__(self, size, total, limit=0):
        super().__init__(f"Out of memory allocating {size} bytes")


_current = types.SimpleNamespace(allocator=None)
cuda = types.SimpleNamespace(PythonFunctionAllocator=PythonFunctionAllocator, get_current_stream=lambda: types.SimpleNamespace(ptr=0),
                             set_allocator=lambda allocator: setattr(_current, "allocator", allocator),
                             memory=types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError))


def empty(size):
    return _current.allocator(size)
