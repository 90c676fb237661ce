"""Labels that a program pushes and pops: what was allocated under each, by the program's own count."""
import json

from harness import check


def _compare(t, *arguments, options="", **build):
    program = t.build("labels", "common/labels.cpp", **{"flags": ["-O2"], **build})
    result, capture = t.run(program, *arguments, options=options)
    counted = json.loads(result.out)
    rows = {row["label"]: row for row in t.report(capture, "label")["rows"]}
    assert set(rows) == set(counted), (sorted(rows), sorted(counted))
    for label, (allocated, live, blocks) in counted.items():
        check(rows[label], label, self_alloc=allocated, leaked=live, blocks=blocks, self_freed=allocated - live)
    return capture, counted


def rows_are_what_the_program_counts(t):
    capture, counted = _compare(t)
    assert len(counted) > 50, counted
    assert t.report(capture)["conservation"]["ok"]
    text = t.gpumemprof("report", "--by", "label", "--limit", "0", capture).out
    assert "(no label)" in text and "load/forward" in text, text


def one_thread_that_needs_no_search_has_the_same(t):
    capture, _ = _compare(t, "single")
    _compare(t, "single", flags=["-O0"])
    lines = t.rows(capture)
    assert sum("take" in key for key in lines) == 1, sorted(lines)  # a line stays one line


def events_replay_under_labels(t):
    capture, _ = _compare(t, "single", options="history=all")
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def program_without_runtime_has_no_labels(t):
    plain = t.build("plain", "common/labels.cpp", plugin=False, runtime=False)
    t.command(plain, status=4)  # a push says 0 there
