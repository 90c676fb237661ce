#!/usr/bin/env python3
"""heaptrack.py SOURCE TOOL WORK CASE - `gpumemprof export --to heaptrack` against reports and events of the same capture, by a reader of
the format's rules and by heaptrack_print."""
import collections
import gzip
import os
import re
import subprocess
import sys

import heaptrack_reader

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from exports import SEEDS, Case, by_path, needs  # noqa: E402
from exports_events import EVENTFUL, events, figures as figures_of, totals_of  # noqa: E402
from recorder import Recorder  # noqa: E402

FIGURES = {"allocations": "blocks", "leaked": "leaked", "peak": "self_at_peak"}


def file_of(t, capture, *more):
    with open(t.export(capture, "heaptrack", *more), "rb") as file:
        return heaptrack_reader.read(file.read())


def sums(found, figure):
    out = collections.Counter()
    for stack in found["stacks"]:
        out[tuple(f"{name} ({file}:{line})" if line else None for _, name, file, line in stack.frames)] += getattr(stack, figure)
    return +out


def figures(t):
    """Of the only GPU, figures by call path are the report's; of several together, totals are those of the events."""
    for seed in (*SEEDS, 5):
        capture = t.random(seed, history=True)
        found = file_of(t, capture, "--device", "0")
        report = t.report(capture, "path", "--device", "0")
        for figure, column in FIGURES.items():
            assert sums(found, figure) == by_path(report, column), (seed, figure)
        device = figures_of(t, capture)[1][0]
        assert found["total"].peak == device["peak"] and found["total"].leaked == device["live_at_exit"], seed
        assert found["peak_time"] == device["peak_time_ns"] // 10**6 and found["times"][-1] == 1000, found["times"]
        assert found["command"] == "./app" and not found["attached"]
        listed = [e for e in events(t, capture) if e["event"] in ("allocated", "freed")]
        found, totals = file_of(t, capture), totals_of(listed)
        assert found["total"].peak == max(total for _, total in totals) and found["total"].leaked == totals[-1][1], seed
        assert found["sizes"] == collections.Counter(e["bytes"] for e in listed if e.get("device") not in (None, "host"))
        assert len(sums(found, "allocations")) > 10
        assert found["memory"] == sum(d["memory_total"] or 0 for d in figures_of(t, capture)[1].values()) // 4096 * 4096
        temporary(listed, found)


def temporary(listed, found):
    """Freed by the event that follows its allocation; or another of that size and path, which is not distinguished."""
    of_gpu, least, most, before = {}, 0, 1, None  # 1: the first block (export_heaptrack.c)
    for e in listed:
        if e["event"] == "allocated":
            of_gpu[e["address"]] = e
            before = e if e["device"] != "host" else before
        elif of_gpu[e["address"]]["device"] != "host":
            block = of_gpu[e["address"]]
            least += block is before
            most += bool(before) and all(block[key] == before[key] for key in ("bytes", "line", "function"))
            before = None
    assert least and least <= found["total"].temporary <= most, (least, found["total"].temporary, most)


def events_in_time(t):
    """Times in milliseconds; blocks of one place and size; temporary blocks as the report counts them in one thread."""
    capture = t.made("history\nenter main /main.cu 1\ncall 2\nmalloc a 100\nmalloc b 100\nfree a\nfree b\ncall 3\nmalloc c 7\nfree c\nmalloc d 100 pinned\n"
                     "malloc e 8\nfail 3\nleave\nend complete\n")
    found = file_of(t, capture)
    assert sums(found, "allocations") == {("main (/main.cu:2)",): 2, ("main (/main.cu:3)",): 2}
    assert found["total"].peak == 200 and found["total"].leaked == 8
    assert found["total"].temporary == sum(row["temporary_blocks"] for row in t.report(capture, "path")["rows"]) == 1
    host = file_of(t, capture, "--device", "host")
    assert host["total"].leaked == 100 and not host["memory"]
    found = file_of(t, t.made(EVENTFUL))
    (a, b, c) = (stack for stack in found["stacks"] if stack.allocations)
    assert [f[1:] for f in b.frames] == [("main {epoch}", "/src/main.cu", 3), ("main", "/src/main.cu", 4)], b.frames
    assert (a.leaked, b.leaked, c.leaked) == (0, 1 << 20, 500 << 10)


def unusual_input(t):
    """Names with newlines, code that was not rebuilt, deep recursion, nothing at all, and a part of the events."""
    r = Recorder(t.source)
    r.history = {}
    r.modules.append(("/opt/my app", "22", 9))
    r.enter("f(=1)\n2\t\xe9", "/src/(a)=b\n\tc.cu", 1)
    r.call(2)
    r.malloc("p", 7)
    with open(t.path("unusual.gmprof"), "wb") as out:
        out.write(r.bytes())
    (frame,) = file_of(t, t.path("unusual.gmprof"))["stacks"][1].frames
    assert frame[0] == "/opt/my app" and frame[1].startswith("f(=1)") and frame[1].endswith("\xe9") and frame[3] == 2, frame
    found = file_of(t, t.made("history\nmodule /opt/app 1 9\nnative_module /usr/lib/libclosed.so\nenter main /src/main.cu 1\ncall 2\n"
                              "native_enter /usr/lib/libclosed.so 1a2b\nnative_call /usr/lib/libclosed.so 3c4d\nmalloc p 7\n"))
    main, closed = next(stack for stack in found["stacks"] if stack.allocations).frames
    assert main[0] == "" and closed[0] == "/usr/lib/libclosed.so" and closed[2:] == ("", 0), (main, closed)
    deep = file_of(t, t.made("history\n" + "enter walk /w.cu 1\ncall 2\n" * 3000 + "malloc a 8\n" + "leave\n" * 3000))
    assert len(deep["stacks"]) == 1025 and deep["stacks"][-1].frames[0][1] == "(more callers)" and deep["total"].leaked == 8
    empty = file_of(t, t.made("history\nenter main /main.cu 1\ncall 2\nfail 1\nleave\nend complete\n", "nothing"))
    assert not empty["total"].allocations
    part = t.made("history\nenter main /main.cu 1\ncall 2\nmalloc a 512\nleave\ncounter events_overwritten 7\n", "part")
    done = t.gpumemprof("export", "--to", "heaptrack", "-o", "-", part)
    assert b"a part of the events" in done.stderr and heaptrack_reader.read(done.stdout)["attached"]


def by_heaptrack_print(t):
    """Its totals, and its sums by stack and by size."""
    needs("heaptrack_print")
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        path = t.export(capture, "heaptrack", "--device", "0", name="run.heaptrack.gz")
        found = heaptrack_reader.read(gzip.open(path).read())
        report = t.report(capture, "path", "--device", "0")
        rows = {figure: sum(row[column] for row in report["rows"]) for figure, column in FIGURES.items()}
        for figure in ("allocations", "leaked", "peak", "temporary"):
            done = subprocess.run(["heaptrack_print", path, "-F", t.path("flame"), "--flamegraph-cost-type", figure, "-H", t.path("sizes"), "-l", "1",
                                   "-n", "100000", "-s", "100000"], capture_output=True, text=True, check=True)
            assert not done.stderr, done.stderr
            shown = collections.Counter()
            for line in open(t.path("flame"), encoding="utf-8"):
                stack, _, number = line.rpartition(" ")
                shown[stack] += int(number)
            wanted = collections.Counter()
            for stack in found["stacks"]:
                wanted["".join(f"{name} ({os.path.basename(file)});" if file else f"{name};" for _, name, file, _ in stack.frames)] += getattr(stack, figure)
            assert +shown == +wanted and (figure == "temporary" or sum(shown.values()) == rows[figure]), (seed, figure)
        assert {tuple(map(int, line.split("\t"))) for line in open(t.path("sizes"), encoding="utf-8")} == set(found["sizes"].items())
        total = found["total"]
        for text, number in (("calls to allocation functions", total.allocations), ("temporary memory allocations", total.temporary)):
            assert re.search(rf"^{text}: {number} \(", done.stdout, re.M), (text, number, done.stdout[-500:])
        for text, number in (("peak heap memory consumption", rows["peak"]), ("total memory leaked", rows["leaked"])):
            assert f"\n{text}: {in_units(number)}\n" in done.stdout, (text, number, done.stdout[-500:])
        assert "\ntotal runtime: 1.00s.\n" in done.stdout and "Debuggee command was: ./app\n" in done.stdout
        lines = {f"{row['path'][-1]['file']}:{row['path'][-1]['line']}" for row in report["rows"] if row["blocks"] and row["path"] and row["path"][-1]["line"]}
        assert lines and set(re.findall(r"^  at (\S+:[1-9]\d*)$", done.stdout, re.M)) == lines, seed


def in_units(number):
    unit = 0
    while abs(number) > 1000 and unit < 4:
        number, unit = number / 1000, unit + 1
    return f"{number:.2f}{'BKMGT'[unit]}" if unit else f"{number}B"


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
