"""Limits of GPU memory for tests: a plugin of pytest, found by its entry point, or by `-p gpumemprof.pytest_plugin`.

    @pytest.mark.limit_gpu_memory("24 MiB")       the test needs at most this much on top of what was live before it
    @pytest.mark.no_gpu_leaks                     what it allocates is freed when it ends, its fixtures included

    pytest --gpumemprof                           prints the peak of each test

Memory counts with the test's setup and teardown. A test that fails for its memory says so with its lines.
"""
from __future__ import annotations

import gc
import re
from typing import Any, Iterator, Generator, List, Optional, Tuple

import pytest

from . import _measure, _summary
from ._lines import lines

LIMIT, NO_LEAKS = "limit_gpu_memory", "no_gpu_leaks"
_UNITS = {"": 0, "B": 0, "K": 1, "KB": 1, "KIB": 1, "M": 2, "MB": 2, "MIB": 2, "G": 3, "GB": 3, "GIB": 3, "T": 4, "TB": 4, "TIB": 4}


def parse_size(text: Any) -> int:
    """Bytes of "24 MiB", "24MB" (the same) or 25165824."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    if not match or match.group(2).upper() not in _UNITS:
        raise ValueError(f"{text!r} is not a size: write it as \"24 MiB\"")
    return int(float(match.group(1)) * 1024 ** _UNITS[match.group(2).upper()])


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("gpumemprof", "GPU memory")
    group.addoption("--gpumemprof", action="store_true", help="print how much GPU memory each test needs and leaves")
    group.addoption("--gpumemprof-lines", type=int, default=5, metavar="N", help="how many lines a failure shows (default 5)")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", f'{LIMIT}(size): fails the test if it needs more GPU memory, as in "24 MiB"')
    config.addinivalue_line("markers", f"{NO_LEAKS}: fails the test if GPU memory that it allocated is live at its end")
    config.pluginmanager.register(Plugin(config), "gpumemprof-tests")


class _Test:
    """The measurement of a test."""

    def __init__(self, item: Any):
        self.file = str(item.fspath)
        limit = item.get_closest_marker(LIMIT)
        self.limit: Optional[int] = None
        self.complaint = ""
        if limit:
            size = limit.args[0] if limit.args else limit.kwargs.get("size")
            try:
                self.limit = parse_size(size)
            except ValueError as error:
                self.complaint = f"{LIMIT} needs a size" + (f": {error}" if size is not None else f', as in {LIMIT}("24 MiB")')
        self.failed, self.before_end = False, ""
        self.no_leaks = item.get_closest_marker(NO_LEAKS) is not None
        self.is_marked = self.limit is not None or self.no_leaks

    def begin(self, name: str) -> None:
        self.by_line = lines().start()
        self.mark = _summary.mark(name)
        self.before = {_key(row): row for row in _summary.summary("line")}
        self.profile = _measure.profile(name)
        self.measurement = self.profile.__enter__()

    def over_limit(self, name: str, shown: int) -> str:
        """What to say of a test that needed more than its limit so far; else nothing. It is said once."""
        m, size, limit = self.profile.update(), _measure.size, self.limit
        if limit is None or m.peak <= limit:
            return ""
        self.limit = None
        return (f"{name} needed {size(m.peak)} ({m.peak} bytes) of GPU memory, its limit is {size(limit)} ({limit} bytes). The lines "
                "that allocated most:\n" + self._lines(shown))

    def end(self) -> None:
        gc.collect()  # memory of reference cycles is no leak
        self.profile.__exit__(None, None, None)
        self.left = _summary.live_since(self.mark) if self.measurement.recorded else []
        self.by_line.stop()

    def failures(self, name: str, shown: int) -> List[str]:
        """What to say of a test that has ended."""
        m, size = self.measurement, _measure.size
        found = [f"{name}: {self.complaint}"] if self.complaint else []
        if not m.recorded and m.note != _measure.NOTHING_SEEN and (self.limit is not None or self.no_leaks):
            return found + [f"{name}: its GPU memory is not known: {m.note}"]
        left = sum(row["bytes"] for row in self.left)
        if self.no_leaks and left:
            rows = [f"    {size(row['bytes']):>12} in {row['blocks']} block{'s' * (row['blocks'] != 1)}  {_place(row)}"
                    for row in self.left[:shown]]
            found.append(f"{name} left {size(left)} ({left} bytes) of GPU memory that it allocated. It is from:\n" + "\n".join(rows))
        return found

    def _lines(self, shown: int) -> str:
        """What lines allocated themselves since the test began, then with what they called: those of the test's own file."""
        def grown(key: str) -> List[tuple]:
            rows = [(row[key] - self.before.get(_key(row), {}).get(key, 0), row) for row in _summary.summary("line")]
            return sorted(((bytes_, row) for bytes_, row in rows if bytes_ > 0), key=lambda one: -one[0])

        def text(rows: List[tuple]) -> str:
            return "\n".join(f"    {_measure.size(bytes_):>12}  {_place(row)}" for bytes_, row in rows[:shown])

        called = [one for one in grown("inclusive_allocated") if one[1]["file"] == self.file and not one[1]["allocated"]]
        return text(grown("allocated")) + ("\ncalled from lines of the test:\n" + text(called) if called else "")


def _key(row: dict) -> tuple:
    return row["file"], row["line"], row["function"]


def _place(row: dict) -> str:
    return f"{row['file']}:{row['line']} {row['function']}" if row["line"] else row["function"] or "unknown code"


class Plugin:
    def __init__(self, config: Any):
        self.config, self.shown = config, config.getoption("--gpumemprof-lines")
        self.measured: List[Tuple[str, _measure.Measurement, int]] = []
        self.marked = 0  # tests of these with a mark

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Iterator[None]:
        test = _Test(item)
        if not (self.config.getoption("--gpumemprof") or test.limit is not None or test.no_leaks or test.complaint):
            yield
            return
        item._gpumemprof = test
        yield
        del item._gpumemprof

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> Iterator[None]:
        test = getattr(item, "_gpumemprof", None)
        if test:
            test.begin(item.nodeid)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: Any) -> Iterator[None]:
        yield
        test = getattr(item, "_gpumemprof", None)
        if test and hasattr(test, "profile"):
            test.before_end = test.over_limit(item.nodeid, self.shown)
            test.end()
            self.measured.append((item.nodeid, test.measurement, sum(row["bytes"] for row in test.left)))
            self.marked += test.is_marked

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        report, test = outcome.get_result(), getattr(item, "_gpumemprof", None)
        if not test or not hasattr(test, "profile") or report.failed:
            if test and report.failed:
                test.failed = True
            return
        said = []
        if report.when == "call":
            said = [test.over_limit(item.nodeid, self.shown)]
        elif report.when == "teardown" and not test.failed:
            said = [test.before_end, *test.failures(item.nodeid, self.shown)]
        said = [one for one in said if one]
        if said:
            report.outcome, report.longrepr = "failed", "\n".join(said)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.config.getoption("--gpumemprof"):
            if self.marked and all(m.note == _measure.NOTHING_SEEN for _, m, _ in self.measured):
                terminalreporter.write_line(f"gpumemprof: {self.marked} test{'s' * (self.marked != 1)} with a mark for GPU memory used none: "
                                            + _measure.NOTHING_SEEN)
            return
        terminalreporter.section("GPU memory of each test (gpumemprof)")
        size = _measure.size
        for name, m, left in sorted(self.measured, key=lambda one: -one[1].peak):
            if m.recorded:
                terminalreporter.write_line(f"{size(m.peak):>12} peak {size(m.allocated):>12} allocated {size(left):>12} left  {name}")
        for note in sorted({m.note for _, m, _ in self.measured if not m.recorded}):
            names = [name for name, m, _ in self.measured if not m.recorded and m.note == note]
            terminalreporter.write_line(f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {note}")
