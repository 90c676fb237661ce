"""Recording that is paused (gpumemprof_pause, paused=1): what happens meanwhile belongs to one line, (paused), and to no
scope; totals, peaks of devices and sums stay exact."""
import json
import signal

from harness import check

KIB = 1 << 10


def _program(t, **more):
    return t.build("pause", "control/pause.cpp", flags=["-O1"], **more)


def _whole(t, capture, losses=True, **sums):
    report = t.report(capture)
    check(report["conservation"], "conservation", ok=True, **sums)
    assert not losses or not any(report["losses"].values()), report["losses"]
    return report


def _function(t, capture, name):
    return next(row for row in t.report(capture, "function")["rows"] if row["function"] == name)


def _judge_steps(t, capture):
    report = t.report(capture)
    rows = {(row["function"], row["line"]): row for row in report["rows"]}
    paused = rows["(paused)", 0]
    assert paused["file"] is None, paused
    return report, rows, paused


def what_happens_meanwhile_belongs_to_one_line(t):
    result, capture = t.run(_program(t), "steps", options="history=all")
    assert result.out == "paused 0 resumed 0 once more -2\n", result.out
    failed, *said = result.err.splitlines()
    assert ": 1.00 PiB requested at (paused), " in failed, result.err
    assert said == ["gpumemprof: gpumemprof_resume: recording is not paused"], result.err
    report, rows, paused = _judge_steps(t, capture)
    _whole(t, capture, allocated=391 * KIB, freed=383 * KIB, live=8 * KIB)
    # (paused): 200 + 7 + 3 pinned allocated, frees `gone` and `after`; of its own, others free 203.
    check(paused, "paused", self_alloc=210 * KIB, self_freed=80 * KIB, freed_others=80 * KIB, freed_elsewhere=203 * KIB, leaked=7 * KIB,
          at_peak=(207 + 3) * KIB, calls=5)
    check(_function(t, capture, "(paused)"), "(paused)", self_alloc=210 * KIB, leaked=7 * KIB)
    take = next(row for key, row in rows.items() if key[0] == "take")
    check(take, "take", self_alloc=181 * KIB, leaked=KIB, at_peak=151 * KIB, freed_elsewhere=180 * KIB)
    device, host = report["devices"][0], report["devices"][1]
    check(device, "device", peak=(1 + 100 + 200 + 7 + 50) * KIB, live_at_exit=8 * KIB)
    check(host, "host", peak=3 * KIB, live_at_exit=0)
    # Own peaks: 100 + 30, then + 50; nothing of 200, 7, nor the free of 30 and of `after`.
    steps, outer = _function(t, capture, "steps"), _function(t, capture, "outer")
    check(steps, "steps", own_peak_max=180 * KIB, incl_alloc=180 * KIB, device_peak=(1 + 357) * KIB)
    check(outer, "outer", own_peak_max=181 * KIB, incl_alloc=181 * KIB)
    assert [(f["function"], f["line"], f["bytes"], f["oom"]) for f in report["failed"]] == [("(paused)", 0, 1 << 50, 1)], report["failed"]
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    text = t.gpumemprof("report", capture).out
    assert "(paused)" in text, text
    assert "(paused)" in t.gpumemprof("tree", capture).out
    assert "7.00 KiB in 1 block: (paused)\n" in t.gpumemprof("leaks", capture).out


def summary_has_the_row_that_the_report_has(t):
    result, capture = t.run(_program(t), "summary")
    rows = {name: tuple(map(int, figures)) for name, *figures in (line.split() for line in result.out.splitlines()[1:])}
    reported = {row["function"]: (row["self_alloc"], row["leaked"], row["incl_alloc"]) for row in t.report(capture, "function")["rows"]}
    assert rows == reported and rows["(paused)"] == (210 * KIB, 7 * KIB, 210 * KIB), (rows, reported)


def killed_program_has_the_same_figures(t):
    _, capture = t.run(_program(t), "killed", status=-signal.SIGKILL)
    _, _, paused = _judge_steps(t, capture)
    check(paused, "paused", self_alloc=215 * KIB, leaked=12 * KIB)
    _whole(t, capture, allocated=396 * KIB, live=13 * KIB)
    check(_function(t, capture, "steps"), "steps", own_peak_max=180 * KIB)


def program_may_begin_paused(t):
    result, capture = t.run(_program(t), "steps", options="paused=1:history=all")
    assert result.out == "paused 0 resumed 0 once more 0\n", result.out
    failed, *said = result.err.splitlines()
    assert ": 1.00 PiB requested at (paused), " in failed and not said, result.err
    report = _whole(t, capture, allocated=391 * KIB, freed=383 * KIB)
    allocating = [row for row in report["rows"] if row["self_alloc"]]
    assert [(row["function"], row["self_alloc"]) for row in allocating] == [("(paused)", 391 * KIB)], allocating
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    result, _ = t.run(_program(t), "steps", options="paused=perhaps")
    assert "bad value 'perhaps' for paused" in result.err, result.err


def free_that_fails_is_taken_back_where_it_was_made(t):
    """The first is made before it is paused, the second while it is; whatever it is when the call has failed."""
    program = _program(t)
    for fails, out, own_peak, net, live in (("fail_free=1", "1 0\n", 3010, 3010, 1010), ("fail_free=2", "0 1\n", 3000, 2010, 2010),
                                            ("", "0 0\n", 3000, 2010, 10)):
        result, capture = t.run(program, "between", sim=fails, options="history=all")
        assert result.out == out, result.out
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
        check(_function(t, capture, "between"), "between", own_peak_max=own_peak, incl_net=net)
        _whole(t, capture, live=live)


def pieces_of_pools_are_pieces_of_the_line(t):
    _, capture = t.run(_program(t), "pieces", options="history=all")
    _whole(t, capture, live=4 * KIB)
    rows = json.loads(t.gpumemprof("report", capture, "--by", "function", "--kind", "custom", "--format", "json").out)["rows"]
    found = {row["function"]: (row["self_alloc"], row["self_freed"]) for row in rows if row["self_alloc"] or row["self_freed"]}
    assert found == {"(paused)": (60, 100), "pieces": (120, 0)}, found
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def threads_lose_nothing_while_it_is_paused_and_resumed(t):
    result, capture = t.run(_program(t), "threads", options="history=all")
    counted = json.loads(result.out)
    report = _whole(t, capture, **counted)
    by = {row["function"]: row["self_alloc"] for row in report["rows"] if row["self_alloc"]}
    assert by.keys() == {"(paused)", "take"} and sum(by.values()) == counted["allocated"] and min(by.values()), by
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def forked_child_is_paused_as_its_parent_is(t):
    captures = t.work / "captures"
    captures.mkdir()
    t.command(_program(t), "fork", env={"GPUMEMPROF_OPTIONS": f"output={captures}/%p.gmprof:quiet=1"})
    found = sorted(sorted((row["function"], row["self_alloc"]) for row in t.report(path)["rows"] if row["self_alloc"])
                   for path in captures.iterdir())
    assert found == [[("(paused)", 2), ("take", 20)], [("(paused)", 1001), ("take", 10)]], found


def runtime_that_is_off_or_absent_is_not_paused(t):
    program = _program(t)
    for result in (t.run(program, "steps", env={"GPUMEMPROF": "0"})[0],
                   t.command(t.build("plain", "control/pause.cpp", plugin=False, runtime=False), "steps")):
        assert result.out == "paused -1 resumed -1 once more -1\n" and not result.err, result
