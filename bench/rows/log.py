"""Row log: what history=all adds to an event, beside a record of 32 bytes written raw.

The same program makes both: allocations and frees in one scope, and (shown without a limit, since the end of a
scope is an event too, which the peer does not write) over 1000 call paths with three scopes for each. The peer puts each event with a
time stamp into a buffer of 1 MiB that write() empties. Files are in memory, so that no disk is measured. Time
of the program's thread with minus without, bytes of the file with minus without.
"""
import os

from harness.measure import Variant, time_rounds
from harness.tools import run

EVENTS = 2000000
MODES = {"replace": "one scope", "events": "three scopes for each allocation"}
PLAIN, RAW, OURS, HISTORY = "plain", "raw records of 32 bytes", "gpumemprof", "gpumemprof, history=all"
RECORD = 32


def build(bench):
    source, timer = bench.programs("growth.c"), bench.timer()
    flags = ["-O2", "-isystem", bench.programs("system"), "-I" + bench.peers()]

    def binary(tag, *more):
        path = bench.out("log", tag)
        run([bench.clang, *flags, *more, source, timer, "-o", path, *bench.stub_cuda()])
        return path

    scratch = {tag: bench.scratch(tag) for tag in ("raw.log", "without.gmprof", "with.gmprof")}

    def ours(name, extra=""):
        return {"GPUMEMPROF_OPTIONS": f"output={scratch[name]}:quiet=1{extra}"}

    program = binary("ours", *bench.ours.compile_flags(), *bench.ours.link_flags())
    return [Variant(PLAIN, [binary("plain")]), Variant(RAW, [binary("raw", "-DRAW_LOG")], env={"RAW_LOG": scratch["raw.log"]}),
            Variant(OURS, [program], env=ours("without.gmprof")),
            Variant(HISTORY, [program], env=ours("with.gmprof", ":history=all"))], scratch


def time(bench, results):
    if not bench.has_program_ours:
        return
    variants, scratch = build(bench)
    trial = run(variants[-1].command + ["events", "1000"], env=variants[-1].env)
    if "unknown option" in trial.stderr:
        results.note("the row log is left out: this runtime has no option history")
        return
    for mode, label in MODES.items():
        compare(bench, results, variants, scratch, mode, label)


def compare(bench, results, variants, scratch, mode, label):
    samples = time_rounds(variants, [mode, str(EVENTS)], bench.options, bench.work)
    ns = {name: s.median for name, s in samples.items()}
    size = {name: os.path.getsize(path) for name, path in scratch.items()}
    added = {RAW: ns[RAW] - ns[PLAIN], HISTORY: ns[HISTORY] - ns[OURS]}
    for variant in variants:
        results.figure(f"log, {label}: ns per event", variant.name, "ns", samples[variant.name], delta=added.get(variant.name),
                       ratio=added[HISTORY] / added[RAW] if variant.name == HISTORY else None)
    each = (size["with.gmprof"] - size["without.gmprof"]) / EVENTS
    results.figure(f"log, {label}: bytes per event", RAW, "bytes", RECORD)
    results.figure(f"log, {label}: bytes per event", HISTORY, "bytes", each, ratio=each / RECORD)
    if mode != "replace":
        return
    results.check("log: bytes per event / raw record", each / RECORD, exact=False)
    results.check("log: time per event / raw record", added[HISTORY] / added[RAW], exact=False)


def count(bench, results):
    """Nothing of this row is the same in every run."""
