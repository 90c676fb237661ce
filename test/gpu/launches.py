#!/usr/bin/env python3
"""What uses=on adds to a launch of an empty kernel with four pointers, on a GPU.

    launches.py FOLDER [--count 50000] [--runs 5]

FOLDER is that of build.sh. Each run takes the plain program, the profiled one, and the profiled one with history=all and
with uses=on in turns; a figure is that of the fastest of nine rounds of a run. Prints a table in Markdown: the plain
program's nanoseconds, and the medians and ranges of the ratios, until the device is done and until the last launch returned;
and, behind a semicolon, the ratio of the fastest of all runs, which what else runs on the machine changes least.
"""
import argparse
import os
import statistics
import subprocess
import tempfile

WAYS = (("profiled", ""), ("history=all", "history=all"), ("uses=on", "history=all:uses=on"))


def ns(folder, flavour, compiler, count, capture, options=""):
    options = ":".join(["quiet=1", f"output={capture}", *filter(None, [options])])
    command = [os.path.join(folder, "bin", f"{flavour}-{compiler}", "launches"), str(count), "9"]
    done = subprocess.run(command, env=dict(os.environ, GPUMEMPROF_OPTIONS=options), capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=50000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print(f"| compiler, until | plain, ns | {' | '.join(name for name, _ in WAYS)} |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as work:
        capture = os.path.join(work, "run.gmprof")
        for compiler in ("clang", "nvcc"):
            plain, ratios, fastest = [], {name: [] for name, _ in WAYS}, {name: [1e9, 1e9] for name, _ in WAYS}
            for _ in range(given.runs):
                plain.append(ns(given.folder, "plain", compiler, given.count, capture))
                for name, options in WAYS:
                    figures = ns(given.folder, "prof", compiler, given.count, capture, options)
                    fastest[name] = [min(pair) for pair in zip(fastest[name], figures)]
                    ratios[name].append([figure / before for figure, before in zip(figures, plain[-1])])
            for i, until in enumerate(("the device is done", "the last launch returned")):
                cells = []
                for name, _ in WAYS:
                    values = [pair[i] for pair in ratios[name]]
                    cells.append(f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})")
                nanoseconds = [pair[i] for pair in plain]
                cells = [f"{cell}; {fastest[name][i] / min(nanoseconds):.3f}" for cell, (name, _) in zip(cells, WAYS)]
                print(f"| {compiler}, {until} | {min(nanoseconds):.0f} to {max(nanoseconds):.0f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
