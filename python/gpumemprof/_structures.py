"""The structures and functions of measure.h, labels.h, marks.h, recording.h, interpreter.h and torch.h, for ctypes."""
from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int, c_int32, c_int64, c_size_t, c_ssize_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, List, Tuple

from . import _libraries

KINDS = ("device", "pool", "managed", "pinned", "array", "vmm", "graph", "static", "imported", "custom")
ROOM_FOR_KINDS = 16
CURRENT_DEVICE = -1001
NO_DEVICE = -1000


class Amount(ctypes.Structure):
    _fields_ = [("bytes", c_uint64), ("blocks", c_uint64)]


class Snapshot(ctypes.Structure):
    _fields_ = [("device", c_int32), ("reserved", c_uint32), *[(name, c_uint64) for name in (
        "time_ns clock acquired requested blocks peak pinned managed pool_used pool_reserved device_free device_total "
        "resident").split()], ("scope", c_char_p), ("scope_file", c_char_p), ("scope_line", c_uint64), ("label", c_char_p),
        ("live", Amount * ROOM_FOR_KINDS)]


class Result(ctypes.Structure):
    _fields_ = [("left", c_uint32), ("reserved", c_uint32), ("wall_ns", c_uint64), ("allocated", c_uint64),
                ("freed", c_uint64), ("net", c_int64), ("own_peak", c_uint64), ("device_peak", c_uint64),
                ("device_peak_above_entry", c_uint64), ("created", Amount * ROOM_FOR_KINDS),
                ("ended", Amount * ROOM_FOR_KINDS), ("before", Snapshot), ("peak", Snapshot), ("after", Snapshot)]


class SummaryRow(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("block", c_char_p), ("file", c_char_p), ("line", c_uint64), ("device", c_int32),
                ("reserved", c_uint32), *[(name, Amount) for name in (
                    "allocated freed live freed_here inclusive_allocated inclusive_live inclusive_freed_here").split()],
                *[(name, c_uint64) for name in (
                    "requested at_peak inclusive_at_peak live_peak temporary_blocks calls own_peak_max own_peak_sum "
                    "own_peak_count device_peak wall_ns failed_calls failed_bytes oom_calls").split()]]


class Block(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("kind", c_uint32), ("device", c_int32), ("line", c_uint32), ("address", c_uint64),
                ("bytes", c_uint64), ("block", c_uint64), ("file", c_char_p), ("function", c_char_p)]


class Remaining(ctypes.Structure):
    _fields_ = [("blocks", c_uint64), ("bytes", c_uint64)]


class Interpreted(ctypes.Structure):
    _fields_ = [("function", c_void_p), ("line", c_void_p), ("frame", c_void_p), ("number", c_uint64)]


BEFORE = ctypes.CFUNCTYPE(None)
VISIT = ctypes.CFUNCTYPE(None, ctypes.POINTER(Block), c_void_p)

_CALLS: Dict[str, Tuple[Any, List[Any]]] = {
    "snapshot_take": (c_int, [c_void_p, c_size_t, c_int, c_uint]),
    "scope_open": (c_uint64, [c_char_p, c_char_p, c_char_p, c_uint32, c_int, c_uint]),
    "scope_close": (c_int, [c_uint64, c_void_p, c_size_t]),
    "summary_fill": (c_size_t, [c_int, c_void_p, c_size_t, c_size_t]),
    "reset": (c_int, []),
    "label_push": (c_int, [c_char_p]),
    "label_pop": (c_int, []),
    "mark": (c_uint64, [c_char_p]),
    "leaks": (Remaining, [c_uint64, c_uint64, c_void_p, c_void_p]),
    "step": (c_uint64, []),
    "pause": (c_int, []),
    "resume": (c_int, []),
    "dump": (c_int, [c_char_p]),
    "interpreter": (c_int, [c_void_p, c_void_p, c_void_p]),
    "interpreted_function": (c_void_p, [c_char_p, c_char_p, c_uint32]),
    "interpreted_line": (c_void_p, [c_char_p, c_char_p, c_uint32]),
    "interpreted_stack": (c_uint32, [c_void_p, c_uint32, c_uint32]),
}
_ALLOCATOR: Dict[str, Tuple[Any, List[Any]]] = {
    "gpumemprof_torch_malloc": (c_void_p, [c_ssize_t, c_int, c_void_p]),
    "gpumemprof_torch_free": (None, [c_void_p, c_ssize_t, c_int, c_void_p]),
    "gpumemprof_torch_record_stream": (None, [c_void_p, c_void_p]),
}
_functions: dict = {}


def call(name: str):
    """A function of the runtime: `call("reset")()`. It is found once."""
    if name not in _functions:
        library = _libraries.runtime()
        result, arguments = _ALLOCATOR.get(name) or _CALLS[name]
        symbol = name if name in _ALLOCATOR else "__gpumemprof_" + name
        # A function object of our own: those that are attributes of a library are shared with everybody.
        prototype = ctypes.CFUNCTYPE(result, *arguments)
        _functions[name] = prototype((symbol, library))
    return _functions[name]


def text(value) -> bytes:
    """A text as the library takes it."""
    return str(value).encode("utf-8", "surrogateescape").replace(b"\0", b"?")


def decoded(value) -> str:
    return value.decode("utf-8", "replace") if value else ""
