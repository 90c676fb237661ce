"""Row threads: allocations and frees by 1, 2, 4 and 8 threads, plain and profiled side by side.

Pairs per microsecond of the clock on the wall, and the processor time of one, over three CUDA runtimes: one that costs nothing, the same
with half a microsecond of other work after each pair, which is what cudaMallocAsync and its free take on an
H200, and the simulated device. Events of one device share a lock, so a program that does nothing else pays for
the contention; there is no limit, but the table says how much. Beside it the plain program in which each call only takes
the next number of a counter that all threads share: any profiler that puts the events of a device in one order writes
one shared line for an event, and this is what that alone costs.
"""
import os

from harness.measure import Samples, figures_inside
from harness.tools import run

THREADS = (1, 2, 4, 8)
PLAIN, NUMBERED, OURS = "plain", "plain, events numbered", "gpumemprof"
WORK = 560  # dependent multiplications and additions: half a microsecond
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
    programs = {PLAIN: ([plain], {}), OURS: ([ours], bench.capture_env("threads.gmprof"))}
    if not simulated:
        numbered = bench.out("threads", f"{tag}.numbered")
        run([bench.clang, *flags, source, timer, "-o", numbered, *bench.stub_cuda("-DBENCH_NUMBERED", folder="stub-numbered")])
        programs[NUMBERED] = ([numbered], {})
    return programs


def time(bench, results):
    if not bench.has_program_ours:
        return
    for name, (pairs, work, simulated) in RUNTIMES.items():
        if simulated and not bench.ours.simulator:
            results.note("the row threads leaves out the simulated device: this build does not have it")
            continue
        programs = build(bench, simulated)
        taken = {}
        for _ in range(bench.options.rounds):
            for threads in THREADS:
                for variant, (command, env) in programs.items():
                    arguments = [str(threads), str(pairs // threads), str(work)]
                    for clock, sample in figures_inside(command + arguments, bench.options, bench.work, env).items():
                        taken.setdefault((clock, variant, threads), []).extend(sample.values)
        samples = {key: Samples(values) for key, values in taken.items() if key[0] == "wall"}
        samples = {key[1:]: sample for key, sample in samples.items()}
        for threads in THREADS:
            label = f"{threads} thread{'s' if threads > 1 else ''}, {name}"
            for variant in programs:
                ns = samples[variant, threads]
                rates = Samples([1000 / value for value in ns.values])
                results.figure(f"{label}: pairs", variant, "per us", rates,
                               ratio=rates.median * samples[PLAIN, threads].median / 1000 if variant != PLAIN else None,
                               scaling=samples[variant, 1].median / ns.median)
            plain, ours = (Samples(taken["cpu", variant, threads]) for variant in (PLAIN, OURS))
            results.figure(f"{label}: pairs", "processor time of a profiled pair", "ns", ours, delta=ours.median - plain.median)
        results.note(f"threads, {name}: throughput against one thread: " + "; ".join(
            f"{variant} " + ", ".join(f"{samples[variant, 1].median / samples[variant, n].median:.2f} with {n}" for n in THREADS[1:])
            for variant in programs))
    if len(os.sched_getaffinity(0)) < THREADS[-1]:
        results.note(f"threads: {len(os.sched_getaffinity(0))} processors; more threads than that take turns")


def count(bench, results):
    """Nothing of this row is the same in every run."""
