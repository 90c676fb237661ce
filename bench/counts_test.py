#!/usr/bin/env python3
"""counts_test.py - a program takes as many instructions in one environment as in another, as the harness counts them, however
long it runs, and its count of rounds is not part of what a round takes."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "test")]

import repeats  # noqa: E402
from harness.measure import Variant, callgrind, instruction_slope  # noqa: E402
from harness.tools import Missing, run  # noqa: E402


# Of a variable in the environment: so many that whatever it pushes along lies across two pages once. Every commit takes an eighth of
# them, other ones after each, and the first (test/repeats.py).
SIZES = range(0, 4096, 31)

# What the program's clock says when it ends: one digit or nine.
CLOCK = """#include <stdlib.h>
#include <time.h>
int __wrap_clock_gettime(clockid_t id, struct timespec *t) {
  static int calls;
  long slow[2] = {7, 700000000};
  t->tv_sec = 0 * id;
  t->tv_nsec = slow[*getenv("SLOW") & 1] * (calls++ > 0);
  return 0;
}
"""


def main():
    with tempfile.TemporaryDirectory(prefix="gpumemprof-counts-") as work:
        short, long = os.path.join(work, "i"), os.path.join(work, "interpreter-with-a-longer-name")
        try:
            clock, timed = os.path.join(work, "clock.c"), os.path.join(work, "timed")
            with open(clock, "w", encoding="ascii") as file:
                file.write(CLOCK)
            for program, more in ((short, ()), (long, ()), (timed, (clock, "-Wl,--wrap=clock_gettime"))):
                run([os.environ.get("CC", "cc"), "-O2", os.path.join(HERE, "programs/interpreter.c"), *more, "-o", program])
            counts = {callgrind([short, "50"], {"OTHER": "x" * size}, work)[0] for size in {0, *repeats.share(SIZES, 8)}}
            times = {callgrind([timed, "50"], {"SLOW": slow}, work)[0] for slow in "01"}
        except Missing as missing:
            print(f"skipped: {missing}")
            return 77
        assert len(counts) == 1, counts
        assert len(times) == 1, times
        slopes = {instruction_slope(Variant(name, [name], env={"OTHER": "x" * size}), ["50"], ["150"], work, digits=6)
                  for name, size in ((short, 0), (long, 2000))}
        assert len(slopes) == 1, slopes
    return 0


if __name__ == "__main__":
    sys.exit(main())
