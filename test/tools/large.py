#!/usr/bin/env python3
"""large.py SOURCE TOOL WORK [NODES] - captures of many records: time and memory stay linear, whatever the tree.

Shapes: `bushy` (random tree), `deep` (one recursion, as deep as there are nodes), `mutual` (a random walk
through a few functions that call each other, thousands of levels). Each node holds a cell and a pair that is
freed elsewhere. Limits are in processor time and have room for slow machines; the figures are printed.
"""
import os
import random
import resource
import struct
import subprocess
import sys

from recorder import ACTIVATIONS, BUDGET, CELLS, NO_ALLOC, NODES, NONE, PAIRS, Recorder, RECORD_SIZE

CHUNK = 4 << 20


class Large(Recorder):
    """A recorder whose nodes, cells and pairs are packed right away."""

    def __init__(self, source):
        super().__init__(source)
        self.packed = {NODES: bytearray(), CELLS: bytearray(), PAIRS: bytearray()}
        self.count = 0

    def add(self, parent, site):
        self.packed[NODES] += struct.pack("<II9Q48x", parent, site, 1, 0, 0, 64, 64, 128, 0, 0, 0)
        self.count += 1
        return self.count - 1

    def records(self):
        for type_, owner, records in super().records():
            if type_ in self.packed:
                data, size = self.packed[type_], RECORD_SIZE[type_]
                step = CHUNK // (size * 8) * size * 8
                for at in range(0, len(data), step):
                    yield type_, owner, [bytes(data[at:at + step])]
            elif type_ != ACTIVATIONS:
                yield type_, owner, records

    def chunks(self):
        from recorder import STRINGS, chunk
        pieces = list(self.records())
        for i, (type_, owner, records) in enumerate(pieces):
            more = i + 1 < len(pieces) and pieces[i + 1][0] == type_ and type_ in self.packed
            yield chunk(type_, owner, records, len(records[0]) // RECORD_SIZE[type_] if more else 0)
        yield chunk(STRINGS, 0, [self.text], 0)


def build(source, shape, count):
    rng = random.Random(shape)
    r = Large(source)
    functions = 1 if shape == "deep" else 12 if shape == "mutual" else 500
    scopes = [r.site(1, BUDGET | NO_ALLOC if i % 3 == 0 else 0, 10 * i, file=f"/src/{i % 40}.cu", function=f"function_{i}",
                     budget=60) for i in range(functions)]
    calls = [r.site(3, 2, 10 * i + j, file=f"/src/{i % 40}.cu", function=f"function_{i}", variable="p", size_expr="n")
             for i in range(functions) for j in range(4)]
    r.add(NONE, NONE)
    above_scope, above_call = [0], []
    for i in range(1, count):
        if i % 2:
            parent = above_scope[-1] if shape != "bushy" else rng.choice(above_scope)
            f = rng.randrange(functions)
            above_call.append((r.add(parent, scopes[f]), f))
        else:
            parent, f = above_call[-1] if shape != "bushy" else rng.choice(above_call)
            above_scope.append(r.add(parent, calls[4 * f + rng.randrange(4)]))
            if shape == "mutual" and i % 20000 < 2:
                above_scope.append(0)
    ids = [n for n in above_scope if n]
    for i, node in enumerate(ids):
        for kind in (0, 1):
            r.packed[CELLS] += struct.pack("<IHH14Q8x", node, 1, kind, 4, 64, 1, 64, 1, 3, 0, 64, 1, 1, 64, 64, 900, 1)
            r.packed[PAIRS] += struct.pack("<II8x2Q", 2 * i + kind, rng.choice(ids), 64, 1)
    r.devices[1].update(peak=64 * 2 * len(ids), epoch=1)
    return r.bytes()


def main(source, tool, work, count="200000"):
    os.makedirs(work, exist_ok=True)
    count = int(count)
    for shape in ("bushy", "deep", "mutual"):
        path = os.path.join(work, f"{shape}.gmprof")
        base = os.path.join(work, f"{shape}.base.gmprof")  # the same of another process
        data = build(source, shape, count)
        for name, pid in ((path, data[32:40]), (base, bytes(7) + b"\1")):
            with open(name, "wb") as out:
                out.write(data[:32] + pid + data[40:])
        size = os.path.getsize(path)
        for arguments in (["report"], ["report", "--by", "function"], ["report", "--by", "path"], ["tree"], ["leaks"], ["top"],
                          ["check"], ["check", "--against", base], ["diff", path], ["diff", path, "--by", "function"],
                          ["html", "-o", path + ".html"]):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            verbose = [] if arguments[0] in ("top", "html") else ["--verbose"]
            done = subprocess.run([tool, arguments[0], path, *arguments[1:], *verbose], check=False, capture_output=True, text=True)
            if arguments[0] == "html" and "built without the viewer" in done.stderr:
                continue
            assert done.returncode == (arguments[0] == "check"), done.stderr
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{shape} {count} nodes, {size >> 20} MiB: {' '.join(arguments)}: {seconds:.2f} s, "
                  f"highest of all so far {after.ru_maxrss >> 10} MiB")
            said = {"diff": "add up to it", "html": "open it in a browser"}.get(arguments[0], "balanced on every device")
            assert said in done.stdout, done.stdout
            tables = 3 if arguments[0] == "html" else 1  # a page has all of them, and is compressed
            assert seconds < tables * (2 + count * 10e-6), f"{seconds} s: more than linear?"
        os.remove(path)
        os.remove(base)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
