"""`gpumemprof leaks --growth` against the events of the same run: what each line holds at the ends of the steps, by the
capture's own records of them, read without the tool."""
import json
import pathlib

import repeats
from steps import _stored

PROGRAMS = (("timed/grows.cpp", (), ""), ("timed/steps.c", ("calls", 40), ""), ("timed/steps.c", ("function", 40), ":step=train_step"), ("common/lifetimes.cpp", (), ":step=scratch"))


def _growth(t, capture, *options, status=0):
    return json.loads(t.gpumemprof("leaks", "--growth", "--format", "json", capture, *options, status=status).out)


def _held(t, capture):
    """By line (and of each of its paths, as far as events tell: the line alone): live bytes at the end of each step."""
    events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    ends, blocks, live, held = [clock for clock, *_ in _stored(capture)], {}, {}, []
    at = 0
    for end in ends:
        while at < len(events) and events[at]["clock"] <= end:
            e, at = events[at], at + 1
            if e["event"] not in ("allocated", "freed", "free failed") or (e["event"] == "allocated" and e["kind"] == "static"):
                continue
            key = e["address"], e["life"]
            if e["event"] == "allocated":
                blocks[key] = (e["file"], e["line"], e["function"]), e["bytes"]
            line, size = blocks[key]
            live[line] = live.get(line, 0) + (-size if e["event"] == "freed" else size)
        held.append(dict(live))
    return held


def _expected(held, first, last):
    """Lines that never fall from the end of step `first` to that of `last`, rise twice, and still in the second half."""
    found = {}
    for line in held[last - 1]:
        series = [one.get(line, 0) for one in held[first - 1:last]]
        rises = sum(b > a for a, b in zip(series, series[1:]))
        if all(b >= a for a, b in zip(series, series[1:])) and rises > 1 and series[-1] > series[(len(series) - 1) // 2]:
            found[line] = series, rises
    return found


def lines_that_grow_are_those_of_the_events(t):
    found = 0
    for source, arguments, options in PROGRAMS:
        program = t.build(pathlib.PurePath(source).stem, source, flags=["-O1", "-pthread"])
        _, capture = t.run(program, *arguments, options="history=all" + options)
        held = _held(t, capture)
        windows = [(1, len(held))] + [(a, b) for a in range(1, len(held), 5) for b in range(a + 2, len(held) + 1, 3)]
        for first, last in [windows[0], *repeats.share(windows[1:], 3)]:
            result = _growth(t, capture, "--steps", f"{first}:{last}")
            assert (result["steps"], result["from"], result["to"]) == (len(held), first, last)
            got = {(one["file"], one["line"], one["function"]): one for one in result["growth"]}
            expected = _expected(held, first, last)
            assert got.keys() == expected.keys(), (source, first, last, got.keys() ^ expected.keys())
            grew = [one["last"] - one["first"] for one in result["growth"]]
            assert grew == sorted(grew, reverse=True), grew
            for line, (series, rises) in expected.items():
                one = got[line]
                assert [point["bytes"] for point in one["live"]] == series, (line, one["live"], series)
                assert [point["step"] for point in one["live"]] == list(range(first, last + 1))
                assert (one["first"], one["last"], one["rises"]) == (series[0], series[-1], rises), one
                assert one["bytes_per_step"] == (series[-1] - series[0]) // (last - first), one
                place = one["path"][-1]
                assert (place["file"], place["line"], place["function"]) == line, one["path"]
                found += 1
    assert found > 6, found


def a_planted_leak_grows_and_a_cache_does_not(t):
    _, capture = t.run(t.build("grows", "timed/grows.cpp", flags=["-O1"]), options="history=all")
    result = _growth(t, capture, "--fail", status=1)
    found = {one["variable"]: one for one in result["growth"]}
    assert found.keys() == {"leaked", "log"}, found.keys()
    sizes = [512 * (step + 1) if step % 2 == 0 else 2048 + step for step in range(12)]
    leaked = found["leaked"]
    assert (leaked["first"], leaked["last"], leaked["rises"]) == (sizes[0], sum(sizes), 11), leaked
    assert leaked["path"][-2]["function"] == "leak_more" and leaked["path"][0]["function"] == "main", leaked["path"]
    assert (found["log"]["rises"], found["log"]["last"]) == (4, 28000), found["log"]
    text = t.gpumemprof("leaks", "--growth", "--bytes", capture).out
    rate, log = (sum(sizes) - sizes[0]) // 11, 28000 // 11
    assert f"{rate} per step: " in text and "called from " in text and "; it grew in each of the 11 steps after step 1" in text, text
    assert f"growing: 2 lines, by {rate + log} per step, from the end of step 1 to the end of step 12" in text, text
    early = {one["variable"] for one in _growth(t, capture, "--steps", ":4")["growth"]}
    assert early == {"leaked", "cached", "buffer"}, early
    t.gpumemprof("leaks", "--growth", "--fail", "--kind", "pinned", capture)
    (t.work / "known").write_text("leak:history\nleak:^leak_steadily$\nleak:^leak_more$\n")
    text = t.gpumemprof("leaks", "--growth", "--fail", "--suppressions", t.work / "known", capture).out
    assert "no line grows" in text and "suppressed: 27.34 KiB more in 1 line by leak:history" in text, text


def what_cannot_be_known_is_said(t):
    program = t.build("grows", "timed/grows.cpp", flags=["-O1"])
    _, capture = t.run(program)
    assert "has no events, and growth from step to step needs all: record it with" in t.gpumemprof("leaks", "--growth", capture, status=2).err
    _, capture = t.run(program, options="history=all")
    assert "--steps goes to 13, and " in t.gpumemprof("leaks", "--growth", "--steps", "2:13", capture, status=2).err
    assert "growth needs the ends of at least three steps" in t.gpumemprof("leaks", "--growth", "--steps", "11:", capture, status=2).err
    _, capture = t.run(t.build("lifetimes", "common/lifetimes.cpp", flags=["-O1"]), options="history=all")
    assert "has no steps: name the function that is a step, " in t.gpumemprof("leaks", "--growth", capture, status=2).err
