#!/usr/bin/env python3
"""seeds.py SOURCE FOLDER FIXTURE... - a seed corpus for the fuzzer: the fixtures of the lit tests that make a capture,
and small random programs."""
import os
import sys

import mkcapture
import oracle

source, folder, *fixtures = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
made = 0
for fixture in fixtures:
    try:
        mkcapture.main(source, fixture, os.path.join(folder, os.path.basename(fixture) + ".gmprof"))
        made += 1
    except (AttributeError, ValueError, IndexError, FileNotFoundError, TypeError):
        continue  # a test without a fixture of its own
for seed in range(10):
    with open(os.path.join(folder, f"random{seed}"), "wb") as out:
        out.write(oracle.random_program(source, seed, 20).bytes())
assert made > 30, f"only {made} fixtures made a seed"
