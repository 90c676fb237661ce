#!/usr/bin/env python3
"""Runs prebuilt programs on the device and keeps what every counter said. compare.py judges it.

    measure.py FOLDER OUT [--repeats 5] [--budget 330] [--only NAME,...] [--compilers clang,nvcc]

FOLDER holds bin/{plain,prof}-{clang,nvcc}/NAME and lib/ (see build.sh). FOLDER/programs.json, if there,
lists further programs: [{"name", "args", "cwd", "env"}]; cwd is relative to OUT, default the program's
folder.

A counted run is a profiled program under both independent counters at once, so that all three
numbers are of the same run. Timed runs have no counter: plain and profiled in turns, after one run of
each that does not count. OUT gets results.json, the captures and the programs' output.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

OWN = ["direct", "managed", "pinned", "pitched", "pool", "array", "driver", "threads", "devices", "reset",
       "vmm", "graph", "pools", "arrays", "contexts", "imports", "found", "wrong"]
TIMEOUT_S = 90


class Runner:
    def __init__(self, folder, out):
        self.folder = os.path.abspath(folder)
        self.out = os.path.abspath(out)
        self.captures = os.path.join(self.out, "captures")
        self.logs = os.path.join(self.out, "logs")
        os.makedirs(self.captures, exist_ok=True)
        os.makedirs(self.logs, exist_ok=True)

    def binary(self, flavour, compiler, name):
        return os.path.join(self.folder, "bin", f"{flavour}-{compiler}", name)

    def run(self, flavour, compiler, program, env, log):
        """One process: (exit status, seconds, standard output)."""
        path = self.binary(flavour, compiler, program["name"])
        cwd = os.path.join(self.out, program["cwd"]) if program.get("cwd") else os.path.dirname(path)
        full = dict(os.environ, **program.get("env", {}), **env)
        start = time.perf_counter()
        try:
            done = subprocess.run([path, *program.get("args", [])], cwd=cwd, env=full, timeout=TIMEOUT_S,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, errors="replace")
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status = 124
            out, err = (x.decode(errors="replace") if isinstance(x, bytes) else x or ""
                        for x in (late.stdout, late.stderr))
        seconds = time.perf_counter() - start
        if log:
            with open(os.path.join(self.logs, log), "w") as f:
                f.write(out[-200000:] + "\n--- standard error\n" + err[-200000:])
        return status, seconds, out

    def counted(self, flavour, compiler, program):
        """A run under both counters; a profiled one writes its capture to captures/."""
        tag = f"{program['name']}.{compiler}"
        counts = {c: os.path.join(self.out, f"{tag}.{flavour}.{c}.json") for c in ("cupti", "preload")}
        env = {
            "CUDA_INJECTION64_PATH": os.path.join(self.folder, "lib", "libcupti_count.so"),
            "CUPTI_COUNT_OUT": counts["cupti"],
            "LD_PRELOAD": os.path.join(self.folder, "lib", "libpreload_count.so"),
            "PRELOAD_COUNT_OUT": counts["preload"],
        }
        capture = os.path.join(self.captures, tag + ".gmprof")
        if flavour == "prof":
            env["GPUMEMPROF_OPTIONS"] = f"output={capture}"
            if os.path.exists(capture):
                os.unlink(capture)
        status, seconds, out = self.run(flavour, compiler, program, env, f"{tag}.{flavour}.counted.log")
        result = {"status": status, "seconds": seconds}
        for counter, path in counts.items():
            if os.path.exists(path):
                with open(path) as f:
                    result[counter] = json.load(f)
                os.unlink(path)
        for line in out.splitlines():
            if line.startswith("expect "):
                result["expect"] = json.loads(line[len("expect "):])
        if flavour == "prof" and os.path.exists(capture):
            result["capture"] = os.path.relpath(capture, self.out)
        return result

    def timed(self, compiler, program, repeats, deadline):
        """Wall seconds of plain and profiled runs in turns; the first of each is a warm-up."""
        times = {"plain": [], "prof": []}
        statuses = set()
        scratch = os.path.join(self.out, "timed.gmprof")
        for i in range(repeats + 1):
            if i > 1 and time.monotonic() > deadline:
                break
            for flavour in ("plain", "prof") if i % 2 else ("prof", "plain"):
                env = {"GPUMEMPROF_OPTIONS": f"output={scratch}:quiet=1"} if flavour == "prof" else {}
                status, seconds, _ = self.run(flavour, compiler, program, env, None)
                statuses.add(status)
                if i:
                    times[flavour].append(seconds)
                if os.path.exists(scratch):
                    os.unlink(scratch)
        return {"plain_s": times["plain"], "prof_s": times["prof"], "statuses": sorted(statuses),
                "ratio": statistics.median(times["prof"]) / statistics.median(times["plain"])}

    def pairs(self, compiler, repeats, scale):
        """The micro-benchmark: each process times both copies of its loops."""
        result = {"plain": [], "prof": []}
        program = {"name": "pairs", "args": [str(scale)]}
        scratch = os.path.join(self.out, "pairs.gmprof")
        for i in range(repeats):
            for flavour in ("plain", "prof"):
                env = {"GPUMEMPROF_OPTIONS": f"output={scratch}:quiet=1"} if flavour == "prof" else {}
                status, _, out = self.run(flavour, compiler, program, env, f"pairs.{compiler}.{flavour}.{i}.log")
                for line in out.splitlines():
                    if status == 0 and line.startswith("pairs "):
                        result[flavour].append(json.loads(line[len("pairs "):]))
                if os.path.exists(scratch):
                    os.unlink(scratch)
        return result


def machine():
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
                              capture_output=True, text=True, timeout=30).stdout.strip()
    except OSError:
        text = ""
    return {"gpu": text or "simulated", "kernel": os.uname().release, "cpus": os.cpu_count()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--budget", type=float, default=330, help="seconds after which no further run starts")
    parser.add_argument("--scale", type=int, default=100, help="size of the micro-benchmark in percent")
    parser.add_argument("--only", default="", help="program names, separated by commas")
    parser.add_argument("--compilers", default="clang,nvcc")
    a = parser.parse_args()
    start = time.monotonic()
    deadline = start + a.budget
    only = set(filter(None, a.only.split(",")))
    runner = Runner(a.folder, a.out)
    programs = [{"name": n} for n in OWN]
    extra = os.path.join(a.folder, "programs.json")
    if os.path.exists(extra):
        with open(extra) as f:
            programs += [dict(p, timed=True) for p in json.load(f)]
    results = {"machine": machine(), "programs": [], "pairs": {}}

    def save():
        results["seconds"] = time.monotonic() - start
        with open(os.path.join(a.out, "results.json"), "w") as f:
            json.dump(results, f, indent=1)

    wanted = [(p, c) for p in programs if not only or p["name"] in only for c in a.compilers.split(",")]
    for p, compiler in wanted:
        row = {"name": p["name"], "compiler": compiler, "args": p.get("args", [])}
        for flavour in ("plain", "prof"):
            if os.path.exists(runner.binary(flavour, compiler, p["name"])) and time.monotonic() < deadline:
                row[flavour] = runner.counted(flavour, compiler, p)
        results["programs"].append(row)
        save()
    if not only or "pairs" in only:
        for compiler in a.compilers.split(","):
            results["pairs"][compiler] = runner.pairs(compiler, a.repeats, a.scale)
            save()
    by_compiler = sorted(zip(results["programs"], wanted), key=lambda pair: a.compilers.find(pair[1][1]))
    for row, (p, compiler) in by_compiler:  # short of time, the first compiler is complete
        if p.get("timed") and "prof" in row and time.monotonic() < deadline:
            row["timed"] = runner.timed(compiler, p, a.repeats, deadline)
            save()


if __name__ == "__main__":
    main()
