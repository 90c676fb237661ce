"""`profile`: what a function or block needs, and what it leaves (measure.h: gpumemprof_scope_begin)."""
from __future__ import annotations

import ctypes
import functools
import inspect
import sys
import threading
import types
from dataclasses import dataclass, field
from typing import Any, Callable, List, Optional, Tuple, TypeVar, overload

from . import _lines
from . import _structures as c
from ._errors import Error

F = TypeVar("F", bound=Callable[..., Any])
NOTHING_RECORDED = "nothing was recorded: GPUMEMPROF=0 is set, or the profiler could not start, so all figures are 0"
NOTHING_SEEN = ("nothing was recorded: no CUDA device was seen in use. Without a GPU that is as it should be; what libraries allocate "
                "is seen under `gpumemprof run`, or by gpumemprof.torch.use_allocator() and similar calls")
OTHER_THREAD = "nothing was recorded: the block ended on another thread than the one on which it began"


@dataclass
class Measurement:
    """What happened in a block or a call, on its thread. Figures are bytes of device memory, exact. What a nested measurement
    has counts in the outer one, too.

        peak              what it needs on top of what was live when it began: the highest net at any moment
        allocated, freed  all bytes, those of blocks that live for a moment included
        net               allocated - freed: what it leaves
        duration          in seconds
        device            CUDA's number of the current device; None if none was in use
        live_before       what was live on that device when it began, whichever thread allocated it
        live_after        the same when it ended
        device_peak       the highest total of that device meanwhile
        device_peak_above_entry  device_peak - live_before
        blocks_allocated, blocks_freed
        kinds             bytes allocated of each kind of memory, pinned host memory included: {"device": 1048576}
        recorded, note    whether anything was recorded, and if not, why, in a sentence
        calls             1, or how often a generator or coroutine was resumed
    """
    name: str = ""
    peak: int = 0
    allocated: int = 0
    freed: int = 0
    net: int = 0
    duration: float = 0.0
    device: Optional[int] = None
    device_peak: int = 0
    device_peak_above_entry: int = 0
    live_before: int = 0
    live_after: int = 0
    blocks_allocated: int = 0
    blocks_freed: int = 0
    kinds: dict = field(default_factory=dict)
    recorded: bool = False
    note: str = ""
    calls: int = 0

    def _add(self, r: c.Result) -> None:
        """Adds a stretch that followed those before it; exact, because memory of between is in neither."""
        self.peak = max(self.peak, self.net + r.own_peak)
        self.allocated += r.allocated
        self.freed += r.freed
        self.net += r.net
        self.duration += r.wall_ns / 1e9
        self.device_peak = max(self.device_peak, r.device_peak)
        if not self.recorded:
            self.live_before = r.before.acquired
        self.device_peak_above_entry = max(0, self.device_peak - self.live_before)
        self.live_after = r.after.acquired
        device = r.after.device if r.after.device != c.NO_DEVICE else r.before.device
        self.device = device if device != c.NO_DEVICE else None
        on_device = [kind for kind in range(len(c.KINDS)) if c.KINDS[kind] not in ("pinned", "imported", "custom")]
        self.blocks_allocated += sum(r.created[kind].blocks for kind in on_device)
        self.blocks_freed += sum(r.ended[kind].blocks for kind in on_device)
        for kind, name in enumerate(c.KINDS):
            if r.created[kind].bytes:
                self.kinds[name] = self.kinds.get(name, 0) + r.created[kind].bytes
        self.recorded = self.recorded or self.device is not None or bool(r.allocated or r.freed)
        self.note = "" if self.recorded else NOTHING_SEEN

    def __str__(self) -> str:
        if not self.recorded:
            return f"{self.name}: {self.note}"
        return (f"{self.name}: peak {size(self.peak)}, allocated {size(self.allocated)}, freed {size(self.freed)}, "
                f"net {'+' if self.net > 0 else ''}{size(self.net)}, {self.duration * 1e3:.2f} ms")


def size(bytes_: int) -> str:
    """Bytes as the tool writes them."""
    value, sign = float(abs(bytes_)), "-" if bytes_ < 0 else ""
    if value < 1024:
        return f"{sign}{value:.0f}"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if value < 1024 or unit == "TiB":
            break
    return f"{sign}{value:.2f} {unit}"


class _Scope:
    """One measured stretch of code on this thread. Without a runtime, it measures nothing."""

    def __init__(self, into: Measurement, where: tuple[str, str, int]):
        self.into, self.where, self.handle, self.depth = into, where, 0, 0
        self.thread = threading.get_ident()
        self.scopes: Optional[list] = None  # the open ones of its thread
        try:
            self._open = c.call("scope_open")
            self._close = c.call("scope_close")
        except Error as error:
            into.note = f"nothing was recorded: {error.sentence}"
            return
        _lines.begin_scope(self)
        self.resume()
        into.calls += 1
        if not self.handle:
            into.note = NOTHING_RECORDED

    def resume(self) -> None:
        file, function, line = self.where
        self.handle = self._open(c.text(self.into.name), c.text(file), c.text(function), line, c.CURRENT_DEVICE, 0)

    def suspend(self) -> None:
        result = c.Result()
        if self.handle and self._close(self.handle, ctypes.byref(result), ctypes.sizeof(result)):
            self.into._add(result)
        self.handle = 0

    def end(self) -> None:
        if self.scopes is not None and not _lines.end_scope(self):
            self.into.note = OTHER_THREAD


def _caller(depth: int) -> tuple[str, str, int]:
    at = sys._getframe(depth)
    return at.f_code.co_filename, getattr(at.f_code, "co_qualname", at.f_code.co_name), at.f_lineno


class Profile:
    """What `profile` returns: a context manager, and a decorator."""

    KEPT = 100

    def __init__(self, name: Optional[str], on_result: Optional[Callable[[Measurement], Any]]):
        self._name, self._on_result = name, on_result
        self._open: List[Tuple[Measurement, _Scope]] = []

    def __enter__(self) -> Measurement:
        m = Measurement(self._name or "block")
        self._open.append((m, _Scope(m, _caller(2))))
        return m

    def _innermost(self) -> int:
        """The place of the latest one of this thread; if there is none, of another thread."""
        thread = threading.get_ident()
        return next((at for at in reversed(range(len(self._open))) if self._open[at][1].thread == thread), -1)

    def __exit__(self, *exception: Any) -> None:
        m, scope = self._open.pop(self._innermost())
        scope.end()
        if self._on_result:
            self._on_result(m)

    def update(self) -> Measurement:
        """The figures of the block up to now."""
        m, scope = self._open[self._innermost()]
        if scope.handle:
            scope.suspend()
            scope.resume()
        return m

    def __call__(self, function: F) -> F:
        return self._measured(function)

    def _measured(self, function: Any) -> Any:
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(self._measured(function.__func__))
        code = getattr(function, "__code__", None)
        name = self._name or str(getattr(function, "__qualname__", repr(function)))
        where = (code.co_filename, getattr(code, "co_qualname", code.co_name), code.co_firstlineno) if code else ("", name, 0)
        kept: List[Measurement] = []

        def done(m: Measurement) -> None:
            kept.append(m)
            del kept[:-self.KEPT]
            if self._on_result:
                self._on_result(m)

        wrapper = _wrapper(function, name, where, done)
        wrapper.profiled = kept
        return wrapper


@overload
def profile(name: F) -> F: ...


@overload
def profile(name: Optional[str] = None, *, on_result: Optional[Callable[[Measurement], Any]] = None) -> Profile: ...


def profile(name: Any = None, *, on_result: Optional[Callable[[Measurement], Any]] = None) -> Any:
    """Measures a block, or each call of a function.

        with gpumemprof.profile("step") as m:
            step()
        print(m.peak, m.net)

        @gpumemprof.profile                  # or @gpumemprof.profile("name", on_result=print)
        def step(): ...
        step.profiled[-1].peak               # of the latest 100 calls

    Figures are exact (Measurement), nested and in threads: each thread has its own scopes. In reports the block is a row of
    its own. Exceptions pass through, and the figures are then those up to there. Of a generator, a coroutine or an
    asynchronous generator that is decorated, only the stretches in which it runs are measured, so what others allocate while
    it waits is in none of its figures; `with` in a coroutine measures all that its thread does until the block ends.
    """
    if callable(name) or isinstance(name, (staticmethod, classmethod)):
        return Profile(None, on_result)(name)
    return Profile(name, on_result)


def _wrapper(function: Callable, name: str, where: tuple[str, str, int], done: Callable[[Measurement], None]) -> Any:
    from . import _resumed
    kind = (_resumed.asynchronous_generator if inspect.isasyncgenfunction(function) else
            _resumed.coroutine if inspect.iscoroutinefunction(function) else
            _resumed.generator if inspect.isgeneratorfunction(function) else None)
    if kind:
        return kind(function, name, where, done)

    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        m = Measurement(name)
        scope = _Scope(m, where)
        try:
            return function(*args, **kwargs)
        finally:
            scope.end()
            done(m)
    return measured


def snapshot(device: int = c.CURRENT_DEVICE) -> types.SimpleNamespace:
    """What is live on a device now: CUDA's number of it, or the current device of this thread. The fields are those of struct
    gpumemprof_snapshot in measure.h, the device is `ordinal`: None before one is in use. `recorded` is False, and all figures are 0, when nothing is recorded."""
    now = c.Snapshot()
    try:
        recorded = bool(c.call("snapshot_take")(ctypes.byref(now), ctypes.sizeof(now), device, 0))
    except Error:
        recorded = False
    figures = {name: getattr(now, name) for name, kind in c.Snapshot._fields_ if kind is ctypes.c_uint64}
    live = {kind: now.live[i].bytes for i, kind in enumerate(c.KINDS)}
    return types.SimpleNamespace(recorded=recorded, ordinal=now.device if recorded and now.device >= 0 else None, scope=c.decoded(now.scope),
                                 label=c.decoded(now.label), kinds=live, **figures)
