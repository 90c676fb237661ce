"""binding.py - libgpumemprof-read from Python, by read.h alone: lists as Python's lists of dictionaries. For tests that
compare them with what the tool prints."""
import ctypes
import enum

U32, U64, TEXT, HANDLE = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_void_p


class What(enum.IntEnum):
    CAPTURES, DEVICES, COUNTERS, STEPS, MARKS, SAMPLES, NODES, LEAKS, VARIABLES, BUDGETS, OOMS, POOLS, TEMPORARIES, GROWTH, BLOCKS, \
        SUPPRESSED = range(1, 17)


BY = ("line", "function", "file", "path", "kind", "device", "label", "variable", "type", "stream", "size", "thread")
TEXT_UNIT, PERCENTS, FLAG, SIGNED = 0, (4, 9), 7, (2, 8, 9, 10)


class Event(ctypes.Structure):
    _fields_ = [("size", U32), ("what", U32), ("thread", U32), ("node", U32), ("clock", U64), ("time_ns", U64), ("bytes", U64),
                ("address", U64), ("kind", U32), ("device", U32), ("allocated_clock", U64), ("allocated_node", U32),
                ("out_of_memory", U32)]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, HANDLE, ctypes.POINTER(Event))


class Listener(ctypes.Structure):
    _fields_ = [("size", U32), ("reserved", U32), ("data", HANDLE), ("event", CALLBACK)]


class Failure(Exception):
    def __init__(self, status, sentence):
        super().__init__(f"{status}: {sentence}")
        self.status, self.sentence = status, sentence


def load(path):
    library = ctypes.CDLL(path)
    for names, result in (("new list_of rows peak diff merge timeline scope_peak scope_live scope_before events_of", HANDLE),
                          ("sentence note version key meaning text path", TEXT), ("number", U64), ("signed", ctypes.c_int64),
                          ("captures count columns", U32)):
        for name in names.split():
            getattr(library, "gpumemprof_read_" + name).restype = result
    return library


class Reader:
    def __init__(self, library, *paths, **settings):
        self.library, self.handle = library, HANDLE(library.gpumemprof_read_new())
        for key, value in settings.items():
            for one in value if isinstance(value, list) else [value]:
                self.check(self.call("set", self.handle, key.rstrip("_").encode(), str(one).encode()))
        for path in paths:
            self.check(self.call("open", self.handle, str(path).encode()))

    def close(self):
        self.call("free", self.handle)

    def call(self, name, *arguments):
        return getattr(self.library, "gpumemprof_read_" + name)(*arguments)

    def check(self, status):
        if status:
            raise Failure(self.call("status_of", self.handle), self.call("sentence", self.handle).decode())

    def value(self, handle, row, column, unit):
        if unit == TEXT_UNIT:
            return self.call("text", handle, row, column).decode()
        if not self.call("knows", handle, row, column):
            return None
        number = self.call("signed" if unit in SIGNED else "number", handle, row, column)
        return number / 100 if unit in PERCENTS else bool(number) if unit == FLAG else number

    def rows_of(self, handle):
        """All of a list."""
        columns, column = [], 0
        while key := self.call("key", handle, column):
            columns.append((key.decode(), column, self.call("unit_of", handle, column)))
            column += 1
        return [{key: self.value(handle, row, c, unit) for key, c, unit in columns} for row in range(self.call("count", handle))]

    def keys(self, name, *arguments):
        """Those of a list, which needs no rows for them."""
        handle = self.made(name, self.handle, *arguments)
        count = self.call("columns", handle)
        found = [self.call("key", handle, column).decode() for column in range(count)]
        self.call("list_free", handle)
        return found

    def made(self, name, *arguments):
        handle = HANDLE(self.call(name, *arguments))
        if not handle:
            self.check(1)
        return handle

    def take(self, handle):
        rows = self.rows_of(handle)
        self.call("list_free", handle)
        return rows

    def list(self, what, capture=0):
        return self.take(self.made("list_of", self.handle, capture, int(what)))

    def rows(self, by, lifetimes=False, capture=0):
        handle = self.made("rows", self.handle, capture, BY.index(by))
        if lifetimes:
            self.check(self.call("lifetimes", handle))
        return self.take(handle)

    def peak(self, device):
        return self.take(self.made("peak", self.handle, 0, device))

    def diff(self, by):
        return self.take(self.made("diff", self.handle, 0, 1, BY.index(by)))

    def merge(self, by):
        return self.take(self.made("merge", self.handle, BY.index(by)))

    def timeline(self, axis, parts):
        return self.take(self.made("timeline", self.handle, 0, axis, parts))

    def scope(self, name, last):
        peak = self.made("scope_peak", self.handle, 0, name.encode(), last)
        live, before = self.made("scope_live", peak), self.made("scope_before", peak)
        return self.take(peak), self.take(live), self.take(before)

    def path(self, node):
        return self.call("path", self.handle, 0, node).decode()

    def events(self):
        """Iterates over the events, each a copy."""
        handle, event = self.made("events_of", self.handle, 0), ctypes.POINTER(Event)()
        try:
            while not (status := self.call("next", handle, ctypes.byref(event))):
                yield Event.from_buffer_copy(event[0])
            self.check(min(status, 0))
        finally:
            self.call("events_free", handle)

    def walk(self, *callbacks):
        """Each function gets (data, event) of each event."""
        listeners = (Listener * len(callbacks))(*[Listener(ctypes.sizeof(Listener), 0, None, CALLBACK(one)) for one in callbacks])
        self.check(self.call("walk", self.handle, 0, listeners, len(callbacks)))
