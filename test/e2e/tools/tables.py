"""Every table as CSV: the same rows and values as in JSON."""
import csv
import io
import json


def flat(item, before=""):
    """The cells of an item, as tools/output/csv.h has them."""
    cells = {}
    for name, value in item.items():
        if isinstance(value, dict):
            cells.update(flat(value, before + name + "."))
        elif value is not None:
            text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
            cells[before + name] = f"{value:.2f}" if name.endswith("_percent") else text
    return cells


def compare(t, capture, command, name, *words):
    done = json.loads(t.gpumemprof(*command.split(), capture, "--format", "json", *words).out)
    items = [{key: value for key, value in item.items() if key != "responsible"} for item in done[name]]  # only in JSON
    assert items, command
    text = t.gpumemprof(*command.split(), capture, "--format", "csv", *words).out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert all(None not in row and None not in row.values() for row in rows), f"{command}: a row of another length"
    rows = [{key: value for key, value in row.items() if value} for row in rows]
    expected = [{key: value for key, value in flat(item).items() if value} for item in items]
    wrong = [(row, other) for row, other in zip(rows, expected) if row != other]
    assert len(rows) == len(expected) and not wrong, f"{command}: {len(rows)} rows, {len(expected)} in JSON; {wrong[:1]}"


def csv_has_what_json_has(t):
    program = t.build("modes", "common/modes.cpp", "oracle/oracle.cpp", flags=["-O1", "-I", t.programs / "oracle"])
    _, capture = t.run(program, options="history=all", sim="devices=2")
    for command, name in (("tree", "tree"), ("leaks", "leaks"), ("matrix", "matrix"), ("matrix --by line", "matrix"), ("pools", "pools"),
                          ("annotate modes.cpp", "lines"), ("events", "events")):
        compare(t, capture, command, name)
    block = next(e for e in json.loads(t.gpumemprof("events", capture, "--format", "json").out)["events"] if e["event"] == "freed")
    compare(t, capture, f"show {block['address']:x}_{block['life']}", "blocks")
    peaks = json.loads(t.gpumemprof("peak", capture, "--format", "json").out)["peaks"]
    rows = list(csv.DictReader(io.StringIO(t.gpumemprof("peak", capture, "--format", "csv").out)))
    assert [int(row["bytes"]) for row in rows] == [line["bytes"] for peak in peaks for line in peak["live"]]
    assert {(row["peak.device"], int(row["peak.bytes"])) for row in rows} == {(str(p["device"]), p["bytes"]) for p in peaks}
    limits = t.gpumemprof("check", capture, "--max-peak", "1KiB", "--format", "csv", status=1).out
    (limit, *_) = csv.DictReader(io.StringIO(limits))
    assert limit["verdict"] == "broken" and limit["limit"] == "max-peak", limit
