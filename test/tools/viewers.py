#!/usr/bin/env python3
"""viewers.py SOURCE TOOL WORK CASE - Perfetto's traces against `events` and `report`, and exported files in viewers from npm.

Those are installed by test/tools/readers (package-lock.json) into the folder beside WORK.
"""
import collections
import gzip
import json
import os
import re
import shutil
import subprocess
import sys

import export_readers
import perfetto_reader
from exports import SEEDS, Case, by_path, frame_key
from exports_events import EVENTFUL, events, figures

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "readers"))
import readers  # noqa: E402

HERE = os.path.dirname(os.path.abspath(readers.__file__))


def modules(t):
    return readers.modules(os.path.join(os.path.dirname(t.work), "readers"))


# ---- Perfetto ----------------------------------------------------------------------------------------


def is_the_history(t, capture, found):
    """Blocks are those of the events, counters end and peak as the ledger does, scopes are open where events are made."""
    listed, (report, devices) = events(t, capture), figures(t, capture)
    start = found["clocks"][0]
    made = [e for e in listed if e["event"] == "allocated"]
    assert len(made) == len(found["blocks"])
    for event, block in zip(made, found["blocks"], strict=True):
        device = event["device"] if event["device"] == "host" else f"GPU {event['device']}"
        assert (block["bytes"], block["kind"], block["address"], block["thread"], block["ts"] - start, block["device"]) == (
            event["bytes"], event["kind"], event["address"], event["thread"], event["time_ns"], device), (event, block)
        if event["line"]:
            assert block["allocated at"] == f"{event['function']} ({event['file']}:{event['line']})"
        scopes = found["scopes"][f"thread {event['thread']}"]
        inside = [s for s in scopes if s[5] <= block["ts"] <= s[6] and s[2] == event["function"]]
        assert bool(inside) == bool(event["function"]), (event, scopes)
    sums = report["conservation"]
    assert sum(b["end"] is not None for b in found["blocks"]) == sums["freed_blocks"]
    assert sum(b["bytes"] for b in found["blocks"] if b["end"] is None) == sums["live"]
    kinds = {row["kind"] for row in t.report(capture, "kind")["rows"]}
    for device, record in devices.items():
        name = device if device == "host" else f"GPU {device}"
        values = [v for _, v in found["counters"].get(f"{name}: live bytes", [])] or [0]
        assert (max(values), values[-1]) == (record["peak"], record["live_at_exit"]), name
        last = {kind: found["counters"].get(f"{name}: {kind}, live bytes", [(0, 0)])[-1][1] for kind in kinds}
        assert sum(last.values()) == record["live_at_exit"], (name, last)


def is_the_report(t, capture, found):
    """Flame graphs have the bytes of each call path: at the peak and at the end, of all devices together."""
    report = t.report(capture, "path")
    for wanted, ends, at in (("self_at_peak", True, (0, None)), ("self_alloc", False, (0, None)), ("leaked", False, (0, 2)),
                             ("blocks", False, (1, None)), ("leaked_blocks", False, (1, 3))):
        sums = collections.Counter()
        for heap, stacks in found["heaps"].items():
            if heap.endswith(" at its peak") == ends:
                for stack, values in stacks.items():
                    sums[tuple(map(frame_key, stack))] += values[at[0]] - (values[at[1]] if at[1] else 0)
        assert +sums == by_path(report, wanted), wanted


def trace_of(t, capture, name="out.pftrace.gz"):
    return t.export(capture, "perfetto", name=name)


def perfetto(t):
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        found = perfetto_reader.read(gzip.open(trace_of(t, capture)).read())
        is_the_history(t, capture, found)
        is_the_report(t, capture, found)
        assert found["clocks"][1] == 1700000000 * 10**9 and found["process"] == (os.getpid(), "./app")
    empty = t.made("history\nenter main /main.cu 1\ncall 2\nfail 1\nleave\nend complete\n", "empty")
    found = perfetto_reader.read(gzip.open(trace_of(t, empty)).read())
    assert not found["blocks"] and [i[1] for i in found["instants"]["thread 0"]] == ["failed: 1 B"]
    host = perfetto_reader.read(gzip.open(t.export(capture, "perfetto", "--device", "host", name="host.gz")).read())
    assert {name.split(":")[0] for name in host["counters"]} == {"host"} and set(host["heaps"]) == {"host", "host at its peak"}


STEPS = """    step ticks=1000 clock=1 live=1MiB phase=1 cycle=1
    step ticks=2000 clock=3 live=2MiB
"""


def perfetto_of_failures_marks_and_steps(t):
    capture = t.made(EVENTFUL.replace("    thread 1\n", STEPS + "    thread 1\n"))
    found = perfetto_reader.read(gzip.open(trace_of(t, capture)).read())
    assert [i[1:] for i in found["instants"]["marks"]] == [('begin "it"', {"thread": 0}), ("(mark)", {"thread": 0})]
    assert [i[1:] for i in found["instants"]["steps"]] == [
        ("step 1", {"live bytes": 1 << 20, "phase": "wait", "cycle": 1}), ("step 2", {"live bytes": 2 << 20})]
    assert [i[1:] for i in found["instants"]["thread 0"]] == [
        ("out of memory: 90.00 GiB", {"bytes": 90 << 30, "at": "main (/src/main.cu:5)"}),
        ("failed: 64 B", {"bytes": 64, "at": "main (/src/main.cu:6)"})]
    assert [b["name"] for b in found["blocks"]] == ["grid 300.00 KiB", "other 1.00 MiB", "500.00 KiB"]
    assert found["blocks"][0]["freed at"] == "worker (/src/worker.cu:11)"
    assert [s[:5] for s in found["scopes"]["thread 0"]] == [["main", "/src/main.cu", "main", 1, 0], ["epoch", "/src/main.cu", "main", 3, 1]]
    assert found["counters"]["GPU 0: live bytes"][-1][1] == (1 << 20) + (500 << 10)


def perfetto_by_trace_processor(t):
    """It says what the packets say, and has nothing to complain about."""
    folder, driver = modules(t), os.path.join(HERE, "trace_processor.mjs")
    captures = [t.random(seed, history=True) for seed in SEEDS]
    captures.append(t.made(EVENTFUL.replace("    thread 1\n", STEPS + "    thread 1\n")))
    for capture in captures:
        path = trace_of(t, capture)
        found = perfetto_reader.read(gzip.open(path).read())
        asked = perfetto_reader.by_trace_processor(driver, folder, path)
        del found["clocks"]
        for what in ("process", "counters", "scopes", "instants", "heaps"):
            assert asked[what] == found[what], (what, asked[what], found[what])

        def key(block):
            return json.dumps(block, sort_keys=True)
        assert sorted(asked["blocks"], key=key) == sorted(found["blocks"], key=key)
    # Traces of several processes are one after the other, as Perfetto has it.
    both = b"".join(open(trace_of(t, t.made(f"{EVENTFUL}\nset 32 u64 {pid}\n"), name="part"), "rb").read() for pid in (7001, 7002))
    with open(t.path("both"), "wb") as out:
        out.write(both)
    stats, processes, _, _, counters, heaps, *_ = perfetto_reader.ask(driver, folder, t.path("both"))
    assert not stats and processes == [[7001, "./app"], [7002, "./app"]], (stats, processes)
    assert len([c for c in counters if c[0] == "GPU 0: live bytes"]) == 6 and len(heaps) == 12, (counters, heaps)


# ---- speedscope --------------------------------------------------------------------------------------


def stacks_of(file, profile):
    """What speedscope saved: weight of each stack, as frames of the file."""
    frames, sums, stack, latest = file["shared"]["frames"], collections.Counter(), [], profile["startValue"]
    for event in profile["events"]:
        sums[tuple(stack)] += event["at"] - latest
        latest = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
    assert not stack and latest == profile["endValue"]
    return [([frames[i] for i in stack], weight) for stack, weight in sums.items() if weight]


def summed(stacks, key):
    sums = collections.Counter()
    for stack, weight in stacks:
        sums[tuple(map(key, stack))] += weight
    return +sums


SCOPES = """
    history
    enter main /main.cu 1
    call 2
    malloc a 512
    enter load /main.cu 10
    call 11
    malloc b 512
    malloc c 512
    leave
    call 3
    malloc d 512
    enter solve /main.cu 20
    call 21
    free a
    free b
    leave
    free c
    thread 1
    enter worker /main.cu 30
    call 31
    malloc e 512
    free e
    leave
    thread 0
    leave
    end complete
"""


def time_in_scopes(text):
    """Of trace events: microseconds by thread and scope, named as speedscope names them."""
    sums, opened = collections.Counter(), collections.defaultdict(list)
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] == "B":
            opened[event["tid"]].append((f"{event['name']} {json.dumps(event['args'], separators=(',', ':'))}", event["ts"]))
        elif event["ph"] == "E":
            name, begin = opened[event["tid"]].pop()
            if all(name != outer for outer, _ in opened[event["tid"]]):
                sums[event["tid"], name] += event["ts"] - begin
    return +sums


def speedscope_by_its_page(t):
    """The page opens the files that it can read, and saves what it understood: the report's figures."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        readers.skip("needs chromium")
    folder = modules(t)
    driver = ["node", os.path.join(HERE, "speedscope.mjs"), folder, browser]
    captures = [t.random(seed, history=True) for seed in SEEDS[:2]]
    suffixes = {"speedscope": "json", "folded": "folded", "pprof": "pb.gz"}
    files = [t.export(capture, to, name=f"{i}.{suffix}") for i, capture in enumerate(captures) for to, suffix in suffixes.items()]
    files.append(t.export(t.made(SCOPES), "chrome", name="scopes.json"))
    done = subprocess.run([*driver, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    saved = iter(json.loads(done.stdout))

    for i, capture in enumerate(captures):
        report, file = t.report(capture, "path"), next(saved)
        assert [p["name"] for p in file["profiles"]] == ["at each device's peak", "allocated", "leaked", "allocations"]
        for profile, figure in zip(file["profiles"], ("self_at_peak", "self_alloc", "leaked", "blocks"), strict=True):
            def place(frame):
                return f"{frame['name']} ({frame['file']}:{frame['line']})" if frame.get("line") else None
            assert summed(stacks_of(file, profile), place) == by_path(report, figure), figure

        file = next(saved)
        assert summed(stacks_of(file, file["profiles"][0]), lambda f: frame_key(f["name"])) == by_path(report, "self_at_peak")

        wanted = collections.Counter()  # of a function, speedscope knows one line
        for stack, values, _ in export_readers.pprof(gzip.open(t.path(f"{i}.pb.gz")).read())["samples"]:
            wanted[tuple(re.sub(r" \([^()]*:\d+\)$", "", frame) for frame in reversed(stack))] += values[4]
        file = next(saved)
        assert summed(stacks_of(file, file["profiles"][0]), lambda f: f["name"]) == +wanted

    file, found = next(saved), collections.Counter()
    for profile in file["profiles"]:
        thread = int(re.search(r"\(tid (\d+)\)$", profile["name"])[1])
        for stack, weight in stacks_of(file, profile):
            for name in {frame["name"] for frame in stack}:
                found[thread, name] += weight
    wanted = time_in_scopes(open(files[-1], encoding="utf-8").read())
    assert len(wanted) == 4 and set(found) == set(wanted), (found, wanted)
    assert all(abs(found[key] - wanted[key]) < 0.01 for key in wanted), (found, wanted)

    bad = subprocess.run([*driver, t.export(captures[0], "dhat", name="bad.json")], capture_output=True, text=True, check=False)
    assert bad.returncode == 1 and "Unrecognized format" in bad.stderr, bad


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
