"""Calls that fail: a failed allocation counts nothing and is listed, a failed free is rolled back, a free
of an address nobody saw allocated is a counted loss."""
import json

from harness import check


def _failing(t):
    elsewhere = t.work / "elsewhere.o"
    t.command(t.compiler("c"), *t.include_flags(), "-c", t.programs / "common/elsewhere.c", "-o", elsewhere)
    return t.build("failing", "common/failing.c", link=[elsewhere])


def failed_allocation_counts_nothing_and_is_listed(t):
    program = _failing(t)
    result, capture = t.run(program, "attempts", sim="fail=2")
    assert result.out == "status 2\n", result.out  # the program gets the error untouched
    report = t.report(capture)
    check(report["conservation"], "conservation", allocated=1000, freed=1000, live=0, ok=True)
    rows = t.rows(capture)
    check(rows["attempts:12"], "first", self_alloc=1000, self_net=1000)
    assert rows.get("attempts:13", {"self_alloc": 0})["self_alloc"] == 0, rows
    text = t.gpumemprof("report", capture).out
    assert "fail" in text and "out of memory" in text, text
    assert "failing.c:13" in text, text
    assert not any(report["losses"].values()), report["losses"]


def allocation_larger_than_the_device_is_out_of_memory(t):
    program = _failing(t)
    result, capture = t.run(program, "attempts", "4000000", sim="memory=2MiB")
    assert result.out == "status 2\n", result.out
    assert "out of memory" in t.gpumemprof("report", capture).out


def failed_free_is_rolled_back(t):
    program = _failing(t)
    result, capture = t.run(program, "frees", sim="fail_free=1")
    assert result.out != "free 0 then 0\n" and result.out.endswith("then 0\n"), result.out
    rows = t.rows(capture)
    check(rows["frees:22"], "failed", self_freed=0) if "frees:22" in rows else None
    check(rows["frees:23"], "second", self_freed=3000)
    check(t.report(capture)["conservation"], "conservation", allocated=3000, freed=3000, live=0, ok=True)


def failures_are_events(t):
    program = _failing(t)
    _, capture = t.run(program, "attempts", sim="fail=2", options="history=all")
    events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    assert [event["event"] for event in events] == ["allocated", "failed", "freed", "scope ended", "scope ended"], \
        events
    check(events[1], "failed", line=13, oom=True, bytes=4000)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    _, capture = t.run(program, "frees", sim="fail_free=1", options="history=all")
    events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    assert [event["event"] for event in events][:4] == ["allocated", "freed", "free failed", "freed"], events
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def block_whose_free_failed_is_a_leak(t):
    program = _failing(t)
    result, capture = t.run(program, "never_freed", sim="fail_free=1")
    assert result.out != "free 0\n", result.out
    check(t.rows(capture)["never_freed:29"], "line", self_alloc=5000, leaked=5000, leaked_blocks=1)
    check(t.report(capture)["conservation"], "conservation", allocated=5000, freed=0, live=5000, ok=True)


def free_of_unknown_address_is_a_counted_loss(t):
    program = _failing(t)
    _, capture = t.run(program, "unknown")
    report = t.report(capture)
    losses = {key: value for key, value in report["losses"].items() if value}
    assert losses == {"unknown_frees": 1}, report["losses"]
    check(report["conservation"], "conservation", allocated=0, freed=0, live=0, ok=True)
    for by in ("line", "function"):
        assert "1 free of addresses" in t.gpumemprof("report", capture, "--by", by).out
