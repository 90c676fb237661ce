#!/usr/bin/env python3
"""merges.py SOURCE TOOL WORK CASE - `gpumemprof merge` of captures of random programs against the same in Python
(merge_oracle.py), and what it needs of memory."""
import os
import random
import re
import subprocess
import sys

import oracle
from exports import Case
from merge_oracle import Merge
from recorder import RANKED, Recorder

BY = ("line", "function", "file", "path", "kind", "device", "label", "variable", "type")


def tool_of(t):
    return lambda *words, status=0: t.gpumemprof(*words, status=status).stdout.decode()


def captures_of(t, seeds, ranked=False, host="node"):
    names = []
    for number, seed in enumerate(seeds):
        r = oracle.random_program(t.source, seed, 300, False)
        r.header["flags"] |= 1
        r.header["host"] = f"{host}{number % 3}"
        r.header["pid"] = 1000 + number
        r.counters[r.counter_names.index("unknown_frees")] = seed
        if ranked:
            r.header["flags"] |= RANKED
            r.header.update(rank=len(seeds) - 1 - number, ranks=len(seeds))
        names.append(t.path(f"run.{number}.gmprof"))
        with open(names[-1], "wb") as out:
            out.write(r.bytes())
    return names


def random_programs(t):
    for by in BY:
        m = Merge(tool_of(t), captures_of(t, (1, 2, 3, 4, 5, 6, 7)), by)
        assert m.names == [f"run.{i}" for i in range(7)], m.names
        assert m.check_rows() > (9 if by in ("line", "path") else 0), by
        assert len(m.merged["hosts"]) == 3 and m.merged["ranks"] is None
    m.check_head()


def random_ranks(t):
    captures = captures_of(t, (11, 12, 13, 14, 15), ranked=True)
    m = Merge(tool_of(t), captures)
    assert m.names == [f"rank {i}" for i in range(5)] and m.captures == captures[::-1]
    assert m.check_rows() > 10 and m.merged["ranks"] == {"job": 5, "missing": []}
    m.check_head()
    of_folder = Merge(tool_of(t), [t.work])
    of_folder.merged["processes"] = m.merged["processes"]  # a folder names its files otherwise
    assert of_folder.merged == m.merged
    for more in (("--kind", "device"), ("--device", "1"), ("--device", "host")):
        m = Merge(tool_of(t), captures, "path", more=more)
        assert m.check_rows() and m.merged["totals"]["ok"], more


def one_process(t):
    (capture,) = captures_of(t, (3,))
    m = Merge(tool_of(t), [capture])
    m.check_rows()
    m.check_head()
    assert not any(process["outlier"] for process in m.merged["processes"])


def same_program_twice(t):
    """A second run of everything changes no mean, and doubles each sum."""
    once = Merge(tool_of(t), captures_of(t, (5, 6, 7)), "path").merged
    captures = captures_of(t, (5, 6, 7, 5, 6, 7))
    twice = Merge(tool_of(t), captures, "path").merged
    assert len(once["rows"]) == len(twice["rows"]) > 10
    for one, two in zip(once["rows"], twice["rows"]):
        assert one["location"] == two["location"] and one["processes"] * 2 == two["processes"]
        for figure, value in one.items():
            if isinstance(value, dict):
                assert value["max"] == two[figure]["max"] and value["min"] == two[figure]["min"]
                assert abs(value["mean"] - two[figure]["mean"]) <= 1e-9 * max(1, abs(value["mean"]))
                assert "sum" not in value or value["sum"] * 2 == two[figure]["sum"]


def damaged(t):
    """Bytes that are not what they were: merged as they are, or left out; never a crash."""
    captures, rng, left_out = captures_of(t, (8, 9), ranked=True), random.Random(4), 0
    data = open(captures[1], "rb").read()
    taken = oracle.repeats.share(range(80), 4 if oracle.repeats.sanitized() else 1)
    for number in range(80):
        broken = bytearray(data)
        for _ in range(rng.choice([1, 3, 20])):
            broken[rng.randrange(len(broken)) if rng.random() < 0.8 else rng.randrange(4096)] = rng.choice([0, 1, 127, 255])
        with open(captures[1], "wb") as out:
            out.write(broken)
        for by in ("line", "path"):
            style = rng.choice(["table", "json", "csv"])
            if number not in taken:
                continue
            done = subprocess.run([t.tool, "merge", *captures, "--by", by, "--format", style],
                                  capture_output=True, timeout=60, check=False)
            assert done.returncode in (0, 1) and done.stdout and not re.search(b"anitizer|runtime error", done.stderr), (done.returncode, done.stderr)
            left_out += b"run.1.gmprof" in done.stderr
    assert len(taken) // 4 < left_out < len(taken) * 7 // 4, left_out


def memory_does_not_grow_with_captures(t):
    """The kernel's own high mark, read while the tool runs."""
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"}

    def high_mark(pid):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return int(next((line.split()[1] for line in file if line.startswith("VmHWM:")), 0))

    r = oracle.random_program(t.source, 21, 4000, False)
    data = r.bytes()
    captures = [t.path(f"run.{number}.gmprof") for number in range(200)]
    for capture in captures:
        with open(capture, "wb") as out:
            out.write(data)

    def most(count):
        seen = 0
        with subprocess.Popen([t.tool, "merge", "--by", "path", "--format", "csv", *captures[:count]], env=environment,
                              stdout=subprocess.DEVNULL) as run:
            while run.poll() is None:
                seen = max(seen, high_mark(run.pid))
        assert run.returncode == 0, run.returncode
        return seen

    few, many = most(20), most(200)
    assert 0 < many < few + 180 * len(data) // 1024 // 10, (few, many, len(data))


def deep_recursion_takes_linear_time(t):
    """A path of a hundred thousand calls, in two captures, and many siblings that say the same."""
    r = Recorder(t.source)
    r.enter("main", "/main.cu", 1)
    for _ in range(20000):
        r.call(2)
        r.enter("f", "/main.cu", 1)
    r.call(3, variable="p")
    r.malloc("p", 1 << 20)
    for _ in range(20000):
        r.leave()
    for column in range(20000):
        r.call(5, column=column)
        r.malloc(f"b{column}", 512)
    for number in range(2):
        with open(t.path(f"{number}.gmprof"), "wb") as out:
            out.write(r.bytes())
    for by in ("path", "line"):
        done = subprocess.run([t.tool, "merge", t.work, "--by", by], capture_output=True, timeout=60, check=True)
        assert b"add up to them" in done.stdout or b"adds up to them" in done.stdout


if __name__ == "__main__":
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
