"""Steps and schedule=: the copy written at the end of each cycle has the figures of its active steps alone, by the program's
own count, whether the program calls gpumemprof_step or a function is named."""
import json
import struct

from harness import check

WAIT, WARMUP, ACTIVE = 1, 2, 3


def _phase(schedule, step):
    """(phase, cycle, whether it is the last step of its cycle), as torch.profiler.schedule defines it."""
    s = {"wait": 0, "warmup": 0, "active": 0, "repeat": 0, "skip_first": 0, **schedule}
    length = s["wait"] + s["warmup"] + s["active"]
    step -= s["skip_first"]
    if step < 0 or (s["repeat"] and step // length >= s["repeat"]):
        return 0, 0, False
    at = step % length
    phase = WAIT if at < s["wait"] else WARMUP if at < s["wait"] + s["warmup"] else ACTIVE
    return phase, step // length + 1, at == length - 1


def _stored(capture):
    """The records of STEPS, read without the tool: (clock, live, phase, cycle)."""
    data = capture.read_bytes()
    used = struct.unpack_from("<Q", data, 24)[0]
    at, steps = 4096, []
    while at < used:
        kind, size, chunk, payload = struct.unpack_from("<IIQQ", data, at)
        if kind == 18:
            assert size == 32
            steps += [struct.unpack_from("<QQQII", data, at + 64 + i)[1:] for i in range(0, payload, 32)]
        at += chunk
    return steps


def _expected(events, first, last):
    """Figures since the begin of step `first` to the end of step `last`; None: as far as it went."""
    live = sum(size for step, size in events if step < first)
    blocks = sum(1 if size > 0 else -1 for step, size in events if step < first)
    figures = {"self_alloc": live, "blocks": blocks, "self_freed": 0}
    total = peak = live
    for step, size in events:
        if step < first or (last is not None and step > last):
            continue
        total += size
        peak = max(peak, total)
        figures["self_alloc"] += max(size, 0)
        figures["blocks"] += size > 0
        figures["self_freed"] -= min(size, 0)
    return {**figures, "leaked": total, "live_peak": peak, "self_at_peak": peak}


def _compare(t, capture, printed, first, last, name):
    report = t.report(capture, "device")
    assert report["conservation"]["ok"], report["conservation"]
    check(next(row for row in report["rows"] if row["device"] == 0), name, **_expected(printed["events"], first, last))


def _check_cycles(t, capture, printed, schedule, boundaries, by_function):
    """Every cycle's file, the stored boundaries, and the capture itself."""
    latest, cycles = None, []
    for step in range(boundaries if by_function else boundaries + 1):
        phase, cycle, ends = _phase(schedule, step)
        if phase == ACTIVE and _phase(schedule, step - 1)[:2] != (phase, cycle):
            latest = step
        if ends and step < (boundaries - 1 if by_function else boundaries):
            copy = capture.with_name(f"{capture.name.removesuffix('.gmprof')}.cycle-{cycle}.gmprof")
            cycles.append(f"{cycle} {copy}")
            _compare(t, copy, printed, latest, step, f"cycle {cycle}")
            calls = t.rows(copy, "function")["train_step"]["calls"]
            assert calls == schedule["active"], (cycle, calls)
            info = json.loads(t.gpumemprof("info", "--format", "json", copy).out)
            assert info["cycles"] == cycle and info["steps"] == step + 1 + by_function, (cycle, info)
    assert printed["cycles"] == cycles and cycles, (printed["cycles"], cycles)
    begin = latest if latest else -1
    _compare(t, capture, printed, begin, None, "capture")
    stored = _stored(capture)
    assert len(stored) == boundaries, (len(stored), boundaries)
    for i, (clock, live, phase, cycle) in enumerate(stored):
        step = i if by_function else i + 1
        assert (phase, cycle) == _phase(schedule, step)[:2], (i, phase, cycle)
        before = [size for at, size in printed["events"] if at < step]
        assert (clock, live) == (len(before), sum(before)), (i, clock, live, len(before), sum(before))
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    assert info["steps"] == info["records"]["steps"] == boundaries and info["cycles"] == len(cycles), info
    text = t.gpumemprof("info", capture).out
    assert f"{boundaries}, {len(cycles)} cycles" in text, text
    return cycles


def _text(schedule):
    return "schedule=" + ",".join(f"{key}:{value}" for key, value in schedule.items())


SCHEDULES = ({"wait": 1, "warmup": 1, "active": 3, "repeat": 2, "skip_first": 4}, {"active": 2},
             {"active": 1, "wait": 2, "repeat": 3}, {"warmup": 2, "active": 4, "skip_first": 1})


def _build(t, **more):
    return t.build("steps", "timed/steps.c", **{"flags": ["-O2", "-pthread"], **more})


def cycles_of_steps_the_program_makes(t):
    program = _build(t)
    for schedule in SCHEDULES:
        result, capture = t.run(program, "calls", 17, options=_text(schedule))
        _check_cycles(t, capture, json.loads(result.out), schedule, 17, False)


def cycles_of_calls_of_a_function(t):
    for level in "-O0", "-O3":
        program = _build(t, flags=[level, "-pthread"])
        for schedule in SCHEDULES:
            result, capture = t.run(program, "function", 17, options=_text(schedule) + ":step=train_step")
            _check_cycles(t, capture, json.loads(result.out), schedule, 17, True)


def cycles_of_calls_by_several_threads(t):
    program = _build(t)
    for schedule in SCHEDULES:
        result, capture = t.run(program, "threads", 40, options="step=train_step:" + _text(schedule))
        _check_cycles(t, capture, json.loads(result.out), schedule, 40, True)


def block_of_a_function_is_a_step(t):
    result, capture = t.run(_build(t), "block", 12, options="step=main {epoch}:" + _text(SCHEDULES[1]))
    _check_cycles(t, capture, json.loads(result.out), SCHEDULES[1], 12, True)


def profiled_calls_are_steps_without_memory(t):
    program = _build(t)
    result, capture = t.run(program, "idle", 7, options="step=counted")
    assert json.loads(t.gpumemprof("info", "--format", "json", capture).out)["steps"] == 7 and not result.err
    result, capture = t.run(program, "idle", 7, options="step=idle")
    assert json.loads(t.gpumemprof("info", "--format", "json", capture).out)["steps"] == 0
    assert result.err.count("\n") == 1 and "step=idle: there was no step" in result.err, result.err


def steps_without_a_schedule_reset_nothing(t):
    result, capture = t.run(_build(t), "calls", 9)
    printed = json.loads(result.out)
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    assert printed["steps"] == info["steps"] == 9 and not info["resets"] and not info["cycles"], info
    assert not list(t.work.glob("*cycle*")) and not printed["cycles"]
    _compare(t, capture, printed, -1, None, "capture")


def child_counts_its_own_steps(t):
    schedule = {"wait": 1, "active": 1}
    result, capture = t.run(_build(t), "fork", 6, options=_text(schedule))
    _check_cycles(t, capture, json.loads(result.out), schedule, 6, False)
    child = next(path for path in t.work.glob("run.gmprof.*") if path.suffix != ".gmprof")
    printed = json.loads((t.work / f"{child.name.rsplit('.', 1)[1]}.json").read_text())
    info = json.loads(t.gpumemprof("info", "--format", "json", child).out)
    assert info["steps"] == 3 and info["cycles"] == 1, info
    assert printed["cycles"] == [f"1 {child}.cycle-1.gmprof"], printed["cycles"]
    _compare(t, t.work / f"{child.name}.cycle-1.gmprof", printed, 1, 1, "the child's cycle")


def bad_values_are_said_once_and_ignored(t):
    program = _build(t)
    for bad in ("", "wait:1", "active:0", "active:x", "active:1,active:2", "active:1,", "active:1 ", "often", "active",
                "active:99999999999", "active:1,foo:2", ",active:1", "active:-1", "active:1" + ",wait:0" * 30):
        result, capture = t.run(program, "calls", 4, options=f"schedule={bad}")
        assert result.err.count("\n") == 1 and "for schedule is ignored; 'gpumemprof info --options'" in result.err, result.err
        assert not json.loads(t.gpumemprof("info", "--format", "json", capture).out)["cycles"]
        _compare(t, capture, json.loads(result.out), -1, None, bad)
    for bad in "", "f" * 1024:
        result, _ = t.run(program, "calls", 4, options=f"step={bad}")
        assert result.err.count("\n") == 1 and "for step is ignored" in result.err, result.err
    result, _ = t.run(program, "none", 4, options="schedule=active:1")
    assert result.err.count("\n") == 1 and "schedule=: there was no step" in result.err, result.err
    assert not list(t.work.glob("*cycle*"))


def cycle_that_cannot_be_written_is_said_and_nothing_is_lost(t):
    program = _build(t)
    (t.work / "run.cycle-1.gmprof").mkdir()
    result, capture = t.run(program, "calls", 6, options="schedule=wait:1,active:1,repeat:2")
    printed = json.loads(result.out)
    assert printed["cycles"] == ["1 ", f"2 {t.work}/run.cycle-2.gmprof"], printed["cycles"]
    assert result.err.count("\n") == 1 and "run.cycle-1.gmprof" in result.err, result.err
    _compare(t, t.work / "run.cycle-2.gmprof", printed, 3, 3, "cycle 2")


def nothing_happens_when_switched_off_or_absent(t):
    program = _build(t)
    result, _ = t.run(program, "calls", 4, options="enabled=0:schedule=active:1")
    assert json.loads(result.out)["steps"] == 0 and not json.loads(result.out)["cycles"]
    plain = t.build("plain", "timed/steps.c", plugin=False, runtime=False, flags=["-pthread"])
    assert json.loads(t.command(plain, "calls", 4).out)["steps"] == 0
