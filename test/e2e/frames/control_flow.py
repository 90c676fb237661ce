"""Control flow that leaves scopes on other ways than by return: every figure is what the program counts
itself (programs/oracle/oracle.h), or what was lost is counted and shown."""
import json
import signal

import repeats
from harness import check
from oracle import compare

KIB = 1 << 10


def _foreign(t):
    built = t.work / "foreign.o"
    t.command("gcc", "-O2", "-fexceptions", "-c", t.programs / "frames/foreign.c", "-o", built)
    return built


def exceptions_on_rare_ways(t):
    compare(t, "frames/unwinding.cpp", link=[_foreign(t)])


def exceptions_on_rare_ways_by_clang_19(t):
    compare(t, "frames/unwinding.cpp", link=[_foreign(t)], llvm=19)


def exceptions_on_rare_ways_with_address_sanitizer(t):
    compare(t, "frames/unwinding.cpp", link=[_foreign(t)], flags=["-fsanitize=address"])


def threads_that_do_not_return(t):
    compare(t, "frames/thread_ends.cpp")


def recursion_beyond_the_shadow_stack_charges_the_deepest_frame(t):
    """A machine stack is recorded as far as 3900 bytes of text: that of the recursion is not all there."""
    three_ways = 3 * (2 + 100001 - 64)  # main, a way, descend(0 .. 100000)
    caught_beyond = (2 + 31 + 201 - 64) + (2 + 101 + 201 - 64)
    compare(t, "frames/deep.cpp", options="stack=64", unless="// beyond", verify="part",
            lost={"frames_beyond_stack": three_ways + caught_beyond})


def five_million_tail_calls(t):
    """Each activation ends before its tail call, so both functions are called by main."""
    for level in ("-O0", "-O2"):
        program = t.build("ping_pong" + level, "frames/ping_pong.c", flags=[level])
        _, capture = t.run(program, options="stack=16")
        report = t.report(capture)
        assert not any(report["losses"].values()), report["losses"]
        functions = t.rows(capture, "function")
        check(functions["ping"], "ping", calls=51, self_alloc=51 * 4 * KIB, leaked=51 * 4 * KIB,
              own_peak_max=4 * KIB, freed_others=50 * 8 * KIB)
        check(functions["pong"], "pong", calls=50, self_alloc=50 * 8 * KIB, own_peak_max=8 * KIB,
              freed_elsewhere=50 * 8 * KIB)
        check(functions["main"], "main", incl_alloc=(51 * 4 + 50 * 8 + 1) * KIB, self_alloc=KIB,
              own_peak_max=(50 * 4 + 8) * KIB)
        check(t.rows(capture)["ping:21"], "ping:21", at_peak=50 * 4 * KIB)


def coroutines_across_threads_exceptions_and_transfers(t):
    compare(t, "frames/coroutine_flow.cpp", options="stack=32")


def coroutines_by_clang_19(t):
    compare(t, "frames/coroutine_flow.cpp", options="stack=32", llvm=19)


def around_main(t, *way, static=False, **more):
    """The library does not name libgpumemprof: the loader may start it first and end it last."""
    library = t.work / "libaround.so"
    t.command(t.compiler("c++"), "-std=c++20", *t.plugin_flags(), *t.include_flags(), "-O1", "-DLIBRARY", "-shared",
              "-fPIC", t.programs / "frames/around_main.cpp", "-o", library)
    runtime = [t.stage / "lib/libgpumemprof.a", "-ldl"] if static else []
    compare(t, "frames/around_main.cpp", link=[library, f"-Wl,-rpath,{t.work}", *runtime], arguments=way,
            runtime=not static, **more)


def constructors_before_and_destructors_after_the_runtime(t):
    around_main(t)


def exit_below_open_scopes(t):
    """What the library's end does is on the path of exit(), whose caller's sites are unregistered by then."""
    around_main(t, "exit")


def constructors_and_destructors_with_the_static_runtime(t):
    around_main(t, "exit", static=True)


def exit_handlers_of_quick_exit(t):
    around_main(t, "quick")


def underscore_exit(t):
    around_main(t, "_Exit")


def terminate_by_a_noexcept_function(t):
    """Not verified: the handler runs where the machine stack has been unwound, and its path goes by the throw that led there."""
    around_main(t, "terminate", status=-signal.SIGABRT, verify=False)


def handlers_that_come_at_known_places(t):
    compare(t, "frames/raised.cpp", lost={"interrupted_calls": 1} if t.processor == "x86_64" else {})


def signals(t, way, *arguments, level="-O2"):
    """Handlers allocate and free wherever they come. Returns what really happened and the report."""
    cuda = t.work / "libcuda.so.1"
    t.command("gcc", "-O2", "-shared", "-fPIC", *t.include_flags(), t.programs / "common/signal_cuda.c", "-o", cuda,
              "-Wl,-soname,libcuda.so.1")
    program = t.build("signals", "frames/signals.c", flags=["-D_GNU_SOURCE", level, cuda, f"-Wl,-rpath,{t.work}", "-Wl,--as-needed"],
                      link=["-rdynamic", "-pthread", "-ldl"])
    # Not verified: between two calls a handler is found above the call before it, and the machine is already further on.
    result, capture = t.run(program, way, *arguments, verify=False)
    report = json.loads(t.gpumemprof("report", capture, "--format", "json", status=None).out)
    return json.loads(result.out), report, capture


def every_event_is_recorded_or_counted(real, report):
    losses, sums = report["losses"], report["conservation"]
    assert real["signals"] > 0
    assert sums["ok"], sums
    freed = sums["freed_blocks"] - losses["replaced_blocks"]  # these were dropped, not freed
    recorded = sums["allocated_blocks"] + freed + losses["unknown_frees"]
    assert recorded + losses["events_not_stored"] == real["allocations"] + real["frees"], (real, losses, sums)


def only_what_is_counted_is_elsewhere(report, function, size, blocks):
    """Lines of the program itself have what they did, but for the calls that were counted as lost."""
    losses = report["losses"]
    found = sum(row["blocks"] for row in report["rows"] if row["function"] == function and row["self_alloc"]
                and row["min_size"] == row["max_size"] == size)
    assert blocks - losses["interrupted_calls"] - losses["stale_frames"] <= found <= blocks, (found, blocks, losses)


def handlers_that_interrupt_the_runtime(t):
    for way, level, times in (("work", "-O2", 100000), ("work", "-O0", 100000), ("threads", "-O2", 4 * 25000)):
        real, report, _ = signals(t, way, level=level)
        every_event_is_recorded_or_counted(real, report)
        only_what_is_counted_is_elsewhere(report, "work", 8192, times)
        only_what_is_counted_is_elsewhere(report, "leaf", 4096, sum(2 if n % 3 else 1 for n in range(times)))


def handlers_on_a_stack_of_their_own_take_no_line(t):
    source = (t.programs / "frames/handlers_far_away.cpp").read_text().splitlines()
    moves = {number for number, line in enumerate(source, 1) if "// moves" in line}
    for level in ("-O0", "-O2"):
        program = t.build("far_away", "frames/handlers_far_away.cpp", flags=[level])
        # Not verified: a handler is found above the call before it, and the machine is already further on.
        result, capture = t.run(program, verify=False)
        assert result.out == "1\n", result.out
        report = t.report(capture)
        rows = [row for row in report["rows"] if row["self_alloc"]]
        elsewhere = [row for row in rows if row["line"] not in moves]
        assert not [row for row in elsewhere if row["line"]], elsewhere
        lost = report["losses"]["interrupted_calls"] + report["losses"]["stale_lines"] + report["losses"]["stale_frames"]
        assert bool(elsewhere) <= bool(lost), (elsewhere, report["losses"])
        check(report["conservation"], "conservation", ok=True, allocated=100 * 120001)


def handlers_that_interrupt_first_events_and_loading(t):
    library = t.work / "library.so"
    t.command(t.compiler("c"), *t.plugin_flags(), *t.include_flags(), "-shared", "-fPIC",
              t.programs / "common/library.c", "-o", library)
    real, report, _ = signals(t, "births", library)
    every_event_is_recorded_or_counted(real, report)


def handlers_that_jump_out_of_the_runtime(t):
    """Half an event may be lost, which the report says; no thread hangs for a lock it took with it."""
    for way in ("jump", "jump_threads"):
        real, report, capture = signals(t, way)
        assert real["jumps"] > 0, real
        lost = report["losses"]["events_not_stored"]
        assert lost and report["conservation"]["ok"] or report["conservation"]["fault"], report["conservation"]
        assert t.state(capture) in ("complete", "stopped"), t.state(capture)


def fibers_of_ucontext_are_exact(t):
    compare(t, "frames/fibers.c", options="stack=64")


def fibers_switched_by_marked_calls_are_exact(t):
    compare(t, "frames/fibers.c", options="stack=64", flags=["-DMARKED"], link=[_foreign(t)])


def fibers_switched_by_code_not_rebuilt_are_counted(t):
    """Their frames lie among those of the code that resumed them: paths are lost, nothing else."""
    oracle = t.build_oracle()
    for level in repeats.share(("-O0", "-O2"), 2 if t.emulator else 1):
        program = t.build("unseen" + level, "frames/fibers.c", flags=[level, "-DUNSEEN"],
                          link=[oracle, _foreign(t), "-lstdc++", "-pthread"])
        # Not verified: these paths are among those that are lost.
        result, capture = t.run(program, options="stack=64", verify=False)
        report, expected = t.report(capture), json.loads(result.out)
        assert report["conservation"]["ok"], report["conservation"]
        check(next(d for d in report["devices"] if str(d["device"]) == "0"), "device", peak=expected["devices"]["0"]["peak"],
              live_at_exit=expected["devices"]["0"]["live"])
        assert report["losses"]["stale_frames"] + report["losses"]["interrupted_calls"], report["losses"]
