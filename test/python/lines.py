"""`gpumemprof.lines`: rows of the report are lines of Python, with the figures of an oracle that asks Python itself."""
import json

from common import on_device


def _rows(t, capture, by):
    found = {}
    for row in t.report(capture, by)["rows"]:
        if (row["file"] or "").endswith("random_calls.py"):
            name = row["function"] if by == "function" else f"{row['line']} {row['function']}"
            key = name if not row.get("block") else None
            if key:
                assert key not in found, key
                found[key] = row
    return found


def _compare(t, seed, threads, *more, version=""):
    result, capture = on_device(t, "random_calls.py", str(seed), str(threads), *more, version=version, options="history=all")
    expected = json.loads(result.out)
    assert expected["total"] > 1 << 20
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    rows = _rows(t, capture, "line")
    for key, column in (("own", "self_alloc"), ("inclusive", "incl_alloc"), ("blocks", "blocks"), ("freed_here", "self_freed")):
        found = {name: row[column] for name, row in rows.items() if row[column]}
        assert found == expected[key], {name: (found.get(name), expected[key].get(name)) for name in {*found, *expected[key]}
                                        if found.get(name) != expected[key].get(name)}
    own_peaks = {row["function"]: row["own_peak_max"] for row in _rows(t, capture, "function").values() if row["own_peak_max"]}
    wrong = {name: (own_peaks.get(name), peak) for name, peak in expected["own_peak"].items()
             if own_peaks.get(name) != peak and "numbers" not in name}  # a generator's own peak is that of several resumptions
    assert not wrong, wrong
    numbers = [name for name in own_peaks if name.endswith("numbers")][0]
    assert own_peaks[numbers] >= expected["own_peak"][numbers]
    assert sum(row["leaked"] for row in report["rows"]) == 0
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def figures_are_those_of_the_oracle(t):
    _compare(t, 1, 1)


def figures_of_threads_are_those_of_the_oracle(t):
    _compare(t, 2, 4)


def figures_with_a_debugger_are_the_same(t):
    _compare(t, 3, 1, "trace")


def figures_in_python_3_9(t):
    _compare(t, 4, 2, version="3.9")


def figures_in_python_3_10(t):
    _compare(t, 5, 2, version="3.10")


def figures_in_python_3_12(t):
    _compare(t, 6, 2, version="3.12")


def figures_in_python_3_13(t):
    _compare(t, 7, 2, version="3.13")
