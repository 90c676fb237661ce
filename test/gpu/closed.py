#!/usr/bin/env python3
"""What closed libraries allocate: the profiler against CUPTI's own records and against cudaMemGetInfo.

    closed.py FOLDER OUT --tool gpumemprof      exit status 1 when a figure differs

FOLDER as build.sh makes it (closed.cu in bin/plain-clang, prof-clang and calls-clang). Three runs: the
profiled program with cupti=on; the plain one with CUPTI's memory records (cupti_count.c; apart, because
CUPTI has one subscriber); the one compiled with unaccounted=calls, without CUPTI. Per library, bytes and blocks
allocated and freed `via` it have to be those CUPTI names it as the source of. Memory of cuMemCreate is listed and
not compared: CUPTI has no records of it.
"""
import argparse
import json
import os
import subprocess
import sys


def run(program, out, log, **env):
    done = subprocess.run([program], capture_output=True, text=True, errors="replace", timeout=300,
                          env={**os.environ, **env})
    with open(os.path.join(out, log), "w") as f:
        f.write(done.stdout + "\n--- standard error\n" + done.stderr)
    if done.returncode:
        sys.exit(f"{program} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done


def report(tool, capture, by, *options):
    done = subprocess.run([tool, "report", capture, "--by", by, "--format", "json", *options], capture_output=True, text=True)
    return json.loads(done.stdout)


def of_libraries(tool, capture, *options):
    return {row["function"][4:]: row for row in report(tool, capture, "function", *options)["rows"]
            if (row["function"] or "").startswith("via ")}


def changes(text):
    return {word[1]: int(word[2]) for word in (line.split() for line in text.splitlines()) if word[:1] == ["change"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--tool", required=True)
    a = parser.parse_args()
    os.makedirs(a.out, exist_ok=True)
    out, folder = os.path.abspath(a.out), os.path.abspath(a.folder)
    env = {"NCCL_CUMEM_ENABLE": os.environ.get("NCCL_CUMEM_ENABLE", "0")}
    capture, calls = os.path.join(out, "closed.gmprof"), os.path.join(out, "calls.gmprof")
    wrong = 0

    done = run(f"{folder}/bin/prof-clang/closed", out, "cupti.log", **env,
               GPUMEMPROF_OPTIONS=f"cupti=on:output={capture}")
    print(done.stderr, end="")
    count_path = os.path.join(out, "count.json")
    plain = run(f"{folder}/bin/plain-clang/closed", out, "count.log", **env, CUPTI_COUNT_OUT=count_path,
                CUDA_INJECTION64_PATH=f"{folder}/lib/libcupti_count.so")
    with open(count_path) as f:
        count = json.load(f)
    ours = of_libraries(a.tool, capture)
    for library, row in of_libraries(a.tool, capture, "--kind", "vmm").items():  # CUPTI has no records of cuMemCreate
        print(f"not compared: cuMemCreate via {library}: {row['self_alloc']}")
        for figure in ("self_alloc", "self_freed"):
            ours[library][figure] -= row[figure]
    theirs = {}
    for s in count["sums"]:
        if not s["source"].startswith("lib") or s["source"].startswith("libcudart") or s["kind"] in ("static", "vmm"):
            print("not compared:", s)
            continue
        one = theirs.setdefault(s["source"], {"allocated": 0, "freed": 0})
        one["allocated"] += s["allocated"]
        one["freed"] += s["freed"]
    print(f"{'library':28} {'via it':>14} {'CUPTI says':>14} {'freed':>14} {'CUPTI says':>14}")
    for library in sorted(set(ours) | set(theirs)):
        row, other = ours.get(library, {}), theirs.get(library, {"allocated": 0, "freed": 0})
        figures = (row.get("self_alloc", 0), other["allocated"], row.get("self_freed", 0), other["freed"])
        same = figures[0] == figures[1] and figures[2] == figures[3]
        wrong += not same
        print(f"{library:28} {figures[0]:14} {figures[1]:14} {figures[2]:14} {figures[3]:14} {'' if same else ' DIFFERS'}")
    whole = report(a.tool, capture, "line")
    losses = {name: n for name, n in whole["losses"].items() if n}
    print("conservation", whole["conservation"]["ok"], "losses", losses or "none")
    wrong += not whole["conservation"]["ok"] or bool(losses)

    done = run(f"{folder}/bin/calls-clang/closed", out, "calls.log", **env,
               GPUMEMPROF_OPTIONS=f"unaccounted=calls:output={calls}")
    found = {}
    for change in report(a.tool, calls, "line")["unaccounted_calls"]:
        found[change["function"]] = found.get(change["function"], 0) + change["bytes"]
    printed, without = changes(done.stdout), changes(plain.stdout)
    print(f"{'stage':28} {'unaccounted':>14} {'cudaMemGetInfo':>14} {'without us':>14}")
    for stage, bytes_used in printed.items():
        same = found.get(stage, 0) == bytes_used
        wrong += not same
        print(f"{stage:28} {found.get(stage, 0):14} {bytes_used:14} {without.get(stage, 0):14} {'' if same else ' DIFFERS'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
