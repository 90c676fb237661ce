"""The functions of libgpumemprof-read, with their results as Python's own values."""
from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int, c_int64, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Iterator, List, Tuple

from . import _libraries
from ._errors import ARGUMENT, MEMORY, Error

BY = ("line", "function", "file", "path", "kind", "device", "label", "variable", "type", "stream", "size", "thread")
LISTS = ("captures", "devices", "counters", "steps", "marks", "samples", "nodes", "leaks", "variables", "budgets", "ooms",
         "pools", "temporaries", "growth", "blocks", "suppressed")
UNITS = ("text", "bytes", "signed bytes", "count", "percent", "ns", "number", "flag", "signed", "signed percent", "signed ns")
WHOLE = ("bytes", "signed bytes", "count", "ns", "number", "signed", "signed ns")
EVENTS = ("allocated", "freed", "free taken back", "scope ended", "failed")
EVENT_UNITS = {"what": "text", "thread": "number", "node": "number", "clock": "number", "time_ns": "ns", "bytes": "bytes", "address": "number",
               "kind": "text", "device": "number", "allocated_clock": "number", "allocated_node": "number", "out_of_memory": "flag"}
NONE = 2**32 - 1

_RESULTS = {
    "new": c_void_p, "free": None, "status_of": c_int, "sentence": c_char_p, "note": c_char_p, "set": c_int, "open": c_int,
    "captures": c_uint32, "refresh": c_int, "list_of": c_void_p, "rows": c_void_p, "lifetimes": c_int, "peak": c_void_p,
    "timeline": c_void_p, "scope_peak": c_void_p, "scope_live": c_void_p, "scope_before": c_void_p, "diff": c_void_p,
    "merge": c_void_p, "list_free": None, "count": c_uint32, "columns": c_uint32, "column": c_int, "key": c_char_p,
    "meaning": c_char_p, "unit_of": c_int, "number": c_uint64, "signed": c_int64, "knows": c_int, "text": c_char_p,
    "sort": c_int, "path": c_char_p, "events_of": c_void_p, "next": c_int, "events_free": None, "version": c_char_p,
}


class Event(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("what", c_uint32), ("thread", c_uint32), ("node", c_uint32), ("clock", c_uint64),
                ("time_ns", c_uint64), ("bytes", c_uint64), ("address", c_uint64), ("kind", c_uint32), ("device", c_uint32),
                ("allocated_clock", c_uint64), ("allocated_node", c_uint32), ("out_of_memory", c_uint32)]


_functions: Dict[str, Any] = {}


def _function(name: str) -> Any:
    if name not in _functions:
        function = getattr(_libraries.reader(), "gpumemprof_read_" + name)
        function.restype = _RESULTS[name]
        _functions[name] = function
    return _functions[name]


def _argument(value: Any) -> Any:
    return c_uint32(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Reader:
    def __init__(self) -> None:
        self._handle = None
        self._handle = c_void_p(_function("new")())
        if not self._handle:
            raise Error("there is no memory for a reader", MEMORY)

    def close(self) -> None:
        if self._handle:
            _function("free")(self._handle)
        self._handle = None

    __del__ = close

    def call(self, name: str, *arguments: Any) -> Any:
        if not self._handle:
            raise Error("the capture was closed: read it again", ARGUMENT)
        for value in arguments:
            if isinstance(value, int) and not 0 <= value < 2**32:
                raise Error(f"{value} is not the number of anything in a capture", ARGUMENT)
        return _function(name)(self._handle, *map(_argument, arguments))

    def _fail(self) -> None:
        raise Error(self.call("sentence").decode("utf-8", "replace"), self.call("status_of"))

    def status(self, name: str, *arguments: Any) -> None:
        """A call that returns a status."""
        if self.call(name, *arguments) < 0:
            self._fail()

    def text(self, name: str, *arguments: Any) -> str:
        text = self.call(name, *arguments)
        if text is None:
            self._fail()
        return text.decode("utf-8", "replace")

    def notes(self) -> List[str]:
        found: List[str] = []
        while (note := self.call("note", len(found))) is not None:
            found.append(note.decode("utf-8", "replace"))
        return found

    # ---- lists ----

    def list(self, name: str, *arguments: Any) -> c_void_p:
        handle = self.call(name, *arguments)
        if not handle:
            self._fail()
        return c_void_p(handle)

    def of_list(self, name: str, of: c_void_p) -> c_void_p:
        handle = _function(name)(of)
        if not handle:
            self._fail()
        return c_void_p(handle)

    def status_of(self, name: str, handle: c_void_p) -> None:
        """A call with a list that returns a status."""
        if _function(name)(handle) < 0:
            self._fail()

    def sort(self, handle: c_void_p, key: str) -> None:
        column = _function("column")(handle, key.encode())
        if column < 0 and key == "at_peak":
            return  # the usual order, where the list has it
        if column < 0:
            raise Error(f"there is no column {key!r}: take {', '.join(k for k, *_ in self.columns(handle))}", ARGUMENT)
        _function("sort")(handle, column)

    def free(self, handle: c_void_p) -> None:
        _function("list_free")(handle)

    def columns(self, handle: c_void_p) -> List[Tuple[str, int, str, str]]:
        """Key, number, unit, meaning."""
        found = []
        for column in range(_function("columns")(handle)):
            unit = _function("unit_of")(handle, column)
            found.append((_function("key")(handle, column).decode(), column, UNITS[unit] if unit < len(UNITS) else "number",
                          _function("meaning")(handle, column).decode()))
        return found

    def take(self, handle: c_void_p) -> Tuple[List[Dict[str, Any]], Dict[str, str], Dict[str, str]]:
        """The rows of a list, which is freed; the units and the meanings of its columns."""
        try:
            columns = self.columns(handle)
            rows = [{key: _value(handle, row, column, unit) for key, column, unit, _ in columns}
                    for row in range(_function("count")(handle))]
            return rows, {key: unit for key, _, unit, _ in columns}, {key: meaning for key, _, _, meaning in columns}
        finally:
            self.free(handle)

    # ---- events ----

    def events(self, capture: int) -> Iterator[Dict[str, Any]]:
        handle, event = self.list("events_of", capture), ctypes.POINTER(Event)()
        try:
            while self._handle:
                status = _function("next")(handle, ctypes.byref(event))
                if status < 0:
                    self._fail()
                if status:
                    return
                yield _as_dictionary(event[0])
            raise Error("the capture was closed before its last event", ARGUMENT)
        finally:
            if self._handle:
                _function("events_free")(handle)


def _value(handle: c_void_p, row: int, column: int, unit: str) -> Any:
    if unit == "text":
        text = _function("text")(handle, row, column)
        if text is None:
            raise Error("out of memory", MEMORY)
        return text.decode("utf-8", "replace")
    if not _function("knows")(handle, row, column):
        return None
    number = _function("signed" if unit.startswith("signed") else "number")(handle, row, column)
    return number / 100 if unit.endswith("percent") else bool(number) if unit == "flag" else number


def _as_dictionary(event: Event) -> Dict[str, Any]:
    from ._structures import KINDS
    made: Dict[str, Any] = {name: getattr(event, name) for name, _ in Event._fields_ if name != "size"}
    made["what"] = EVENTS[event.what] if event.what < len(EVENTS) else str(event.what)
    made["kind"] = KINDS[event.kind] if event.kind < len(KINDS) else None
    for name in ("device", "allocated_node"):
        if made[name] == NONE:
            made[name] = None
    made["out_of_memory"] = bool(event.out_of_memory)
    return made
