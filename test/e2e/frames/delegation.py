"""Work handed to pool threads (gpumemprof_context_capture and attach) is charged to the line that handed it
over and counts in that scope's own peak, whatever thread does it."""
import signal

from harness import check

KIB = 1 << 10


def _figures(t, *arguments, status=0, llvm=22):
    program = t.build("pool", "common/pool.cpp", flags=["-O2"], llvm=llvm)
    _, capture = t.run(program, *arguments, status=status)
    report = t.report(capture, "function")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report
    return {row["function"]: row for row in report["rows"]}, capture


def own_peak_and_inclusive_figures_cover_delegated_work(t):
    functions, capture = _figures(t)
    check(functions["load"], "load", incl_alloc=3 * 272 * KIB, freed_own=3 * 272 * KIB, own_peak_max=272 * KIB)
    check(functions["decode"], "decode", self_alloc=3 * 256 * KIB, own_peak_max=192 * KIB)
    check(functions["main"], "main", incl_alloc=3 * 272 * KIB, own_peak_max=272 * KIB)
    check(functions["Pool::work"], "work", self_alloc=16 * KIB)
    tree = t.gpumemprof("tree", capture).out
    assert "load  -> gpumemprof_context_capture" in tree, tree


def work_that_is_not_attached_stays_with_its_thread(t):
    functions, _ = _figures(t, "not", "attached")
    check(functions["load"], "load", incl_alloc=3 * 16 * KIB, own_peak_max=16 * KIB)
    check(functions["decode"], "decode", self_alloc=3 * 256 * KIB, own_peak_max=192 * KIB)


def killed_program_has_the_same_figures(t):
    functions, _ = _figures(t, "killed", status=-signal.SIGKILL)
    check(functions["load"], "load", incl_alloc=272 * KIB, own_peak_max=272 * KIB, escaped=272 * KIB)
    check(functions["main"], "main", incl_alloc=272 * KIB, own_peak_max=272 * KIB)


def delegation_by_clang_19(t):
    functions, _ = _figures(t, llvm=19)
    check(functions["load"], "load", incl_alloc=3 * 272 * KIB, own_peak_max=272 * KIB)


def program_without_plugin_or_runtime_runs(t):
    t.command(t.build("plain", "common/pool.cpp", plugin=False, runtime=False))
