"""`lines`: memory by line of Python code.

The runtime calls `_tell` (through _before.py) right before each allocation and free of code that was not rebuilt. It walks the Python frames from
the innermost outwards, up to the first that it knows from the event before, and tells the runtime which functions have ended
and which have begun (interpreter.h). Calls in which no memory moves cost nothing.

How it knows an activation from the next call of the same function: _marks.py. No frame and no local variable is kept alive.
"""
from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any, Callable, Optional

from . import _marks
from . import _structures as c
from ._before import Before
from ._errors import Error

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_RESUMED = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR: may be suspended between two events
Filter = Optional[Callable[[str], bool]]


class _Code:
    """A code object: its function, and its lines by the offset of an instruction."""
    __slots__ = ("code", "name", "file", "function", "shown", "lines", "by_number")

    def __init__(self, code: CodeType, accepts: Filter):
        self.code = code  # kept, so that its id stays its own
        self.name = c.text(getattr(code, "co_qualname", code.co_name))
        self.file = c.text(code.co_filename)
        self.shown = not code.co_filename.startswith((_HERE, "<frozen ")) and (accepts is None or bool(accepts(code.co_filename)))
        self.function = c.call("interpreted_function")(self.name, self.file, code.co_firstlineno) if self.shown else None
        self.lines: dict = {}      # f_lasti -> location
        self.by_number: dict = {}  # line -> location, so that offsets of one line share it

    def line(self, frame: FrameType, offset: int) -> Optional[int]:
        number = frame.f_lineno or self.code.co_firstlineno
        if number not in self.by_number:
            self.by_number[number] = c.call("interpreted_line")(self.name, self.file, number)
        self.lines[offset] = self.by_number[number]
        return self.lines[offset]


class _Stack(threading.local):
    """What the runtime knows of this thread."""

    def __init__(self) -> None:
        self.room = 64
        self.functions = (c.Interpreted * self.room)()
        self.tokens: list = []  # of the functions, the outermost first
        self.generation = -1
        self.scopes: list = []  # measured blocks that are open, each with `depth`: how many functions were below it

    def make_room(self, count: int) -> None:
        while self.room < count:
            self.room *= 2
        bigger = (c.Interpreted * self.room)()
        ctypes.memmove(bigger, self.functions, ctypes.sizeof(self.functions))
        self.functions = bigger


_stack = _Stack()
_codes: dict = {}
_accepts: Filter = None
_active: list = []  # of lines that are in force
_generation = 0     # changes with the filter


def _path(frame: Optional[FrameType], stack: _Stack) -> list:
    """The active functions of this thread, the innermost first, up to one that the runtime knows and that has run ever since:
    (frame, code, line, its depth in the stack or -1)."""
    codes, tokens, path = _codes, stack.tokens, []
    while frame is not None:
        known = codes.get(id(frame.f_code))
        if known is None:
            known = codes[id(frame.f_code)] = _Code(frame.f_code, _accepts)
        if known.shown:
            offset = frame.f_lasti
            line = known.lines.get(offset) or known.line(frame, offset)
            depth = _marks.depth_of(frame, tokens)
            path.append((frame, known, line, depth))
            if depth >= 0 and not known.code.co_flags & _RESUMED:
                break
        frame = frame.f_back
    return path


def _tell(frame: Optional[FrameType]) -> None:
    """Tells the runtime which Python functions are active on this thread, of which `frame` is the innermost."""
    stack = _stack
    if stack.generation != _generation:
        stack.generation = _generation
        stack.tokens.clear()
    path, functions = _path(frame, stack), stack.functions
    kept = 0
    if path and path[-1][3] > 0:
        kept = path[-1][3]  # what is around a function that has run ever since has not changed
    unchanged = True
    while path and unchanged and path[-1][3] == kept:
        line = path.pop()[2]
        unchanged = functions[kept].line == line  # else it has come to another call, and what it calls is new
        functions[kept].line = line
        kept += 1
    if stack.scopes and stack.scopes[-1].depth > kept:
        _end_functions(stack, kept)
    count = kept + len(path)
    if count > stack.room:
        stack.make_room(count)
        functions = stack.functions
    tokens = stack.tokens
    del tokens[kept:]
    for depth in range(kept, count):
        begun, known, line, _ = path.pop()
        functions[depth].function, functions[depth].line = known.function, line
        tokens.append(_marks.mark(begun, depth))
    c.call("interpreted_stack")(functions, kept, count)


def _end_functions(stack: _Stack, kept: int) -> None:
    """Ends the functions above the first `kept`. Measured blocks in them that go on, as those that a context manager's own
    function opened, are measured in two parts, which is as exact, because no memory moves in between."""
    moved = []
    while stack.scopes and stack.scopes[-1].depth > kept:
        moved.append(stack.scopes.pop())
        moved[-1].suspend()
    del stack.tokens[kept:]
    c.call("interpreted_stack")(stack.functions, kept, kept)
    for scope in reversed(moved):
        scope.resume()
        scope.depth = kept
        stack.scopes.append(scope)


def _forget() -> None:
    _stack.tokens.clear()


_complained = False


def _complain(error: Exception) -> None:
    global _complained
    if not _complained:
        _complained = True
        print(f"gpumemprof: lines of Python are not shown any more: {type(error).__name__}: {error}", file=sys.stderr)
        _stop()


_before = Before(_tell, _forget, _complain)


def begin_scope(scope: Any) -> None:
    """A measured block is about to begin: functions that have ended on this thread leave the stack before it."""
    if _active:
        _tell(sys._getframe(1))
    scope.depth = len(_stack.tokens) if _stack.generation == _generation else 0
    scope.scopes = _stack.scopes
    scope.scopes.append(scope)


def end_scope(scope: Any) -> bool:
    """Ends a measured block. Those that were begun in it and go on, as in another coroutine of the thread, are measured in two
    parts. False: it is one of another thread."""
    scopes, inside = scope.scopes, []
    if scopes is not _stack.scopes:
        scopes.remove(scope)
        return False
    while scopes[-1] is not scope:
        inside.append(scopes.pop())
        inside[-1].suspend()
    scopes.pop()
    scope.suspend()
    for other in reversed(inside):
        other.resume()
        scopes.append(other)
    return True


def _stop() -> None:
    _active.clear()
    c.call("interpreter")(None, None, None)
    _end_functions(_stack, 0)


def _set(accepts: Filter) -> None:
    global _accepts, _generation
    _accepts, _generation = accepts, _generation + 1
    _codes.clear()


class lines:
    """Charges memory to the line of Python code that is executing, from here to the end of the block, in all threads.

        with gpumemprof.lines() as by_line:         # or gpumemprof.lines(path_filter="/home/me/project").start()
            train()
        print(by_line)                              # the lines; the capture has them too: gpumemprof report

    What is seen: memory that PyTorch, CuPy and Numba take by gpumemprof's allocator (`gpumemprof.torch.use_allocator()`, and
    likewise `gpumemprof.cupy` and `gpumemprof.numba`), and under `gpumemprof run` all that any library asks of CUDA.

    path_filter: a text that the file's path has to contain, or a function of the path. Functions of other files are left out,
    and what they allocate is charged to the line that called them.

    Exact: bytes and blocks of each line, itself and inclusive of what it calls, by call path; own peaks of functions and of
    lines; frees, at the line where they happen. A generator or coroutine that was suspended is a new activation only if memory
    moved meanwhile in its caller. Repetitions of one line without an event at another line of the function are one activation,
    so the own peak of that line is at least that of each.
    At least: `calls` counts only calls in which memory moved. C++ extensions that were built with gpumemprof's plugin have
    their lines below the Python line of the latest event of other code. Threads of libraries, such as those in which autograd
    runs backward, have no Python code: what they allocate is charged to the library.
    """

    def __init__(self, path_filter: Any = None):
        if path_filter is not None and not callable(path_filter):
            wanted = os.fspath(path_filter)
            path_filter = lambda path: wanted in path  # noqa: E731
        self._filter = path_filter
        self._rows: Optional[list] = None
        self.note = ""

    def start(self) -> "lines":
        """Begins; `stop` ends it."""
        try:
            started = c.call("interpreter")(_before.function, _before.has_code, _before.owner)
        except Error as error:
            self.note = f"nothing was recorded: {error.sentence}"
            return self
        if started < 0:
            from ._measure import NOTHING_RECORDED
            self.note = NOTHING_RECORDED
            return self
        _active.append(self)
        _set(self._filter)
        return self

    def stop(self) -> None:
        """Ends it; within another `lines`, that goes on."""
        if self not in _active:
            return
        _tell(sys._getframe(1))
        self._rows = _summary()
        _active.remove(self)
        if not _active:
            _stop()
        _set(_active[-1]._filter if _active else None)

    __enter__ = start

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def rows(self) -> list:
        """A dictionary for each line, the one with the largest own peak first: those of the whole run up to now, or up to
        the end of the block (`gpumemprof.reset()` begins from zero)."""
        return _summary() if self._rows is None and self in _active else self._rows or []

    def __str__(self) -> str:
        from ._measure import size
        rows = [row for row in self.rows() if row["allocated"] or row["inclusive_allocated"]]
        if not rows:
            return self.note or "no memory was allocated, as far as the profiler saw (see what is seen: help(gpumemprof.lines))"
        keys = ("own_peak", "inclusive_allocated", "allocated", "live")
        table: list = [("own peak", "inclusive", "self", "live", "line")]
        table += [(*(size(row[key]) for key in keys), f"{row['file']}:{row['line']} {row['function']}") for row in rows]
        return "\n".join("".join(f"{one:>12}" for one in row[:4]) + "  " + row[4] for row in table)


def _summary() -> list:
    from ._summary import summary
    return sorted(summary("line"), key=lambda row: -row["own_peak"])



def _at_exit() -> None:
    if _active:
        _stop()


atexit.register(_at_exit)
