"""Row calls: what enter and exit of one function add to the call.

flat loops over a leaf, fib recurses, frame loops over a function that makes one call. Ours is built with
mode=every, so that frames stand where nothing allocates; a function or a way through it that makes no call
needs none. Peers: empty hooks of -finstrument-functions (static), XRay patched with an empty handler; for
reference gprof, and uftrace, which writes each call down (in /dev/shm; a thread of its own helps it, and is
not counted).
"""
from harness.measure import Variant, instruction_slope, time_rounds
from harness.tools import Trouble, have_program, run

PROGRAMS = ("flat", "fib", "frame")
PLAIN, HOOKS, XRAY, OURS = "plain", "-finstrument-functions", "XRay patched, no-op", "gpumemprof"
GPROF, UFTRACE = "gprof -pg", "uftrace record"
TIME_SIZE = {"flat": ["20000000"], "fib": ["32"], "frame": ["20000000"]}
UFTRACE_SIZE = {"flat": ["1000000"], "fib": ["25"], "frame": ["500000"]}  # 32 bytes a call
COUNT_SIZES = {"flat": (["10000"], ["60000"]), "fib": (["12"], ["18"]), "frame": (["10000"], ["60000"])}
LIMITED = ("flat", "fib")  # frame is shown beside them


def build(bench, results, program):
    """The variants of one program."""
    source, timer = bench.programs(program + ".c"), bench.timer()

    def binary(tag):
        return bench.out("calls", f"{program}.{tag}")

    run([bench.clang, "-O2", source, timer, "-o", binary("plain")])
    variants = [Variant(PLAIN, [binary("plain")])]

    run([bench.clang, "-O2", "-c", bench.peers("empty_hooks.c"), "-o", bench.out("calls", "empty_hooks.o")])
    run([bench.clang, "-O2", "-finstrument-functions", source, bench.out("calls", "empty_hooks.o"), timer, "-o",
         binary("hooks")])
    variants.append(Variant(HOOKS, [binary("hooks")]))

    run([bench.clang, "-O2", "-pg", source, timer, "-o", binary("gprof")])
    # Not countable: a late SIGPROF ends it under valgrind.
    variants.append(Variant(GPROF, [binary("gprof")], countable=False))

    if have_program("uftrace"):
        folder = bench.scratch("uftrace")
        variants.append(Variant(UFTRACE, [binary("gprof")], countable=False,
                                prefix=["uftrace", "record", "--no-libcall", "-d", folder]))
    else:
        results.note("uftrace is not installed: it is missing in the row calls (package uftrace)")

    try:
        run([bench.clang, "-O2", "-c", bench.peers("xray_noop.c"), "-o", bench.out("calls", "xray_noop.o")])
        run([bench.clang, "-O2", "-fxray-instrument", "-fxray-instruction-threshold=1", source,
             bench.out("calls", "xray_noop.o"), timer, "-o", binary("xray")])
        xray = Variant(XRAY, [binary("xray")], env={"XRAY_OPTIONS": ""}, smc=True)
        run(xray.command + ["1"], env=xray.env, cwd=bench.work)
        variants.append(xray)
    except Trouble as trouble:
        results.note(f"XRay is left out, it can not be built or patched here: {trouble}")

    if bench.has_program_ours:
        run([bench.clang, "-O2", *bench.ours.compile_flags("every"), source, timer, "-o", binary("ours"),
             *bench.ours.link_flags()])
        variants.append(Variant(OURS, [binary("ours")], env=bench.capture_env("calls.gmprof")))
    return variants


def ratio(deltas, ours, peer):
    return deltas[ours] / deltas[peer] if ours in deltas and deltas.get(peer, 0) > 0 else None


def time(bench, results):
    for program in PROGRAMS:
        variants = build(bench, results, program)
        samples = time_rounds(variants, lambda name: (UFTRACE_SIZE if name == UFTRACE else TIME_SIZE)[program],
                              bench.options, bench.work)
        deltas = {name: samples[name].median - samples[PLAIN].median for name in samples}
        for variant in variants:
            results.figure(f"{program}: ns per call", variant.name, "ns", samples[variant.name],
                           delta=None if variant.name == PLAIN else deltas[variant.name],
                           ratio=ratio(deltas, variant.name, HOOKS) if variant.name != PLAIN else None)
        if bench.has_program_ours and program in LIMITED:
            results.check(f"{program}: added time / {HOOKS}", ratio(deltas, OURS, HOOKS), exact=False)
            results.check(f"{program}: added time / {XRAY}", ratio(deltas, OURS, XRAY), exact=False)


def count(bench, results):
    for program in PROGRAMS:
        variants = [v for v in build(bench, results, program) if v.countable and bench.counts(v.name in (PLAIN, OURS))]
        small, large = COUNT_SIZES[program]
        slopes = {v.name: instruction_slope(v, small, large, bench.work) for v in variants}
        deltas = {name: slopes[name] - slopes[PLAIN] for name in slopes}
        for variant in variants:
            results.figure(f"{program}: instructions per call", variant.name, "instr", slopes[variant.name],
                           delta=None if variant.name == PLAIN else deltas[variant.name],
                           ratio=ratio(deltas, variant.name, HOOKS) if variant.name != PLAIN else None)
        if bench.has_program_ours and program in LIMITED:
            results.check(f"{program}: added instructions", deltas[OURS], exact=True)
        if bench.has_program_ours:
            results.keep(f"{program}: added instructions", deltas[OURS])
