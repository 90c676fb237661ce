#!/usr/bin/env python3
"""verify.py FOLDER OUT --tool GPUMEMPROF - the lines of each call path on a real device against the machine stack.

FOLDER as build.sh makes it. Each profiled program with line tables (bin/lines-*) runs with verify=paths and with all
events recorded; then `info --paths` may find no difference, and the replay of the events none to the figures. Prints
a line for each program; one that ends with 77 needs more devices than there are. Exit status: 0 no difference, 1 a
difference or a program that failed, 2 nothing to run.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys


def judged(tool, capture):
    """(how many paths were compared, what is wrong)."""
    done = subprocess.run([tool, "info", "--paths", "--format", "json", capture], capture_output=True, text=True)
    if not done.stdout.strip():
        return 0, [done.stderr.strip()]
    paths = json.loads(done.stdout)
    wrong = [f"{d['line']}: recorded {d['recorded']}, the machine {d['machine']}" for d in paths["differences"]]
    replay = subprocess.run([tool, "events", "--replay", capture], capture_output=True, text=True)
    if replay.returncode:
        wrong.append((replay.stdout + replay.stderr).strip()[-500:])
    return paths["compared"], wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tool", default="gpumemprof")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    programs = sorted(p for p in arguments.folder.glob("bin/lines-*/*"))
    if not programs:
        print(f"{arguments.folder} has no bin/lines-*; build.sh makes them")
        return 2
    failed = skipped = 0
    for program in programs:
        capture = arguments.out / f"{program.name}.{program.parent.name}.gmprof"
        options = f"output={capture}:quiet=1:verify=paths:history=all"
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=100, cwd=arguments.out,
                              env={**os.environ, "GPUMEMPROF_OPTIONS": options})
        if done.returncode == 77:
            skipped += 1
            print(f"{program.parent.name}/{program.name}: skipped, it needs more devices", flush=True)
            continue
        compared, wrong = judged(arguments.tool, capture) if capture.exists() else (0, ["no capture"])
        if done.returncode:
            wrong.append(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        if not compared:
            wrong.append("no path was compared")
        failed += bool(wrong)
        print(f"{program.parent.name}/{program.name}: {compared} paths compared, {len(wrong)} faults", *wrong, sep="\n  ", flush=True)
    print(f"{len(programs) - skipped} programs, {failed} with a fault, {skipped} skipped")
    return 1 if failed or skipped == len(programs) else 0


if __name__ == "__main__":
    sys.exit(main())
