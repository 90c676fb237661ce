#!/usr/bin/env python3
"""options.py SOURCE TOOL WORK CASE - the options that commands share (tools/input/options.def), of every command.

  each_is_taken_or_refused   --help lists it, or one sentence says why the command does not take it
  each_in_every_format       each value of it, in each format of the command, prints what is of that format
  commands_agree             figures of one capture with the same --filter, --from, --to, --device and --kind are those of `report`
  windows_add_up             what happened in the parts of a run is what happened in it; a window of all of it changes nothing
  several_captures_agree     merge and diff of parts are sums and differences of reports of these parts
  rows_are_chosen            --min, --sort, --columns and --limit: of all rows the large ones, sorted, with these columns, the first
"""
import csv
import io
import itertools
import json
import os
import re
import subprocess
import sys

import oracle
import repeats
from recorder import FILL

SHARED = "filter from to device kind min sort columns limit names bytes format verbose".split()
ARGUMENTS = {"annotate": ["/src/a.cu"], "check": ["--allow-incomplete", "--max-leaks", "1KiB"], "export": ["-o", "-"], "html": ["-o", "-"]}
NO_CAPTURE = {"run", "dryrun", "flags", "facts", "completion", "man", "schema"}
VALUES = {"filter": ("function=f1", "size=1KiB..", "file=!*a.cu"), "from": ("30",), "to": ("200", "0.00001s"), "device": ("0", "host"), "kind": ("device", "managed"),
          "min": ("1KiB", "1TiB"), "limit": ("0", "2"), "names": ("short",), "wrappers": ("hide", "show"), "bytes": (None,), "verbose": (None,)}
PARTS = ([], ["--filter", "function=f1"], ["--filter", "size=1KiB.."], ["--from", "40", "--to", "200"], ["--from", "90"], ["--to", "120", "--filter", "file=*b.cu"],
         ["--device", "0", "--from", "50"], ["--kind", "device", "--filter", "size=..64KiB"], ["--from", "60", "--filter", "function=!f2", "--device", "host"])


def run(tool, *words, status=(0, 1)):
    done = subprocess.run([tool, *words], capture_output=True, timeout=120, check=False)
    error = done.stderr.decode(errors="replace")
    assert "Sanitizer" not in error and "runtime error" not in error, (words, error[:2000])
    assert done.returncode in status, (words, done.returncode, error[:500])
    return done.stdout.decode(errors="replace"), error, done.returncode


def loads(tool, *words):
    return json.loads(run(tool, *words, "--format", "json")[0])


def commands(tool):
    """Each command that reads a capture: its shared options, and the words that may follow each of its options."""
    script = run(tool, "completion", "bash")[0]
    found = {}
    for name, options, values in re.findall(r"^  (\w+)\)\n    options='([^']*)'\n(.*?)^    esac ;;", script, re.M | re.S):
        if name not in NO_CAPTURE:
            words = {option: text.split() for option, text in re.findall(r"--([a-z-]+)(?:\|-\w)?\) values='([^']*)'", values)}
            found[name] = ([option for option in SHARED if f"--{option}" in options.split()], words)
    assert len(found) > 15, script[:500]
    return found


def call(name, capture, *options):
    files = [capture, capture] if name == "diff" else ["7f_1", capture] if name == "show" else [capture]
    if name == "advise":
        files = [os.path.join(os.path.dirname(capture), "uses.gmprof")]
    return [name, *ARGUMENTS.get(name, []), *files, *options]


def each_is_taken_or_refused(tool, captures):
    for name, (taken, words) in commands(tool).items():
        for option in SHARED:
            if option in taken:
                continue
            value = [] if option in ("bytes", "verbose") else [{"from": "1", "to": "1", "filter": "function=f"}.get(option, "1")]
            _, error, _ = run(tool, *call(name, captures[0], f"--{option}", *value), status=(2,))
            assert re.fullmatch(rf"gpumemprof {name}: --{option} is not for {name}: .+\n", error), (name, option, error)
        help_ = run(tool, name, "--help")[0]
        shared = help_.split("Options that commands share:")[1] if taken != ["format"] else help_
        for option in taken:
            assert f"--{option}" in (shared if (name, option) not in (("export", "to"), ("export", "format")) else help_), (name, option)


def is_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    assert not rows or len({len(row) or 1 for row in rows}) == 1, rows[:3]  # a cell of nothing is an empty line


IS = {"json": json.loads, "sarif": json.loads, "csv": is_csv, "junit": lambda text: text.index("<testsuites"), "table": str}


def lines_of_formats(tool, captures):
    """(option, value, format, words) of each command line, and words with many options at once."""
    for name, (taken, words) in commands(tool).items():
        if name == "html" and "built without the viewer" in run(tool, *call(name, captures[0]), status=(0, 2))[1]:
            continue
        formats = words["format"] if "format" in taken else [None]
        if name == "export":
            formats = [form for form in formats if form != "sqlite"]
        for option in taken:
            values = VALUES.get(option) or [*words[option][:40], *(["help"] if option == "columns" else [])]
            for value in values if option != "format" else [None]:
                given = [] if option == "format" else [f"--{option}"] if value is None else [f"--{option}", value]
                for form in formats if option != "format" or value is None else [value]:
                    yield option, value, form, call(name, captures[0], *given, *(["--format", form] if form else []))
        single = [x for option in taken if option in VALUES and not (name in ("html", "timeline", "export") and option in ("filter", "from", "to"))
                 for x in (f"--{option}", VALUES[option][0]) if x]
        yield None, None, None, call(name, captures[0], *single, *(["--format", "folded"] if name == "export" else []))


def each_in_every_format(tool, captures):
    lines = repeats.share(lines_of_formats(tool, captures), 8 if repeats.sanitized() else 3)
    for option, value, form, line in lines:
        out, error, status = run(tool, *line, status=(0, 1, 2))
        if status == 2 and option:
            refuses = line[0] in ("show", "timeline", "html", "annotate", "export", "top", "advise", "pages") or "no device" in error or "info has no csv" in error
            assert 1 <= len(error.splitlines()) <= 4 and refuses, (line, error)
        elif option != "columns" or value != "help":
            IS.get(form, str)(out)
    print(f"{len(lines)} command lines")


def rows_of(tool, capture, *options):
    return loads(tool, "report", capture, "--by", "path", *options)["rows"]


def total(rows, key):
    return sum(row[key] or 0 for row in rows)


def commands_agree(tool, captures):
    for capture, part in repeats.share(itertools.product(captures, PARTS), 2 if repeats.sanitized() else 1):
        where = (capture, part)
        rows = rows_of(tool, capture, *part)
        columns = "blocks,freed_blocks,temporary_blocks,short_blocks,kept_blocks,kept_bytes"
        counted = loads(tool, "report", capture, *part, "--columns", columns)["rows"]
        lifetimes = loads(tool, "lifetimes", capture, *part)["rows"]
        for key in columns.split(","):
            # `report` has no row of a line of which nothing but a free elsewhere was in the window
            same = key not in ("freed_blocks", "short_blocks") or not {"--from", "--to"} & set(part)
            assert total(lifetimes, key) == total(counted, key) or not same and total(lifetimes, key) > total(counted, key), (where, key)
        temporaries = loads(tool, "temporaries", capture, *part)["temporaries"]
        assert total(temporaries, "temporary_blocks") == total(rows, "temporary_blocks"), where
        leaks = loads(tool, "leaks", capture, *part)["leaks"]
        assert (total(leaks, "bytes"), total(leaks, "blocks")) == (total(rows, "leaked"), total(rows, "leaked_blocks")), where
        matrix = loads(tool, "matrix", capture, *part)["matrix"]
        freed = sum(one["bytes"] for one in matrix if one["freed_in"])
        assert freed == total(rows, "self_freed") and total(matrix, "bytes") - freed == total(rows, "leaked"), where
        peaks = loads(tool, "peak", capture, *part)["peaks"]
        assert sum(total(one["live"], "bytes") for one in peaks) == total(rows, "self_at_peak"), where
        tree = loads(tool, "tree", capture, *part)["tree"]
        tops = [one for one in tree if one["depth"] == 1]
        for key in ("at_peak", "incl_alloc"):
            assert total(tops, key) == total(rows, "self_" + key.replace("incl_", "")), (where, key)
        for of in ("size", "lifetime"):
            bins = loads(tool, "histogram", capture, "--of", of, *part)["bins"]
            assert (total(bins, "blocks"), total(bins, "bytes")) == (total(rows, "blocks"), total(rows, "self_alloc")), (where, of)
            assert total(bins, "at_peak") == total(rows, "self_at_peak"), (where, of)
        for value in ("self_alloc", "at_peak", "leaked", "blocks"):
            folded = run(tool, "export", capture, "--format", "folded", "--value", value, "-o", "-", *part)[0]
            assert sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) == total(rows, value.replace("at_peak", "self_at_peak")), (where, value)
        events = loads(tool, "events", capture, *part)["events"]
        of_kind = [sum(one["event"] == kind for one in events) for kind in ("allocated", "freed")]
        assert of_kind[0] == total(rows, "blocks") and of_kind[1] >= total(counted, "freed_blocks"), (where, of_kind)


def kept_of(events):
    """(blocks, bytes) that were live after the last allocation on their device, of those allocated in these events."""
    blocks, latest = {}, {}
    for one in events:
        block = (one.get("address"), one.get("life"))
        if one["event"] == "allocated" and one["kind"] != "custom":
            blocks[block] = [one["device"], one["bytes"], None]
            latest[one["device"]] = one["clock"]
        elif block in blocks and one["event"] in ("freed", "free failed"):
            blocks[block][2] = one["clock"] if one["event"] == "freed" else None
    kept = [size for device, size, freed in blocks.values() if freed is None or freed > latest[device]]
    return len(kept), sum(kept)


def windows_add_up(tool, captures):
    for capture in captures:
        whole = loads(tool, "lifetimes", capture, "--limit", "0")["rows"]
        window = loads(tool, "lifetimes", capture, "--limit", "0", "--from", "1")["rows"]
        assert [dict(row, lifetime_ns=0) for row in window] == [dict(row, lifetime_ns=0) for row in whole], capture  # events round times
        temporaries, all_ = (loads(tool, "temporaries", capture, *window)["temporaries"] for window in (["--from", "1"], []))
        assert temporaries == all_, capture
        for at in (20, 77, 150):
            parts = [loads(tool, "lifetimes", capture, *window)["rows"] for window in (["--to", str(at)], ["--from", str(at + 1)])]
            for key in ("blocks", "self_alloc", "freed_blocks", "short_blocks"):
                assert sum(total(part, key) for part in parts) == total(whole, key), (capture, at, key)
            for rows, window in zip(parts, (["--to", str(at)], ["--from", str(at + 1)])):
                kept = kept_of(loads(tool, "events", capture, *window)["events"])
                assert (total(rows, "kept_blocks"), total(rows, "kept_bytes")) == kept, (capture, window, kept)
        most = [row["kept_bytes"] for row in whole]
        assert any(most) and any(row["short_blocks"] for row in whole), "no capture has what is added up"


def several_captures_agree(tool, captures):
    for part in PARTS:
        reports = [loads(tool, "report", capture, *part)["rows"] for capture in captures]
        merged = loads(tool, "merge", *captures, *part)
        assert merged["totals"]["ok"] and merged["conservation"]["ok"], part
        for key, own in (("self_at_peak", "self_at_peak"), ("self_alloc", "self_alloc"), ("leaked", "leaked"), ("blocks", "blocks")):
            assert merged["totals"][key]["rows"] == sum(total(rows, own) for rows in reports), (part, key)
            assert sum(row[key]["sum"] for row in merged["rows"]) == sum(total(rows, own) for rows in reports), (part, key)
        compared = loads(tool, "diff", *captures[:2], *part)
        assert compared["totals"]["ok"], part
        for key in ("self_at_peak", "self_alloc", "leaked", "blocks", "leaked_blocks"):
            assert [compared["totals"][key][side] for side in "ab"] == [total(rows, key) for rows in reports[:2]], (part, key)
            assert sum(row["difference"][key] or 0 for row in compared["rows"]) == total(reports[1], key) - total(reports[0], key), (part, key)
        said = "part" in merged, "filter" in merged
        assert said == ("--from" in part or "--to" in part, "--filter" in part) == ("part" in compared, "filter" in compared), (part, said)


LISTS = {"report": "rows", "lifetimes": "rows", "leaks": "leaks", "matrix": "matrix", "temporaries": "temporaries", "tree": "tree"}
FIGURES = {"leaks": ("bytes", "blocks"), "matrix": ("bytes", "blocks"), "temporaries": ("temporary_bytes", "largest", "temporary_blocks"),
           "report": ("self_alloc", "leaked", "calls"), "lifetimes": ("self_alloc", "kept_bytes", "blocks"), "tree": ("incl_alloc", "at_peak")}
LEAST = {"blocks": {"leaks": "bytes", "matrix": "bytes", "lifetimes": "at_peak"}, "calls": "at_peak", "temporary_blocks": "temporary_bytes"}


def least_of(command, figure):
    found = LEAST.get(figure, figure)
    return found[command] if isinstance(found, dict) else found


def rows_are_chosen(tool, captures):
    for command, name in LISTS.items():
        for figure in FIGURES[command]:
            whole = loads(tool, command, captures[0], "--sort", figure)[name]
            values = [one[figure] if one[figure] is not None else -1 for one in whole]
            if command != "tree":  # there, of the branches of one level
                assert values == sorted(values, reverse=True) and len(set(values)) > 1, (command, figure, values)
                assert loads(tool, command, captures[0], "--sort", figure, "--limit", "3")[name] == whole[:3], (command, figure)
            by = least_of(command, figure)
            if command in ("tree", "lifetimes") and by not in whole[0]:
                continue
            large = [one for one in whole if (one[by] or 0) >= 4096 or (one[by] is None and (one.get("largest") or 0) >= 4096)]
            assert loads(tool, command, captures[0], "--sort", figure, "--min", "4KiB")[name] == large or command == "tree", (command, figure)
            one = loads(tool, command, captures[0], "--columns", figure)[name][0]
            assert figure in one and "path" not in one and len(one) < 6 + (command == "tree") * 4, (command, figure, one)
            text = run(tool, command, captures[0], "--columns", figure, "--limit", "0", "--bytes")[0]
            assert sum(line.strip().split(" ")[0].lstrip("+-").isdigit() for line in text.splitlines()) >= 1, (command, text)
    peaks = loads(tool, "peak", captures[0], "--sort", "blocks", "--limit", "2", "--min", "1KiB", "--columns", "blocks,bytes")["peaks"]
    assert all(list(line) == ["blocks", "bytes"] and line["bytes"] >= 1024 for one in peaks for line in one["live"]) and peaks, peaks
    for first in (loads(tool, "merge", *captures, "--min", "1MiB", "--sort", "self_alloc"), loads(tool, "diff", *captures[:2], "--min", "1MiB", "--sort", "self_alloc")):
        assert first["hidden"]["rows"] and first["hidden"]["column"] == "self_alloc", first["hidden"]
        sides = [[row["self_alloc"]["max"]] if "a" not in row else [(row[side] or {}).get("self_alloc") or 0 for side in "ab"] for row in first["rows"]]
        assert all(max(of_row) >= 1 << 20 for of_row in sides) and sides, sides


CASES = (each_is_taken_or_refused, each_in_every_format, commands_agree, windows_add_up, several_captures_agree, rows_are_chosen)


def main(source, tool, work, case):
    os.makedirs(work, exist_ok=True)
    captures = []
    for seed in (3, 5, 8):
        captures.append(os.path.join(work, f"run{seed}.gmprof"))
        recorder = oracle.random_program(source, seed, 300, history=True)
        recorder.header["flags"] |= 1
        with open(captures[-1], "wb") as out:
            out.write(recorder.bytes())
    recorder.enter("uses", "/src/a.cu", 1)
    recorder.call(2)
    recorder.malloc("filled", 4096)
    recorder.use(FILL, [recorder.address("filled"), 4096])
    recorder.leave()
    with open(os.path.join(work, "uses.gmprof"), "wb") as out:
        out.write(recorder.bytes())
    {one.__name__: one for one in CASES}[case](tool, captures)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
