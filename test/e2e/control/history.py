"""The history is switched while the program runs (gpumemprof_history): it holds the events of that time, says that they
are a part, and no figure is made from them; the capture's own figures are of the whole run."""
import json

from harness import check


def _program(t, **more):
    return t.build("history", "common/history.cpp", flags=["-O1"], **more)


def _events(t, capture):
    return json.loads(t.gpumemprof("events", "--format", "json", capture).out)


def _info(t, capture):
    return json.loads(t.gpumemprof("info", "--format", "json", capture).out)


def _refused(t, capture):
    said = t.gpumemprof("events", "--replay", capture, status=2)
    assert not said.out and len(said.err.splitlines()) == 1 and "holds the events of a part of the run" in said.err \
        and "history=all from its start" in said.err, said.err


def events_are_those_of_the_time_it_was_on(t):
    result, capture = t.run(_program(t), "parts", options="oom_max=0")
    assert result.out == "0 0 0\n" and not result.err, (result.out, result.err)
    read = _events(t, capture)
    assert read["history"] == "part" and _info(t, capture)["history"] == "part"
    found = [(e["event"], e.get("bytes"), e["clock"]) for e in read["events"] if e["event"] != "scope ended"]
    wanted, clock = [], 200
    for i in range(1, 101):
        wanted.append(("allocated", 2000 + i, clock := clock + 1))
        wanted.append(("freed", None, clock := clock + 1))  # allocated before: its bytes are not known
        if i % 2:
            wanted.append(("freed", 2000 + i, clock := clock + 1))
    wanted.append(("failed", 1 << 50, clock))
    clock += 100
    wanted += [("allocated", 4000 + i, clock + i) for i in range(1, 6)]
    assert found == wanted, [pair for pair in zip(found, wanted) if pair[0] != pair[1]][:3]
    times = [e["time_ns"] for e in read["events"] if e["event"] in ("allocated", "freed")]
    assert times == sorted(times) and 0 < times[0] < times[-1] <= _info(t, capture)["duration_ns"], (times[:3], times[-3:])
    text = t.gpumemprof("events", capture).out
    assert text.startswith("(the history is of a part of the run: the program switched it with gpumemprof_history)\n"), text[:200]
    _refused(t, capture)
    check(t.report(capture)["conservation"], "conservation", ok=True, allocated_blocks=200 + 100 + 50 + 5, freed_blocks=100 + 50 + 50)


def history_that_is_on_before_the_first_event_is_whole(t):
    _, capture = t.run(_program(t), "start")
    assert "history" not in _events(t, capture) and _info(t, capture)["history"] == "whole"
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def reset_does_not_hide_what_was_before_the_history(t):
    for mode, history, before in (("reset", "whole", 0), ("reset failed", "part", 1)):
        result, capture = t.run(_program(t), mode)
        assert result.err.count("1.00 PiB requested") == before, result.err
        assert _info(t, capture)["history"] == history, mode
        assert [e["event"] for e in _events(t, capture)["events"]] == ["allocated", "scope ended", "scope ended"]
        said = t.gpumemprof("events", "--replay", capture, status=2)
        assert "the program reset its figures (gpumemprof_reset)" in said.err and not said.out, said.err


def switching_off_what_was_on_from_the_start_makes_a_part(t):
    _, capture = t.run(_program(t), "parts", options="history=all")
    events = [e for e in _events(t, capture)["events"] if e["event"] in ("allocated", "freed")]
    assert len(events) == 200 + 250 + 5, len(events)
    _refused(t, capture)
    _, capture = t.run(_program(t), "unchanged", options="history=all")
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    assert _info(t, capture)["history"] == "whole"


def ring_may_be_switched_on(t):
    _, capture = t.run(_program(t), "ring", options="ring=1000")
    events = [e for e in _events(t, capture)["events"] if e["event"] in ("allocated", "freed")]
    assert 1000 <= len(events) < 60000 and events[-1]["clock"] == 200000, len(events)
    assert [e["clock"] for e in events] == list(range(200001 - len(events), 200001))
    assert _info(t, capture)["history"] == "latest"


def threads_may_be_under_way_when_it_is_switched(t):
    result, capture = t.run(_program(t), "threads", options="ring=5000")
    assert not result.err, result.err
    check(t.report(capture)["conservation"], "conservation", ok=True, allocated_blocks=4 * 6000 * 2, freed_blocks=4 * 6000 * 2)
    assert _events(t, capture)["history"] == "part"
    said = t.gpumemprof("events", "--replay", capture, status=2).err
    assert len(said.splitlines()) == 1 and "figures cannot be made from them" in said, said


def forked_child_begins_with_what_was_set(t):
    captures = t.work / "captures"
    captures.mkdir()
    t.command(_program(t), "fork", env={"GPUMEMPROF_OPTIONS": f"output={captures}/%p.gmprof:quiet=1"})
    found = {_info(t, path)["history"]: path for path in captures.iterdir()}
    assert found.keys() == {"part", "whole"}, found
    _refused(t, found["part"])
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", found["whole"]).out
    assert {e.get("bytes", 4) for e in _events(t, found["whole"])["events"]} == {4}


def wrong_modes_are_said(t):
    result, capture = t.run(_program(t), "wrong")
    assert result.out == "-2 -2 0\n", result.out
    assert result.err.splitlines() == ["gpumemprof: gpumemprof_history: there is no mode ``; use off, ring or all",
                                       "gpumemprof: gpumemprof_history: there is no mode `everything`; use off, ring or all"], result.err
    assert _info(t, capture)["history"] == "none"
    assert "has no events" in t.gpumemprof("events", capture, status=2).err


def runtime_that_is_off_or_absent_has_no_history(t):
    program = _program(t)
    for result in (t.run(program, "wrong", env={"GPUMEMPROF": "0"})[0],
                   t.command(t.build("plain", "common/history.cpp", plugin=False, runtime=False), "wrong")):
        assert result.out == "-1 -1 -1\n" and not result.err, result
