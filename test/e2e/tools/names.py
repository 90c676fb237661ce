"""`--names short`: functions without template arguments. Sums are those of the rows by full names, and of the call paths."""
import collections
import re

ADDITIVE = ("self_alloc", "self_freed", "leaked", "self_at_peak", "blocks")


def _short(name):
    """By the rule, not by the tool's way: inner brackets first."""
    while (less := re.sub(r"(?<!operator)<[^<>]*>", "", name)) != name:
        name = less
    return name


def _by(report, key, figures):
    sums = collections.defaultdict(collections.Counter)
    for row in report["rows"]:
        for figure in figures:
            sums[key(row)][figure] += row[figure] or 0
    return {name: dict(figures) for name, figures in sums.items()}


def instances_of_a_template_are_one_function(t):
    oracle = t.build_oracle()
    program = t.build("templates", "common/templates.cpp", flags=["-O1"], link=[oracle, "-lstdc++"])
    _, capture = t.run(program)
    full, brief = (t.report(capture, "function", "--names", names) for names in ("full", "short"))
    assert t.report(capture, "function") == full
    names = {row["function"] for row in brief["rows"]}
    assert {"Array::Array", "Array::~Array", "fill"} <= names and not any("<" in name for name in names), names
    assert len(full["rows"]) > len(brief["rows"])
    assert _by(brief, lambda row: row["function"], ADDITIVE) == _by(full, lambda row: _short(row["function"]), ADDITIVE)
    assert brief["conservation"] == full["conservation"] and brief["conservation"]["ok"]

    # Inclusive figures count each block once, however many instances are on its path.
    wanted = collections.Counter()
    for row in t.report(capture, "path", "--limit", "0")["rows"]:
        for name in {_short(step["function"]) for step in row["path"]}:
            wanted[name] += row["self_alloc"]
    assert {row["function"]: row["incl_alloc"] for row in brief["rows"] if row["incl_alloc"]} == dict(+wanted)

    # A line that several instances share has one row, and no live peak: nobody knows how much was live at once.
    lines = collections.defaultdict(list)
    for row in t.report(capture)["rows"]:
        lines[row["file"], row["line"], _short(row["function"])].append(row)
    shared = 0
    for row in t.report(capture, "line", "--names", "short")["rows"]:
        of = lines.pop((row["file"], row["line"], row["function"]))
        assert row["self_alloc"] == sum(one["self_alloc"] for one in of)
        peaks = [one["live_peak"] for one in of if one["live_peak"] is not None]
        assert row["live_peak"] == (peaks[0] if len(peaks) == 1 else None) or len(of) == 1, (row, of)
        shared += len(peaks) > 1
    assert shared and not lines
