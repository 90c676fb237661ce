"""Allocators of the program's own: what `pools` shows of them is what the program itself counts, their lines are those
that took the pieces, and no total of a device holds a byte of them."""
import json
import signal

from harness import check

KIB = 1 << 10


def _run(t, *arguments, flags=("-O2",), llvm=22, options="", status=0):
    program = t.build("allocators", "cuda/allocators.cpp", flags=list(flags), llvm=llvm)
    result, capture = t.run(program, *arguments, options=options, status=status)
    pools = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)
    return json.loads(result.out), {row["name"]: row for row in pools["pools"]}, pools, capture


def _compare(counted, pools):
    assert set(counted) == set(pools), (counted, pools)
    for name, figures in counted.items():
        if name == "host":  # its memory is malloc's: nobody saw it
            figures.update(reserved=0, reserved_peak=0, largest_hole=0, device=None,
                           used_outside_known_memory=figures["used"])
        else:
            figures.update(slack=figures["reserved"] - figures["used"], used_outside_known_memory=0, device=0)
        check(pools[name], name, **figures)


def pools_are_what_the_program_counts(t):
    for seed in "1", "2":
        counted, pools, whole, _ = _run(t, seed)
        _compare(counted, pools)
        assert whole["conservation"]["ok"] and not any(whole["losses"].values()), whole
        assert pools["Caching"]["growths_for_holes_too_small"] > 0, pools


def they_are_the_same_at_every_level_and_by_clang_19(t):
    for flags, llvm in (("-O0",), 22), (("-O3",), 19):
        counted, pools, _, _ = _run(t, "3", flags=flags, llvm=llvm)
        _compare(counted, pools)


def pieces_are_in_no_devices_total_and_their_lines_are_shown_when_asked_for(t):
    counted, pools, whole, capture = _run(t, "4")
    report = t.report(capture)
    reserved = counted["Caching"]["reserved"] + 256 * KIB
    check(report["conservation"], "conservation", ok=True, allocated=reserved, live=reserved)
    gpu = next(d for d in report["devices"] if d["device"] == 0)
    check(gpu, "GPU", live_at_exit=reserved, peak=counted["Caching"]["reserved_peak"] + 256 * KIB)
    custom = next(d for d in report["devices"] if d["device"] == "custom")
    check(custom, "custom", live_at_exit=sum(pool["used"] for pool in pools.values()))
    assert all(row["function"] != "take_some" or row["self_alloc"] == 0 for row in report["rows"]), report["rows"]
    rows = json.loads(t.gpumemprof("report", capture, "--kind", "custom", "--format", "json").out)["rows"]
    took = {row["function"]: row for row in rows if row["blocks"]}
    assert set(took) == {"Caching::take", "Arena::take"}, took
    check(took["Caching::take"], "take", blocks=pools["Caching"]["pieces_ever"], leaked=pools["Caching"]["used"])
    check(took["Arena::take"], "take", variable="p", size_expr="bytes", leaked=pools["frame"]["used"] + pools["host"]["used"])
    some = next(row for row in rows if row["function"] == "take_some")
    check(some, "take_some", incl_alloc=took["Caching::take"]["self_alloc"], variable="piece", size_expr="bytes")


def their_events_make_the_same_figures(t):
    _, _, _, capture = _run(t, "5", "released", options="history=all")
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def pieces_end_with_their_memory(t):
    counted, pools, whole, capture = _run(t, "6", "released")
    check(pools["Caching"], "Caching", used=0, pieces=0, reserved=0, segments=0, largest_hole=0,
          used_peak=counted["Caching"]["used_peak"])
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    check(info["counters"], "counters", orphaned_pieces=counted["Caching"]["pieces"], unknown_pieces=0)
    assert whole["conservation"]["ok"] and not any(whole["losses"].values()), whole


def wrong_frees_are_counted_and_harm_nothing(t):
    _, pools, whole, _ = _run(t, "7", "wrong")
    check(whole["losses"], "losses", unknown_pieces=2)  # no piece's address, and a second destroy
    check(pools["frame"], "frame", used=0, reserved=0)
    assert whole["conservation"]["ok"], whole


def killed_program_has_the_same_pools(t):
    counted, pools, whole, _ = _run(t, "8", "killed", status=-signal.SIGKILL)
    _compare(counted, pools)
    assert whole["conservation"]["ok"], whole


def examples_have_the_figures_their_comments_promise(t):
    program = t.build("caching", t.examples / "caching_allocator.cpp", flags=["-O2"])
    _, capture = t.run(program)
    pools = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)["pools"]
    assert len(pools) == 1, pools
    assert pools[0]["name"] == "CachingAllocator", pools
    check(pools[0], "CachingAllocator", used=0, used_peak=32 << 20, reserved=0,
          reserved_peak=47 << 20, pieces_ever=25, segments_ever=5, growths_passing_over_a_hole=4)
    program = t.build("arena", t.examples / "arena.c", flags=["-O2"])
    _, capture = t.run(program)
    pools = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)["pools"]
    assert pools[0]["name"] == "frame arena", pools
    check(pools[0], "arena", used=0, used_peak=(100 + 29 + 100 + 10) * KIB, reserved_peak=1 << 20,
          pieces_ever=80, segments_ever=1)
    assert "no allocator of the program's own" not in t.gpumemprof("pools", capture).out


def an_allocator_of_another_file_counts_once(t):
    """Whether that file is rebuilt or not: with the plugin, call and definition speak of one piece."""
    for rebuilt in True, False:
        other = t.work / "other.o"
        t.command(t.compiler("c"), "-O2", "-c", *(t.plugin_flags() if rebuilt else []), *t.include_flags(),
                  t.programs / "cuda/allocator_other.c", "-o", other)
        program = t.build("used", "cuda/allocator_used.c", flags=["-O2"], link=[other])
        _, capture = t.run(program)
        pools = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)
        check(pools["pools"][0], "pool", used=7 * 256, used_peak=10 * 256, pieces=1, pieces_ever=13,
              reserved=(1 << 16) * rebuilt)
        check(pools["losses"], "losses", unknown_pieces=1, replaced_blocks=0)
        rows = json.loads(t.gpumemprof("report", capture, "--kind", "custom", "--format", "json").out)["rows"]
        row = next(row for row in rows if row["blocks"])
        check(row, "make", function="make", blocks=13, variable="buffer", size_expr="count * 256")


def program_without_plugin_or_runtime_runs(t):
    plain = t.build("plain", "cuda/allocators.cpp", plugin=False, runtime=False)
    t.command(plain, "1")
