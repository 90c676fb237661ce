"""Memory by the stream it was allocated for, by the program's own count."""
import json

from harness import check


def compare(t, *arguments, options="", **build):
    program = t.build("streams", "cuda/streams.cpp", **{"flags": ["-O2"], **build})
    result, capture = t.run(program, *arguments, options=options)
    counted = json.loads(result.out)
    assert len(counted) == 5, counted
    rows = {row["stream"]: row for row in t.report(capture, "stream")["rows"]}
    check(rows.pop(None), "no stream", self_alloc=4096, leaked=4096, blocks=1)
    assert {str(stream) for stream in rows} == set(counted), (sorted(rows), sorted(counted))
    for stream, row in rows.items():
        allocated, live, blocks = counted[str(stream)]
        check(row, stream, self_alloc=allocated, leaked=live, blocks=blocks, self_freed=allocated - live)
        assert row["device"] == 0
    assert t.report(capture)["conservation"]["ok"]
    return capture, counted


def rows_are_what_the_program_counts(t):
    for level in ("-O0", "-O2"):
        capture, _ = compare(t, flags=[level])
        text = t.gpumemprof("report", "--by", "stream", "--limit", "0", capture).out
        assert "default stream of GPU 0" in text and "(no stream)" in text, text
        lines = t.rows(capture)
        assert sum("take" in key for key in lines) == 1, sorted(lines)  # a line stays one line
    parts = json.loads(t.gpumemprof("report", capture, "--group-by", "line,stream", "--format", "json").out)["rows"]
    take = next(row for row in parts if row["function"] == "take")
    assert len(take["parts"]) == 5 and sum(part["blocks"] for part in take["parts"]) == take["blocks"]


def threads_that_share_streams_are_added_up(t):
    compare(t, "4")


def events_tell_streams_and_replay(t):
    capture, counted = compare(t, "2", options="history=all")
    assert "every figure agrees" in t.gpumemprof("events", "--replay", capture).out
    events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    for stream, (allocated, _, blocks) in counted.items():
        mine = [e["bytes"] for e in events if e["event"] == "allocated" and e.get("stream") == int(stream)]
        assert (sum(mine), len(mine)) == (allocated, blocks), stream
    viz = t.work / "viz.json"
    t.gpumemprof("export", "--to", "memory_viz-json", "-o", viz, capture)
    traces = [e for trace in json.loads(viz.read_text())["device_traces"] for e in trace if e["action"] == "alloc"]
    shown = {}
    for e in traces:
        shown[e["stream"]] = shown.get(e["stream"], 0) + e["size"]
    expected = {0 if stream == "1" else int(stream): sums[0] for stream, sums in counted.items()}
    expected[0] += 4096  # of no stream
    assert shown == expected, (shown, expected)


def pools_are_read_while_lines_repeat_their_events_for_the_history(t):
    """A pool that gave its memory back to the device is seen at its next reading, after 64 events of the thread at most."""
    program = t.build("shrinking_pool", "common/shrinking_pool.c", flags=["-O1"])
    _, capture = t.run(program, options="history=all")
    samples = json.loads(t.gpumemprof("info", "--samples", "--format", "json", capture).out)["samples"]
    changes = [s["clock"] for s in samples if s["why"] == "change"]
    for clock in range(800, 4000, 400):  # from then on both lines repeat; they change places there
        assert any(clock < change <= clock + 130 for change in changes), (clock, changes)
