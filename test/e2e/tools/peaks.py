"""`gpumemprof peak` against the events of the same run, added up here: what was live at each device's peak and at that of each scope."""
import json
import pathlib
import re

PROGRAMS = (("common/templates.cpp", ("oracle/oracle.cpp",)), ("common/recursion.cpp", ("oracle/oracle.cpp",)), ("common/exceptions.cpp", ("oracle/oracle.cpp",)))


def _captures(t):
    for source, more in PROGRAMS:
        name = pathlib.PurePath(source).stem
        program = t.build(name, source, *more, flags=["-O1", "-I", t.programs / "oracle"])
        _, capture = t.run(program, capture=f"{name}.gmprof", options="history=all")
        yield name, capture


def _peaks(t, capture, *options):
    return json.loads(t.gpumemprof("peak", capture, "--format", "json", *options).out)["peaks"]


def _events(t, capture):
    return json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]


def _live(events, clock, device=None):
    """Blocks that are live when the event of that clock is over: (line, bytes, thread, clock) by block."""
    blocks, ever = {}, {}
    for e in events:
        if e["clock"] > clock:
            break
        key = (e.get("address"), e.get("life"))
        if e["event"] == "allocated":
            blocks[key] = ever[key] = e
        elif e["event"] == "free failed":
            blocks[key] = ever[key]
        elif e["event"] == "freed":
            blocks.pop(key, None)
    return [e for e in blocks.values() if device is None or e["device"] == device]


def _by_line(rows, key="bytes"):
    sums = {}
    for row in rows:
        place = (row["file"], row["line"], row["function"])
        sums[place] = sums.get(place, 0) + row[key]
    return {place: bytes for place, bytes in sums.items() if bytes}


def what_devices_held_is_what_the_events_say(t):
    for name, capture in _captures(t):
        events, peaks = _events(t, capture), _peaks(t, capture, "--last", "3")
        devices = {d["device"]: d["peak"] for d in t.report(capture)["devices"] if d["peak"]}
        assert peaks and {p["device"]: p["bytes"] for p in peaks} == devices, (name, devices)
        for peak in peaks:
            live = _live(events, peak["clock"], peak["device"])
            assert _by_line(peak["live"]) == _by_line(live), name
            assert sum(one["blocks"] for one in peak["live"]) == len(live)
            assert sum(one["bytes"] for one in peak["live"]) == peak["bytes"]
            before = [e for e in events if e["event"] == "allocated" and e["clock"] <= peak["clock"] and e["device"] == peak["device"]]
            assert [(b["clock"], b["bytes"], b["line"]) for b in peak["before"]] == [(e["clock"], e["bytes"], e["line"]) for e in before[-3:]]
            highest = max(sum(e["bytes"] for e in _live(events, c, peak["device"])) for c in range(1, min(events[-1]["clock"], 400) + 1))
            assert events[-1]["clock"] > 400 or highest == peak["bytes"]
        text = t.gpumemprof("peak", capture, "--bytes").out
        assert all(re.search(rf"held the most, {peak['bytes']}(?: of \d+)?, when ", text) for peak in peaks), text


def what_a_scope_needed_is_its_own_peak(t):
    for name, capture in _captures(t):
        events = _events(t, capture)
        functions = {}
        for row in t.report(capture, "function")["rows"]:
            key = re.sub(r"<.*", "", row["function"]).split("::")[-1]
            functions[key] = max(functions.get(key, 0), row["own_peak_max"] or 0)
        asked = 0
        for function, own_peak in functions.items():
            if not own_peak or not function.isidentifier():
                continue
            (peak,) = _peaks(t, capture, "--scope", function)
            assert peak["own_peak"] == own_peak, (name, function, peak["own_peak"], own_peak)
            live = _live(events, peak["clock"])
            assert _by_line(peak["live"]) == _by_line(live), (name, function)
            inside = [e for e in live if e["clock"] >= peak["since_clock"] and e["thread"] == peak["thread"]]
            assert _by_line(peak["live"], "in_it") == _by_line(inside), (name, function)
            assert sum(e["bytes"] for e in inside if not str(e["device"]).startswith("host")) >= own_peak
            asked += 1
        assert asked > 1, functions


def what_cannot_be_known_is_said(t):
    program = t.build("recursion", "common/recursion.cpp", "oracle/oracle.cpp", flags=["-O1", "-I", t.programs / "oracle"])
    _, capture = t.run(program)
    assert "has no events: record it with" in t.gpumemprof("peak", "--scope", "main", capture, status=2).err
    assert "held the most" in t.gpumemprof("peak", capture).out
    _, capture = t.run(program, options="history=all")
    said = t.gpumemprof("peak", "--scope", "mian", capture, status=2).err
    assert "no memory was moved in a scope `mian`" in said, said
    _, capture = t.run(t.build("history", "common/history.cpp", flags=["-O1"]), "ring", options="ring=1000")
    function = next(row["function"] for row in t.report(capture, "function")["rows"] if row["function"].isidentifier())
    said = t.gpumemprof("peak", "--scope", function, capture, status=2).err
    assert "holds the latest events only" in said and "history=all" in said, said
