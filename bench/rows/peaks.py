"""Row peaks: the runtime's suffix maxima, which tell the device peak of a scope when it ends.

Time to enter a total (`push`), and that with a question for the highest total since one of the latest 64
events (`push and query`), per event, over five patterns of a device's total. The loop around them (`null`) is
subtracted. Before anything is measured the answers are compared with a scan.
"""
from harness.measure import Variant, figures_inside, instruction_slope
from harness.tools import run

PATTERNS = ("walk", "uniform", "sawtooth", "rising", "falling")
NULL = "null"
LABELS = {"push": "push", "query": "push and query"}
EVENTS = "1000000"


def build(bench):
    program = bench.out("peaks", "peaks")
    run([bench.clang, *bench.core_flags(), bench.programs("peaks.c"), bench.timer(), "-o", program])
    for pattern in PATTERNS:
        run([program, pattern, "check", "1", "3000"])
    return program


def time(bench, results):
    program = build(bench)
    for pattern in PATTERNS:
        samples = figures_inside([program, pattern, "all", str(2 * bench.options.rounds + 1), EVENTS], bench.options,
                                 bench.work)
        for name, label in LABELS.items():
            added = samples[name].median - samples[NULL].median
            results.figure(f"peaks, {pattern}: ns", label, "ns", samples[name], delta=added)
            results.check(f"peaks, {pattern}: ns per {label}", added, exact=False)


def count(bench, results):
    program = build(bench)
    for pattern in PATTERNS:
        values = {name: instruction_slope(Variant(name, [program, pattern, name, "1"]), ["10000"], ["60000"], bench.work)
                  for name in (NULL, *LABELS)}
        for name, label in LABELS.items():
            added = round(values[name] - values[NULL], 1)
            results.figure(f"peaks, {pattern}: instructions", label, "instr", added, delta=added)
            results.keep(f"peaks, {pattern}: instructions per {label}", added)
