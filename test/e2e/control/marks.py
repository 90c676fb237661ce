"""Marks (gpumemprof_mark) number moments; what was allocated between two of them and is still live is listed block by
block (gpumemprof_leaks), whenever the program asks."""
import json
import re

from harness import check


def _program(t, **more):
    return t.build("marks", "control/marks.cpp", flags=["-O1"], **more)


def blocks_between_any_two_marks_are_what_the_bookkeeper_has(t):
    program = _program(t)
    result, capture = t.run(program, "walk", options="history=all")
    questions, blocks, wrong, none = map(int, re.fullmatch(r"questions (\d+), blocks (\d+), wrong (\d+), none (\d+)\n", result.out).groups())
    assert questions > 1000 and blocks > 100000 and wrong == 0 and none == 0, result.out
    assert not result.err and t.report(capture)["conservation"]["ok"], result.err
    marks = json.loads(t.gpumemprof("info", "--format", "json", capture).out)["marks"]
    assert [(m["name"], m["clock"]) for m in marks] == \
        [pair for step in range(60) for pair in ((f"step {step}", 40 * step), ("", 40 * step + 40))], marks[:5]
    assert all(a["time_ns"] <= b["time_ns"] for a, b in zip(marks, marks[1:]))
    events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    at = next(i for i, e in enumerate(events) if e.get("name") == "step 3")
    before, after = [[e for e in part if e["event"] in ("allocated", "freed")] for part in (events[:at], events[at:])]
    assert before[-1]["clock"] == 120 and after[0]["clock"] == 121, (before[-1], after[0])
    assert "... and 100 more (--format json has all)" in t.gpumemprof("info", capture).out
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def threads_do_not_disturb_what_lies_between_marks(t):
    result, capture = t.run(_program(t), "threads")
    assert result.out == "rounds 300, wrong 0, left 0\n", result.out
    check(t.report(capture)["conservation"], "conservation", ok=True, live=300000)


def what_is_shown_may_be_freed(t):
    result, capture = t.run(_program(t), "busy")
    assert result.out == "left 2000, shown 2000, then 2000 blocks of 20000 bytes\n", result.out
    check(t.report(capture)["conservation"], "conservation", ok=True, live=20000)


def forked_child_is_shown_nothing_more(t):
    result, _ = t.run(_program(t), "fork", capture="%p.gmprof")
    assert sorted(result.out.splitlines()) == ["child: left 5, then 1", "parent: left 5, then 1"], result.out


def runtime_that_is_off_or_absent_has_no_marks(t):
    program = _program(t)
    result, _ = t.run(program, "busy", env={"GPUMEMPROF": "0"})
    plain = t.command(t.build("plain", "control/marks.cpp", plugin=False, runtime=False), "busy")
    assert result.out == plain.out == "left 0, shown 0, then 0 blocks of 0 bytes\n" and not result.err, result.out
