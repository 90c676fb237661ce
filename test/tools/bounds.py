#!/usr/bin/env python3
"""bounds.py SOURCE TOOL WORK - checks each number of a capture that is the index of another record, of a text or of an
entry of a list: the last valid index is read, and the one after it is refused with a sentence that names the record."""
import pathlib
import struct
import subprocess
import sys

SOURCE, TOOL, WORK = sys.argv[1:4]
WORK = pathlib.Path(WORK)
WORK.mkdir(parents=True, exist_ok=True)
NONE = 0xffffffff
TEXT = """
device 0 first 1GiB
host unit
module /opt/app 0.1.0 3
enter main /src/app.cu 1 budget=1KiB no_leak
call 2 variable=grid type=float size_expr="n * 4" source_line="x"
malloc a 3MiB
operands 1 n 4 4 4 4
call 3
malloc b 1MiB pool stream=16
mark loaded
fail 64MiB
block part 5
call 6
malloc e 1KiB
free e
leave
call 7
free b
oom 2GiB device=0 free=1MiB total=1GiB
pool arena used=1KiB
cudapool handle=2 used=1MiB
violation 1 budget
step
sample first used=5MiB total=1GiB
"""
STRINGS, SITES, LINES, NODES, CELLS, PAIRS, DEVICES, ACTIVATIONS, MODULES = 1, 2, 3, 4, 5, 6, 7, 8, 10
SAMPLES, POOLS, CUSTOM_POOLS, NATIVE, UNACCOUNTED, OOMS, STEPS, MARKS, VIOLATIONS, OPERANDS, STREAMS = 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22
# type of record, offset and bytes of the field, what it counts (a type, or how many there are), whether NONE is a value, words
FIELDS = [
    (SITES, 0, 2, 7, False, "is of an unknown kind"),
    *((SITES, offset, 4, STRINGS, False, "has a text that is not there") for offset in range(12, 44, 4)),
    (SITES, 44, 4, SITES, True, "has an unknown outer site"), (SITES, 48, 4, LINES, True, "has an unknown line"),
    (LINES, 0, 4, STRINGS, False, "has a text that is not there"), (LINES, 8, 4, STRINGS, False, "has a text that is not there"),
    (NODES, 4, 4, SITES, True, "has an unknown site"),
    (CELLS, 0, 4, NODES, False, "has an unknown call path"), (CELLS, 4, 2, DEVICES, False, "has an unknown device"),
    (CELLS, 6, 2, 16, False, "has an impossible kind"), (CELLS, 120, 4, STRINGS, False, "has a label that is not there"),
    (CELLS, 124, 4, (STREAMS, 1), False, "has an unknown stream"),
    (STREAMS, 8, 2, DEVICES, False, "has an unknown device"),
    (PAIRS, 0, 4, CELLS, False, "has an unknown call path"), (PAIRS, 4, 4, NODES, False, "has an unknown call path"),
    (POOLS, 8, 2, DEVICES, False, "has an unknown device"), (POOLS, 12, 4, SITES, True, "has an unknown site"),
    (SAMPLES, 20, 2, DEVICES, False, "has an unknown device"), (SAMPLES, 16, 4, POOLS, True, "has an unknown pool"),
    (MODULES, 0, 4, STRINGS, False, "has a text that is not there"), (MODULES, 4, 4, STRINGS, False, "has a text that is not there"),
    (MARKS, 16, 4, STRINGS, False, "has a text that is not there"),
    (CUSTOM_POOLS, 0, 4, STRINGS, False, "has a text that is not there"),
    (CUSTOM_POOLS, 4, 4, DEVICES, True, "has an unknown device"),
    (STEPS, 24, 4, 4, False, "has no such phase"),
    (VIOLATIONS, 0, 4, NODES, False, "has an unknown call path"), (VIOLATIONS, 8, 4, NODES, True, "has an unknown call path"),
    (VIOLATIONS, 4, 2, 4, False, "is of an unknown budget"),
    (DEVICES, 4, 4, NODES, True, "has an unknown call path"),
    (ACTIVATIONS, 0, 4, NODES, False, "has an unknown call path"),
    (OPERANDS, 0, 4, SITES, False, "has an unknown site"), (OPERANDS, 4, 1, 5, False, "has an impossible number of operands"),
    *((OPERANDS, offset, 4, STRINGS, False, "has a name that is not there") for offset in range(8, 24, 4)),
    (OOMS, 360, 4, NODES, False, "has an unknown call path"), (OOMS, 372, 4, DEVICES, True, "has an unknown device"),
    *((OOMS, offset, 4, room + 1, False, "has a list longer than there is room")
      for offset, room in ((380, 64), (384, 64), (388, 16), (392, 16), (396, 64))),
    (OOMS, 464, 4, LINES, True, "has an unknown line"), (OOMS, 468, 4, NODES, False, "has an unknown line"),
]
LISTS = {380, 384, 388, 392, 396}  # what they count is 0 in the fixture: the last value that is there is looked at elsewhere


def chunks(data):
    at = 4096
    while at < struct.unpack_from("<Q", data, 24)[0]:
        kind, size_of, size, used = struct.unpack_from("<IIQQ", data, at)
        yield kind, size_of, at + 64, used
        at += size


def read(data, name):
    path = WORK / f"{name}.gmprof"
    path.write_bytes(data)
    done = subprocess.run([TOOL, "report", path], capture_output=True, text=True, errors="replace", timeout=60)
    assert done.returncode in (0, 2), (name, done.returncode, done.stderr)
    return done.stderr


def made(text, name):
    fixture, path = WORK / f"{name}.txt", WORK / f"{name}.gmprof"
    fixture.write_text(text)
    subprocess.run([sys.executable, "-B", f"{SOURCE}/test/tools/mkcapture.py", SOURCE, fixture, path], check=True)
    return path.read_bytes()


def put(data, at, size, value):
    data = bytearray(data)
    data[at:at + size] = value.to_bytes(size, "little")
    return bytes(data)


def main():
    data = made(TEXT, "made")
    assert "damaged" not in read(data, "whole")
    count, first, size_of = {}, {}, {}
    for kind, each, at, used in chunks(data):
        first.setdefault(kind, at)
        size_of[kind] = each
        count[kind] = count.get(kind, 0) + used // each
    judged = 0
    for kind, offset, size, of, may_be_none, words in FIELDS:
        if not count.get(kind):
            sys.exit(f"the fixture has no record of type {kind}")
        bound = of if isinstance(of, int) and of in (4, 5, 6, 7, 16, 17, 65) and (kind, offset) in SMALL else \
            count.get(of[0], 0) + of[1] if isinstance(of, tuple) else count.get(of, 0)
        at = first[kind] + offset
        for value, refused in ((bound, True), (bound - 1, False), (NONE, not may_be_none)):
            if value < 0 or value >= 1 << 8 * size or (not refused and value != NONE and (kind == OOMS or (kind, offset) in ((NODES, 4), (SITES, 44)))):
                continue
            said = read(put(data, at, size, value), "changed")
            assert (words in said and "damaged" in said) == refused, (kind, offset, value, refused, said)
            judged += 1
    last = count[NODES] - 1
    for number, parent, refused in ((0, 0, True), (0, NONE, False), (last, last, True), (last, last - 1, False), (last, NONE, True), (1, 1, True)):
        said = read(put(data, first[NODES] + number * size_of[NODES], 4, parent), "parent")
        assert ("precedes its caller" in said) == refused, (number, parent, said)
        judged += 1
    for budget, refused in ((0, True), (1, False)):
        assert ("is of an unknown budget" in read(put(data, first[VIOLATIONS] + 4, 2, budget), "budget")) == refused
    assert "has an impossible number of operands" in read(put(data, first[OPERANDS] + 4, 1, 0), "operands")
    print(f"{judged} values judged")


SMALL = {(kind, offset) for kind, offset, _, of, _, _ in FIELDS
         if (kind, offset) in ((SITES, 0), (CELLS, 6), (STEPS, 24), (VIOLATIONS, 4), (OPERANDS, 4)) or (kind == OOMS and offset in LISTS)}
main()
