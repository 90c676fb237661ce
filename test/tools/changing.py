#!/usr/bin/env python3
"""changing.py SOURCE TOOL WORK CASE - captures that another process changes while they are read, and files that
claim more than they hold: each opening ends with a report or with one sentence and status 2, in bounded time and memory.
"""
import os
import random
import resource
import struct
import subprocess
import sys
import threading
import time

from large import build
from mkcapture import chunks_of
from recorder import ACTIVATIONS, CELLS, DEVICES, NODES, PAIRS, RECORD_SIZE, STRINGS, Recorder

COMMANDS = (["report"], ["tree"], ["leaks"], ["info"])


def read(tool, command, path, mib=1 << 12, seconds=60):
    """Runs a command with so much address space; returns its output, or its sentence when it refuses."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))
    shadowed = any(word in open(tool, "rb").read() for word in (b"__asan_init", b"__tsan_init"))
    done = subprocess.run([tool, *command, path], capture_output=True, text=True, errors="replace", timeout=seconds,
                          preexec_fn=None if shadowed else limit, check=False)
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.splitlines()
    assert done.returncode == 2 and len(said) == 1 and said[0].startswith("gpumemprof"), \
        (command, done.returncode, done.stdout, done.stderr)
    return said[0]


def cut_short_while_it_is_read(source, tool, work):
    path = os.path.join(work, "cut.gmprof")
    data = build(source, "bushy", 40000)
    rng = random.Random(1)
    refused = 0
    for turn in range(40):
        with open(path, "wb") as out:
            out.write(data)
        later = rng.random() * 0.03
        cutter = threading.Thread(target=lambda wait=later: (time.sleep(wait), os.truncate(path, 4096 * rng.randrange(2))))
        cutter.start()
        refused += "is truncated" in read(tool, COMMANDS[turn % 4], path)
        cutter.join()
    assert "is truncated" in read(tool, ["report"], path) or not os.path.getsize(path)
    print(f"40 openings, {refused} of them refused")


def rewritten_while_it_is_read(source, tool, work):
    """Ids, sizes and counts change between two readings of them."""
    path = os.path.join(work, "rewritten.gmprof")
    data = bytearray(build(source, "mutual", 20000))
    good = bytes(data)
    with open(path, "wb") as out:
        out.write(data)
    stop, rng = threading.Event(), random.Random(2)

    def scribble():
        with open(path, "r+b", buffering=0) as out:
            while not stop.is_set():
                at = rng.randrange(4096, len(good)) & ~7
                for value in (b"\xff" * 8, good[at:at + 8]):
                    out.seek(at)
                    out.write(value)
    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        texts = [read(tool, COMMANDS[i % 4], path) for i in range(40)]
    finally:
        stop.set()
        writer.join()
    print(f"40 openings, {sum('is damaged' in text for text in texts)} of them refused")
    assert "balanced on every device" in read(tool, ["report", "--verbose"], path)


def chunk(type_, size, used, record_size=None):
    return struct.pack("<IIQQI36x", type_, record_size or RECORD_SIZE[type_], size, used, 0)


def grows_while_it_is_read(source, tool, work):
    """As the runtime does it: a new call path, in a chunk of its own behind the others, and then a cell of it, in a chunk that has room.
    A reader of the cell has to find its path, though there was none when the reading began."""
    path = os.path.join(work, "grows.gmprof")
    data = build(source, "mutual", 20000)
    head, before, nodes, cells = data[:4096], b"", [], []
    for at, (type_, _, size, used, owner) in chunks_of(data):
        body = data[at + 64:at + 64 + used]
        records = [body[i:i + RECORD_SIZE[type_]] for i in range(0, used, RECORD_SIZE[type_])] if type_ in (NODES, CELLS) else []
        if type_ == NODES:
            nodes += records
        elif type_ == CELLS:
            cells += records
        elif type_ not in (PAIRS, ACTIVATIONS):
            before += data[at:at + size]
    cells.sort(key=lambda cell: struct.unpack_from("<I", cell))
    room = len(cells) * RECORD_SIZE[CELLS]
    cells_at = 4096 + len(before)
    first_node = cells_at + 64 + room
    one = 64 + RECORD_SIZE[NODES]
    head = head[:24] + struct.pack("<Q", first_node + one) + head[32:]  # what there is to begin with: the root
    with open(path, "wb") as out:
        out.write(head + before + chunk(CELLS, 64 + room, 0) + b"".join(cells))
        out.write(b"".join(chunk(NODES, one, RECORD_SIZE[NODES]) + node for node in nodes))
    stop = threading.Event()

    def grow():
        cell = 0
        with open(path, "r+b", buffering=0) as out:
            for count in range(1, len(nodes) + 1):
                os.pwrite(out.fileno(), struct.pack("<Q", first_node + count * one), 24)
                while cell < len(cells) and struct.unpack_from("<I", cells[cell])[0] < count:
                    cell += 1
                os.pwrite(out.fileno(), struct.pack("<Q", cell * RECORD_SIZE[CELLS]), cells_at + 16)
                if stop.wait(0.0002):
                    return
    writer = threading.Thread(target=grow)
    writer.start()
    try:
        texts = [read(tool, COMMANDS[i % 4], path) for i in range(60)]
    finally:
        stop.set()
        writer.join()
    refused = [text for text in texts if "is damaged" in text or "is truncated" in text]
    assert not refused, refused[0]
    with open(path, "rb") as grown:
        used = struct.unpack_from("<Q", grown.read(32), 24)[0]
    print(f"60 openings while it grew to {(used - first_node) // one} of {len(nodes)} call paths")


def claims_are_refused_without_their_memory(source, tool, work):
    """Files of a few KiB on the disk that say they hold gigabytes, or terabytes."""
    small = Recorder(source).bytes()
    path = os.path.join(work, "claims.gmprof")

    def attempt(name, size, chunks, expected):
        at = 4096
        with open(path, "wb") as out:
            out.write(small[:4096])
            for type_, length, used in chunks:
                out.seek(at)
                out.write(chunk(type_, length, used))
                at += length
            out.truncate(size or at)
            out.seek(24)
            out.write(struct.pack("<Q", at))
        for command in COMMANDS:
            start, text = time.monotonic(), read(tool, command, path, mib=1024)
            assert any(word in text for word in expected), (name, text)
            assert time.monotonic() - start < 10, name
    tib = 1 << 40
    nothing = ["0 allocated - 0 freed = 0 live", "0 allocations and frees", "nothing was recorded"]
    on_disk = ["next to nothing on the disk"]
    for type_ in (STRINGS, NODES, PAIRS, DEVICES):
        room = 10 * tib // RECORD_SIZE[type_] // 64 * RECORD_SIZE[type_] * 64
        attempt("one chunk of 10 TiB in use", 0, [(type_, room + 64, room)], on_disk)
        attempt("many chunks of 1 GiB in use", 0, [(type_, (1 << 30) + 64, 1 << 30)] * 64, on_disk + ["uses more"])
        attempt("10 TiB that nobody uses", 0, [(type_, room + 64, 0)], nothing)
        attempt("in use beyond its chunk", 0, [(type_, 1 << 20, tib)], ["uses more than it has"])
    with open(path, "wb") as out:
        out.truncate(10 * tib)
    assert "has no header yet" in read(tool, ["report"], path, mib=1024)
    with open(path, "wb") as out:
        out.write(small)
        out.truncate(10 * tib)
    assert "nothing was allocated" in read(tool, ["report"], path, mib=1024)


def other_files_are_refused(source, tool, work):
    path = os.path.join(work, "pipe")
    if not os.path.exists(path):
        os.mkfifo(path)
    for name in (path, "/dev/null", "/dev/zero", "/dev/full"):
        assert "is not a regular file" in read(tool, ["info"], name, seconds=10), name
    assert "name too long" in read(tool, ["report"], work + "/a" * 2100)
    with open(path + ".gmprof", "wb") as out:
        out.write(Recorder(source).bytes())
    link = os.path.join(work, "link")
    if not os.path.lexists(link):
        os.symlink(path + ".gmprof", link)
    assert "capture" in read(tool, ["info"], link)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    os.makedirs(sys.argv[3], exist_ok=True)
    globals()[sys.argv[4]](*sys.argv[1:4])
