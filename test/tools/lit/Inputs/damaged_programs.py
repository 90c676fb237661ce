#!/usr/bin/env python3
"""damaged_programs.py TOOL WORK - programs with damaged ELF headers: dryrun looks into them and must not crash."""
import os
import random
import struct
import subprocess
import sys

tool, work = sys.argv[1:]


def try_out(i, data):
    with open(work, "wb") as out:
        out.write(data)
    os.chmod(work, 0o755)
    # The program itself may crash: ask for its own status through a wrapper that only looks.
    done = subprocess.run([tool, "dryrun", work], capture_output=True, check=False, timeout=20)
    assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, (i, done.stderr)
    assert b"simulated devices" in done.stderr or done.returncode == 2, (i, done.returncode, done.stderr)


good = open("/bin/true", "rb").read()
rng = random.Random(1)
for i in range(60):
    data = bytearray(good[:rng.choice([10, 64, 100, 4096, len(good)])])
    for _ in range(rng.choice([1, 4, 20])):
        data[rng.randrange(min(len(data), 1500))] = rng.randrange(256)
    try_out(i, data)
# Its headers begin at an odd address.
unaligned = bytearray(good[:64] + b"\0" + good[64:])
unaligned[32:40] = (65).to_bytes(8, "little")
try_out("unaligned", unaligned)
# As many dynamic sections as fit into a header's count, each as long as the file, with a table of texts in each entry.
HEADERS, PAGE, SIZE = 65000, 4096, 8 << 20
entry = struct.pack("<IIQQQQQQ", 2, 4, PAGE, PAGE, PAGE, SIZE - PAGE, SIZE - PAGE, 8)
long = bytearray(good[:64]) + entry * HEADERS
long[32:40], long[54:58] = (64).to_bytes(8, "little"), struct.pack("<HH", 56, HEADERS)
long[PAGE + 56 * 100:] = struct.pack("<QQ", 5, 1 << 40) * ((SIZE - PAGE) // 16)
try_out("long", long)
print("62 damaged programs")
