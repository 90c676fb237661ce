"""Hooks of the program (gpumemprof_hooks_add): each event is reported once, with its place and its figures, by
the thread that makes it. What a hook does itself is recorded like everything else and reported to no hook."""
import json
import re

from harness import check


def _events(text):
    """The events of a program's words: what, and its fields; and the other lines."""
    events, rest = [], []
    for line in text.splitlines():
        found = re.fullmatch(r"(\w+: )?([a-z-]+) (kind=.*)", line)
        if not found:
            rest.append(line)
            continue
        fields = dict(word.split("=", 1) for word in found[3].split(" "))
        events.append({"who": (found[1] or "").rstrip(": "), "what": found[2],
                     **{key: int(value) if value.lstrip("-").isdigit() and key != "at" else value for key, value in fields.items()}})
    return events, rest


def _line(t, text, nth=0, program="control/hooks.c"):
    """The line of a call in the program."""
    lines = (t.programs / program).read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if text in line][nth]


def _whole(t, capture, **sums):
    report = t.report(capture)
    check(report["conservation"], "conservation", ok=True, **sums)
    assert not any(report["losses"].values()), report["losses"]
    return report


def every_kind_of_event_is_reported_with_its_figures(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    result, capture = t.run(program, "each way", sim="fail=2:fail_free=1")
    events, rest = _events(result.out)
    pitch, reserved = (int(re.search(rf"{word} (\d+)", result.out)[1]) for word in ("pitch", "reserved"))
    assert rest == ["freed 1 0", f"pitch {pitch}", f"reserved {reserved}", "set 1, removed 0, 11 calls"], rest
    here = {"device": 0, "file": "hooks.c", "function": "each_way", "result": 0, "kind": "device", "at": "p", "who": ""}
    frees = _line(t, "int failed = cudaFree(p)")
    expected = [
        {"what": "allocated", "requested": 1000, "acquired": 1000, "block": 1, "clock": 1, "line": _line(t, "p, 1000)")},
        {"what": "failed", "requested": 2000, "acquired": 0, "block": 0, "clock": 1, "line": _line(t, "block, 2000)"),
         "at": "0", "result": 2},
        {"what": "free", "requested": 1000, "acquired": 1000, "block": 1, "clock": 2, "line": frees},
        {"what": "free-failed", "requested": 1000, "acquired": 1000, "block": 1, "clock": 3, "line": frees, "result": 1},
        {"what": "free", "requested": 1000, "acquired": 1000, "block": 1, "clock": 4, "line": frees},
        {"what": "allocated", "requested": 1000, "acquired": 10 * pitch, "block": 5, "clock": 5,
         "line": _line(t, "cudaMallocPitch")},
        {"what": "allocated", "requested": 4096, "acquired": 4096, "block": 6, "clock": 6, "kind": "pinned", "device": -1,
         "line": _line(t, "cudaMallocHost")},
        {"what": "free", "requested": 4096, "acquired": 4096, "block": 6, "clock": 7, "kind": "pinned", "device": -1,
         "line": _line(t, "cudaFreeHost")},
        {"what": "allocated", "requested": 3000, "acquired": 3000, "block": 8, "clock": 8, "kind": "pool",
         "line": _line(t, "cudaMallocAsync")},
        {"what": "acquired", "requested": reserved, "acquired": reserved, "block": 0, "clock": 8, "kind": "pool",
         "line": _line(t, "cudaMallocAsync"), "at": "other"},
        {"what": "free", "requested": 3000, "acquired": 3000, "block": 8, "clock": 9, "kind": "pool",
         "line": _line(t, "cudaFreeAsync")},
    ]
    for found, wanted in zip(events, expected, strict=True):
        assert found == {**here, **wanted}, (found, {**here, **wanted})
    _whole(t, capture, allocated=1000 + 10 * pitch + 4096 + 3000 + 7, live=10 * pitch + 7)


def requests_come_before_the_call_and_ends_after_it(t):
    """Each allocation is reported after its request and each free before its end, and otherwise as without these hooks."""
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    result, capture = t.run(program, "around", sim="fail=2:fail_free=1")
    events, _ = _events(result.out)
    assert [one["what"] for one in events] == [
        "requested", "allocated", "requested", "failed", "free", "free-failed", "free", "freed",  # cudaMalloc twice, cudaFree twice
        "requested", "allocated", "requested", "allocated", "free", "freed",  # pitched and pinned
        "requested", "allocated", "acquired", "free", "freed"], events
    for one, after in zip(events, events[1:]):
        if one["what"] == "requested":
            assert after["what"] in ("allocated", "failed") and one == {
                **after, "what": "requested", "acquired": 0, "block": 0, "result": 0, "at": one["at"],
                "clock": after["clock"] - (after["what"] == "allocated")}, (one, after)
        if after["what"] == "freed":
            assert after == {**one, "what": "freed"}, (one, after)
    _whole(t, capture)


def hook_before_an_allocation_can_make_room_for_it(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    result, capture = t.run(program, "room", sim="memory=256MiB")
    assert result.out.splitlines()[-2] == f"{120 << 20} more", result.out  # the hook is called when the memory is there again
    events, rest = _events(result.out)
    assert [one["what"] for one in events] == ["requested", "freed"] and rest[0] == "0", result.out
    assert (events[0]["requested"], events[0]["line"]) == (120 << 20, _line(t, "<< 20))", -1)), events
    assert (events[1]["block"], events[1]["requested"]) == (3, 120 << 20), events  # cache, its free in the hook, p
    _whole(t, capture, allocated=280 << 20, live=0)


def requests_of_graphs_are_reported_when_the_node_is_made(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"], link=[t.sim / "libcuda.so.1"])
    result, _ = t.run(program, "graph")
    events, _ = _events(result.out)
    assert [one["what"] for one in events] == ["requested", "allocated", "free", "freed", "acquired"], events
    assert [one["requested"] for one in events[:4]] == [5000] * 4 and events[1]["kind"] == "graph", events
    assert result.out.index("launch") > result.out.index("requested kind"), result.out
    assert result.out.index("launch") < result.out.index("allocated kind"), result.out


def frees_that_are_known_only_afterwards_have_an_end_too(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"], link=[t.sim / "libcuda.so.1"])
    events, _ = _events(t.run(program, "reset around")[0].out)
    assert [one["what"] for one in events] == ["requested", "allocated"] * 200 + ["free", "freed"] * 200, len(events)
    assert all(a["block"] == b["block"] for a, b in zip(events[400::2], events[401::2]))
    events, _ = _events(t.run(program, "pieces around", capture="pieces.gmprof")[0].out)
    assert [(one["what"], one["block"]) for one in events] == [
        ("requested", 0), ("allocated", 1), ("allocated", 2), ("allocated", 3), ("free", 2), ("freed", 2), ("free", 3), ("freed", 3),
        ("free", 1), ("freed", 1)], events


def other_ways_to_call_are_reported_around_too(t):
    """Functions found by name (dlsym), and objects that also run without the runtime (runtime=weak)."""
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    plain, _ = _events(t.run(program, "around", sim="fail=2:fail_free=1")[0].out)
    weak = t.work / "weak"
    t.command(t.compiler("c"), "-std=gnu11", "-O1", *t.plugin_flags(runtime="weak"), *t.include_flags(), t.programs / "control/hooks.c",
              "-o", weak, *t.link_flags())
    assert _events(t.run(weak, "around", sim="fail=2:fail_free=1")[0].out)[0] == plain
    found, _ = _events(t.run(program, "found", sim="fail=2:fail_free=1")[0].out)
    assert [one["what"] for one in found] == ["requested", "allocated", "requested", "failed", "free", "free-failed", "free", "freed"]
    assert {one["function"] for one in found} == {"found"} and [one["requested"] for one in found] == [1000] * 2 + [2000] * 2 + [1000] * 4


def events_of_one_call_are_all_reported(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"], link=[t.sim / "libcuda.so.1"])
    result, capture = t.run(program, "reset")
    events, _ = _events(result.out)
    assert [one["what"] for one in events] == ["allocated"] * 200 + ["free"] * 200, len(events)
    assert sorted(one["block"] for one in events[200:]) == list(range(1, 201))
    assert [one["clock"] for one in events] == list(range(1, 401))
    assert {one["line"] for one in events[200:]} == {_line(t, "cudaDeviceReset")}
    _whole(t, capture, live=0)


def pieces_of_the_programs_own_allocators_are_reported(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    result, capture = t.run(program, "pieces")
    events, _ = _events(result.out)
    block, piece = {"kind": "device", "device": 0}, {"kind": "custom", "device": -3}
    names = ("what", "requested", "block", "at", "kind", "device")
    assert [{name: one[name] for name in names} for one in events] == [
        {"what": "allocated", "requested": 4096, "block": 1, "at": "p", **block},
        {"what": "allocated", "requested": 48, "block": 2, "at": "p", **piece},
        {"what": "allocated", "requested": 16, "block": 3, "at": "other", **piece},
        {"what": "free", "requested": 48, "block": 2, "at": "p", **piece},
        {"what": "free", "requested": 16, "block": 3, "at": "other", **piece},
        {"what": "free", "requested": 4096, "block": 1, "at": "p", **block}], events
    _whole(t, capture, live=0)


def hooks_may_allocate_and_free(t):
    """Their frees come between the program's free and its failure, which takes back the right one."""
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    plain, _ = t.run(program, "busy", capture="plain.gmprof")
    assert plain.out.endswith("freed 0 1\n"), plain.out
    # The hooks' frees come first: one in `allocated` (held is null), two in `free_requested`.
    result, capture = t.run(program, "busy", sim="fail_free=4", options="history=all")
    events, rest = _events(result.out)
    assert rest == ["freed 1 0"], rest
    assert [(one["what"], one["requested"]) for one in events] == \
        [("allocated", 1000), ("free", 1000), ("free-failed", 1000), ("free", 1000)], events
    _whole(t, capture, allocated=1000 + 4 * (64 + 32), freed=1000 + 4 * 64 + 3 * 32, live=32)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    rows = t.rows(capture)
    check(rows[f"own:{_line(t, 'mine, 64)')}"], "own", self_alloc=256, leaked=0)
    check(rows[f"own:{_line(t, 'held, 32)')}"], "own", self_alloc=128, leaked=32)


def hooks_may_remove_themselves_and_others(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    result, capture = t.run(program, "remove")
    events, rest = _events(result.out)
    assert rest == ["removed itself 0, the next 0"], rest
    assert [(one["who"], one["what"]) for one in events] == \
        [("first", "allocated"), ("third", "allocated"), ("third", "free")], events
    _whole(t, capture, live=0)


def wrong_arguments_are_said(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    result, capture = t.run(program, "wrong")
    assert result.out.splitlines() == ["null -2, no size -2", "sixteenth 1, seventeenth -4",
                                       "removed 0, again -2, the place is free, its old handle -2", "of no set -2 -2 -2"], result.out
    said = result.err.splitlines()
    assert len(said) == 3 and "no hooks" in said[0] and "no hooks" in said[1] and "16 sets" in said[2], said
    _whole(t, capture, live=100)


def hooks_live_on_in_forked_children(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    captures = t.work / "captures"
    captures.mkdir()
    result = t.command(program, "fork", env={"GPUMEMPROF_OPTIONS": f"output={captures}/%p.gmprof:quiet=1"})
    events, _ = _events(result.out)
    assert sorted((one["who"], one["requested"]) for one in events) == \
        [("child", 10), ("child", 1000), ("parent", 10), ("parent", 1000)], events
    assert {one["clock"] for one in events} == {1}, events
    assert sorted(t.report(path)["conservation"]["live"] for path in captures.iterdir()) == [10, 10, 1000, 1000]


def hook_that_forks_goes_on_in_the_child(t):
    program = t.build("hooks", "control/hooks.c", flags=["-O1"])
    captures = t.work / "captures"
    captures.mkdir()
    for sim in ("", "fail_free=1"):  # a free that fails in both is taken back in the parent, where it was recorded
        for old in captures.iterdir():
            old.unlink()
        result = t.command(program, "fork inside", env={"GPUMEMPROF_OPTIONS": f"output={captures}/%p.gmprof:quiet=1",
                                                        "GPUMEMPROF_SIM_OPTIONS": sim})
        events, _ = _events(result.out)
        assert [(one["who"], one["what"], one["line"], one["file"]) for one in events if one["what"] == "free"] == \
            [("child", "free", _line(t, "cudaFree(p);", -1), "hooks.c")], events
        assert sorted(t.report(path)["conservation"]["live"] for path in captures.iterdir()) == \
            [10, 2010 + (1000 if sim else 0)], sim


def threads_are_notified_of_every_event_and_of_none_after_removal(t):
    _threads(t, 8, 4000)


def _threads(t, count, rounds):
    program = t.build("hooks_threads", "control/hooks_threads.cpp", flags=["-O2"])
    result, capture = t.run(program, str(count), str(rounds))
    assert not result.err, result.err[:4000]
    counted = json.loads(result.out)
    blocks = 4 * count * rounds
    total = count * sum(4 * (512 + 16 * (i % 7)) for i in range(rounds))
    own = counted.pop("own")
    assert own > 0
    assert counted == {"set": 1, "allocated": blocks, "bytes": total, "freed": blocks, "removed": 1, "after_removal": 0,
                       "inside_out": 0}, counted
    _whole(t, capture, allocated=total + 1000 + 100 * own, allocated_blocks=blocks + 1 + own, live=0)


def runtime_that_is_off_or_absent_calls_none(t):
    off, _ = t.run(t.build("hooks", "control/hooks.c", flags=["-O1"]), "each way", env={"GPUMEMPROF": "0"}, sim="fail=2:fail_free=1")
    absent = t.command(t.build("plain", "control/hooks.c", plugin=False, runtime=False), "each way",
                       env={"GPUMEMPROF_SIM_OPTIONS": "fail=2:fail_free=1"})
    for result in off, absent:
        events, rest = _events(result.out)
        assert not events and rest[-1] == "set -1, removed -1, 0 calls" and not result.err, (rest, result.err)
    gcc = t.work / "gcc"
    t.command("gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", *t.include_flags(), t.programs / "control/hooks.c", "-o", gcc,
              *t.link_flags(runtime=False))
    t.command(gcc, "wrong")
