"""gpumemprof.hpp: every object and function does what its C call does, by the program's own count, in C++17 and later, by
each compiler, and does nothing where the runtime is off or absent."""
import json

from harness import check

KIB = 1 << 10
SCHEDULE = "schedule=wait:1,active:1,repeat:2"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]


def _judge(result, standard="c++20"):
    assert result.out == f"looked at {56 if standard == 'c++17' else 60}\n", result.out  # spans are of C++20


def they_do_what_the_program_counts(t):
    dump = t.work / "copy.gmprof"
    for flags in ["-O2"], ["-O0"]:
        program = t.build("objects", "control/objects.cpp", flags=flags)
        result, capture = t.run(program, "on", dump, options=SCHEDULE)
        _judge(result)
        said = [line.removeprefix("gpumemprof: ") for line in result.err.splitlines()]
        assert len(said) == 6 and all(call in line for call, line in zip(
            ("threshold_add", "resume", "device", "history", "none/x", "monitor_start"), said)), said
        # The dump was made where 1 + 13 KiB were live, with a history that had begun.
        check(t.report(dump)["conservation"], "conservation", ok=True, live=14 * KIB)
        assert [e["bytes"] for e in json.loads(t.gpumemprof("events", "--format", "json", dump).out)["events"]
                if e["event"] == "allocated"] == [13 * KIB]
        samples = [s for s in json.loads(t.gpumemprof("info", "--samples", "--format", "json", capture).out)["samples"] if s["why"] == "monitor"]
        assert len(samples) > 5 and {s["ledger"] for s in samples} == {KIB}, samples
        for cycle in 1, 2:  # figures begin with what is live: 1 KiB; the second step of a cycle allocates 2 or 4
            report = t.report(t.work / f"run.cycle-{cycle}.gmprof")
            check(report["conservation"], "cycle", ok=True, allocated=(1 + 2 * cycle) * KIB, live=KIB)
        # The latest reset leaves what `places` did: no line is one of the header's.
        check(t.report(capture)["conservation"], "conservation", ok=True, allocated=17 * KIB, live=0)
        rows = t.report(capture, "function")["rows"]
        assert not [row for row in rows if "gpumemprof::" in row["function"] or "hpp" in (row["file"] or "")], rows
        assert next(row for row in rows if row["function"] == "places {outer}")["own_peak_max"] == 7 * KIB, rows


def each_standard_and_compiler_will_do(t):
    for llvm, standard in (22, "c++17"), (22, "c++23"), (19, "c++17"), (19, "c++20"):
        program = t.build("objects", "control/objects.cpp", flags=[f"-std={standard}", "-Wshadow", *WARNINGS], llvm=llvm)
        _judge(t.run(program, "on", t.work / "copy.gmprof", options=SCHEDULE)[0], standard)


def runtime_that_is_off_or_absent_does_nothing(t):
    rebuilt = t.build("rebuilt", "control/objects.cpp")
    _judge(t.run(rebuilt, "off", t.work / "copy.gmprof", options=SCHEDULE, env={"GPUMEMPROF": "0"})[0])
    for compiler in "clang++-22", "g++":
        for standard in "c++17", "c++20":
            for runtime in False, True:  # linked, and off
                program = t.work / "plain"
                t.command(compiler, f"-std={standard}", "-pthread", "-O1", *WARNINGS, *t.include_flags(), t.programs / "control/objects.cpp",
                          "-o", program, *t.link_flags(runtime))
                result = t.command(program, "off", t.work / "copy.gmprof", env={"GPUMEMPROF": "0"} if runtime else {})
                _judge(result, standard)
                assert not result.err and not list(t.work.glob("*.gmprof")), result.err


def exception_of_a_hook_ends_the_program(t):
    result, _ = t.run(t.build("objects", "control/objects.cpp", flags=["-O2"]), "throws", status=9)
    assert result.out == "terminated\n", result.out
