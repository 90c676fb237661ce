"""`read`: captures, by libgpumemprof-read (read.h). Each list of the library is a list of dictionaries."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Union

from . import _errors, _frames, _reader
from ._errors import Error

Rows = Union["RowList", Any]


class RowList(List[Dict[str, Any]]):
    """A list of dictionaries with the units and meanings of its columns."""

    def __init__(self, rows: List[Dict[str, Any]], units: Dict[str, str], meanings: Dict[str, str]):
        super().__init__(rows)
        self.units, self.meanings = units, meanings

    def to_pandas(self) -> Any:
        """The rows as a DataFrame, exactly: whole numbers are Int64, texts string, flags boolean, shares Float64; a figure that does
        not apply is a missing value. `.attrs["units"]` has the units."""
        return _frames.frame({key: [row[key] for row in self] for key in self.units}, self.units)

    def to_numpy(self, key: str) -> Any:
        """A column of figures as an array, with 0 where a figure does not apply."""
        try:
            import numpy
        except ImportError:
            raise Error("to_numpy() needs NumPy, which is not installed here: install it (pip install numpy), or use the rows as "
                        "they are, a list of dictionaries") from None
        return numpy.array([row[key] or 0 for row in self])


class Capture:
    """An open capture, or several: those of a folder, or of all paths that were given. `number` says which of them is meant.

        with gpumemprof.read("run.gmprof") as capture:
            for row in capture.rows(by="line")[:10]: print(row["at_peak"], row["location"])

    Figures are bytes, nanoseconds, counts or percent, as `.units` of a list says, and None where a figure does not apply.
    Settings choose what is read, as the options of `gpumemprof report` do: device, kind, filter, from_ and to (a moment), names,
    suppressions. With libraries="no", addresses in code that was not rebuilt are not looked up; with folder="/home/me/project",
    files are named as seen from there.
    """

    def __init__(self, *paths: Union[str, "os.PathLike[str]"], **settings: Any):
        if not paths:
            raise Error("no capture was given", _errors.ARGUMENT)
        self.paths = [os.fspath(path) for path in paths]
        self._settings = {key.rstrip("_"): value for key, value in settings.items()}
        self._reader = _reader.Reader()
        try:
            for key, value in self._settings.items():
                for one in value if isinstance(value, (list, tuple)) else [value]:
                    self._reader.status("set", key.encode(), None if one is None else os.fsencode(str(one)))
            for path in self.paths:
                self._reader.status("open", os.fsencode(path))
        except Error:
            self.close()
            raise

    def close(self) -> None:
        """Frees what the library holds. Rows that were taken stay."""
        self._reader.close()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __len__(self) -> int:
        """How many captures are open."""
        return self._reader.call("captures")

    def __repr__(self) -> str:
        return f"gpumemprof.read({', '.join(repr(path) for path in self.paths)})"

    # ---- rows ----

    def rows(self, by: str = "line", *, sort: Optional[str] = "at_peak", lifetimes: bool = False, frame: bool = False,
             number: int = 0) -> Rows:
        """The rows of `gpumemprof report --by`, with all of its columns, the largest `sort` first."""
        return self._take("rows", number, self._by(by), sort=sort, frame=frame, lifetimes=lifetimes)

    def merge(self, by: str = "line", *, sort: Optional[str] = None, frame: bool = False) -> Rows:
        """The rows of all captures as one list: KEY.sum, KEY.min and KEY.max of each figure."""
        return self._take("merge", self._by(by), sort=sort, frame=frame)

    def diff(self, before: int = 0, after: int = 1, by: str = "line", *, sort: Optional[str] = None, frame: bool = False) -> Rows:
        """What changed from one open capture to another: a.KEY, b.KEY and difference.KEY of each figure."""
        if len(self) < 2:
            raise Error('diff() compares two captures, and one is open: open both, read("before.gmprof", "after.gmprof").diff()',
                        _errors.ARGUMENT)
        return self._take("diff", before, after, self._by(by), sort=sort, frame=frame)

    def peak(self, device: Optional[int] = None, *, frame: bool = False, number: int = 0) -> Rows:
        """What was live when a device was at its peak: by line, the largest first. The device is given by its row in devices();
        without one it is the GPU with the highest peak."""
        if device is None:
            peaks = [(row["ordinal"] >= 0, row["peak"] or 0, -at) for at, row in enumerate(self.list("devices", number=number))]
            device = -max(peaks)[2] if peaks else 0
        return self._take("peak", number, device, frame=frame)

    def timeline(self, parts: int = 100, *, axis: str = "time", frame: bool = False, number: int = 0) -> Rows:
        """What each device held over the run, in parts of equal length, by "time" or by "clock"."""
        if axis not in ("time", "clock"):
            raise Error(f"there is no axis {axis!r}: take time or clock", _errors.ARGUMENT)
        return self._take("timeline", number, int(axis == "clock"), parts, frame=frame)

    def scope_peak(self, scope: str, *, last: int = 10, number: int = 0) -> Dict[str, RowList]:
        """When a function or block needed most: {"peak": one row, "live": what was live then, "before": the allocations right
        before it}. Needs history=all."""
        handle = self._reader.list("scope_peak", number, scope.encode(), last)
        live, before = self._reader.of_list("scope_live", handle), self._reader.of_list("scope_before", handle)
        return {"peak": self._rows(handle), "live": self._rows(live), "before": self._rows(before)}

    def path(self, node: int, *, number: int = 0) -> str:
        """The call path of a node: a value of a column `node`."""
        return self._reader.text("path", number, node)

    def list(self, what: str, *, sort: Optional[str] = None, frame: bool = False, number: int = 0) -> Rows:
        """A list of what a capture contains: one of LISTS."""
        if what not in _reader.LISTS:
            raise Error(f"there is no list of {what!r}: take {', '.join(_reader.LISTS)}", _errors.ARGUMENT)
        return self._take("list_of", number, _reader.LISTS.index(what) + 1, sort=sort, frame=frame)

    def devices(self, **more: Any) -> Rows:
        """The devices: peak, what is live, memory."""
        return self.list("devices", **more)

    def leaks(self, **more: Any) -> Rows:
        """Call paths with blocks that were never freed."""
        return self.list("leaks", **more)

    def info(self, *, number: int = 0) -> Dict[str, Any]:
        """The capture itself: program, host, state."""
        return self.list("captures", number=0)[number]

    # ---- events ----

    def events(self, *, frame: bool = False, number: int = 0) -> Any:
        """The events, one by one, in the order of the allocation clock; or all of them as a DataFrame. Needs history=all or ring."""
        if not frame:
            return self._reader.events(number)
        columns: Dict[str, List[Any]] = {key: [] for key in _reader.EVENT_UNITS}
        for event in self._reader.events(number):
            for key, values in columns.items():
                values.append(event[key])
        return _frames.frame(columns, _reader.EVENT_UNITS)

    # ---- the rest ----

    @property
    def notes(self) -> List[str]:
        """Sentences about what is worth knowing although nothing failed."""
        return self._reader.notes()

    def refresh(self, *, number: int = 0) -> None:
        """Reads the capture of a running program once more."""
        self._reader.status("refresh", number)

    def html(self, *, number: int = 0) -> str:
        """The page of `gpumemprof html`, as a text."""
        from . import _page
        return _page.html(self.paths[number] if number < len(self.paths) else self.paths[0], self._settings)

    def _repr_html_(self) -> str:
        from . import _page
        return _page.in_frame(self.html())

    def _by(self, by: str) -> int:
        if by not in _reader.BY:
            raise Error(f"there are no rows by {by!r}: take {', '.join(_reader.BY)}", _errors.ARGUMENT)
        return _reader.BY.index(by)

    def _take(self, name: str, *arguments: Any, sort: Optional[str] = None, frame: bool = False, lifetimes: bool = False) -> Rows:
        handle = self._reader.list(name, *arguments)
        try:
            if lifetimes:
                self._reader.status_of("lifetimes", handle)
            if sort:
                self._reader.sort(handle, sort)
        except Error:
            self._reader.free(handle)
            raise
        rows = self._rows(handle)
        return rows.to_pandas() if frame else rows

    def _rows(self, handle: ctypes.c_void_p) -> RowList:
        return RowList(*self._reader.take(handle))


def _method(what: str) -> Any:
    def listed(self: Capture, **more: Any) -> Rows:
        return self.list(what, **more)
    listed.__name__, listed.__doc__ = what, f"The list `{what}` of the capture: its `.meanings` explain the columns."
    return listed


for _what in _reader.LISTS:
    if not hasattr(Capture, _what) and _what != "captures":
        setattr(Capture, _what, _method(_what))


def read(*paths: Union[str, "os.PathLike[str]"], **settings: Any) -> Capture:
    """Opens a capture, all captures of a folder, or several: see Capture. Raises Error if one cannot be read."""
    return Capture(*paths, **settings)
