#!/usr/bin/env python3
"""large.py TOOL SOURCE [BLOCKS] - `gpumemprof advise` of a million blocks and a million launches: time and memory are linear.

On a terminal, what takes longer than a second says what it does.

The history is packed directly. Half of the blocks live briefly; the others long, thousands at a time, so that addresses are looked up
among many. The limit is in processor time; the figures are printed.
"""
import json
import os
import pty
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

import ptx

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from recorder import COMPLETE, EVENTS, LAUNCH, Recorder, chunk, number  # noqa: E402

LINES, LIVE, SECONDS, MEBIBYTES, PARTS = 200, 20000, 5, 500, 4
ATTEMPTS = 8  # what else runs on the machine only adds time
# Other machines on the same host slow all of this down, by half for minutes. So a fixed piece of work is measured beside each attempt; when it
# takes longer than it does on a quiet machine of CI, the attempt counts as if it had taken less in proportion.
WORK, QUIET = "import random; random.seed(1); a = [random.random() for _ in range(1500000)]; a.sort(); {x: i for i, x in enumerate(a)}", 1.3


class Large(Recorder):
    packed = ()

    def records(self):
        yield from (record for record in super().records() if record[0] != EVENTS)

    def chunks(self):
        from recorder import STRINGS
        for type_, owner, records in self.records():
            yield chunk(type_, owner, records, 0)
        for at, (first_clock, body) in enumerate(self.packed):
            yield chunk(EVENTS, 0, [struct.pack("<4Q", at + 1, first_clock, 0, 0) + body], 0)
        yield chunk(STRINGS, 0, [self.text], 0)


def signed(value):
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def build(source, blocks):
    """Cells, pairs and uses of LINES lines are made by one block each; the events are packed by themselves. In the end no block is live."""
    rng, r = random.Random(1), Large(source)
    r.header["flags"] |= COMPLETE
    r.kernel("step", "step", [(i, 0, f"p{i}", True) for i in range(4)])
    r.enter("main", "/src/a.cu", 1)
    for line in range(LINES):
        r.call(100 + line, variable=f"v{line}")
        r.malloc(f"b{line}", 4096)
        r.call(1000 + line)
        r.use(LAUNCH, [0, 0, 0, 0], "step")
        r.call(2000 + line)
        r.free(f"b{line}")
    r.leave()
    live, order, clock, made, body, latest, first, chunks, begun = {}, [], 0, 0, bytearray(), 0, 0, [], 0
    while made < blocks or order:
        if made < blocks and (len(order) < LIVE or rng.random() < 0.5):
            address, line = (made + 1) << 12, made % LINES
            body += bytes([0 | 8]) + number(0) + number(line) + signed((address - latest) // 512) + number(8 * 2 + 1)
            latest, made, clock = address, made + 1, clock + 1
            order.append(address)
            live[address] = line
            values = [address, *(order[rng.randrange(len(order))] + 512 for _ in range(3))]
            body += b"\3" + number(4) + number(0) + number(0) + number(line) + number(0)
            before = first
            for value in values:
                body += signed(value - before)
                before = value
            first = values[0]
        else:
            at = rng.randrange(len(order)) if rng.random() < 0.5 else len(order) - 1
            address, order[at] = order[at], order[-1]
            order.pop()
            body += bytes([1]) + number(0) + number(live.pop(address)) + signed((address - latest) // 512)
            latest, clock = address, clock + 1
        if len(body) > 1 << 20:
            chunks.append((begun, bytes(body)))
            body, latest, first, begun = bytearray(), 0, 0, clock
    r.packed = [*chunks, (begun, bytes(body))]
    return r, clock


def repeated(chunks, events, times):
    """The same events some times, one after the other: to pack them takes several times as long as to read them."""
    return [(first_clock + events * number, body) for number in range(times) for first_clock, body in chunks]


def says_what_it_does(tool, *words):
    """With a terminal as standard error. A command that is quicker than the line shows none; with these captures they are not."""
    leader, follower = pty.openpty()
    begun = time.monotonic()
    subprocess.run([tool, *words], check=False, stdout=subprocess.DEVNULL, stderr=follower)
    took = time.monotonic() - begun
    os.close(follower)
    said = b""
    try:
        while part := os.read(leader, 4096):
            said += part
    except OSError:  # all of it was read
        os.close(leader)
    print(f"{words[0]} took {took:.2f} s on a terminal and said {said}")
    assert took < 1.2 or b"gpumemprof: " in said, said
    assert said.endswith(b"\x1b[K") or not said.startswith(b"gpumemprof: "), said


def timed(command):
    """The output and the processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(tool, source, blocks="1000000"):
    with tempfile.TemporaryDirectory() as folder:
        capture, facts = os.path.join(folder, "a.gmprof"), os.path.join(folder, "kernels.ptx")
        recorder, events = build(source, int(blocks) // PARTS)
        part = recorder.packed
        recorder.packed = repeated(part, events, PARTS)
        with open(capture, "wb") as file:
            file.write(recorder.bytes())
        with open(facts, "w", encoding="utf-8") as file:
            file.write(ptx.HEAD + ptx.kernel("step", ["both"] * 4))
        for options in (["--facts", facts], []):
            for attempt in range(ATTEMPTS):
                out, seconds = timed([tool, "advise", capture, "--format", "json", *options])
                most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
                _, work = timed([sys.executable, "-c", WORK])
                findings = len(json.loads(out)["findings"])
                print(f"{blocks} blocks, {options[:1]}: {findings} findings in {seconds:.2f} s, at most {most} MiB; beside it, the fixed work took {work:.2f} s")
                assert most < MEBIBYTES, most
                seconds *= min(1, QUIET / work)
                if seconds < SECONDS:
                    break
            assert seconds < SECONDS, seconds
        with open(capture, "wb") as file:  # each part of the work takes less than a second, or little more
            recorder.packed = part
            file.write(recorder.bytes())
        for words in (["advise"], ["advise", "--bounds"], ["check", "--max-waste", "100%"]):
            says_what_it_does(tool, *words, capture, "--facts", facts)


if __name__ == "__main__":
    main(*sys.argv[1:])
