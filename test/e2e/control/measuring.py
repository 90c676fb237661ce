"""Scopes that a program measures, and snapshots: every figure is what the program counts itself, however scopes
nest, whatever other threads allocate, and in whatever way they are left."""
import re

from harness import check


def _play(t, seed, threads, options="", **build):
    program = t.build("random", "control/measured_random.cpp", **{"flags": ["-O2"], **build})
    result, capture = t.run(program, seed, threads, options=options)
    return dict(zip(*[iter(re.findall(r"\w+", result.out))] * 2)), capture


def results_are_what_the_program_counts(t):
    for seed in 1, 2, 3:
        left, capture = _play(t, seed, 1)
        assert all(int(left[way]) > 50 for way in ("end", "return", "exception", "longjmp")), left
        report = t.report(capture)
        assert report["conservation"]["ok"] and not report["losses"]["stale_frames"], report


def other_threads_change_nothing_but_the_devices_peak(t):
    for seed in 4, 5:
        left, capture = _play(t, seed, 3)
        assert int(left["thread"]) == 1 and int(left["end"]) > 150, left
        assert t.report(capture)["conservation"]["ok"]


def they_are_the_same_at_every_level_and_by_clang_19(t):
    _play(t, 6, 3, flags=["-O0"])
    _play(t, 7, 1, flags=["-O3"], llvm=19)


def their_events_make_the_same_figures(t):
    _, capture = _play(t, 8, 3, options="history=all")
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def _case(t, name, **more):
    program = t.build("cases", "control/measured_cases.c", flags=["-O2", "-pthread"])
    result, capture = t.run(program, name, **more)
    return result.out.split("\n"), capture


def scope_ended_by_a_function_it_called_has_the_figures_of_that_moment(t):
    lines, capture = _case(t, "covered")
    assert lines[0] == "covered left=1 allocated=40 freed=10 net=30 own_peak=30 above=30", lines
    assert lines[1] == "next left=1 allocated=0 freed=100 net=-100 own_peak=0 above=0", lines
    rows = t.report(capture, "function")["rows"]
    row = next(row for row in rows if row["function"] == "covered {covered}")
    check(row, "covered", incl_alloc=140 * 1024, calls=1, own_peak_max=130 * 1024)


def work_handed_over_counts_where_it_was_captured(t):
    lines, _ = _case(t, "delegated")
    assert lines[0] == "inner left=1 allocated=0 freed=0 net=0 own_peak=0 above=96", lines
    assert lines[1] == "outer left=1 allocated=112 freed=80 net=32 own_peak=112 above=112", lines
    assert lines[2] == "pinned=8", lines


def wrong_numbers_and_orders_are_harmless(t):
    _, capture = _case(t, "wrong")
    check(t.report(capture)["losses"], "losses", stale_frames=0)
    _case(t, "forked", capture="forked.gmprof")


def snapshot_tells_device_pools_process_and_scope(t):
    _case(t, "snapshots")


def calls_do_nothing_when_switched_off_or_absent(t):
    _case(t, "absent", options="enabled=0")
    _case(t, "absent", env={"GPUMEMPROF": "0"})
    for compiler in "clang-22", "gcc":
        plain = t.work / "plain"
        t.command(compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread", *t.include_flags(),
                  t.programs / "control/measured_cases.c", "-o", plain, *t.link_flags(runtime=False))
        t.command(plain, "absent")
        raii = t.work / "raii"
        t.command(compiler.replace("clang", "clang++").replace("gcc", "g++"), "-std=c++17", "-Wall", "-Wextra",
                  "-Wpedantic", "-Werror", *t.include_flags(), t.programs / "control/measured_raii.cpp", "-o", raii,
                  *t.link_flags(runtime=False))
        t.command(raii)


def objects_of_the_cpp_layer_end_with_their_block(t):
    program = t.build("raii", "control/measured_raii.cpp", flags=["-O2"])
    result, capture = t.run(program)
    assert result.out.split("\n")[:4] == ["block 1 8192", "throws 3 4096", "ended 1 1024 0 1", "now 0 8192"], result.out
    calls = {row["function"]: row["calls"] for row in t.report(capture, "function")["rows"]}
    assert calls == {"main": 1, "take": 3, "throws": 1, "main {block}": 1, "throws {throws}": 1, "main {ended}": 1}, calls
