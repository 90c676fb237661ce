#!/usr/bin/env python3
"""top_once.py SOURCE TOOL FIXTURE CAPTURE - `gpumemprof top` of a program that runs, without a screen, then of the same killed.

PID in the fixture becomes the process id of a program started here. What top and report say of one moment is the same.
"""
import json
import os
import subprocess
import sys

source, tool, fixture, capture = sys.argv[1:]
folder = capture + ".folder"
os.makedirs(folder, exist_ok=True)
program = subprocess.Popen(["sleep", "60"])


def run(*words, status=0):
    done = subprocess.run([tool, *words], capture_output=True, text=True, check=False, cwd=folder, stdin=subprocess.DEVNULL)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def compare(top, report):
    """Lines of one against rows of the other, and both against the devices."""
    rows = {(row["file"], row["line"], row["function"]): row for row in report["rows"] if row["blocks"]}
    lines = {(line["file"], line["line"], line["function"]): line for line in top["lines"]}
    assert rows.keys() == lines.keys() and rows, (rows.keys(), lines.keys())
    for key, line in lines.items():
        row = rows[key]
        for name in ("live_peak", "self_at_peak", "self_alloc", "variable", "size_expr", "type"):
            assert line[name] == row[name], (key, name, line[name], row[name])
        assert (line["live"], line["blocks"]) == (row["leaked"], row["leaked_blocks"]), (line, row)
        assert line["leaked"] == (None if top["state"] == "running" else row["leaked"]), (line, row)
    for name in ("devices", "conservation", "state", "losses", "failed"):
        assert top[name] == report[name], (name, top[name], report[name])
    live, peaks = (sum(device[name] for device in top["devices"]) for name in ("live_at_exit", "peak"))
    assert sum(line["live"] for line in lines.values()) == live == top["all"]["live"]
    assert sum(line["self_at_peak"] for line in lines.values()) == peaks
    assert abs(sum(line["share"] for line in lines.values()) - 100) < 0.01 * len(lines)
    if top["scopes"]:  # the outermost scopes of threads have what is live of GPUs, if all of it came in them
        assert all(scope["own_peak"] >= max(scope["net"], 0) for scope in top["scopes"]), top["scopes"]


try:
    text = open(fixture, encoding="utf-8").read().replace("running PID", f"running {program.pid}")
    open(capture + ".txt", "w", encoding="utf-8").write(text)
    subprocess.run([sys.executable, os.path.join(source, "test/tools/mkcapture.py"), source, capture + ".txt", capture], check=True)
    os.replace(capture, os.path.join(folder, "run.gmprof"))
    print(run("top"))  # the one of this folder that runs
    one = json.loads(run("top", "./run.gmprof", "--format", "json"))
    compare(one, json.loads(run("report", "run.gmprof", "--format", "json")))
    assert one["interval_ns"] is None and one["all"]["growth"] is None and one["all"]["allocations_per_s"] is None, one["all"]
    two = json.loads(run("top", "run.gmprof", "--format", "json", "--interval", "0.1s", "--old", "1s"))
    assert two["interval_ns"] >= 10**8 and two["all"]["growth"] == 0 and two["all"]["allocations_per_s"] == 0, two["all"]
    assert [line["live"] for line in one["lines"]] == [line["live"] for line in two["lines"]]
    by_place = json.loads(run("top", "run.gmprof", "--format", "json", "--sort", "place", "--limit", "2"))
    assert [line["place"] for line in by_place["lines"]] == sorted(line["place"] for line in one["lines"])[:2]
    csv = run("top", "run.gmprof", "--format", "csv").splitlines()
    assert csv[0].startswith("file,line,function,") and len(csv) == 1 + len(one["lines"]), csv
finally:
    program.kill()
    program.wait()
ended = json.loads(run("top", "run.gmprof", "--format", "json", "--interval", "1h"))  # no second refresh of what has ended
compare(ended, json.loads(run("report", "run.gmprof", "--format", "json")))
print("killed:", run("top", "run.gmprof"))
# One that has ended is not taken for one that runs; another test's may be found.
done = subprocess.run([tool, "top", "--once"], capture_output=True, text=True, check=False, cwd=folder, stdin=subprocess.DEVNULL)
assert "./app: " not in done.stdout and os.path.join(folder, "run.gmprof") not in done.stderr, done
print("nothing runs here")
