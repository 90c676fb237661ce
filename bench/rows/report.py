"""Row report: reading a recording of 10^7 events, ours against heaptrack_print.

The same program makes both recordings. Processor time and highest resident size of the reader alone;
each recording is made once and read in interleaved rounds.
"""
import glob
import os

from harness.measure import Samples, launch
from harness.tools import Trouble, have_program, run

EVENTS = 10000000
HEAPTRACK, OURS = "heaptrack_print", "gpumemprof report"


def record_heaptrack(bench, flags, timer, events):
    program = bench.out("report", "malloc")
    run([bench.clang, *flags, "-DBENCH_MALLOC", bench.programs("events.c"), timer, "-o", program])
    for old in glob.glob(bench.out("report", "heaptrack.*")):
        os.remove(old)
    run(["heaptrack", "-o", bench.out("report", "heaptrack"), program, str(events)], cwd=bench.work)
    found = glob.glob(bench.out("report", "heaptrack.*"))
    if len(found) != 1:
        raise Trouble("heaptrack left no recording")
    return found[0]


def record_ours(bench, flags, timer, events):
    program, capture = bench.out("report", "ours"), bench.out("report", "events.gmprof")
    run([bench.clang, *flags, *bench.ours.compile_flags(), bench.programs("events.c"), timer, "-o", program,
         *bench.stub_cuda(), *bench.ours.link_flags()])
    if os.path.exists(capture):
        os.remove(capture)
    run([program, str(events)], cwd=bench.work, env=bench.capture_env("report/events.gmprof"))
    if not os.path.exists(capture):
        raise Trouble(f"the program wrote no capture {capture}")
    return capture


def time(bench, results):
    events = bench.options.events
    flags = ["-O2", "-isystem", bench.programs("system")]
    timer, launcher = bench.timer(), bench.launcher()
    readers, sizes = {}, {}
    if have_program("heaptrack") and have_program("heaptrack_print"):
        recording = record_heaptrack(bench, flags, timer, events)
        readers[HEAPTRACK], sizes[HEAPTRACK] = ["heaptrack_print", recording], os.path.getsize(recording)
    else:
        results.note("heaptrack is not installed: the row report has no peer (package heaptrack)")
    if bench.has_program_ours and bench.ours.tool:
        capture = record_ours(bench, flags, timer, events)
        readers[OURS], sizes[OURS] = [bench.ours.tool, "report", capture], os.path.getsize(capture)
    taken = {name: [] for name in readers}
    for _ in range(bench.options.rounds):
        for name, command in readers.items():
            taken[name].append(launch(launcher, command, bench.options, bench.work))
    medians = {}
    for name, rounds in taken.items():
        times = Samples([one["cpu_s"] * 1e9 / events for one in rounds])
        medians[name] = times.median
        peer = medians.get(HEAPTRACK)
        results.figure(f"report of {events:.0e} events", name, "ns/event", times, ratio=times.median / peer if peer else None)
        results.figure(f"report of {events:.0e} events", f"{name}: highest RSS", "MiB",
                       Samples([one["rss_mib"] for one in rounds]))
        results.figure(f"report of {events:.0e} events", f"{name}: recording", "MiB", sizes[name] / 2**20)
    if OURS in medians and HEAPTRACK in medians:
        results.check("report: time per event / heaptrack_print", medians[OURS] / medians[HEAPTRACK], exact=False)


def count(bench, results):
    """Nothing of this row is the same in every run."""
