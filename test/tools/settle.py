#!/usr/bin/env python3
"""settle.py SOURCE TOOL WORK - captures of programs that were killed between two stores of one event: the figures are those of the
event done, or not begun, and everything adds up."""
import json
import pathlib
import subprocess
import sys

SOURCE, TOOL, WORK = sys.argv[1:4]
WORK = pathlib.Path(WORK)
WORK.mkdir(parents=True, exist_ok=True)
MIB = 1 << 20
RUN = """
device 0 first 1GiB
enter main /src/app.cu 1
call 2 variable=a
malloc a 1MiB
call 3
free a
call 4 variable=b
malloc b 2MiB
"""
DEVICES, CELLS, PAIRS, LINES = 7, 5, 6, 3  # of their records: where fields are
TOTAL, PEAK, EPOCH, LIVE = 192, 200, 208, 256


def report(name, *more, text=RUN):
    fixture, path = WORK / f"{name}.txt", WORK / f"{name}.gmprof"
    fixture.write_text(text + "counter threads 1\n" + "\n".join(more) + "\n")
    subprocess.run([sys.executable, "-B", f"{SOURCE}/test/tools/mkcapture.py", SOURCE, fixture, path], check=True)
    done = subprocess.run([TOOL, "report", path, "--by", "line", "--format", "json"], capture_output=True, text=True, timeout=60)
    found = json.loads(done.stdout)
    rows = {row["line"]: row for row in found["rows"]}
    device = next(d for d in found["devices"] if d["device"] == 0)
    return found, rows, device


def check(name, *more, live=2 * MIB, peak=2 * MIB, at_peak=(0, 2 * MIB), ok=True):
    found, rows, device = report(name, *more)
    assert found["conservation"]["ok"] == ok, (name, found["conservation"])
    assert device["peak"] == peak and (not ok or device["live_at_exit"] == live), (name, device)
    assert (rows[2]["at_peak"], rows[4]["at_peak"]) == at_peak, (name, rows)


def set_(record, number, offset, value):
    return f"record {record} {number} {offset} u64 {value}"


def main():
    check("whole")
    # The total has passed the peak, which is not stored yet; cells were last touched in the epoch before.
    check("peak not stored", set_("DEVICES", 1, PEAK, MIB), set_("DEVICES", 1, EPOCH, 1))
    # The peak is stored and not yet its epoch.
    check("epoch not stored", set_("DEVICES", 1, EPOCH, 1))
    # The cell has the block, the device's total and its kind do not yet.
    check("total not stored", set_("DEVICES", 1, TOTAL, 0), set_("DEVICES", 1, LIVE, 0), set_("DEVICES", 1, LIVE + 8, 0),
          set_("DEVICES", 1, PEAK, MIB), set_("DEVICES", 1, EPOCH, 1))
    # The pair has the free, the cell does not yet.
    check("cell not stored", set_("CELLS", 0, 32, 0), set_("CELLS", 0, 40, 0), set_("DEVICES", 1, TOTAL, 3 * MIB),
          set_("DEVICES", 1, LIVE, 3 * MIB), set_("DEVICES", 1, LIVE + 8, 2))
    # More is wrong than a thread can have under way: nothing is corrected, and the tool says so.
    check("too much", set_("CELLS", 0, 32, 0), set_("CELLS", 0, 40, 0), set_("CELLS", 1, 32, 5), ok=False,
          at_peak=(MIB, 2 * MIB - 5))
    # Live bytes of lines follow.
    _, rows, _ = report("line not stored", set_("LINES", 0, 16, MIB), set_("LINES", 2, 16, 0), set_("LINES", 2, 24, 0))
    assert rows[4]["live_peak"] == 2 * MIB and rows[2]["live_peak"] == MIB, rows


main()
