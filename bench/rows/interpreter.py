"""Row interpreter: a call-heavy program in one file that allocates nothing on a GPU.

Its instructions are calls through a table, its host functions pointers that are stored at run time; the plugin
has to see that none of them can lead to an allocation (plugin/analysis/ClosedUnit.h) and leave the file as it is. Beside
it what the same program costs with a frame in every function, and with the hooks of others.
"""
from harness.measure import Variant, instruction_slope, time_rounds
from harness.tools import run

PLAIN, HOOKS, GPROF, EVERY, OURS = "plain", "-finstrument-functions", "gprof -pg", "gpumemprof, mode=every", "gpumemprof"


def build(bench):
    source = bench.programs("interpreter.c")

    def binary(tag):
        return bench.out("interpreter", tag)

    hooks = bench.out("interpreter", "empty_hooks.o")
    run([bench.clang, "-O2", "-c", bench.peers("empty_hooks.c"), "-o", hooks])
    variants = []
    for name, tag, flags in ((PLAIN, "plain", []), (HOOKS, "hooks", ["-finstrument-functions", hooks]), (GPROF, "gprof", ["-pg"])):
        run([bench.clang, "-O2", source, *flags, "-o", binary(tag)])
        variants.append(Variant(name, [binary(tag)], countable=name != GPROF))
    if bench.has_program_ours:
        for name, tag, mode in ((EVERY, "every", "every"), (OURS, "ours", "all")):
            run([bench.clang, "-O2", *bench.ours.compile_flags(mode), source, "-o", binary(tag), *bench.ours.link_flags()])
            variants.append(Variant(name, [binary(tag)], env=bench.capture_env("interpreter.gmprof")))
    return variants


def tell(results, unit, variants, samples, values):
    for variant in variants:
        results.figure(f"interpreter: {unit} per instruction of it", variant.name, unit, samples[variant.name],
                       delta=values[variant.name] - values[PLAIN] if variant.name != PLAIN else None,
                       ratio=values[variant.name] / values[PLAIN])
    return values[OURS] / values[PLAIN] if OURS in values else None


def time(bench, results):
    variants = build(bench)
    samples = time_rounds(variants, ["20000"], bench.options, bench.work)
    results.check("interpreter: time / plain",
                  tell(results, "ns", variants, samples, {name: s.median for name, s in samples.items()}), exact=False)


def count(bench, results):
    variants = [v for v in build(bench) if v.countable and bench.counts(v.name in (PLAIN, OURS))]
    slopes = {v.name: instruction_slope(v, ["50"], ["150"], bench.work, digits=6) for v in variants}
    ratio = tell(results, "instr", variants, {name: round(slope, 1) for name, slope in slopes.items()}, slopes)
    results.check("interpreter: instructions / plain", ratio if ratio is None else round(ratio, 3), exact=True)
