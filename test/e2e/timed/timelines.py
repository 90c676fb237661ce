"""`gpumemprof timeline` against the events of the same run, moment by moment, and against the samples of the monitor."""
import json
import pathlib
import os
import subprocess
import time

PROGRAMS = (("common/lifetimes.cpp", ()), ("common/recursion.cpp", ()), ("common/threads.cpp", ()), ("common/churn.cpp", (4, 2, 0.2)), ("timed/steps.c", ("calls", 17)))


def _timeline(t, capture, *options):
    return json.loads(t.gpumemprof("timeline", capture, "--format", "json", *options).out)


def _events(t, capture):
    return json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]


def _changes(events, axis):
    """(moment, device, kind, bytes) of each change of what is live."""
    blocks, changes, latest = {}, [], 0
    for e in events:
        if e["event"] not in ("allocated", "freed", "free failed"):
            continue
        latest = max(latest, e[axis])
        key = (e["address"], e["life"])
        if e["event"] == "allocated":
            blocks[key] = e["device"], e["kind"], e["bytes"]
        device, kind, size = blocks[key]
        changes.append((latest, device, kind, -size if e["event"] == "freed" else size))
    return changes


def _columns(changes, length, width):
    """Least, most and last of each column, in the most direct way."""
    columns, live, at = [], 0, 0
    for c in range(width):
        seen = [live]
        while at < len(changes) and changes[at][0] * width // length <= c:
            live += changes[at][3]
            seen.append(live)
            at += 1
        columns.append((min(seen), max(seen), live))
    assert at == len(changes)
    return columns


def _check(t, name, capture, events, axis, *options, kind=None, width=80):
    found = _timeline(t, capture, "--axis", axis.split("_")[0], *options)
    assert found["from"] == "events" and found["axis"] == axis, name
    changes = [c for c in _changes(events, axis) if kind in (None, c[2]) and c[2] != "custom"]
    assert {d["device"] for d in found["timeline"]} == {c[1] for c in changes}, name
    for d in found["timeline"]:
        own, columns = [c for c in changes if c[1] == d["device"]], d["columns"]
        length = columns[-1]["end"]
        assert len(columns) == width and columns[0]["begin"] == 0 and length > own[-1][0], name
        assert all(a["end"] == b["begin"] for a, b in zip(columns, columns[1:])), name
        assert all(c["begin"] == -(-i * length // width) for i, c in enumerate(columns)), name
        assert [(c["min"], c["max"], c["last"]) for c in columns] == _columns(own, length, width), (name, d["device"], axis)
        assert d["max"] == max(c["max"] for c in columns), name
    return found


def _check_part(t, name, capture, events, first, last, width):
    """Ticks `first` to `last` of the clock, in the most direct way: what is live after each."""
    found = _timeline(t, capture, "--axis", "clock", "--width", str(width), "--from", str(first), "--to", str(last))
    changes = _changes(events, "clock")
    for d in found["timeline"]:
        own = {clock: size for clock, device, kind, size in changes if device == d["device"] and kind != "custom"}
        before, length = sum(size for clock, size in own.items() if clock < first), last - first + 1
        live = [before]
        for clock in range(first, last + 1):
            live.append(live[-1] + own.get(clock, 0))
        assert d["max"] == max(live), (name, first, last)
        for i, c in enumerate(d["columns"]):
            begin, end = first - (-i * length // width), first - (-(i + 1) * length // width)
            seen = live[begin - first:end - first + 1]  # what it begins with, and after each of its ticks
            assert (c["begin"], c["end"], c["min"], c["max"], c["last"]) == (begin, end, min(seen), max(seen), seen[-1]), (name, i, c, seen)
    assert all(first <= step["clock"] <= last for step in found["steps"]), found["steps"]


def columns_are_those_of_the_events(t):
    for source, arguments in PROGRAMS:
        name = pathlib.PurePath(source).stem
        more = ["oracle/oracle.cpp"] if name in ("recursion", "threads") else []
        program = t.build(name, source, *more, flags=["-O1", "-pthread", "-I", t.programs / "oracle"])
        _, capture = t.run(program, *arguments, capture=f"{name}.gmprof", options="history=all")
        events = _events(t, capture)
        peaks = {d["device"]: d["peak"] for d in t.report(capture)["devices"] if d["peak"]}
        for axis in ("clock", "time_ns"):
            for width in (66, 1, 997):
                found = _check(t, name, capture, events, axis, "--width", str(width), width=width)
                assert {d["device"]: d["max"] for d in found["timeline"]} == peaks, (name, peaks)
        for kind in {e["kind"] for e in events if e["event"] == "allocated"}:
            _check(t, name, capture, events, "clock", "--kind", kind, "--width", "50", kind=kind, width=50)
        end = events[-1]["clock"]
        for first, last, width in ((1, end, 30), (end // 3, end // 2, 66), (end // 2, end // 2, 5), (end - 3, end, 3)):
            if end < 3000:
                _check_part(t, name, capture, events, first, last, width)
        text = t.gpumemprof("timeline", capture, "--bytes", env={"LC_ALL": "C"}).out
        assert text.isascii() and all(f"{peak} |" in text for peak in peaks.values()), text
        if name == "steps":
            assert len(found["steps"]) == 17 and "steps  " in text, text
    # By the clock: in time a program that waits for a processor is mostly empty.
    assert t.gpumemprof("timeline", capture, "--axis", "clock", env={"LC_ALL": "C.UTF-8"}).out.count("\u2588") > 10


def samples_are_drawn_where_there_are_no_events(t):
    program = t.build("monitor", "common/monitor.c", flags=["-O1"], link=["-pthread"])
    _, capture = t.run(program, "plateaus", "30", options="monitor=5ms")
    samples = [s for s in json.loads(t.gpumemprof("info", "--samples", "--format", "json", capture).out)["samples"] if s["pool"] is None]
    found = _timeline(t, capture, "--width", "40")
    (device,) = found["timeline"]
    length = device["columns"][-1]["end"]
    report = t.report(capture)["devices"][0]
    points = sorted([(s["time_ns"], s["ledger"]) for s in samples])
    assert found["from"] == "samples" and device["samples"] == len(samples) > 20
    assert device["max"] == report["peak"] and device["columns"][-1]["last"] == report["live_at_exit"]
    latest = 0
    for i, column in enumerate(device["columns"][:-1]):
        seen = [ledger for at, ledger in points if at * 40 // length == i]
        own = report["peak_time_ns"] * 40 // length == i
        assert column["min"] == min(seen + [latest]), (i, column, seen)
        assert column["max"] == max(seen + [latest] + [report["peak"]] * own), (i, column, seen)
        latest = seen[-1] if seen else latest
    assert "between them more, or less, may have been live" in t.gpumemprof("timeline", capture).out
    _, capture = t.run(program, "plateaus", "1")
    assert "so there is no timeline: record it with" in t.gpumemprof("timeline", capture, status=2).err


def a_program_that_runs_or_was_killed_has_no_more_than_it_held(t):
    """Its threads' events are there to different moments: the timeline ends before the first that is missing."""
    program = t.build("churn", "common/churn.cpp", flags=["-O1", "-pthread"])
    capture = t.work / "live.gmprof"
    options = {"GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1:history=all"}
    with subprocess.Popen([program, "2", "1", "0"], stdout=subprocess.PIPE, env={**os.environ, **options}) as running:
        try:
            assert running.stdout.readline() == b"ready\n"
            for _ in range(3): # the capture grows while it is read
                time.sleep(0.1)
                (device,) = _timeline(t, capture, "--axis", "clock")["timeline"]
                later = t.report(capture)["devices"][0]["peak"]
                assert 0 < device["max"] <= later, (device["max"], later)
        finally:
            running.kill()
    (device,) = _timeline(t, capture)["timeline"]
    assert device["max"] <= t.report(capture)["devices"][0]["peak"], device["max"]
