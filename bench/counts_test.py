#!/usr/bin/env python3
"""counts_test.py - a program takes as many instructions in one environment as in another, as the harness counts them, and
its count of rounds is not part of what a round takes."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from harness.measure import Variant, callgrind, instruction_slope  # noqa: E402
from harness.tools import Missing, run  # noqa: E402


def main():
    with tempfile.TemporaryDirectory(prefix="gpumemprof-counts-") as work:
        short, long = os.path.join(work, "i"), os.path.join(work, "interpreter-with-a-longer-name")
        try:
            for program in (short, long):
                run([os.environ.get("CC", "cc"), "-O2", os.path.join(HERE, "programs/interpreter.c"), "-o", program])
            counts = {callgrind([short, "50"], {"OTHER": "x" * size}, work)[0] for size in (0, 333, 1111, 2222, 3000, 4000)}
        except Missing as missing:
            print(f"skipped: {missing}")
            return 77
        assert len(counts) == 1, counts
        slopes = {instruction_slope(Variant(name, [name], env={"OTHER": "x" * size}), ["50"], ["150"], work, digits=6)
                  for name, size in ((short, 0), (long, 2000))}
        assert len(slopes) == 1, slopes
    return 0


if __name__ == "__main__":
    sys.exit(main())
