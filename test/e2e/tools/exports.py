"""What `gpumemprof export` makes of programs that ran: threads, work handed over, labels, failures, every kind of memory. Each file is
read by the rules of its format (test/tools/export_readers.py) and its sums are the report's."""
import collections
import gzip
import json
import os
import pickle
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
sys.path.insert(1, os.path.join(sys.path[0], "readers"))
import export_readers as readers  # noqa: E402
import firefox_reader  # noqa: E402
import perfetto_reader  # noqa: E402


def _export(t, capture, to, *more):
    path = t.work / f"out.{to}"
    t.gpumemprof("export", "--to", to, "-o", path, capture, *more)
    return path


def _events(t, capture):
    return json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]


def _chrome(t, capture, report):
    found = readers.chrome(json.load(open(_export(t, capture, "chrome"), encoding="utf-8")))
    for d in report["devices"]:
        name = f"GPU {d['device']}" if isinstance(d["device"], int) else d["device"]
        values = [value for _, value in found["counters"].get(name, [])] or [0]
        assert (max(values), values[-1]) == (d["peak"], d["live_at_exit"]), (name, max(values), values[-1], d)
    blocks, sums = found["blocks"].values(), report["conservation"]
    assert (len(blocks), sum(b["end"] is None for b in blocks)) == (sums["allocated_blocks"], sums["live_blocks"])
    assert sum(b["bytes"] for b in blocks if b["end"] is None) == sums["live"]
    return found


def _perfetto(t, capture, trace):
    """It has the blocks, scopes and totals that the trace events have."""
    found = perfetto_reader.read(open(_export(t, capture, "perfetto"), "rb").read())
    start = found["clocks"][0]

    def ns(microseconds):
        return None if microseconds is None else round(microseconds * 1000)

    same = [(b["bytes"], b["kind"], b["tid"], ns(b["ts"]), b.get("allocated at"), b.get("freed")) for b in trace["blocks"].values()]
    assert len(found["blocks"]) == len(same)
    for block, (size, kind, thread, begin, place, freed) in zip(found["blocks"], same, strict=True):
        assert (block["bytes"], block["kind"], block["thread"], block.get("allocated at"), block.get("freed at")) == (
            size, kind, thread, place, freed), block
        assert block["ts"] - start >= begin, (block, begin)
    assert sum(len(scopes) for scopes in found["scopes"].values()) == trace["count"]["B"]
    for name, values in trace["counters"].items():
        totals = found["counters"][f"{name}: live bytes"]
        assert [v for _, v in totals] == [v for _, v in values], name
        kinds = [track for at, track in found["counters"].items() if at.startswith(f"{name}: ") and at != f"{name}: live bytes"]
        assert sum(track[-1][1] for track in kinds) == totals[-1][1], name


def _snapshot(t, capture, report):
    data = open(_export(t, capture, "memory_viz"), "rb").read()
    readers.pickle_opcodes(data)
    snapshot = pickle.loads(data)
    assert snapshot == json.load(open(_export(t, capture, "memory_viz-json"), encoding="utf-8"))
    found = readers.memory_viz(snapshot)
    gpus = {d["device"]: d for d in report["devices"] if isinstance(d["device"], int)}
    for number, device in enumerate(found):
        assert (device["peak"], device["live"]) == (gpus[number]["peak"], gpus[number]["live_at_exit"]), number
    return found


def _firefox(t, capture, report):
    found = firefox_reader.read(json.load(open(_export(t, capture, "firefox"), encoding="utf-8")))
    for name, figure in (("at each device's peak", "self_at_peak"), ("allocated", "self_alloc"), ("leaked", "leaked")):
        assert sum(row[1] for row in found["threads"][name]["allocations"]) == sum(row[figure] for row in report["rows"]), name
    events = found["threads"]["all threads"]
    assert sum(row[1] for row in events["live"].values()) == sum(row[1] for row in events["allocations"]) == report["conservation"]["live"]
    if not any(row["kind"] == "static" for row in report["rows"]):
        assert +firefox_reader.sums(events["live"].values()) == firefox_reader.sums(found["threads"]["leaked"]["allocations"])
        assert sum((firefox_reader.sums(thread["samples"]) for thread in found["threads"].values()), collections.Counter()) == \
            firefox_reader.sums(found["threads"]["allocated"]["allocations"])
    for d in report["devices"]:
        name = f"GPU {d['device']}" if isinstance(d["device"], int) else d["device"]
        values = [value for _, value in found["counters"].get(name, [(0, 0)])]
        assert (max(values), values[-1]) == (d["peak"], d["live_at_exit"]), (name, d)


def _every_format(t, capture):
    """Gives what the events say, and the trace."""
    report = t.report(capture, "kind")
    assert report["conservation"]["ok"]
    trace = _chrome(t, capture, report)
    _perfetto(t, capture, trace)
    _snapshot(t, capture, report)
    _firefox(t, capture, report)
    unit, snapshots = readers.massif(open(_export(t, capture, "massif"), encoding="utf-8").read())
    gpus = [d for d in report["devices"] if isinstance(d["device"], int)]
    assert len(gpus) != 1 or max(s[1] for s in snapshots) == gpus[0]["peak"]
    assert snapshots[-1][1] == sum(d["live_at_exit"] for d in gpus) and unit in ("B", "ms")
    figures = ("blocks", "self_alloc", "leaked_blocks", "leaked", "self_at_peak")
    sums = [sum(row[figure] for row in report["rows"]) for figure in figures]
    profile = readers.pprof(gzip.open(_export(t, capture, "pprof")).read())
    static = [sum(s[1][i] for s in profile["samples"] if s[2]["kind"] == "static") for i in range(5)]
    found = [sum(s[1][i] for s in profile["samples"]) for i in range(5)]
    assert found[:2] + found[4:] == sums[:2] + sums[4:] and [found[i] - static[i] for i in (2, 3)] == sums[2:4], (found, sums)
    points = [point for _, point in readers.dhat(json.load(open(_export(t, capture, "dhat"), encoding="utf-8")))]
    assert [sum(p[key] for p in points) for key in ("tbk", "tb", "ebk", "eb", "gb")] == found
    for stacks, figure in zip(readers.speedscope(json.load(open(_export(t, capture, "speedscope"), encoding="utf-8"))),
                              ("self_at_peak", "self_alloc", "leaked", "blocks"), strict=True):
        assert sum(weight for _, weight in stacks) == sums[figures.index(figure)], figure
    return _events(t, capture), trace


def work_handed_over_has_the_scopes_it_is_charged_to(t):
    """And each block begins in the function its line is in, on whatever thread."""
    _, capture = t.run(t.build("pool", "common/pool.cpp", flags=["-O2"]), options="history=all")
    events, trace = _every_format(t, capture)
    made = [e for e in events if e["event"] == "allocated"]
    for event, block in zip(made, trace["blocks"].values(), strict=True):
        assert block["open"][-1][0] == event["function"] and block["tid"] == event["thread"], (event, block)
    decoded = [b for b in trace["blocks"].values() if b["open"][-1][0] == "decode"]
    assert len(decoded) == 6 and all([name for name, _ in b["open"]][:2] == ["main", "load"] for b in decoded), decoded
    assert len({b["tid"] for b in decoded}) > 1


def labels_are_labels_of_samples(t):
    result, capture = t.run(t.build("labels", "common/labels.cpp", flags=["-O2"]), "short", options="history=all")
    counted = json.loads(result.out)
    _every_format(t, capture)
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for _, values, labels in readers.pprof(gzip.open(_export(t, capture, "pprof")).read())["samples"]:
        for i, value in enumerate((values[1], values[3], values[0])):
            sums[labels.get("label", "")][i] += value
    assert dict(sums) == {("" if name == "(no label)" else name): value for name, value in counted.items()}


def free_that_failed_reopens_its_block(t):
    elsewhere = t.work / "elsewhere.o"
    t.command(t.compiler("c"), *t.include_flags(), "-c", t.programs / "common/elsewhere.c", "-o", elsewhere)
    program = t.build("failing", "common/failing.c", link=[elsewhere])
    _, capture = t.run(program, "never_freed", sim="fail_free=1", options="history=all")
    report = t.report(capture, "kind")
    (device,) = _snapshot(t, capture, report)
    assert [e["size"] for e in device["allocs"]] == [5000, 5000] and device["live"] == 5000
    trace = json.load(open(_export(t, capture, "chrome"), encoding="utf-8"))["traceEvents"]
    assert [e["ph"] for e in trace if e["ph"] in "be"] == ["b", "e", "b"]
    assert "free failed at" in [e for e in trace if e["ph"] == "b"][1]["args"]
    _firefox(t, capture, report)
    _, capture = t.run(program, "attempts", sim="fail=2", options="history=all")
    events, trace = _every_format(t, capture)
    (failed,) = [e for e in events if e["event"] == "failed"]
    assert [(i["name"], i["args"]["bytes"]) for i in trace["instants"]] == [("out of memory: 3.91 KiB", failed["bytes"])]


def threads_on_two_devices(t):
    _, capture = t.run(t.build("churn", "common/churn.cpp", flags=["-O1"]), "4", "2", "0.01", options="history=all", sim="devices=2")
    events, trace = _every_format(t, capture)
    assert len(trace["threads"]) >= 4 and {e.get("device") for e in events} >= {0, 1}
