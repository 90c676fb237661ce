"""Row pairs: what tracking adds to one allocation and its free, at call depth 4, 10 and 50.

The peer is heaptrack around malloc and free; ours runs over a CUDA runtime that costs nothing, so that
what is measured is the profiler. Both against the same program untracked, processor time of the
program's own thread: heaptrack's interpreter runs in another process and is not counted.
"""
from harness.measure import Variant, instruction_slope, time_rounds
from harness.tools import have_program, run

DEPTHS = (4, 10, 50)
EXTRA = (("call", "in a call of its own"), ("rebuild", "stack rebuilt"))  # shown, not held to a limit
COUNT = {"malloc": 1000000, "malloc, heaptrack": 200000, "stub cudaMalloc": 1000000, "stub cudaMalloc, gpumemprof": 1000000}
MALLOC, HEAPTRACK, STUB, OURS = COUNT


def build(bench, results):
    source, timer, stub = bench.programs("pairs.c"), bench.timer(), bench.stub_cuda()
    flags = ["-O2", "-pthread", "-isystem", bench.programs("system")]

    def binary(tag):
        return bench.out("pairs", tag)

    run([bench.clang, *flags, "-DBENCH_MALLOC", source, timer, "-o", binary("malloc")])
    run([bench.clang, *flags, source, timer, "-o", binary("stub"), *stub])
    variants = [Variant(MALLOC, [binary("malloc")])]
    if have_program("heaptrack"):
        variants.append(Variant(HEAPTRACK, [binary("malloc")], prefix=["heaptrack", "-o", bench.out("pairs", "heaptrack")]))
    else:
        results.note("heaptrack is not installed: the row pairs has no peer (package heaptrack)")
    variants.append(Variant(STUB, [binary("stub")]))
    if bench.has_program_ours:
        run([bench.clang, *flags, *bench.ours.compile_flags(), source, timer, "-o", binary("ours"), *stub,
             *bench.ours.link_flags()])
        variants.append(Variant(OURS, [binary("ours")], env=bench.capture_env("pairs.gmprof")))
    return variants


def added(values):
    """What each tool adds, from values by variant name."""
    result = {}
    if HEAPTRACK in values:
        result[HEAPTRACK] = values[HEAPTRACK] - values[MALLOC]
    if OURS in values:
        result[OURS] = values[OURS] - values[STUB]
    return result


def tell(results, row, unit, variants, samples, values):
    deltas = added(values)
    peer = deltas.get(HEAPTRACK)
    for variant in variants:
        delta = deltas.get(variant.name)
        results.figure(row, variant.name, unit, samples[variant.name], delta=delta,
                       ratio=delta / peer if delta is not None and peer else None)
    return deltas


def check(results, what, deltas, values, exact):
    """deltas, values: by depth. Depth against depth compares the whole pair, as heaptrack's 2.4 does."""
    for depth in (10, 50):
        if HEAPTRACK in deltas[depth]:
            results.check(f"pair at depth {depth}: added {what} / heaptrack",
                          deltas[depth][OURS] / deltas[depth][HEAPTRACK], exact)
    results.check(f"pair: {what} at depth 50 / depth 10", values[50][OURS] / values[10][OURS], exact)


def time_depths(bench, variants, mode, depths, share):
    """Samples by depth, then by variant. Depths take turns too: they are compared with each other."""
    every = [Variant((v.name, depth), v.command, v.env, v.prefix) for depth in depths for v in variants]

    def arguments(key):
        return [mode, str(key[1]), str(COUNT[key[0]] // share)]

    samples = time_rounds(every, arguments, bench.options, bench.work)
    return {depth: {v.name: samples[v.name, depth] for v in variants} for depth in depths}


def time(bench, results):
    variants = build(bench, results)
    deltas, values = {}, {}
    for mode, text, depths, share in (("loop", "", DEPTHS, 1),) + tuple((m, ", " + t, (10, 50), 4) for m, t in EXTRA):
        for depth, samples in time_depths(bench, variants, mode, depths, share).items():
            medians = {name: s.median for name, s in samples.items()}
            added_here = tell(results, f"pair, depth {depth}{text}: ns", "ns", variants, samples, medians)
            if mode == "loop":
                values[depth], deltas[depth] = medians, added_here
    if bench.has_program_ours:
        check(results, "time", deltas, values, exact=False)


def count_one(bench, results, variants, text, mode, depth=10, threads=1):
    """Instructions of a pair: those of each variant, and what each adds."""
    values = {v.name: instruction_slope(v, [mode, str(depth), "2000", str(threads)], [mode, str(depth), "8000", str(threads)], bench.work)
              for v in variants}
    return values, tell(results, f"pair, depth {depth}{text}: instructions", "instr", variants, values, values)


def count(bench, results):
    """Ours alone: heaptrack records nothing under valgrind."""
    variants = [v for v in build(bench, results) if v.name not in (MALLOC, HEAPTRACK)]
    values, deltas = {}, {}
    for mode, text in (("loop", ""),) + tuple((mode, f", {text}") for mode, text in EXTRA):
        for depth in (10, 50) if bench.counts(mode == "loop") else (10,):
            values[depth], deltas[depth] = count_one(bench, results, variants, text, mode, depth)
        if not bench.has_program_ours:
            continue
        results.keep(f"pair{text}: added instructions", deltas[10][OURS])
        if mode == "loop":
            check(results, "instructions", deltas, values, exact=True)
    for mode, text, threads in (("loop", ", one of 2 threads", 2), ("loop", ", one of 8 threads", 8),
                                ("call", ", in a call of its own, one of 2 threads", 2),
                                ("rebuild", ", stack rebuilt, one of 2 threads", 2), ("async", ", stream-ordered", 1)):
        _, added_here = count_one(bench, results, variants, text, mode, threads=threads)
        if bench.has_program_ours:
            results.keep(f"pair{text}: added instructions", added_here[OURS])
