#!/usr/bin/env python3
"""json_names.py REPORT - the names of a JSON report, or of `top`, that others script against are there, with their types."""
import json
import sys

ROW = ("file line function variable size_expr type calls self_alloc incl_alloc self_freed incl_freed self_net incl_net "
       "freed_own freed_others freed_elsewhere escaped at_peak live_peak own_peak_max own_peak_mean device_peak leaked "
       "leaked_blocks").split()
LINE = "file line function variable size_expr type place live blocks live_peak self_at_peak self_alloc growth change old leaked".split()
TEXT = {"place", "file", "function", "variable", "size_expr", "type"}

report = json.load(open(sys.argv[1], encoding="utf-8"))
for device in report["devices"]:
    assert {"device", "name", "peak", "peak_time_ns", "live_at_exit"} <= device.keys(), device
    assert isinstance(device["device"], int) or device["device"] == "host", device
assert {"allocated", "freed", "live", "ok"} <= report["conservation"].keys()
assert isinstance(report["conservation"]["ok"], bool)
assert report["losses"] and all(isinstance(value, int) for value in report["losses"].values())
names, rows = (LINE, report["lines"]) if "lines" in report else (ROW, report["rows"])
assert rows
for row in rows:
    missing = [name for name in names if name not in row]
    assert not missing, missing
    for name in names:
        assert row[name] is None or isinstance(row[name], str if name in TEXT else int), (name, row[name])
