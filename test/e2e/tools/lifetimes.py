"""`gpumemprof lifetimes`, `temporaries` and `histogram` against the events of the same run, added up here block by block."""
import json
import pathlib
from collections import defaultdict

from failures import _failing

PROGRAMS = (("common/templates.cpp", "oracle/oracle.cpp"), ("common/recursion.cpp", "oracle/oracle.cpp"),
            ("common/exceptions.cpp", "oracle/oracle.cpp"), ("common/threads.cpp", "oracle/oracle.cpp"), ("common/lifetimes.cpp",))
SHORT = 10


def _captures(t, options="history=all"):
    for sources in PROGRAMS:
        name = pathlib.PurePath(sources[0]).stem
        program = t.build(name, *sources, flags=["-O1", "-I", t.programs / "oracle"])
        yield name, t.run(program, capture=f"{name}.gmprof", options=options)[1]


def _with_failing_frees(t, mode="frees"):
    """The first free of a block fails, and it is freed again; `never_freed`: of the only one."""
    return mode, t.run(_failing(t), mode, capture=f"{mode}.gmprof", sim="fail_free=1", options="history=all")[1]


def _events(t, capture):
    return json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]


def _blocks(events):
    """Each block that ever was: its allocation, its final free (or None) and whether that was its thread's next event."""
    blocks, latest = {}, {}
    for e in events:
        key = (e.get("address"), e.get("life"))
        if e["event"] == "allocated":
            blocks[key] = dict(allocated=e, freed=None, temporary=False)
            latest[e["thread"]] = key
        elif e["event"] == "freed":
            blocks[key].update(freed=e, temporary=latest.get(e["thread"]) == key)
            latest[e["thread"]] = None
        elif e["event"] == "free failed":
            blocks[key].update(freed=None, temporary=False)
    return list(blocks.values())


def _place(e):
    return e["file"], e["line"], e["function"]


def _expected(blocks):
    last = {}  # by device: the clock of its last allocation
    for b in blocks:
        device = b["allocated"]["device"]
        last[device] = max(last.get(device, 0), b["allocated"]["clock"])
    rows = defaultdict(list)
    for b in blocks:
        b["kept"] = not b["freed"] or b["freed"]["clock"] > last[b["allocated"]["device"]]
        rows[_place(b["allocated"])].append(b)
    expected = {}
    for place, row in rows.items():
        freed = [b for b in row if b["freed"]]
        ages = [b["freed"]["clock"] - b["allocated"]["clock"] for b in freed]
        times = [b["freed"]["time_ns"] - b["allocated"]["time_ns"] for b in freed]
        sizes = [b["allocated"]["bytes"] for b in row]
        temporary = sum(b["temporary"] for b in row)
        expected[place] = dict(
            blocks=len(row), self_alloc=sum(sizes), min_size=min(sizes), mean_size=sum(sizes) // len(row), max_size=max(sizes),
            freed_blocks=len(freed), leaked_blocks=len(row) - len(freed), temporary_blocks=temporary,
            temporary_percent=round(temporary * 100 / len(row) + 1e-9, 2), lifetime_clock=sum(ages) // len(ages) if ages else None,
            youngest_clock=min(ages, default=None), oldest_clock=max(ages, default=None), youngest_ns=min(times, default=None),
            oldest_ns=max(times, default=None), short_blocks=sum(age <= SHORT for age in ages),
            kept_blocks=sum(b["kept"] for b in row), kept_bytes=sum(b["allocated"]["bytes"] for b in row if b["kept"]))
    return expected


def _rows(t, capture, *options):
    return json.loads(t.gpumemprof("lifetimes", capture, "--format", "json", *options).out)["rows"]


def lifetimes_are_those_of_the_events(t):
    for name, capture in (*_captures(t), _with_failing_frees(t)):
        expected = _expected(_blocks(_events(t, capture)))
        rows = {_place(row): row for row in _rows(t, capture)}
        assert rows.keys() == expected.keys(), (name, rows.keys() ^ expected.keys())
        for place, figures in expected.items():
            got = {key: rows[place][key] for key in figures}
            assert got == figures, (name, place, {key: (got[key], figures[key]) for key in figures if got[key] != figures[key]})
        kept = sum(row["kept_blocks"] for row in rows.values())
        for by in ("function", "file", "path"):
            assert sum(row["kept_blocks"] for row in _rows(t, capture, "--by", by)) == kept, (name, by)


def without_events_the_sums_are_there(t):
    for name, capture in _captures(t):
        with_events = {_place(row): row for row in _rows(t, capture)}
        _, without = t.run(t.work / name, capture=f"{name}2.gmprof")
        known = ("blocks", "self_alloc", "freed_blocks", "temporary_blocks") + (() if name == "threads" else ("lifetime_clock",))
        for row in _rows(t, without):
            assert {key: row[key] for key in known} == {key: with_events[_place(row)][key] for key in known}, (name, row)
            assert row["kept_blocks"] is row["youngest_clock"] is row["oldest_ns"] is None, row
        assert "are known only from events: record it" in t.gpumemprof("lifetimes", without).out


def _temporaries(t, capture):
    return {_place(one): one for one in json.loads(t.gpumemprof("temporaries", capture, "--format", "json").out)["temporaries"]}


def _expected_temporaries(blocks):
    lines = defaultdict(lambda: [0, 0, 0, defaultdict(int)])
    for b in blocks:
        if b["temporary"]:
            line, size = lines[_place(b["allocated"])], b["allocated"]["bytes"]
            line[0], line[1], line[2] = line[0] + 1, line[1] + size, max(line[2], size)
            line[3][_place(b["freed"])] += 1
    return lines


def temporaries_are_those_of_the_events(t):
    found = 0
    for name, capture in _captures(t):
        expected, got = _expected_temporaries(_blocks(_events(t, capture))), _temporaries(t, capture)
        assert got.keys() == expected.keys(), (name, got.keys() ^ expected.keys())
        for place, (blocks, bytes_, largest, frees) in expected.items():
            one = got[place]
            freed = {_place(f): f["blocks"] for f in one["freed_by"]}
            assert (one["temporary_blocks"], one["temporary_bytes"], one["largest"], freed) == (blocks, bytes_, largest, dict(frees)), (name, one)
            assert (one["advice"] is not None) == (blocks > 1), one
        report = {_place(row): row["temporary_blocks"] for row in t.report(capture)["rows"] if row["temporary_blocks"]}
        assert report == {place: one["temporary_blocks"] for place, one in got.items()}, name
        found += len(got)
    assert found > 5, found


def temporaries_without_events_are_right_where_they_are_shown(t):
    shown = 0
    for name, capture in _captures(t):
        if name == "threads":
            continue
        expected = _expected_temporaries(_blocks(_events(t, capture)))
        _, without = t.run(t.work / name, capture=f"{name}2.gmprof")
        got = _temporaries(t, without)
        assert got.keys() == expected.keys(), (name, got.keys() ^ expected.keys())
        for place, (blocks, bytes_, largest, frees) in expected.items():
            one = got[place]
            assert one["temporary_blocks"] == blocks and one["temporary_bytes"] in (None, bytes_) and one["largest"] >= largest, (name, one)
            assert frees.keys() <= {_place(f) for f in one["freed_by"]}, (name, one)
            assert all(f["blocks"] in (None, frees[_place(f)]) for f in one["freed_by"]), (name, one, frees)
            shown += one["temporary_bytes"] is not None
    assert shown > 3, shown


def _bins(t, capture, *options):
    bins = json.loads(t.gpumemprof("histogram", capture, "--format", "json", *options).out)["bins"]
    return {(one["from"], one["below"], one["text"] if one["from"] is None else ""): (one["blocks"], one["bytes"], one["at_peak"])
            for one in bins}


def _sums(blocks, key, peaks):
    bins = defaultdict(lambda: (0, 0, 0))
    for b in blocks:
        a, clock = b["allocated"], peaks[b["allocated"]["device"]]
        then = a["clock"] <= clock and (not b["freed"] or b["freed"]["clock"] > clock)
        old = bins[key(b)]
        bins[key(b)] = (old[0] + 1, old[1] + a["bytes"], old[2] + (a["bytes"] if then else 0))
    return bins


def _size(b):
    bits = b["allocated"]["bytes"].bit_length()
    return (1 << bits - 1 if bits else 0, 1 << bits, "")


def _decade(b):
    if not b["freed"]:
        return None, None, "(not freed)"
    age, below = b["freed"]["time_ns"] - b["allocated"]["time_ns"], 100
    while age >= below:
        below *= 10
    return (below // 10 if below > 100 else 0, below, "")


def a_free_that_failed_ends_no_life(t):
    _, capture = _with_failing_frees(t, "never_freed")
    assert "free failed" in [e["event"] for e in _events(t, capture)]
    (row,) = [row for row in _rows(t, capture) if row["self_alloc"] == 5000]
    assert (row["freed_blocks"], row["kept_blocks"], row["youngest_clock"], row["short_blocks"], row["temporary_blocks"]) == (0, 1, None, 0, 0), row
    assert not _temporaries(t, capture)
    assert _bins(t, capture, "--of", "lifetime") == {(None, None, "(not freed)"): (1, 5000, 5000)}


def histograms_are_those_of_the_events(t):
    for name, capture in _captures(t):
        blocks = _blocks(_events(t, capture))
        peaks = {p["device"]: p["clock"] for p in json.loads(t.gpumemprof("peak", capture, "--format", "json").out)["peaks"]}
        for key, options in ((_size, ()), (_decade, ("--of", "lifetime"))):
            got = {key: sums for key, sums in _bins(t, capture, *options).items() if sums[0]}
            assert got == _sums(blocks, key, peaks), (name, options)
        highest = sum(d["peak"] for d in t.report(capture)["devices"])
        assert sum(sums[2] for sums in got.values()) == highest, name
        for kind in {b["allocated"]["kind"] for b in blocks}:
            some = [b for b in blocks if b["allocated"]["kind"] == kind]
            got = {key: sums for key, sums in _bins(t, capture, "--kind", kind).items() if sums[0]}
            assert got == _sums(some, _size, peaks), (name, kind)
        _, without = t.run(t.work / name, capture=f"{name}2.gmprof")
        expected, got = _sums(blocks, _size, peaks), _bins(t, without)
        assert sum(sums[1] for sums in got.values()) == sum(sums[1] for sums in expected.values())
        assert all(sums[0] <= expected[key][0] for key, sums in got.items() if key[0] is not None and sums[0]), name
        assert "needs all: record it with" in t.gpumemprof("histogram", "--of", "lifetime", without, status=2).err
