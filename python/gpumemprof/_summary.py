"""Rows of figures of the running program, and what begins or ends recording (measure.h, labels.h, marks.h, recording.h)."""
from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator

from . import _structures as c
from ._errors import Error

_BY = {"device": 1, "function": 2, "line": 3, "label": 4}


def _or_nothing(name: str, *arguments: Any, nothing: Any = 0) -> Any:
    """What a call returns, or `nothing` without a runtime."""
    try:
        function = c.call(name)
    except Error:
        return nothing
    return function(*arguments)


def summary(by: str = "line") -> list:
    """The rows of `gpumemprof report` as they would be now, as dictionaries: by line, function, device or label. They are empty
    when nothing is recorded."""
    if by not in _BY:
        raise Error(f"there is no summary by {by!r}: take {', '.join(_BY)}")
    room, rows = 256, None
    while True:
        rows = (c.SummaryRow * room)()
        found = _or_nothing("summary_fill", _BY[by], rows, room, ctypes.sizeof(c.SummaryRow))
        if found <= room:
            return [_as_dictionary(row, by) for row in rows[:found]]
        room = found + 64


def _as_dictionary(row: c.SummaryRow, by: str) -> dict:
    amounts = [name for name, kind in c.SummaryRow._fields_ if kind is c.Amount]
    numbers = [name for name, kind in c.SummaryRow._fields_ if kind is ctypes.c_uint64 and name != "line"]
    made: dict = {"function": c.decoded(row.name), "block": c.decoded(row.block), "file": c.decoded(row.file), "line": row.line,
                  "device": row.device}
    if by in ("device", "label"):
        made = {by: c.decoded(row.name), "ordinal": row.device}
    for name in amounts:
        made[name], made[name + "_blocks"] = getattr(row, name).bytes, getattr(row, name).blocks
    made.update((name, getattr(row, name)) for name in numbers)
    made["own_peak"] = row.own_peak_max
    return made


def reset() -> bool:
    """Figures begin from zero here (measure.h: gpumemprof_reset). False when nothing is recorded."""
    return bool(_or_nothing("reset"))


@contextlib.contextmanager
def label(name: str) -> Iterator[None]:
    """Counts what this thread allocates in the block under the name, too (`gpumemprof report --by label`)."""
    pushed = _or_nothing("label_push", c.text(name))
    try:
        yield
    finally:
        if pushed > 0:
            _or_nothing("label_pop")


def mark(name: str = "") -> int:
    """Names this moment; `live_since` takes what it returns."""
    return _or_nothing("mark", c.text(name))


def step() -> int:
    """A step ends here, such as an iteration of a training (steps.h: gpumemprof_step). Returns how many have ended."""
    return _or_nothing("step")


def live_since(mark: int) -> list:
    """The blocks that were allocated after a mark and are still live, by line: dictionaries, the most bytes first."""
    found: dict = {}

    def visit(block: Any, _: Any) -> None:
        b = block[0]
        row = found.setdefault((b.file, b.line, b.function), {"bytes": 0, "blocks": 0})
        row["bytes"] += b.bytes
        row["blocks"] += 1

    _or_nothing("leaks", mark, 2**64 - 1, ctypes.cast(c.VISIT(visit), ctypes.c_void_p), None, nothing=None)
    rows = [{"file": c.decoded(file), "line": line, "function": c.decoded(function), **row}
            for (file, line, function), row in found.items()]
    return sorted(rows, key=lambda row: -row["bytes"])


def dump(path: str) -> None:
    """Writes a copy of the capture as it is now, which `read` opens."""
    result = _or_nothing("dump", c.text(path), nothing=None)
    if result:
        raise Error(f"{path} was not written: " + ("nothing is recorded" if result == -1 else "see the sentence on standard error"))
    if result is None:
        c.call("dump")


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """What any thread allocates in the block counts for the line (paused), and for no other."""
    begun = _or_nothing("pause", nothing=-1)
    try:
        yield
    finally:
        if begun == 0:
            _or_nothing("resume")
