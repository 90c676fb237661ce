"""Row threads: allocations and frees by 1, 2, 4 and 8 threads, plain and profiled side by side.

Pairs per microsecond of the clock on the wall, over three CUDA runtimes: one that costs nothing, the same
with half a microsecond of other work after each pair, which is what cudaMallocAsync and its free take on an
H200, and the simulated device. Events of one device share a lock, so a program that does nothing else pays for
the contention; there is no limit, but the table says how much.
"""
import os

from harness.measure import Variant, time_rounds
from harness.tools import run

THREADS = (1, 2, 4, 8)
PLAIN, OURS = "plain", "gpumemprof"
WORK = 320  # dependent multiplications and additions: half a microsecond
RUNTIMES = {  # name: (pairs in all threads, steps of work, simulated)
    "stub": (2000000, 0, False),
    "stub, 0.5 us of work": (400000, WORK, False),
    "simulated device": (400000, 0, True),
}


def build(bench, simulated):
    source, timer, tag = bench.programs("threads.c"), bench.timer(), "sim" if simulated else "stub"
    flags = ["-O2", "-pthread", "-isystem", bench.programs("system")]
    cuda = bench.ours.simulator_flags() if simulated else bench.stub_cuda()
    plain, ours = bench.out("threads", f"{tag}.plain"), bench.out("threads", f"{tag}.ours")
    run([bench.clang, *flags, source, timer, "-o", plain, *cuda])
    run([bench.clang, *flags, *bench.ours.compile_flags(), source, timer, "-o", ours, *cuda, *bench.ours.link_flags()])
    return {PLAIN: ([plain], {}), OURS: ([ours], bench.capture_env("threads.gmprof"))}


def time(bench, results):
    if not bench.has_program_ours:
        return
    for name, (pairs, work, simulated) in RUNTIMES.items():
        if simulated and not bench.ours.simulator:
            results.note("the row threads leaves out the simulated device: this build does not have it")
            continue
        programs = build(bench, simulated)
        variants = [Variant((variant, threads), command, env)
                    for threads in THREADS for variant, (command, env) in programs.items()]
        samples = time_rounds(variants, lambda key: [str(key[1]), str(pairs // key[1]), str(work)], bench.options, bench.work)
        for threads in THREADS:
            for variant in programs:
                ns = samples[variant, threads]
                rates = type(ns)([1000 / value for value in ns.values])
                results.figure(f"{threads} thread{'s' if threads > 1 else ''}, {name}: pairs", variant, "per us", rates,
                               ratio=rates.median * samples[PLAIN, threads].median / 1000 if variant == OURS else None,
                               scaling=samples[variant, 1].median / ns.median)
        results.note(f"threads, {name}: throughput against one thread: " + "; ".join(
            f"{variant} " + ", ".join(f"{samples[variant, 1].median / samples[variant, n].median:.2f} with {n}" for n in THREADS[1:])
            for variant in programs))
    if len(os.sched_getaffinity(0)) < THREADS[-1]:
        results.note(f"threads: {len(os.sched_getaffinity(0))} processors; more threads than that take turns")


def count(bench, results):
    """Nothing of this row is the same in every run."""
