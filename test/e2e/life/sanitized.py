"""Whole programs with the plugin, their own code and the runtime under the sanitizers: figures stay what the
programs count themselves, and the sanitizers report nothing. (The sanitizer presets run unit tests, tool and simulator; a
sanitized libgpumemprof.so could not be loaded into the programs of the other tests.)"""
import os
import subprocess
import time

import operands
import repeats
from oracle import compare


def _sanitize(t, kinds):
    """From here on the harness builds with these sanitizers, and with a runtime of its own."""
    flags = [f"-fsanitize={kinds}", "-fno-sanitize-recover=all", "-g"]
    # Not optimised, as in the sanitizer presets: to optimise it takes six times as long as to compile it.
    unity, runtime = t.work / "runtime.c", t.work / "runtime.o"
    unity.write_text("".join(f'#include "{path}"\n' for path in sorted((t.source / "runtime").rglob("*.c"))))
    t.command(t.compiler("c"), "-std=gnu11", "-D_GNU_SOURCE", "-DGPM_CHECKED", "-O0", "-fPIC", "-fvisibility=hidden", *flags,
              *t.include_flags(), "-I", t.source / "runtime", "-c", unity, "-o", runtime)
    build, link_flags = t.build, t.link_flags
    t.build = lambda *words, flags=(), **more: build(*words, flags=[*given(flags)], **more)
    t.link_flags = lambda runtime_too=True: [*([runtime, "-ldl", "-pthread"] if runtime_too else []), *link_flags(False)]

    def given(more):
        return [*more, *flags]


def _budgets(t, *parts):
    program = t.build("budgets", "limits/budgets.cpp", flags=["-O1"])
    for part in parts:
        result, capture = t.run(program, part, status=7)
        assert all(line.startswith("gpumemprof: ") for line in result.err.splitlines()), result.err[:4000]
        t.gpumemprof("check", capture, status=1)


def _ends_with_a_summary(t):
    """While other threads allocate and free."""
    program = t.build("ends_among_threads", "life/ends_among_threads.c", flags=["-O1"], link=["-pthread"])
    by_design = t.work / "by_design"  # seal.c: a thread that writes during the checksums has broken the seal
    by_design.write_text("race:gpumemprof_checksum_*\nrace:add_up\n")
    for _ in range(5):  # not verified: threads are inside calls at the end
        result, _ = t.run(program, options="summary=1", status=7, verify=False, env={"TSAN_OPTIONS": f"suppressions={by_design}:print_suppressions=0"})
        lines = [line for line in result.err.splitlines() if not line.startswith("gpumemprof: ")]  # those of broken budgets
        assert [line.split()[0] for line in lines] == ["peak", "leaks", "failed", "next"], "\n".join(lines)[:4000]


def _counting(name):
    return lambda t: compare(t, name)


def _many_paths(t):
    program = t.build("many_paths", "life/many_paths.cpp", flags=["-O1"])
    result, capture = t.run(program, "9", status=9)
    assert not result.err and t.report(capture)["conservation"]["ok"], result.err
    result, capture = t.run(program, "9", "0", status=9, env={"ASAN_OPTIONS": "detect_leaks=0"})  # no descriptor when the capture has to grow
    assert len(result.err.splitlines()) == 1 and t.report(capture)["conservation"]["ok"], result.err


def _growing(t):
    program, capture = t.build("growing", "timed/growing.cpp", flags=["-O1"]), t.work / "growing.gmprof"
    running = subprocess.Popen([program, "300", "900"], stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1:monitor=1ms:dump=every:20ms,bytes:4MiB,peak:dump_max=10000",
                                    "TSAN_OPTIONS": "halt_on_error=1"})
    time.sleep(2)
    running.kill()
    said = running.communicate()[1]
    assert not said, said[:4000]
    assert t.report(capture, "function")["rows"]


def _hooks(t):
    program = t.build("hooks_threads", "control/hooks_threads.cpp", flags=["-O1"])
    result, capture = t.run(program, "4", "300")
    assert not result.err and t.report(capture)["conservation"]["live"] == 0, result.err[:4000]


def _thresholds(t):
    program = t.build("thresholds", "limits/thresholds.cpp", flags=["-O1"])
    result, _ = t.run(program, "threads")
    assert not result.err and result.out == "warned 20 critical 20\n", result.err[:4000] + result.out


def _marks(t):
    program = t.build("marks", "control/marks.cpp", flags=["-O1"])
    result, _ = t.run(program, "threads")
    assert not result.err and result.out == "rounds 300, wrong 0, left 0\n", result.err[:4000] + result.out


def _operands(t):
    for options in ("", "history=all"):
        operands.compare(t, operands.program_of(t), "threads", options=options)


def _pause(t):
    program = t.build("pause", "control/pause.cpp", flags=["-O1"])
    result, capture = t.run(program, "threads")
    assert not result.err and t.report(capture)["conservation"]["ok"], result.err[:4000]


def _history(t):
    program = t.build("history", "common/history.cpp", flags=["-O1"])
    result, capture = t.run(program, "threads", options="ring=1000")
    assert not result.err and t.report(capture)["conservation"]["ok"], result.err[:4000]


def _ways(t):
    program = t.build("ways_threads", "cuda/ways_threads.cpp", flags=["-O1", "-I", t.source / "test/gpu/programs"],
                      link=[t.sim / "libcuda.so.1"])
    result, capture = t.run(program, "16", options="monitor=1ms")
    assert not result.err and t.report(capture)["conservation"]["live"] == 0, result.err[:4000]


def _budgets_of(*parts):
    return lambda t: _budgets(t, *parts)


# Of these programs a run takes a half, the other one after the next commit (test/repeats.py).
ONE_THREAD = [_budgets_of("single", "blocks", "recursion"), _budgets_of("threads", "delegated", "ways out"), _ends_with_a_summary,
              _counting("common/exceptions.cpp"), _counting("frames/devices.cpp"), _counting("common/threads.cpp"), _many_paths]
THREADS = [_budgets_of("threads", "freed elsewhere", "delegated"), _ends_with_a_summary, _counting("common/threads.cpp"), _growing, _hooks,
           _thresholds, _marks, _operands, _pause, _history, _ways]


def address_and_undefined(t):
    _sanitize(t, "address,undefined")
    for of_program in repeats.share(ONE_THREAD, 2):
        of_program(t)


def threads(t):
    _sanitize(t, "thread")
    for of_program in repeats.share(THREADS, 2):
        of_program(t)


def threads_that_collide(t):
    """Nobody takes turns: a missing lock or atomic operation is a report, or a sum that is wrong."""
    _sanitize(t, "thread")
    program = t.build("collisions", "life/collisions.cpp", flags=["-O1"])
    result, capture = t.run(program, "4", "300", sim="devices=2")
    assert not result.err, result.err[:4000]
    books = t.report(capture)["conservation"]
    assert books["ok"] and books["live"] == 4 * 12000 and books["allocated_blocks"] == 4 * (2 * 300 + 1 + 300 + 1), books
