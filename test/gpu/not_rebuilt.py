#!/usr/bin/env python3
"""not_rebuilt.py - on a GPU: programs that were not rebuilt, under `gpumemprof run`, against CUPTI and backtrace().

    python3 test/gpu/not_rebuilt.py TOOL COUNTER PROGRAM [ARGUMENT...] [-- PROGRAM [ARGUMENT...]]...

COUNTER is libcupti_stacks.so of build.sh. Each program runs once with it and once under `TOOL run`, and then each line
(of the program itself, named by addr2line) has to have the same bytes and blocks in both. The programs need `-g` or
`-lineinfo`'s `-Xcompiler -g`. Exit status 1: a line differs, or the exit status or output of a program does."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

KINDS = ("device", "managed", "pinned", "pool")  # what COUNTER counts


def lines_of(program, addresses):
    """The frames of each return address, innermost first, as (function, file's name, line)."""
    addresses = sorted(addresses)
    text = "\n".join(f"{address - 1:x}" for address in addresses)
    said = subprocess.run(["addr2line", "-a", "-f", "-i", "-C", "-e", program], input=text, capture_output=True, text=True,
                          check=True).stdout.splitlines()
    frames, at = {}, None
    i = 0
    while i < len(said):
        if said[i].startswith("0x"):
            at = int(said[i], 16) + 1
            frames[at] = []
            i += 1
            continue
        file, _, line = said[i + 1].partition(" (")[0].rpartition(":")
        name = re.sub(r"^tmpxft_\w+-\d+_(.*)\.cudafe1\.cpp$", r"\1.cu", pathlib.PurePath(file).name)
        frames[at].append((said[i], name, int(line) if line.isdigit() else 0))
        i += 2
    return frames


def is_cuda(frame):
    """Of the static CUDA runtime, or inlined from its headers."""
    function, file, _ = frame
    return file == "cuda_runtime.h" or function.startswith("libcudart_static_") or (function.startswith("cuda") and function[4:5].isupper())


def counted(program, log):
    stacks = [(int(size), [int(address, 16) for address in way]) for size, *way in (line.split() for line in log.read_text().splitlines())]
    frames = lines_of(program, {address for _, way in stacks for address in way})
    found = collections.Counter()
    blocks = collections.Counter()
    for size, way in stacks:
        chain = [frame for address in way for frame in frames[address] if not is_cuda(frame)]
        # Static cudart has functions without symbols of their own: those have no line, and the program's have one.
        chain = [frame for frame in chain if frame[2]] or chain or [("?", "?", 0)]
        found[chain[0][1:]] += size
        blocks[chain[0][1:]] += 1
    return found, blocks


def reported(tool, capture):
    found, blocks = collections.Counter(), collections.Counter()
    for kind in KINDS:
        said = json.loads(subprocess.run([tool, "report", capture, "--kind", kind, "--limit", "0", "--format", "json"],
                                         capture_output=True, text=True, check=True).stdout)
        for row in said["rows"]:
            if row["self_alloc"]:
                key = (pathlib.PurePath(row["file"] or "?").name, row["line"] or 0)
                found[key] += row["self_alloc"]
                blocks[key] += row["blocks"]
    return found, blocks, said


def timed(words, **environment):
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment})
    return done, time.monotonic() - begin


def compare(tool, counter, words):
    with tempfile.TemporaryDirectory() as folder:
        log, capture = pathlib.Path(folder) / "log", pathlib.Path(folder) / "run.gmprof"
        plain, seconds = timed(words)
        counting, _ = timed(words, CUDA_INJECTION64_PATH=counter, CUPTI_STACKS_OUT=str(log))
        ours, with_us = timed([tool, "run", "--no-report", "-o", str(capture), "--", *words])
        name = pathlib.Path(words[0]).name
        wrong = []
        if ours.returncode != plain.returncode:
            wrong.append(f"exit status {ours.returncode}, not {plain.returncode}: {ours.stderr[-300:]}")
        if not capture.exists():
            print(f"{name}: no capture: {ours.stderr[-500:]}")
            return False
        if not log.exists():
            print(f"{name}: the counter wrote nothing: {counting.stderr[-300:]}")
            return False
        expected, blocks = counted(words[0], log)
        found, found_blocks, report = reported(tool, capture)
        for key in sorted(set(expected) | set(found)):
            if expected[key] != found[key] or blocks[key] != found_blocks[key]:
                wrong.append(f"{key[0]}:{key[1]}: {found[key]} bytes in {found_blocks[key]} blocks, CUPTI has {expected[key]} in {blocks[key]}")
        if not report["conservation"]["ok"] or any(report["losses"].values()):
            wrong.append(f"losses: { {k: v for k, v in report['losses'].items() if v} }")
        print(f"{name}: {sum(expected.values())} bytes in {sum(blocks.values())} blocks on {len(expected)} lines, "
              f"{'all the same' if not wrong else 'WRONG'}; {seconds:.2f} s plain, {with_us:.2f} s under run")
        for text in wrong:
            print("  " + text)
        return not wrong


def main():
    tool, counter, *rest = sys.argv[1:]
    programs = [[]]
    for word in rest:
        if word == "--":
            programs.append([])
        else:
            programs[-1].append(word)
    good = [compare(tool, os.path.abspath(counter), words) for words in programs if words]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
