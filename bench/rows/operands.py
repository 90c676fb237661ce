"""Row operands: what an allocation and its free take more where the size is computed from values that are passed on
(runtime/core/operands.c), against a constant size and against the same code without it."""
from harness.measure import Variant, instruction_slope, time_rounds
from harness.tools import run

MODES = {"none": "a constant size", "one": "one operand that stays", "two": "two operands that stay",
         "changing": "an operand that changes"}
OPTIONS = {"told": (), "operands=off": ("-fplugin-arg-gpumemprof-operands=off",)}
COUNT = "200000"


def variants(bench):
    flags = ["-O2", "-isystem", bench.programs("system")]
    result = []
    for name, options in OPTIONS.items():
        program = bench.out("operands", name)
        run([bench.clang, *flags, *bench.ours.compile_flags(), *options, bench.programs("operands.c"), bench.timer(), "-o", program,
             *bench.stub_cuda(), *bench.ours.link_flags()])
        result += [Variant((name, mode), [program, mode], env=bench.capture_env("operands.gmprof")) for mode in MODES]
    return result


def tell(results, unit, samples, values):
    for (name, mode), value in values.items():
        without = values["operands=off", mode]
        results.figure(f"operands, {MODES[mode]}: {unit}", name, "instr" if unit == "instructions" else unit, samples[name, mode],
                       delta=value - without if name == "told" else None)


def time(bench, results):
    if not bench.has_program_ours:
        return
    samples = time_rounds(variants(bench), [COUNT], bench.options, bench.work)
    tell(results, "ns", samples, {key: sample.median for key, sample in samples.items()})


def count(bench, results):
    if not bench.has_program_ours:
        return
    values = {v.name: instruction_slope(v, ["2000"], ["8000"], bench.work) for v in variants(bench)}
    tell(results, "instructions", values, values)
    for mode, text in MODES.items():
        added = values["told", mode] - values["operands=off", mode]
        if mode == "none":
            results.check(f"{text}: added instructions", added, exact=True)
        else:
            results.keep(f"{text}: added instructions", added)
