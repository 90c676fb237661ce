"""Row table: the runtime's table of live blocks beside a hash table of 64 shards with a spin lock each.

Time of one insertion, look-up and deletion per thread, at random among 10^3, 10^6 and 10^7 live blocks
(320 MB of records, and twice that in the hash). What making the addresses takes (`null`) is subtracted. All
tables are in one process and take turns there: filling them is what takes long.
"""
import os

from harness.measure import Variant, figures_inside, instruction_slope
from harness.tools import run

NULL, HASH, OURS = "null", "hash", "ours"
LABELS = {NULL: "addresses alone", HASH: "64 shards, spin lock, linear probing", OURS: "gpumemprof"}
SIZES = {3: 1000000, 6: 300000, 7: 300000}  # log10 of live blocks: operations of each thread in a round
COUNT_LIVE = ("1000", "1")


def build(bench):
    program = bench.out("table", "table")
    run([bench.clang, *bench.core_flags(), bench.programs("table.c"), bench.timer(), "-pthread", "-o", program])
    return program


def tell(results, row, unit, samples, values):
    added = {name: values[name] - values[NULL] for name in (HASH, OURS)}
    ratio = added[OURS] / added[HASH]
    for name, label in LABELS.items():
        results.figure(row, label, unit, samples[name], delta=added.get(name), ratio=ratio if name == OURS else None)
    return added


def time(bench, results):
    program = build(bench)
    if len(os.sched_getaffinity(0)) < 2:
        results.note("one processor: the row table with 2 threads shows them taking turns")
    for exponent, count in SIZES.items():
        for threads in (1, 2):
            samples = figures_inside([program, "all", str(10**exponent), str(threads), str(2 * bench.options.rounds + 1),
                                      str(count)], bench.options, bench.work)
            label = f"table of 10^{exponent} blocks" + (", 2 threads" if threads > 1 else "")
            added = tell(results, f"{label}: ns", "ns", samples, {name: s.median for name, s in samples.items()})
            results.check(f"{label}: time / sharded hash", added[OURS] / added[HASH], exact=False)


def count(bench, results):
    program = build(bench)
    values = {}
    for name, label in LABELS.items():
        values[name] = instruction_slope(Variant(label, [program, name, *COUNT_LIVE, "1"]), ["10000"], ["60000"], bench.work)
    added = tell(results, "table: instructions", "instr", values, values)
    results.keep("table: instructions of insertion, look-up and deletion", added[OURS])
