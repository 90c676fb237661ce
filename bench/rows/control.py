"""Row control: what a program's own calls take, a snapshot, a measured scope with its result, a label, a step; and what
an allocation and its free take while a scope of their thread is measured (row pairs: while none is)."""
import os

from harness.measure import Variant, instruction_slope, time_rounds
from harness.tools import run

MODES = {"snapshot": "a snapshot", "scope": "a measured scope", "label": "a label", "step": "a step",
         "pair-measured": "a pair in a measured scope"}
COUNT = "200000"


def build(bench):
    include = os.path.join(os.path.dirname(bench.source), "include")
    flags = ["-O2", "-isystem", bench.programs("system"), "-I", include, *bench.ours.compile_flags()]
    program = bench.out("control", "ours")
    run([bench.clang, *flags, bench.programs("control.c"), bench.timer(), "-o", program, *bench.stub_cuda(),
         *bench.ours.link_flags()])
    return program


def time(bench, results):
    if not bench.has_program_ours:
        return
    program = build(bench)
    variants = [Variant(mode, [program, mode], env=bench.capture_env("control.gmprof")) for mode in MODES]
    samples = time_rounds(variants, [COUNT], bench.options, bench.work)
    for mode, text in MODES.items():
        results.figure(f"control, {text}: ns", "gpumemprof", "ns", samples[mode])
    results.check("a snapshot: ns", samples["snapshot"].median, exact=False)


def count(bench, results):
    if not bench.has_program_ours:
        return
    program = build(bench)
    for mode, text in MODES.items():
        variant = Variant(mode, [program, mode], env=bench.capture_env("control.gmprof"))
        value = instruction_slope(variant, ["2000"], ["8000"], bench.work)
        results.figure(f"control, {text}: instructions", "gpumemprof", "instr", value)
        results.keep(f"{text}: instructions", value)
