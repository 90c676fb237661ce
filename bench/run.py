#!/usr/bin/env python3
"""run.py - builds gpumemprof's benchmark programs and their peers, runs them side by side, prints one table.

Everything a table compares is built and run by one call of this script. Exit status: 0 all limits held,
1 a limit was missed, 2 usage or something needed is missing. See README.md.
"""
import argparse
import os
import platform
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "test")]

import repeats  # noqa: E402
from harness.results import Results  # noqa: E402
from harness.tools import Bench, Missing, Ours, Trouble  # noqa: E402
from rows import ROWS  # noqa: E402
from rows.report import EVENTS  # noqa: E402


OFTEN = ("calls", "pairs", "growth")  # of the test, each time: what most changes of the runtime could make slower


def parse(arguments):
    parser = argparse.ArgumentParser(prog="run.py", description="Benchmarks of gpumemprof beside its peers.",
                                     epilog="Rows: " + ", ".join(ROWS) + ".")
    parser.add_argument("--build", metavar="DIR", help="build directory or installed prefix of gpumemprof (Release)")
    parser.add_argument("--peers-only", action="store_true", help="measure what is there; nothing of ours is needed")
    parser.add_argument("--rows", metavar="A,B", default=",".join(ROWS), help="only these rows")
    parser.add_argument("--callgrind", action="store_true", help="only what is the same in every run: for CI")
    parser.add_argument("--in-turns", action="store_true", help="with --callgrind: only what has a limit, and of most rows and sizes a third, "
                        "other ones after each commit (test/repeats.py)")
    parser.add_argument("--skip", action="store_true", help="end with status 77 when a program is missing: for CTest")
    parser.add_argument("--compiler", action="store_true",
                        help="with --callgrind: count the compiler's own instructions too (minutes)")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds (default 7, at least 5)")
    parser.add_argument("--events", type=int, default=EVENTS, help="events of the row report (default 10^7)")
    parser.add_argument("--sources", metavar="DIR", help="compile these sources too (row compile)")
    parser.add_argument("--sources-flags", metavar="FLAGS", default="", help="flags for them, blank-separated")
    parser.add_argument("--json", metavar="FILE", help="write every figure and check there")
    parser.add_argument("--clang", metavar="N", default="22", help="LLVM version (default 22)")
    parser.add_argument("--cpu", type=int, help="processor for timed programs (default: the last)")
    parser.add_argument("--work", metavar="DIR", help="where programs are built (default: a new temporary directory)")
    options = parser.parse_args(arguments)
    if options.rounds < 5:
        parser.error("--rounds must be at least 5: a median of fewer says little")
    unknown = [row for row in options.rows.split(",") if row not in ROWS]
    if unknown:
        parser.error(f"no row named {unknown[0]}: there are {', '.join(ROWS)}")
    if not options.build and not options.peers_only:
        parser.error("name the build to measure with --build DIR, or say --peers-only")
    options.fifo_seen = set()
    return options


def rows_of(options):
    rows = options.rows.split(",")
    return [row for row in rows if row in OFTEN] + repeats.share((row for row in rows if row not in OFTEN), 3) if options.in_turns else rows


def machine(options):
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "processors": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "load": os.getloadavg()[0], "rounds": options.rounds, "clang": options.clang}


def main(arguments):
    options = parse(arguments)
    results = Results()
    with tempfile.TemporaryDirectory(prefix="gpumemprof-bench-") as temporary:
        try:
            ours = Ours(options.build, options.clang)
            if ours.missing() and not options.peers_only:
                raise Trouble(f"{options.build} does not hold {' and '.join(ours.missing())}: build it first, "
                              "or measure the peers alone with --peers-only")
            bench = Bench(HERE, os.path.abspath(options.work or temporary), options.clang, ours, options)
            for row in rows_of(options):
                (ROWS[row].count if options.callgrind else ROWS[row].time)(bench, results)
            if options.fifo_seen == {False}:
                results.note("no permission for SCHED_FIFO: times are disturbed by whatever else runs here")
            results.print()
            if options.json:
                results.write_json(options.json, machine(options))
        except Trouble as trouble:
            print(f"run.py: {trouble}", file=sys.stderr)
            return 77 if options.skip and isinstance(trouble, Missing) else 2
        except OSError as error:
            print(f"run.py: {error}", file=sys.stderr)
            return 2
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
