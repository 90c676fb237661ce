"""device.py - memory of the simulated CUDA runtime by ctypes, with a log of its own that knows nothing of gpumemprof: what is
live, and for each measured stretch what was allocated, freed and needed."""
import contextlib
import ctypes
import threading

MIB = 1 << 20
_cuda = ctypes.CDLL("libcudart.so.13")
log = threading.local()


def _entries():
    if not hasattr(log, "entries"):
        log.entries = []  # +bytes and -bytes of this thread
    return log.entries


class Memory:
    """A block; its last reference frees it."""
    observer = None  # is called with (bytes, added) after each event

    def __init__(self, size):
        address = ctypes.c_void_p()
        status = _cuda.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(size))
        if status:
            self.size = 0
            raise MemoryError(status)
        self.address, self.size = address, size
        _entries().append(size)
        if Memory.observer:
            Memory.observer(size, True)

    def free(self):
        size, self.size = self.size, 0
        if size:
            assert _cuda.cudaFree(self.address) == 0
            _entries().append(-size)
            if Memory.observer:
                Memory.observer(size, False)

    __del__ = free


class Expected:
    """What the log says of a stretch."""

    def __init__(self):
        self.parts, self.peak, self.net, self.allocated, self.freed = 0, 0, 0, 0, 0

    @contextlib.contextmanager
    def part(self):
        entries = _entries()
        begin = len(entries)
        try:
            yield self
        finally:
            self.parts += 1
            for change in entries[begin:]:
                self.net += change
                self.peak = max(self.peak, self.net)
                if change > 0:
                    self.allocated += change
                else:
                    self.freed -= change

    def check(self, m):
        """Compares with a Measurement."""
        found = m.peak, m.allocated, m.freed, m.net
        assert found == (self.peak, self.allocated, self.freed, self.net), (m, vars(self))
        assert m.duration >= 0, m
        if self.allocated:
            assert m.recorded and not m.note and m.device in (0, None), m  # None: it began while another thread used the first device
