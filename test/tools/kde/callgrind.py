#!/usr/bin/env python3
"""callgrind.py SOURCE TOOL WORK CASE - `gpumemprof export --to callgrind` against reports of the same capture, by a reader of the
format's rules and by callgrind_annotate."""
import collections
import os
import re
import subprocess
import sys

import callgrind_reader

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import oracle  # noqa: E402
from exports import SEEDS, Case, needs  # noqa: E402
from recorder import Recorder  # noqa: E402

# Event: the figure of `--value`, and those of a report's rows: by the line itself, inclusive.
EVENTS = {"at_peak": ("at_peak", "self_at_peak", "at_peak"), "allocated": ("self_alloc", "self_alloc", "incl_alloc"),
          "requested": ("self_requested", "self_requested", "incl_requested"), "freed": ("self_freed", "self_freed", "incl_freed"),
          "leaked": ("leaked", "leaked", None), "blocks": ("blocks", "blocks", None),
          "leaked_blocks": ("leaked_blocks", "leaked_blocks", None), "temporary_blocks": ("temporary_blocks", "temporary_blocks", None)}


def file_of(t, capture, *more):
    with open(t.export(capture, "callgrind", *more), encoding="utf-8") as file:
        return callgrind_reader.read(file.read())


def frame(text):
    """"f1 (/src/b.cu:100)" -> name, file and line"""
    name, file, line = re.fullmatch(r"(.*?)(?: \((/[^()]*?)(?::(\d+))?\))?", text).groups()
    return (file or "???", name), int(line or 0)


def stacks(t, capture, value):
    """Call paths, outermost first, with their figure: those of folded, which exports.py compares with the report."""
    for line in t.gpumemprof("export", "--to", "folded", "--value", value, "-o", "-", capture).stdout.decode().splitlines():
        path, _, number = line.rpartition(" ")
        yield [frame(text) for text in path.split(";")], int(number)


def graph_of(paths):
    """By the rules of VIEWERS.md: what is of a line itself, of a function with what it calls, and of each call."""
    own, whole, calls = collections.Counter(), collections.Counter(), collections.Counter()
    for path, number in paths:
        own[path[-1]] += number
        entered = collections.Counter()
        for at, (function, _) in enumerate(path):
            entered[function] += 1
            file, name = function
            called = (file, name + "'2") if entered[function] > 1 else function
            if at:
                calls[(*path[at - 1], called)] += number if entered[function] < 3 else 0
        for function in entered:
            whole[function] += number
    return +own, +whole, +calls


def without_object(function):
    return function[1:]


def figures(t):
    """Figures of lines, functions and calls are those of the call paths; self figures are the report's."""
    recursive = 0
    for seed in (*SEEDS, 5, 8):
        capture = t.random(seed)
        found = file_of(t, capture)
        lines = {(row["file"], row["function"], row["line"]): row for row in t.report(capture, "line")["rows"] if row["line"]}
        assert found["events"] == list(EVENTS) and found["head"]["cmd"] == ["./app"]
        for event, (value, figure, _) in EVENTS.items():
            own, whole, calls = graph_of(list(stacks(t, capture, value)))
            seen = collections.Counter()
            for (function, line), figures in found["self"].items():
                seen[without_object(function), line] += figures[event]
            assert +seen == own, (seed, event)
            for (file, function, line), row in lines.items():
                assert seen[(file, function), line] == row[figure], (seed, event, row["location"])
            seen = collections.Counter()
            for (function, line, called), (_, _, figures) in found["calls"].items():
                if function[2] != "(start)":
                    seen[without_object(function), line, without_object(called)] += figures[event]
            assert +seen == calls, (seed, event)
            for simple_recursion in (False, True):
                sums = collections.Counter()
                for function, number in callgrind_reader.inclusive(found, event, simple_recursion).items():
                    sums[without_object(function)] += number
                repeats = {function for function in sums if function[1].endswith("'2")}
                recursive += len(repeats)
                assert {function: sums[function] for function in whole} == whole, (seed, event)
                assert not [f for f in sums if sums[f] and f not in whole and f not in repeats and f != ("???", "(start)")]
    assert recursive > 20


class WithoutBlocks(Recorder):
    """Functions alone, of which the report has all figures; a named block is a function of its own in callgrind's format."""

    def block(self, *_args, **_more):
        pass


def inclusive_figures_are_the_reports(t):
    """Of each function; and of each line of functions that never call themselves, however indirectly."""
    kept, lines_seen = oracle.Recorder, 0
    for seed in (*SEEDS, 4, 6, 7):
        oracle.Recorder = WithoutBlocks
        try:
            r = oracle.random_program(t.source, seed, 300, history=False)
        finally:
            oracle.Recorder = kept
        capture = t.path(f"plain{seed}.gmprof")
        with open(capture, "wb") as out:
            out.write(r.bytes())
        found = file_of(t, capture)
        functions = {(row["file"], row["function"]): row for row in t.report(capture, "function")["rows"] if row["function"]}
        lines = {(row["file"], row["function"], row["line"]): row for row in t.report(capture, "line")["rows"] if row["line"]}
        repeats = {called[1:] for *_, called in found["calls"] if called[2].endswith("'2")}
        assert functions and lines
        for event, (_, figure, inclusive) in EVENTS.items():
            sums = {f[1:]: number for f, number in callgrind_reader.inclusive(found, event, True).items()}
            own = collections.Counter()
            for (function, _), figures in found["self"].items():
                own[function[1:]] += figures[event]
            for function, row in functions.items():
                assert own[function] == row[figure], (seed, event, row["location"])
                assert not inclusive or sums.get(function, 0) == row[inclusive], (seed, event, row["location"])
            once = lines_of_paths_without_recursion(t, capture)
            at = collections.Counter()
            for (function, line), figures in found["self"].items():
                at[(*function[1:], line)] += figures[event]
            for (function, line, _), (_, _, figures) in found["calls"].items():
                at[(*function[1:], line)] += figures[event]
            for place in once & set(lines):
                lines_seen += 1
                assert not inclusive or at[place] == lines[place][inclusive], (seed, event, place)
        assert repeats or seed != 2
    assert lines_seen > 100


def lines_of_paths_without_recursion(t, capture):
    lines, broken = set(), set()
    for value in ("self_alloc", "self_freed"):
        for path, _ in stacks(t, capture, value):
            of = {(*function, line) for function, line in path}
            lines |= of
            if len({function for function, _ in path}) < len(path):
                broken |= of
    return lines - broken


RECURSION = """
enter main /src/main.cu 1
call 2
enter walk /src/walk.cu 10
call 11
malloc a 1000
call 12
enter walk /src/walk.cu 10
call 12
enter walk /src/walk.cu 10
call 11
malloc b 200
leave
leave
leave
call 3
enter ping /src/walk.cu 20
call 21
enter pong /src/walk.cu 30
call 31
enter ping /src/walk.cu 20
call 22
malloc c 30
leave
leave
leave
leave
thread 1
enter walk /src/walk.cu 10
call 11
malloc d 4
leave
end complete
"""


def recursion(t):
    """Each function has each path once; a call that enters it again leads to one that calls nothing."""
    found = file_of(t, t.made(RECURSION))
    walk, ping, pong, main = (("???", f"/src/{f}.cu", n) for f, n in (("walk", "walk"), ("walk", "ping"), ("walk", "pong"), ("main", "main")))
    repeats = ("???", "/src/walk.cu", "walk'2")
    for simple_recursion in (False, True):
        sums = callgrind_reader.inclusive(found, "allocated", simple_recursion)
        assert (sums[main], sums[walk], sums[ping], sums[pong], sums[repeats]) == (1230, 1204, 30, 30, 200), sums
    calls = {place: (count, line, figures["allocated"]) for place, (count, line, figures) in found["calls"].items()}
    assert calls == {(main, 2, walk): (1, 10, 1200), (walk, 12, repeats): (2, 10, 200), (main, 3, ping): (1, 20, 30),
                     (ping, 21, pong): (1, 30, 30), (pong, 31, ("???", "/src/walk.cu", "ping'2")): (1, 20, 30),
                     (("???", "???", "(start)"), 0, walk): (1, 10, 4)}, calls
    assert {(f[2], line): figures["allocated"] for (f, line), figures in found["self"].items()} == {
        ("walk", 11): 1204, ("ping", 22): 30}


def deep_recursion(t):
    """Frames outside the longest stack are one, which calls the rest."""
    lines = "enter main /m.cu 1\ncall 2\n" + "enter walk /w.cu 1\ncall 2\n" * 3000 + "malloc a 8\n" + "leave\n" * 3001
    found = file_of(t, t.made(lines))
    sums = callgrind_reader.inclusive(found, "blocks", True)
    assert sums == {("???", "???", "(more callers)"): 1, ("???", "/w.cu", "walk"): 1, ("???", "/w.cu", "walk'2"): 1}, sums


def names_and_objects(t):
    """Unusual characters of names change nothing; code that was not rebuilt is in its object."""
    r = Recorder(t.source)
    r.modules.append(("/opt/my app", "22", 9))
    r.enter("f(=1)\n2\tx", "/src/(a)=b\n\tc.cu", 1)
    r.call(2)
    r.enter("(3) g", "/src/g.cu", 5)
    r.call(6)
    r.malloc("p", 7)
    capture = t.path("unusual.gmprof")
    with open(capture, "wb") as out:
        out.write(r.bytes())
    found = file_of(t, capture)
    ((f, _, g),), ((h, line),) = found["calls"], found["self"]
    assert g == h == ("/opt/my app", "/src/g.cu", "(3) g") and line == 6, (g, h)
    assert f[0] == "/opt/my app" and f[1].startswith("/src/(a)=b") and f[2].startswith("f(=1)"), f
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", open(t.path("out"), encoding="utf-8").read())
    capture = t.made("module /opt/app 1 9\nnative_module /usr/lib/libclosed.so\nenter main /src/main.cu 1\ncall 2\n"
                     "native_enter /usr/lib/libclosed.so 1a2b\nnative_call /usr/lib/libclosed.so 3c4d\nmalloc p 7\n")
    found = file_of(t, capture)
    objects = {function[0]: function[1:] for function, _ in found["self"]}
    assert set(objects) == {"/usr/lib/libclosed.so"} and objects["/usr/lib/libclosed.so"][0] == "???", objects
    assert [function for function, *_ in found["calls"]] == [("???", "/src/main.cu", "main")], "which object is not known"
    empty = file_of(t, t.made("end complete\n", "empty"))
    assert not empty["self"] and not empty["calls"] and set(empty["totals"].values()) == {0}


def parts_and_devices(t):
    """Figures of a device, a kind and a part of the run are those of the report with the same options."""
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        for only in (("--device", "0"), ("--kind", "pinned"), ("--from", "40", "--to", "200"), ("--filter", "size=4KiB..")):
            rows = t.report(capture, "path", *only)["rows"]
            totals = file_of(t, capture, *only)["totals"]
            assert totals == {event: sum(row[figure] for row in rows) for event, (_, figure, _) in EVENTS.items()}, (seed, only)


def annotate(event, path, folder, *more):
    done = subprocess.run(["callgrind_annotate", "--threshold=100", f"--show={event}", f"--sort={event}", "--show-percs=no", "--context=1000",
                           *more, path], capture_output=True, text=True, check=True, cwd=folder)
    assert not done.stderr, done.stderr
    return done.stdout


def figures_of(listing, what):
    """What the last column names -> the sum of the figures before it."""
    sums = collections.Counter()
    for number, name in re.findall(rf"^ *([\d,]+)  {what}(?: \[.*\])?$", listing, re.M):
        sums[name] += int(number.replace(",", ""))
    return +sums


def by_callgrind_annotate(t):
    """Its functions, itself and inclusive, its calls and its lines, figure by figure."""
    needs("callgrind_annotate")
    source, here = t.path("a.cu"), t.path("elsewhere")  # it takes the working folder off names of files, though not off all
    os.makedirs(here)
    with open(source, "w", encoding="utf-8") as out:
        out.writelines(f"line {n};\n" for n in range(1, 600))
    for seed in SEEDS:
        path = t.export(t.random(seed), "callgrind")
        text = open(path, encoding="utf-8").read().replace(" /src/a.cu\n", f" {source}\n")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        found = callgrind_reader.read(text)
        for event in EVENTS:
            own, whole, lines, calls = (collections.Counter() for _ in range(4))
            for (function, line), figures in found["self"].items():
                own[":".join(function[1:])] += figures[event]
                lines[line, function[1]] += figures[event]
            for function, number in callgrind_reader.inclusive(found, event, True).items():
                whole[":".join(function[1:])] += number
            for (function, _, called), (_, _, figures) in found["calls"].items():
                calls[":".join(function[1:]), ":".join(called[1:])] += figures[event]
            listing = annotate(event, path, here)
            functions, _, annotated = listing.partition("-- Auto-annotated source: ")
            assert found["totals"][event] == figures_of(functions, "(PROGRAM TOTALS)")["PROGRAM TOTALS"], (seed, event)
            assert figures_of(functions.split(":function\n")[1], r"(\S.*?)") == +own, (seed, event)
            shown = figures_of(annotated.partition("-- Auto-annotated")[0], r"line (\d+);")
            assert shown == {str(line): n for (line, file), n in lines.items() if line and n and file == source}, (seed, event)
            tree = annotate(event, path, here, "--inclusive=yes", "--tree=calling", "--auto=no").split(":function\n")[1]
            assert figures_of(tree, r"\*  (.*?)") == +whole, (seed, event)
            shown = collections.Counter()
            for part in tree.split("\n\n"):
                caller = re.search(r"  \*  (.*?)(?: \[.*\])?$", part, re.M)
                for called, number in figures_of(part, r">   (.+) \(\d+x\)").items():
                    shown[caller[1], called] += number
            assert shown == +calls, (seed, event)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
