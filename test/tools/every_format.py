#!/usr/bin/env python3
"""every_format.py SOURCE TOOL WORK - every command in every format on random captures, and on the same with a changed byte:
what it prints is of that format, a damaged capture is one sentence, and under a sanitizer nothing is read that is not there."""
import csv
import io
import json
import os
import random
import subprocess
import sys

import oracle

COMMANDS = (["report"], ["report", "--by", "path"], ["report", "--by", "variable"], ["report", "--by", "size"], ["report", "--by", "thread"],
            ["report", "--group-by", "function,kind"], ["tree"], ["annotate", "/src/a.cu"], ["peak"], ["peak", "--scope", "f1"], ["matrix"], ["timeline"], ["leaks"],
            ["lifetimes"], ["temporaries"], ["histogram"], ["histogram", "--of", "lifetime"], ["check", "--allow-incomplete", "--max-leaks", "1KiB"],
            ["merge"], ["info"], ["info", "--samples"], ["info", "--paths"], ["events", "--last", "50"], ["events", "--replay"], ["pools"], ["oom"], ["top"])
EXPORTS = ("folded", "pprof", "speedscope", "dhat", "callgrind", "chrome", "perfetto", "memory_viz", "memory_viz-json", "massif", "heaptrack", "firefox")


def is_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    assert rows and len({len(row) for row in rows}) == 1, rows[:3]


IS = {"json": json.loads, "sarif": json.loads, "csv": is_csv, "junit": lambda text: text.index("<testsuites"), "text": str, "table": str}
FORMATS = {"check": ("table", "json", "csv", "junit", "sarif"), "annotate": ("table", "json"), "top": ("json",)}


def run(tool, work, *words):
    done = subprocess.run([tool, *words], capture_output=True, text=True, errors="replace", timeout=120, cwd=work, check=False)
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr and done.returncode in (0, 1, 2), (words, done.returncode, done.stderr[:2000])
    if done.returncode == 2:
        assert done.stderr.strip() and len(done.stderr.splitlines()) <= 4, (words, done.stderr)
    return done


def every(tool, work, capture, sound):
    printed = set()
    for command in COMMANDS:
        for style in FORMATS.get(command[0], ("table", "json", "csv")):
            done = run(tool, work, *command, *([] if style == "table" else ["--format", style]), capture)
            if done.returncode != 2 and done.stdout.strip():
                printed.add((" ".join(command), style))
                IS[style](done.stdout)
            elif sound and done.returncode == 2:
                assert "Try `" in done.stderr or "no " in done.stderr or "has " in done.stderr, (command, style, done.stderr)
    for to in EXPORTS:
        run(tool, work, "export", "--to", to, "-o", "exported", capture)
    run(tool, work, "html", "-o", "page.html", capture)
    run(tool, work, "diff", "base.gmprof", capture)
    return printed


def main(source, tool, work):
    os.makedirs(work, exist_ok=True)
    chosen, path = random.Random(5), os.path.join(work, "run.gmprof")
    printed = set()
    for seed in (1, 2):
        recorder = oracle.random_program(source, seed, 200, history=True)
        recorder.header["flags"] |= 1
        data = recorder.bytes()
        with open(os.path.join(work, "base.gmprof"), "wb") as out:
            out.write(data)
        with open(path, "wb") as out:
            out.write(data)
        printed |= every(tool, work, path, True)
        changed = bytearray(data)
        for _ in range(3):
            at = chosen.randrange(4096, len(changed))
            changed[at] ^= 1 << chosen.randrange(8)
        with open(path, "wb") as out:
            out.write(changed)
        every(tool, work, path, False)
    assert len(printed) > 2 * len(COMMANDS), sorted(printed)
    print(f"{len(printed)} commands and formats printed something")


if __name__ == "__main__":
    main(*sys.argv[1:])
