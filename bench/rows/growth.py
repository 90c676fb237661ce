"""Row growth: how costs grow with events, call paths, live blocks, open scopes, and with names that are new each time.

Of the profiled program its time, highest resident size and capture, of `report`, `tree` and `leaks` on that
capture time and resident size. The exponent is the slope in a log-log diagram over the three largest sizes: 1
is linear, 0 no growth at all, which is what events and live blocks have to show in the size of the capture.
Instruction counts have exponents too, without what the caches do. bench/plot.py draws the times.
"""
import os
import re

import limits
import repeats
from harness.measure import Samples, exponent, instructions_of, launch
from harness.tools import Trouble, run

SIZES = {  # what grows: powers of ten
    "events": (4, 5, 6, 7, 8),
    "paths": (3, 4, 5, 6),
    "blocks": (3, 4, 5, 6, 7),
    "scopes": (2, 3, 4),
    "labels": (4, 5, 6),
    "pushes": (4, 5, 6),
    "nvtx": (4, 5, 6),
    "named": (4, 5, 6),
    "streams": (4, 5, 6),
    "marks": (4, 5, 6),
    "steps": (4, 5, 6),
    "pools": (4, 5, 6),
    "mempools": (4, 5, 6),
}
NAMES = {"events": "events", "paths": "call paths", "blocks": "live blocks", "scopes": "open scopes",
         "labels": "labels with two pairs each", "pushes": "labels", "nvtx": "NVTX ranges", "named": "names of scopes", "streams": "streams",
         "marks": "marks", "steps": "steps", "pools": "pools", "mempools": "pools of CUDA"}
COUNT_SIZES = {"events": (20000, 200000), "paths": (1000, 10000), "blocks": (10000, 100000), "scopes": (100, 1000, 10000),
               **{name: (3000, 30000) for name in ("labels", "nvtx", "named", "streams", "pools", "mempools")}}
NEW_EACH_TIME = ("labels", "pushes", "nvtx", "named", "streams", "marks", "steps", "pools", "mempools")  # names.c
ROUNDS = 3
TOOLS = ("report", "tree", "leaks")
BOUNDED = (("events", "capture"), ("events", "resident"), ("blocks", "capture"))
CACHES = (("scopes", "program"),)


def build(bench):
    """The program of each thing that grows."""
    programs = {}
    include = os.path.join(os.path.dirname(bench.source), "include")
    for name in ("growth", "names"):
        programs[name] = bench.out("growth", name)
        run([bench.clang, "-O2", "-isystem", bench.programs("system"), "-I", include, *bench.ours.compile_flags(),
             bench.programs(f"{name}.c"), bench.timer(), "-o", programs[name], *bench.stub_cuda(), *bench.ours.link_flags(), "-pthread"])
    return {what: programs["names" if what in NEW_EACH_TIME else "growth"] for what in SIZES}


def measure(bench, launcher, program, what, power, capture):
    """One round: figures by (part, unit)."""
    if os.path.exists(capture):
        os.remove(capture)
    env = {"GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1"}
    done = launch(launcher, [program, what, str(10**power)], bench.options, bench.work, env)
    line = re.search(r"^bench (\d+) (\d+) fifo", done["output"], re.M)
    if not line or not os.path.exists(capture):
        raise Trouble(f"{program} {what} printed no result line or wrote no capture")
    figures = {("program", "s"): int(line.group(1)) / 1e9, ("resident", "MiB"): done["rss_mib"],
               ("capture", "MiB"): os.path.getsize(capture) / 2**20}
    for tool in TOOLS if bench.ours.tool else ():
        done = launch(launcher, [bench.ours.tool, tool, capture], bench.options, bench.work)
        figures[tool, "s"] = done["cpu_s"]
        figures[f"{tool}, resident", "MiB"] = done["rss_mib"]
    return figures


def time(bench, results):
    if not bench.has_program_ours:
        return
    program, launcher = build(bench), bench.launcher()
    capture = bench.scratch("growth.gmprof")
    for what, powers in SIZES.items():
        taken = {}
        for _ in range(ROUNDS):
            for power in powers:
                for key, value in measure(bench, launcher, program[what], what, power, capture).items():
                    taken.setdefault(key, {}).setdefault(power, []).append(value)
        for (part, unit), by_power in taken.items():
            points = {10**power: Samples(values) for power, values in by_power.items()}
            medians = {size: samples.median for size, samples in points.items()}
            slope = exponent(medians)
            largest = max(points)
            results.figure(f"growth with 10^{powers[-1]} {NAMES[what]}", part, unit, points[largest],
                           ratio=None, exponent=slope, grows=NAMES[what], points=sorted(medians.items()))
            name = f"{part} over {NAMES[what]}"
            if (what, part) in BOUNDED:
                results.check(f"{name}, bounded: exponent", slope, exact=False)
            elif what in NEW_EACH_TIME and part == "program":
                results.check_growth(name, slope, limit=limits.NAMES_GROWTH)
            elif (what, part) in CACHES:
                results.check(f"{name}: exponent", slope, exact=False)
            else:
                results.check_growth(name, slope)


def count(bench, results):
    """Instructions of the program, less those of a run of ten: what it does, whatever the caches hold."""
    if not bench.has_program_ours:
        return
    program = build(bench)
    for what, sizes in repeats.share(COUNT_SIZES.items(), 3 if bench.options.in_turns else 1):
        totals = {size: instructions_of([program[what], what, str(size)], bench.work, bench.capture_env("growth.gmprof"))
                  for size in (10, *sizes)}
        points = {size: totals[size] - totals[10] for size in sizes}
        largest = max(points)
        slope = exponent(points)
        results.figure(f"growth with {NAMES[what]}: instructions", f"of each of {largest}", "instr",
                       points[largest] / largest, exponent=slope, points=sorted(points.items()))
        limit = limits.NAMES_GROWTH if what in NEW_EACH_TIME else limits.GROWTH
        results.check_growth(f"instructions over {NAMES[what]}", slope, exact=True, limit=limit)
