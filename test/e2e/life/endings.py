"""Programs end in many ways, and are killed: the capture opens and is complete up to the last call, and
the program's own exit status and output stay what they were."""
import os
import signal
import subprocess
import time

from harness import check

KIB = 1 << 10


def ends(t, way, *arguments, status, live=64 * KIB, peak=192 * KIB, allocated=256 * KIB, complete=True):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    plain = t.build("plain", "common/ending.c", plugin=False, runtime=False, link=["-ldl", "-pthread"])
    expected = t.command(plain, way, *arguments, status=status, env={"GPUMEMPROF": "0"})
    result, capture = t.run(program, way, *arguments, status=status)
    assert (result.out, result.err) == (expected.out, expected.err), result.err
    report = t.report(capture)
    check(report["conservation"], "conservation", allocated=allocated, freed=allocated - live, live=live,
          ok=True)
    device = next(d for d in report["devices"] if d["peak"])
    check(device, "device", peak=peak, live_at_exit=live)
    assert not any(report["losses"].values()), report["losses"]
    assert (t.state(capture) == "complete") == complete, t.state(capture)
    return capture


def scopes_of_main(t, capture):
    """Scopes that never returned have the figures their end would have given."""
    functions = t.rows(capture, "function")
    check(functions["main"], "main", incl_alloc=256 * KIB, freed_own=192 * KIB, own_peak_max=192 * KIB,
          at_peak=192 * KIB, escaped=64 * KIB)
    check(functions["end"], "end", self_alloc=192 * KIB, incl_alloc=256 * KIB, own_peak_max=192 * KIB)
    check(functions["hold"], "hold", self_alloc=64 * KIB, own_peak_max=64 * KIB, leaked=64 * KIB)


def return_from_main(t):
    scopes_of_main(t, ends(t, "return", status=7))


def exit_below_main(t):
    scopes_of_main(t, ends(t, "exit", status=3))


def underscore_exit(t):
    scopes_of_main(t, ends(t, "_exit", status=4, complete=False))


def quick_exit(t):
    scopes_of_main(t, ends(t, "quick_exit", status=5, complete=False))


def abort(t):
    scopes_of_main(t, ends(t, "abort", status=-signal.SIGABRT, complete=False))


def fatal_signal(t):
    scopes_of_main(t, ends(t, "segv", status=-signal.SIGSEGV, complete=False))


def sigkill(t):
    scopes_of_main(t, ends(t, "kill", status=-signal.SIGKILL, complete=False))


def exit_from_a_second_thread(t):
    capture = ends(t, "thread", "exit", status=3)
    check(t.rows(capture, "function")["end"], "end", own_peak_max=192 * KIB, escaped=64 * KIB)


def thread_that_ends_by_pthread_exit(t):
    capture = ends(t, "thread", status=7)
    check(t.rows(capture, "function")["end"], "end", own_peak_max=192 * KIB, escaped=64 * KIB)


def events_of_exit_handlers_count(t):
    capture = ends(t, "atexit", status=7, live=0)
    check(t.rows(capture, "function")["last"], "last", freed_others=64 * KIB)


def capture_of_a_running_program_opens(t):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    capture = t.work / "run.gmprof"
    running = subprocess.Popen([program, "wait"], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1"})
    try:
        assert running.stdout.readline() == "ready\n"
        scopes_of_main(t, capture)
        assert t.state(capture) == "running", t.state(capture)
    finally:
        running.kill()
        running.wait()
    deadline = time.monotonic() + 10
    while t.state(capture) == "running":
        assert time.monotonic() < deadline, "still said to be running"


def forked_child_has_a_capture_of_its_own(t):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    t.command(program, "fork", env={"GPUMEMPROF_OPTIONS": f"output={t.work}/%p.gmprof:quiet=1"})
    reports = [t.report(path) for path in t.work.glob("*.gmprof")]
    assert len(reports) == 2, list(t.work.iterdir())
    parent, child = sorted(reports, key=lambda report: -report["conservation"]["allocated"])
    check(parent["conservation"], "parent", allocated=32 * KIB, freed=32 * KIB, live=0, ok=True)
    check(child["conservation"], "child", allocated=8 * KIB, freed=0, live=8 * KIB, ok=True)


def forked_child_never_writes_into_the_named_capture_of_its_parent(t):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    _, capture = t.run(program, "fork")
    check(t.report(capture)["conservation"], "parent", allocated=32 * KIB, freed=32 * KIB, live=0, ok=True)


def library(t, way):
    shared = t.work / "library.so"
    t.command(t.compiler("c"), *t.plugin_flags(), *t.include_flags(), "-O2", "-shared", "-fPIC",
              t.programs / "common/library.c", "-o", shared, *t.link_flags())
    capture = ends(t, way, shared, status=0, live=32 * KIB, peak=64 * KIB, allocated=96 * KIB)
    rows = t.rows(capture)
    check(rows["inside:6"], "inside:6", self_alloc=32 * KIB, leaked=32 * KIB, leaked_blocks=2)
    check(rows["inside:7"], "inside:7", self_alloc=64 * KIB, leaked=0)
    check(t.rows(capture, "function")["library_work"], "library_work", incl_alloc=96 * KIB,
          own_peak_max=48 * KIB)


def library_opened_with_rtld_local(t):
    library(t, "dlopen")


def library_closed_and_reopened(t):
    library(t, "dlclose")
