"""A capture says by its checksums that it is what the program wrote; one that was written to after them has none."""
import json
import random
import struct

from harness import MIB, check

HEADER, CHUNK, EVENTS = 4096, 64, 11


def _program(t):
    early = t.work / "early.so"
    t.command(t.compiler("c"), "-shared", "-fPIC", "-O2", t.programs / "life/early.c", "-o", early)
    return t.build("late", "life/late_events.c", link=["-pthread", early, f"-Wl,-rpath,{t.work}"])


def _info(t, capture):
    return json.loads(t.gpumemprof("info", "--format", "json", capture).out)


def _written(data):
    """Ranges of the file that hold something: (from, to, whether it is of events)."""
    used = struct.unpack_from("<Q", data, 24)[0]
    ranges, at = [(0, HEADER, False)], HEADER
    while at < used:
        kind, _, size, filled = struct.unpack_from("<IIQQ", data, at)
        ranges.append((at, at + CHUNK + filled, kind == EVENTS))
        at += size
    return ranges


def _history(t):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    return t.run(program, options="history=all", status=7)[1]


def _damaged(t, capture, data, events):
    capture.write_bytes(data)
    commands = [("events", "--replay")] if events else [("report",), ("info",), ("check",), ("events", "--replay")]
    for command in commands:
        done = t.gpumemprof(*command, capture, status=None)
        assert done.status == 2 and not done.out, (command, done.status, done.out)
    return done.err


def each_changed_byte_is_found(t):
    capture = _history(t)
    data = bytearray(capture.read_bytes())
    assert _info(t, capture)["checksums"]
    chosen, damaged, sentences = random.Random(7), t.work / "damaged.gmprof", set()
    ranges = _written(data)
    assert any(events for _, _, events in ranges)
    for begin, end, events in ranges:
        for _ in range(12 if begin else 60):
            at, bit = chosen.randrange(begin, end), chosen.randrange(8)
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            sentences.add(_damaged(t, damaged, changed, events).split(damaged.name)[1].strip())
    assert any("a checksum differs" in text for text in sentences), sentences


def each_page_that_is_lost_is_found(t):
    capture = _history(t)
    data, damaged = bytearray(capture.read_bytes()), t.work / "damaged.gmprof"
    for page in range(0, len(data), 4096):
        changed = bytearray(data)
        changed[page:page + 4096] = bytes(min(4096, len(data) - page))
        parts = [events for begin, end, events in _written(data)
                 if max(begin, page) < min(end, page + 4096) and any(data[max(begin, page):min(end, page + 4096)])]
        if parts:
            _damaged(t, damaged, changed, all(parts))
        else:
            damaged.write_bytes(changed)
            t.gpumemprof("report", damaged)


def room_that_is_not_used_may_hold_anything(t):
    capture = _history(t)
    data = bytearray(capture.read_bytes())
    ranges = _written(data)
    for (_, end, _), (begin, _, _) in zip(ranges, ranges[1:] + [(len(data), 0, False)]):
        if begin > end:
            data[end] ^= 255
    capture.write_bytes(data)
    t.gpumemprof("events", "--replay", capture)
    assert _info(t, capture)["checksums"]


def killed_program_has_none(t):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    _, capture = t.run(program, "kill", status=-9)
    assert not _info(t, capture)["checksums"]


def event_after_the_end_takes_them_away(t):
    program = _program(t)
    for way, live, sealed in ("none", MIB, True), ("last", 0, False):
        _, capture = t.run(program, way)
        report = t.report(capture)
        check(report["conservation"], way, allocated=MIB, live=live, ok=True)
        assert _info(t, capture)["checksums"] == sealed, way
        assert t.state(capture) == "complete"


def threads_that_go_on_never_make_damage(t):
    program = _program(t)
    sealed = 0
    for run in range(60):
        _, capture = t.run(program, "threads", 200 + 37 * run, verify=False, options="history=all" if run % 2 else "")
        sealed += _info(t, capture)["checksums"]
        t.gpumemprof("report", capture, status=None)
    assert sealed < 60, "no thread ever made an event after the end: the test sees nothing"


def dump_has_its_own(t):
    program = t.build("dumping", "life/late_events.c", link=["-pthread"])
    _, capture = t.run(program, "threads", 300000, verify=False, options="history=ring:ring=2000:dump=every:100ms:dump_max=2")
    dumps = sorted(t.work.glob("run.dump*.gmprof"))
    assert dumps, list(t.work.iterdir())
    for dump in dumps:
        assert _info(t, dump)["checksums"], dump
        t.gpumemprof("events", dump)
        data = bytearray(dump.read_bytes())
        begin, end, _ = next(r for r in _written(data) if r[0] and r[1] > r[0] + CHUNK)
        data[end - 1] ^= 1
        dump.write_bytes(data)
        assert "damaged" in t.gpumemprof("report", dump, status=2).err


def archive_seals_too(t):
    program = t.build("archive", "common/ending.c", runtime=False,
                      link=[t.stage / "lib/libgpumemprof.a", "-ldl", "-pthread", t.sim / "libcudart.so.13", f"-Wl,-rpath,{t.sim}"])
    _, capture = t.run(program, status=7, verify=False)
    assert _info(t, capture)["checksums"]


def _xxh64(data, seed=0):
    """As the specification of XXH64 has it, word by word."""
    mask, primes = (1 << 64) - 1, (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    p1, p2, p3, p4, p5 = primes

    def rotated(x, bits):
        return ((x << bits) | (x >> (64 - bits))) & mask

    def round_(lane, word):
        return rotated((lane + word * p2) & mask, 31) * p1 & mask

    at, h = 0, (seed + p5) & mask
    if len(data) >= 32:
        lanes = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask]
        while len(data) - at >= 32:
            lanes = [round_(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            h = ((h ^ round_(0, lane)) * p1 + p4) & mask
    h = (h + len(data)) & mask
    while len(data) - at >= 8:
        h = (rotated(h ^ round_(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if len(data) - at >= 4:
        h = (rotated(h ^ (struct.unpack_from("<I", data, at)[0] * p1 & mask), 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ (byte * p5 & mask), 11) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


def they_are_what_the_format_says(t):
    assert _xxh64(b"") == 0xEF46DB3751D8E999 and _xxh64(b"abc") == 0x44BC2CF5AD770999
    capture = _history(t)
    data = bytearray(capture.read_bytes())
    at = next(n for n in range(0, HEADER, 8) if struct.unpack_from("<Q", data, n)[0] and not any(data[n + 16:HEADER])
              and struct.unpack_from("<Q", data, n + 8)[0])
    figures, events = struct.unpack_from("<2Q", data, at)
    header = data[:HEADER]
    header[at:at + 16] = bytes(16)
    sums = {False: _xxh64(header), True: 0}
    for begin, end, of_events in _written(data)[1:]:
        sums[of_events] += _xxh64(data[begin:begin + CHUNK], _xxh64(data[begin + CHUNK:end], begin))
    assert (figures, events) == (sums[False] % 2**64, sums[True] % 2**64)
