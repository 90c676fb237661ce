#!/usr/bin/env python3
"""firefox.py SOURCE TOOL WORK CASE - profiles of the Firefox Profiler against `report` and `events`: by a reader of our own and by
the Firefox Profiler's code."""
import collections
import json
import os
import re
import resource
import signal
import sys

import firefox_reader

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from exports import SEEDS, Case, by_path, frame_key  # noqa: E402
from exports_events import EVENTFUL, events, figures  # noqa: E402
from viewers import STEPS, modules  # noqa: E402

FIGURES = {"at each device's peak": "self_at_peak", "allocated": "self_alloc", "leaked": "leaked"}


def profile_of(t, capture, *more, name="out.firefox.json"):
    path = t.export(capture, "firefox", *more, name=name)
    with open(path, encoding="utf-8") as file:
        return path, firefox_reader.read(json.load(file))


def keyed(found):
    """A frame without a line is None, as it is in by_path."""
    result = collections.Counter()
    for stack, weight in found.items():
        result[tuple(map(frame_key, stack))] += weight
    return collections.Counter({stack: weight for stack, weight in result.items() if weight})


def wanted_of(t, capture):
    """By thread and data source of the viewer: bytes of each stack, as the report has them. Frees are negative."""
    report = t.report(capture, "path")
    allocated, leaked = by_path(report, "self_alloc"), by_path(report, "leaked")
    wanted = {(name, "allocations"): by_path(report, figure) for name, figure in FIGURES.items()}
    wanted["all threads", "allocations"], wanted["all threads", "retained-allocations"] = allocated, leaked
    wanted["all threads", "deallocations-sites"] = {stack: -bytes_ for stack, bytes_ in by_path(report, "self_freed").items()}
    wanted["all threads", "deallocations-memory"] = {stack: -bytes_ for stack, bytes_ in (allocated - leaked).items()}
    return wanted


def firefox(t):
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        _, found = profile_of(t, capture)
        wanted, (listed, (report, devices)) = wanted_of(t, capture), (events(t, capture), figures(t, capture))
        for name in FIGURES:
            assert keyed(firefox_reader.sums(found["threads"][name]["allocations"])) == wanted[name, "allocations"], (seed, name)
        rows, live = found["threads"]["all threads"]["allocations"], found["threads"]["all threads"]["live"].values()
        assert keyed(firefox_reader.sums(live)) == wanted["all threads", "retained-allocations"]
        assert keyed(firefox_reader.sums(r for r in rows if r[1] > 0)) == wanted["all threads", "allocations"]
        assert keyed(firefox_reader.sums(r for r in rows if r[1] < 0)) == wanted["all threads", "deallocations-sites"]
        # Each allocation, on its thread, at its time.
        made = [e for e in listed if e["event"] == "allocated"]
        for number in {e["thread"] for e in listed}:
            assert [(round(ms * 10**6), weight) for ms, weight, _ in found["threads"][f"thread {number}"]["samples"]] == [
                (e["time_ns"], e["bytes"]) for e in made if e["thread"] == number], number
        assert [(weight, thread) for _, weight, _, _, thread in rows if weight > 0] == [(e["bytes"], e["thread"]) for e in made if e["bytes"]]
        for device, record in devices.items():
            values = found["counters"].get(device if device == "host" else f"GPU {device}", [(0, 0)])
            assert (max(v for _, v in values), values[-1][1]) == (record["peak"], record["live_at_exit"]), device
            pairs = list(zip(values, values[1:]))
            assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairs), "the viewer would draw a slope"
        # Without its events: the figures alone, also of a part of the call tree.
        plain = t.random(seed)
        for only in ([], ["--device", "0"], ["--kind", "pool"]):
            _, found = profile_of(t, plain, *only)
            assert list(found["threads"]) == list(FIGURES) and not found["counters"], list(found["threads"])
            report = t.report(plain, "path", *only)
            for name, figure in FIGURES.items():
                assert keyed(firefox_reader.sums(found["threads"][name]["allocations"])) == by_path(report, figure), (seed, name)
    _, found = profile_of(t, capture, "--device", "host")
    assert set(found["counters"]) <= {"host"}


MARKERS = [
    ("mark", {"type": "mark", "name": 'begin "it"', "thread": 0}), ("mark", {"type": "mark", "name": "(mark)", "thread": 0}),
    ("step", {"type": "step", "number": 1, "live": 1 << 20, "phase": "wait", "cycle": 1}),
    ("out of memory", {"type": "failure", "bytes": 90 << 30, "thread": 0, "at": "main (/src/main.cu:5)"}),
    ("failed", {"type": "failure", "bytes": 64, "thread": 0, "at": "main (/src/main.cu:6)"}),
    ("step", {"type": "step", "number": 2, "live": 2 << 20})]


def firefox_of_failures_marks_and_steps(t):
    text = EVENTFUL.replace("    thread 1\n", STEPS + "    thread 1\n")
    _, found = profile_of(t, t.made(text))
    assert [(name, data) for name, _, data, _ in found["markers"]] == MARKERS, found["markers"]
    inside = ("main {epoch} (/src/main.cu:3)",)
    assert [cause for *_, cause in found["markers"] if cause] == [(*inside, "main (/src/main.cu:5)"), (*inside, "main (/src/main.cu:6)")]
    assert {name: thread["id"] for name, thread in found["threads"].items()} == {
        **{name: name for name in FIGURES}, "all threads": "all threads", "thread 0": 0, "thread 1": 1}
    assert found["threads"]["thread 1"]["samples"][0][1:] == (500 << 10, ("worker (/src/worker.cu:11)",))
    assert found["meta"]["product"] == "./app" and found["meta"]["startTime"] == 1700000000 * 10**3
    _, found = profile_of(t, t.made(text.replace("    history\n", "")))  # marks and steps need no history
    assert [(name, data) for name, _, data, _ in found["markers"]] == [m for m in MARKERS if m[1]["type"] != "failure"], found["markers"]


def firefox_of_unusual_names_and_of_nothing(t):
    """Each file is JSON of the viewer's types whatever the program's texts are, and whatever is not in the capture."""
    capture = t.made('history\nprogram ./NL \'QU\'\nenter fNLQUTBU8 /src/aQUNL.cu 1\ncall 2\nmalloc a 1KiB\nmark mNLQUTBU8\nfail 7\nleave\nend complete\n')
    data = open(capture, "rb").read()
    for word, control in ((b"NL", b"\n\\"), (b"QU", b'"\r'), (b"TB", b"\t\x1b"), (b"U8", b"\xff\xc3")):
        assert word in data
        data = data.replace(word, control)
    with open(capture, "wb") as out:
        out.write(data)
    path, found = profile_of(t, capture)
    (row,) = t.report(capture, "path")["rows"]
    assert firefox_reader.sums(found["threads"]["allocated"]["allocations"]) == {(f"{row['function']} ({row['file']}:2)",): 1024}
    assert '"' in row["function"] and row["function"] in {m[2].get("at", "").split(" (")[0] for m in found["markers"]}
    assert not re.search(rb"[\x00-\x09\x0b-\x1f]", open(path, "rb").read())
    for text in ("end complete\n", "history\nend complete\n", "history\nenter main /main.cu 1\ncall 2\nfail 1\nleave\nend complete\n"):
        _, found = profile_of(t, t.made(text, "empty"))
        assert not any(thread["allocations"] for thread in found["threads"].values()) and not found["counters"]
    assert [m[0] for m in found["markers"]] == ["failed"]
    part = t.made("history\nenter main /main.cu 1\ncall 2\nmalloc a 512\nleave\ncounter events_overwritten 7\n", "part")
    assert not profile_of(t, part)[1]["counters"]  # what was live before the first of its events is not known
    many = t.made("history\nenter main /main.cu 1\ncall 2\n" + "malloc p 512\nfree p\n" * 500 + "leave\nend complete\n", "many")

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    said = t.gpumemprof("export", "--to", "firefox", "-o", "none", many, status=2, preexec_fn=small).stderr.decode()
    assert said == "gpumemprof export: a temporary file could not be written: File too large\n" and not os.path.exists(t.path("none")), said
    said = t.gpumemprof("export", "--to", "firefox", "--from", "0", "-o", "none", capture, status=2).stderr.decode()
    assert said.startswith("gpumemprof export: firefox is of the whole run: --from, --to"), said


def firefox_by_its_own_code(t):
    """What the Firefox Profiler makes of the file: its call trees, counters and markers."""
    folder = modules(t)
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        path, found = profile_of(t, capture)
        devices = figures(t, capture)[1]
        with firefox_reader.Profiler(folder, path) as profiler:
            names = [thread["name"] for process in profiler.ask("profile", "info", "--all")["processes"] for thread in process["threads"]]
            assert names == list(found["threads"])
            for (name, source), wanted in wanted_of(t, capture).items():
                tree = profiler.tree(names.index(name), f"native-{source}", found["functions"])
                assert keyed(tree) == wanted, (seed, name, source)
            for number, name in enumerate(names):
                if name.startswith("thread "):
                    assert keyed(profiler.tree(number, "timing", found["functions"])) == keyed(
                        firefox_reader.sums(found["threads"][name]["samples"])), name
            for counter in profiler.ask("counter", "list")["counters"]:
                record = devices[counter["name"] if counter["name"] == "host" else int(counter["name"].split()[1])]
                assert counter["unit"] == "bytes" and counter["label"] == f"{counter['name']}: live bytes"
                asked = profiler.ask("counter", "info", counter["counterHandle"])
                assert {stat["source"]: stat["value"] for stat in asked["stats"]} == {"count-range": record["peak"]}
                assert asked["graph"][-1] == record["live_at_exit"], counter["name"]
    path, found = profile_of(t, t.made(EVENTFUL.replace("    thread 1\n", STEPS + "    thread 1\n")))
    with firefox_reader.Profiler(folder, path) as profiler:
        asked = profiler.ask("thread", "markers", "--thread", "t-0", "--list", "--limit", "0")["flatMarkers"]
        assert sorted((m["name"], m["label"], m["hasStack"]) for m in asked) == [
            ("failed", "64B at main (/src/main.cu:6)", True), ("mark", "(mark)", False), ("mark", 'begin "it"', False),
            ("out of memory", "96.6GB at main (/src/main.cu:5)", True), ("step", "step 1", False), ("step", "step 2", False)], asked
        assert not profiler.ask("profile", "meta").get("error")
    with open(t.path("bad.json"), "w", encoding="ascii") as out:
        out.write("{}")
    try:
        with firefox_reader.Profiler(folder, t.path("bad.json")):
            raise AssertionError("it took a file that is no profile")
    except ValueError as error:
        assert "no meta field" in str(error), error


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
