"""Launches that repeat earlier ones are recorded in a short way (launches.c), which makes no difference to what is recorded, and is
short: repeated_launches.cu."""
import json
import re
import shutil

from harness import Skip

# Issue 23: a repeated launch with four pointers; and without uses=on one load and a branch, which are three instructions.
MOST_INSTRUCTIONS, MOST_WHEN_OFF = 40, 3


def _built(t, *flags, plugin=True, nvcc=False):
    program = t.work / "repeated_launches"
    t.plugin()
    if nvcc:
        t.need_toolkit()
        compiler = [f"{t.cuda}/bin/nvcc", "-arch=sm_90", "-Xlinker", f"-rpath={t.sim}", "-Xlinker", f"-rpath={t.stage}/lib"]
    else:
        compiler = [t.compiler("c++")]
    words = t.gpumemprof("flags", "nvcc" if nvcc else "sim").out.split()
    # nvcc gives each flag of its host compiler after -Xcompiler.
    words = [w for w in words if plugin or not w.startswith("-fplugin") and w != "-Xcompiler"]
    t.command(*compiler, "-std=c++20", *words, *(flags or ("-O2",)), t.programs / "cuda/repeated_launches.cu", "-o", program)
    return program


def _expected(text):
    return [(int(line), kernel, int(clock), *map(int, values)) for line, kernel, clock, *values in map(str.split, text.splitlines())]


def _recorded(t, capture):
    listed = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    return [e for e in listed if e["event"] == "launched"]


def _parts(events):
    return [(e["line"], e["kernel"], e["clock"], *(int(v["value"]) for v in e["values"])) for e in events]


def _judge(t, way, *flags, options="history=all", nvcc=False):
    program, capture = _built(t, *flags, nvcc=nvcc), t.work / "run.gmprof"
    return _run(t, program, capture, way, options)


def _run(t, program, capture, way, options="history=all"):
    done = t.gpumemprof("dryrun", program, way, env={"GPUMEMPROF_OPTIONS": f"{options}:uses=on:output={capture}:quiet=1"})
    expected, found = _expected(done.out), _recorded(t, capture)
    assert len(expected) > 10, done.out
    launches = _parts(found)
    wrong = next((i for i, (a, b) in enumerate(zip(launches, expected)) if a != b), None)
    assert launches == expected, (wrong, len(launches), len(expected), launches[wrong or 0], expected[wrong or 0])
    times = [e["time_ns"] for e in found]
    assert times == sorted(times), times
    return done, found


def values_are_compared(t):
    _judge(t, "values")


def values_are_compared_without_optimisation(t):
    _judge(t, "values", "-O0")


def values_are_compared_with_a_weak_runtime(t):
    _judge(t, "values", "-O1", "-fplugin-arg-gpumemprof-runtime=weak")


def values_of_launches_by_nvcc_are_compared(t):
    program, capture = _built(t, nvcc=True), t.work / "run.gmprof"
    for way in ("values", "nested", "streams", "frees", "switched"):
        _run(t, program, capture, way)


def values_of_launches_by_nvcc_are_compared_without_optimisation(t):
    program, capture = _built(t, "-O0", "-g", nvcc=True), t.work / "run.gmprof"
    for way in ("values", "nested"):
        _run(t, program, capture, way)


def launches_by_nvcc_in_the_default_stream_of_the_thread(t):
    program, capture = _built(t, "-O2", "--default-stream", "per-thread", nvcc=True), t.work / "run.gmprof"
    for way in ("values", "nested", "frees"):
        _, found = _run(t, program, capture, way)
        assert {e["stream"] for e in found} == {2}, found


def a_ring_has_them_too(t):
    _judge(t, "values", options="history=ring:ring=100000")


def a_ring_overwrites_them(t):
    program, capture = _built(t), t.work / "run.gmprof"
    done = t.gpumemprof("dryrun", program, "many", env={"GPUMEMPROF_OPTIONS": f"history=ring:ring=5000:uses=on:output={capture}:quiet=1"})
    expected = _expected(done.out)
    listed = t.gpumemprof("events", "--format", "json", capture, status=None)
    launches = _parts([e for e in json.loads(listed.out)["events"] if e["event"] == "launched"])
    assert 5000 <= len(launches) < len(expected) / 2 and launches == expected[-len(launches):], (len(launches), len(expected))


def chunks_end_between_them(t):
    _, found = _judge(t, "many")
    times = [e["time_ns"] for e in found]
    gaps = [b - a for a, b in zip(times, times[1:])]
    assert max(gaps) < 1e9 and len(set(times)) > len(times) / 10, (max(gaps), len(set(times)))


def streams_are_compared(t):
    _, found = _judge(t, "streams")
    streams = [e["stream"] for e in found]
    assert [streams[i] == streams[0] for i in range(0, 60, 5)] == [i % 3 == 0 for i in range(12)], streams
    assert len(set(streams)) == 3, streams


def allocations_between_them_are_noticed(t):
    _judge(t, "frees")


def history_is_switched_between_them(t):
    _judge(t, "switched")


def launches_among_the_arguments_keep_their_lines(t):
    _judge(t, "nested")
    _judge(t, "nested", "-O0", "-g")


def signal_handlers_launch_between_two_instructions(t):
    """What a handler launches while the thread is inside the profiler is not recorded; all else is."""
    program, capture = _built(t), t.work / "run.gmprof"
    done = t.gpumemprof("dryrun", program, "handlers", env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    expected, found = _expected(done.out), _recorded(t, capture)
    if not int(done.err.split()[-1]):
        raise Skip("no instruction was stepped over")
    line = expected[0][0]
    launches = [(at, *values) for at, _, _, *values in _parts(found) if at == line]
    assert launches == [(at, *values) for at, _, _, *values in expected], (len(launches), len(expected))
    others = [e for e in _parts(found) if e[0] != line]
    assert len(others) > int(done.err.split()[-1]) / 4, (len(others), done.err)
    last = {values[-1] for _, kernel, _, *values in others if kernel == "four"}
    assert len(last) == 5, last
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def killed_at_any_instruction_launches_are_whole(t):
    stepper = t.build("stepper", "life/stepper.c", flags=["-O2"], plugin=False, runtime=False)
    program, capture, files = _built(t), t.work / "run.gmprof", t.work / "files"
    files.mkdir()
    done = t.command(stepper, capture, files, program, "stepped", status=None, env={
        "LD_LIBRARY_PATH": str(t.sim), "GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    if done.status == 77:
        raise Skip("needs ptrace")
    assert done.status == 0, done
    whole = _parts(_recorded(t, capture))
    kept = sorted(files.iterdir())
    assert len(whole) == 13 and len(kept) > 20, (len(whole), len(kept))
    counts = []
    for file in kept:
        launches = _parts(_recorded(t, file))
        assert launches == whole[:len(launches)], (file, launches)
        counts.append(len(launches))
    assert counts == sorted(counts) and {4, *range(5, 13)} <= set(counts), counts


def _instructions(t, program, count, options):
    """Valgrind does not read clang's debug information."""
    capture, libraries = t.work / "counted.gmprof", t.work / "libraries"
    if not libraries.exists():
        libraries.mkdir()
        for name in ("libcudart.so.13", "libcuda.so.1"):
            t.command("strip", "-g", t.sim / name, "-o", libraries / name)
        t.command("strip", "-g", t.runtime, "-o", libraries / t.loaded_runtime().name)
    capture.unlink(missing_ok=True)
    done = t.command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "counted", count, env={
        "LD_LIBRARY_PATH": str(libraries), "GPUMEMPROF_OPTIONS": f"{options}:output={capture}:quiet=1"})
    return int(re.search(r"Collected : (\d+)", done.err)[1])


def _has_at_most_40_instructions(t, nvcc):
    if not shutil.which("valgrind"):
        raise Skip("needs valgrind")

    def of_a_launch(options, plugin=True):
        program = _built(t, plugin=plugin, nvcc=nvcc)
        return (_instructions(t, program, 21000, options) - _instructions(t, program, 1000, options)) / 20000

    plain = of_a_launch("history=off", plugin=False)
    off, on = (of_a_launch(options) - plain for options in ("history=off", "history=all:uses=on"))
    print(f"{off:.1f} instructions, with uses=on {on:.1f}")
    assert off <= MOST_WHEN_OFF and on <= MOST_INSTRUCTIONS, (off, on)


def a_repeated_launch_takes_at_most_40_instructions(t):
    _has_at_most_40_instructions(t, nvcc=False)


def a_repeated_launch_by_nvcc_takes_at_most_40_instructions(t):
    _has_at_most_40_instructions(t, nvcc=True)
