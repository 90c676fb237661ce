#!/usr/bin/env python3
"""What profiling adds to a pair of cudaMallocAsync and cudaFreeAsync with several threads, on a GPU.

    pairs_of_threads.py FOLDER [--count 20000] [--runs 3]

FOLDER is that of build.sh. Each run takes the plain program, the profiled one and the profiled one with history=all in
turns; a figure is that of the fastest of seven rounds of a run. Prints a table in Markdown: of each row, the range over
the runs of the plain program's nanoseconds and the median of the ratios.
"""
import argparse
import os
import statistics
import subprocess
import tempfile

ROWS = ((0, "the one thread that ever made an event"), (1, "1, a new thread each round"), (2, "2"), (4, "4"), (8, "8"), (16, "16"))


def ns(folder, flavour, threads, count, capture, **options):
    options = ":".join(["quiet=1", f"output={capture}", *(f"{key}={value}" for key, value in options.items())])
    command = [os.path.join(folder, "bin", f"{flavour}-clang", "pairs_of_threads"), str(threads), str(count), "7"]
    done = subprocess.run(command, env=dict(os.environ, GPUMEMPROF_OPTIONS=options), capture_output=True, text=True, check=True)
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    print("| worker threads | plain, ns a pair | profiled / plain | with history=all |")
    print("| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as work:
        capture = os.path.join(work, "run.gmprof")
        for threads, label in ROWS:
            plain, ratios, with_history = [], [], []
            for _ in range(given.runs):
                plain.append(ns(given.folder, "plain", threads, given.count, capture))
                ratios.append(ns(given.folder, "prof", threads, given.count, capture) / plain[-1])
                with_history.append(ns(given.folder, "prof", threads, given.count, capture, history="all") / plain[-1])
            both = (f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})" for values in (ratios, with_history))
            print(f"| {label} | {min(plain):.0f} to {max(plain):.0f} | {' | '.join(both)} |", flush=True)


if __name__ == "__main__":
    main()
