#!/usr/bin/env python3
"""damaged_programs.py TOOL WORK - programs with damaged ELF headers: dryrun looks into them and must not crash."""
import os
import random
import subprocess
import sys

tool, work = sys.argv[1:]
good = open("/bin/true", "rb").read()
rng = random.Random(1)
for i in range(60):
    data = bytearray(good[:rng.choice([10, 64, 100, 4096, len(good)])])
    for _ in range(rng.choice([1, 4, 20])):
        data[rng.randrange(min(len(data), 1500))] = rng.randrange(256)
    with open(work, "wb") as out:
        out.write(data)
    os.chmod(work, 0o755)
    # The program itself may crash: ask for its own status through a wrapper that only looks.
    done = subprocess.run([tool, "dryrun", work], capture_output=True, check=False, timeout=60)
    assert b"Sanitizer" not in done.stderr, (i, done.stderr)
    assert b"simulated devices" in done.stderr or done.returncode == 2, (i, done.returncode, done.stderr)
print("60 damaged programs")
