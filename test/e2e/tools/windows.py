"""Parts of a run (--from, --to) and blocks of some sizes (--filter size=): random programs, against sums over their
events, and against a run of the same program that reset its figures at that moment (gpumemprof_reset)."""
import json
import random
from collections import defaultdict

import repeats
from rows import FILES, Writer

MAIN = """#include <thread>
int main(int argc, char **) {
  In in("a.cpp");
  state = %d;
  for (int i = 0; i < 200; i++) {
    calls_left = 40;
    if (i == 80) argc > 1 ? (void)gpumemprof_reset() : (void)gpumemprof_mark("half");
    if (i == 150) gpumemprof_mark("late");
    auto play = [i] {
      In in("a.cpp");
      i %% 2 ? a0(i, 0) : b0(i, 0);
    };
    if (i %% 50 == 9) std::thread(play).join();
    else play();
    if (i %% 20 == 19) gpumemprof_step();
  }
  return 0;
}
"""
FIGURES = ("self_alloc", "self_freed", "blocks", "leaked", "leaked_blocks", "self_at_peak", "self_requested")


def build(t, seed):
    writer = Writer(seed)
    for file in FILES:
        (t.work / file).write_text(writer.text(file))
    with open(t.work / "a.cpp", "a", encoding="utf-8") as main:
        main.write(MAIN % seed)
    return t.build(f"windows{seed}", t.work / "a.cpp", t.work / "b.cpp", flags=["-O1", "-I", t.programs / "oracle", "-I", t.work])


def ask(t, capture, *options, command="report"):
    return json.loads(t.gpumemprof(command, capture, "--format", "json", *options).out)


class Run:
    """The events of a capture, each free with its allocation."""

    def __init__(self, t, capture):
        self.events = [e for e in ask(t, capture, command="events")["events"] if e["event"] in ("allocated", "freed")]
        self.marks = {e["name"]: e["clock"] for e in ask(t, capture, command="events")["events"] if e["event"] == "mark"}
        born = {}
        for e in self.events:
            key = (e["address"], e["life"])
            if e["event"] == "allocated":
                born[key] = e
                e["end"] = float("inf")
            else:
                e["block"] = born[key]
                born[key]["end"] = e["clock"]

    def live(self, clock):
        return [e for e in self.events if e["event"] == "allocated" and e["clock"] <= clock < e["end"]]

    def peak(self, first, last):
        """The clock at which the device first held most."""
        total = most = sum(e["bytes"] for e in self.live(first - 1))
        at = first - 1
        for e in self.events:
            if first <= e["clock"] <= last:
                total += e["bytes"] if e["event"] == "allocated" else -e["block"]["bytes"]
                if total > most:
                    most, at = total, e["clock"]
        return most, at

    def rows(self, first, last, key, taken=lambda e: True, place_of_free=True):
        rows = defaultdict(lambda: defaultdict(int))
        for e in self.events:
            block = e.get("block", e)
            if not first <= e["clock"] <= last or not taken(block):
                continue
            if e["event"] == "freed":
                rows[key(e if place_of_free else block)]["self_freed"] += block["bytes"]
                continue
            row, left = rows[key(e)], e["end"] > last
            for figure, amount in (("self_alloc", e["bytes"]), ("self_requested", e["requested"]), ("blocks", 1),
                                   ("leaked", e["bytes"] * left), ("leaked_blocks", left)):
                row[figure] += amount
        for e in self.live(self.peak(first, last)[1]):
            if taken(e):
                rows[key(e)]["self_at_peak"] += e["bytes"]
        return rows


def line(e):
    return e["file"], e["line"], e["function"]


def same(what, expected, rows, figures=FIGURES):
    rows = {key: {f: row[f] for f in figures if row[f]} for key, row in rows.items()}
    rows = {key: row for key, row in rows.items() if row}
    expected = {key: {f: row[f] for f in figures if row[f]} for key, row in expected.items()}
    expected = {key: row for key, row in expected.items() if row}
    wrong = [f"{what} {key}: {rows.get(key)}, by the events {expected.get(key)}"
             for key in {**rows, **expected} if rows.get(key, {}) != expected.get(key, {})]
    assert not wrong, "\n".join(wrong[:10])


def check_part(t, capture, run, first, last, *options):
    report = ask(t, capture, *options)
    what = " ".join(options)
    same(what, run.rows(first, last, line), {line(row): row for row in report["rows"]})
    sums, peak = report["conservation"], run.peak(first, last)[0]
    inside = [e for e in run.events if first <= e["clock"] <= last]
    assert sums["ok"] and sums["live_before"] == sum(e["bytes"] for e in run.live(first - 1)), (what, sums)
    assert sums["allocated"] == sum(e["bytes"] for e in inside if e["event"] == "allocated")
    assert sums["freed"] == sum(e["block"]["bytes"] for e in inside if e["event"] == "freed")
    assert sums["live"] == sum(e["bytes"] for e in run.live(last)) == sums["live_before"] + sums["allocated"] - sums["freed"]
    assert [d["peak"] for d in report["devices"] if d["device"] == 0] == [peak], (what, peak)
    sizes = ask(t, capture, "--by", "size", *options)["rows"]
    same(what + " by size", run.rows(first, last, lambda e: 1 << (e["bytes"].bit_length() - 1), place_of_free=False),
         {row["size_from"]: row for row in sizes})
    threads = ask(t, capture, "--by", "thread", *options)["rows"]
    same(what + " by thread", run.rows(first, last, lambda e: e["thread"], place_of_free=False),
         {row["thread"]: row for row in threads})
    leaks = ask(t, capture, *options, command="leaks")["leaks"]
    assert sum(one["bytes"] for one in leaks) == sum(row["leaked"] for row in report["rows"])
    matrix = ask(t, capture, *options, command="matrix")["matrix"]
    assert sum(e["bytes"] for e in matrix if e["freed_in"]) == sums["freed"]


def parts_are_what_their_events_say(t):
    for seed in repeats.seeds(1, 2, 1):
        _, capture = t.run(build(t, seed), options="history=all")
        run, draw = Run(t, capture), random.Random(seed)
        end = run.events[-1]["clock"]
        whole, plain = ask(t, capture, "--from", "1"), ask(t, capture)
        for row, other in zip(whole["rows"], plain["rows"]):
            unknown = {figure for figure, value in row.items() if value is None and other[figure] is not None}
            assert unknown <= {"device_peak", "wall_ns"}, unknown
            for figure in set(row) - unknown - {"lifetime_ns"}:
                assert row[figure] == other[figure], (figure, row, other)
        for _ in range(4):
            first, last = sorted(draw.randint(1, end) for _ in range(2))
            check_part(t, capture, run, first, last, "--from", str(first), "--to", str(last))
        check_part(t, capture, run, 1, end // 3, "--to", str(end // 3))
        check_part(t, capture, run, end // 2, end, "--from", str(end // 2))
        check_part(t, capture, run, run.marks["half"] + 1, run.marks["late"], "--from", "mark:half", "--to", "mark:late")
        times = [e["time_ns"] for e in run.events]
        first, last = times[len(times) // 3], times[len(times) // 2]
        inside = [e["clock"] for e in run.events if e["clock"] and first <= e["time_ns"] <= last]
        check_part(t, capture, run, inside[0], inside[-1], "--from", f"{first}ns", "--to", f"{last}ns")
        text = t.gpumemprof("report", "-v", capture, "--from", "mark:half", "--to", "mark:late").out
        assert f"the part of it from mark:half to mark:late (clock {run.marks['half'] + 1} to {run.marks['late']})" in text, text
        assert "live before" in text, text


def steps_divide_a_run_without_a_rest(t):
    _, capture = t.run(build(t, 3), options="history=all")
    bounds = ["0"] + [f"step:{i}" for i in range(1, 11)]
    parts = [ask(t, capture, "--from", a, "--to", b)["conservation"] for a, b in zip(bounds, bounds[1:])]
    whole = ask(t, capture)["conservation"]
    for figure in ("allocated", "freed", "allocated_blocks", "freed_blocks"):
        assert sum(part[figure] for part in parts) == whole[figure], figure
    for part, after in zip(parts, parts[1:]):
        assert part["live"] == after["live_before"]
    assert parts[-1]["live"] == whole["live"]


def part_is_what_the_runtime_makes_of_a_reset(t):
    """Own peaks, calls and live peaks of a part, which replay makes, and those the runtime made."""
    for seed in (4, 5):
        program = build(t, seed)
        _, looked_back = t.run(program, options="history=all", capture="all.gmprof")
        _, reset = t.run(program, "reset", capture="reset.gmprof")
        for by, figures in (("function", ("own_peak_max", "own_peak_mean", "calls", "self_freed", "incl_freed", "at_peak", "freed_own")),
                            ("line", ("live_peak", "at_peak", "self_freed", "incl_freed", "min_size", "max_size"))):
            ours = {line(row): row for row in ask(t, looked_back, "--from", "mark:half", "--by", by)["rows"]}
            theirs = {line(row): row for row in ask(t, reset, "--by", by)["rows"]}
            assert set(ours) <= set(theirs) and len(ours) >= 4, (by, set(ours) - set(theirs), len(ours))
            wrong = [f"{key} {figure}: {row[figure]}, after a reset {theirs[key][figure]}" for key, row in ours.items()
                     for figure in figures if row[figure] != theirs[key][figure] and row[figure] is not None
                     # main was open: of a part its own peak is of the part, after a reset of the whole call
                     and not (key[2] == "main" and figure.startswith("own_peak"))]
            assert not wrong, "\n".join(wrong)


def sizes_are_taken_exactly(t):
    program = build(t, 6)
    _, capture = t.run(program, options="history=all")
    run = Run(t, capture)
    end = run.events[-1]["clock"]
    for words, taken in ((["size=1KiB.."], lambda e: e["bytes"] >= 1024), (["size=..600"], lambda e: e["bytes"] <= 600),
                         (["size=600..5KiB", "size=!1024..2048"], lambda e: 600 <= e["bytes"] <= 5120 and not 1024 <= e["bytes"] <= 2048)):
        options = [word for text in words for word in ("--filter", text)]
        for first, last, part in ((1, end, []), (end // 3, end // 2, ["--from", str(end // 3), "--to", str(end // 2)])):
            report = ask(t, capture, *options, *part)
            same(f"{words} {part}", run.rows(first, last, line, taken), {line(row): row for row in report["rows"]})
            assert report["filter"]["allocated"] == sum(row["self_alloc"] for row in report["rows"]), words
        tree = ask(t, capture, *options, command="tree")["tree"]
        assert sum(node["self_alloc"] for node in tree) == sum(e["bytes"] for e in run.events if e["event"] == "allocated" and taken(e))
    _, capture = t.run(program)
    said = t.gpumemprof("report", capture, "--filter", "size=1KiB..", status=2).err
    assert "blocks of these sizes and of others" in said and "history=all" in said, said
    assert ask(t, capture, "--filter", "size=..1TiB")["filter"] == {**ask(t, capture, "--filter", "file=*")["filter"], "text": "size=..1TiB"}


def what_is_not_known_is_said(t):
    program = build(t, 7)
    _, plain = t.run(program)
    _, ring = t.run(t.build("history", "common/history.cpp", flags=["-O1"]), "ring", options="ring=1000", capture="ring.gmprof")
    _, reset = t.run(program, "reset", options="history=all", capture="reset.gmprof")
    _, whole = t.run(program, options="history=all", capture="whole.gmprof")
    for capture, words, said in ((plain, ["--from", "3"], "has no events; record it with GPUMEMPROF_OPTIONS=history=all"),
                                 (ring, ["--to", "1ms"], "holds the latest events only"),
                                 (reset, ["--to", "10"], "gpumemprof_reset"),
                                 (whole, ["--from", "mark:halb"], "no mark `halb`; did you mean `half`?"),
                                 (whole, ["--from", "step:11"], "no step:11; its last is step:10"),
                                 (whole, ["--from", "mark:late", "--to", "mark:half"], "--to mark:half is before --from mark:late"),
                                 (whole, ["--from", "soon"], "--from wants a moment like 1.5s"),
                                 (whole, ["--filter", "size=9..3"], "--filter wants sizes like")):
        for command in ("report", "leaks"):
            assert said in t.gpumemprof(command, capture, *words, status=2).err, (words, t.gpumemprof(command, capture, *words, status=2).err)
    assert "(nothing happened in it)" in t.gpumemprof("report", whole, "--from", "1h").out
