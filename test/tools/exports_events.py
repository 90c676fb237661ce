#!/usr/bin/env python3
"""exports_events.py SOURCE TOOL WORK CASE - exports that are made from events, against `report` and `events` of the same capture."""
import collections
import gzip
import importlib.util
import json
import os
import pickle
import pickletools
import re
import resource
import signal
import subprocess
import sys

import export_readers as readers
from exports import SEEDS, Case, by_path, frame_key, needs

try:
    import sqlite3
except ImportError:
    sqlite3 = None

FORMATS = ("chrome", "perfetto", "memory_viz", "memory_viz-json", "massif", "heaptrack")
EVENTFUL = """
    history
    mark "begin \\"it\\""
    enter main /src/main.cu 1
    call 2 variable=grid type=float size_expr="n * 4"
    malloc a 300KiB
    block epoch 3
    call 4 variable=other
    mark -
    malloc b 1MiB pool requested=1000000
    call 5
    oom 90GiB free=7MiB total=80GiB
    call 6
    fail 64
    thread 1
    enter worker /src/worker.cu 10
    call 11
    free a
    malloc c 500KiB
    leave
    thread 0
    leave
    leave
    end complete
"""


def events(t, capture):
    return json.loads(t.gpumemprof("events", "--format", "json", capture).stdout)["events"]


def figures(t, capture, *more):
    report = t.report(capture, "path", *more)
    return report, {d["device"]: d for d in report["devices"]}


def chrome(t):
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        found = readers.chrome(json.loads(gzip.open(t.export(capture, "chrome", name="x.json.gz")).read()))
        report, devices = figures(t, capture)
        for device, record in devices.items():
            name = device if device == "host" else f"GPU {device}"
            values = [value for _, value in found["counters"].get(name, [])] or [0]
            assert max(values) == record["peak"] and values[-1] == record["live_at_exit"], name
        sums, blocks = report["conservation"], found["blocks"].values()
        assert len(blocks) == sums["allocated_blocks"] and sum(b["end"] is not None for b in blocks) == sums["freed_blocks"]
        assert sum(b["bytes"] for b in blocks if b["end"] is None) == sums["live"]
        kinds = collections.Counter()
        for block in blocks:
            kinds[block["kind"]] += block["bytes"]
        assert kinds == {row["kind"]: row["self_alloc"] for row in t.report(capture, "kind")["rows"]}
        scopes_nest_as_recorded(events(t, capture), found)


def scopes_nest_as_recorded(listed, found):
    """A block begins within the function its line is in, at its time, on its thread; places are those of the events."""
    made = [e for e in listed if e["event"] == "allocated"]
    assert len(made) == len(found["blocks"])
    inside = 0
    for event, (name, block) in zip(made, found["blocks"].items(), strict=True):
        assert name == f"0x{event['address']:x}_{event['life']}" and block["tid"] == event["thread"]
        assert round(block["ts"] * 1000) == event["time_ns"] and block["bytes"] == event["bytes"]
        functions = [loc for scope, loc in block["open"] if scope == event["function"]]
        assert bool(functions) == bool(event["function"]), (event, block)
        assert all(loc.rsplit(":", 1)[0] == event["file"] for loc in functions)
        if event["line"]:
            assert block["allocated at"] == f"{event['function']} ({event['file']}:{event['line']})"
            inside += 1
    assert inside
    assert sum(e["event"] == "scope ended" for e in listed) <= found["count"]["E"] == found["count"]["B"]


def chrome_of_failures_marks_and_blocks(t):
    capture = t.made(EVENTFUL)
    found = readers.chrome(json.load(open(t.export(capture, "chrome"), encoding="utf-8")))
    assert [(i["name"], i["s"], i["tid"]) for i in found["instants"]] == [
        ('begin "it"', "p", 0), ("(mark)", "p", 0), ("out of memory: 90.00 GiB", "t", 0), ("failed: 64 B", "t", 0)]
    assert [i["args"] for i in found["instants"][2:]] == [{"bytes": 90 << 30, "at": "main (/src/main.cu:5)"},
                                                          {"bytes": 64, "at": "main (/src/main.cu:6)"}]
    a, b, c = found["blocks"].values()
    assert a["open"] == [("main", "/src/main.cu:1")] and a["freed"] == "worker (/src/worker.cu:11)"
    assert b["open"] == [("main", "/src/main.cu:1"), ("epoch", "/src/main.cu:3")] and b["end"] is None
    assert c["open"] == [("worker", "/src/worker.cu:10")] and c["tid"] == 1
    assert found["process"] == "./app" and found["threads"] == {0, 1}
    raw = json.load(open(t.path("out"), encoding="utf-8"))["traceEvents"]
    assert [e["name"] for e in raw if e["ph"] == "b"] == ["grid 300.00 KiB", "other 1.00 MiB", "500.00 KiB"]


def memory_viz(t):
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        data = open(t.export(capture, "memory_viz"), "rb").read()
        readers.pickle_opcodes(data)
        snapshot = pickle.loads(data)
        assert snapshot == json.load(open(t.export(capture, "memory_viz-json"), encoding="utf-8"))
        found = readers.memory_viz(snapshot)
        report, devices = figures(t, capture)
        gpus = {name: record for name, record in devices.items() if isinstance(name, int)}
        assert len(found) == max(gpus) + 1
        for number, device in enumerate(found):
            assert device["peak"] == gpus[number]["peak"] and device["live"] == gpus[number]["live_at_exit"], number
        wanted = by_path(report, "self_alloc") - by_path(t.report(capture, "path", "--kind", "pinned"), "self_alloc")
        sums = collections.Counter()
        for device in found:
            for entry in device["allocs"]:
                stack = reversed(entry["frames"])
                sums[tuple(frame_key(f"{f['name']} ({f['filename']}:{f['line']})") if f["line"] else None for f in stack)] += \
                    entry["size"]
        assert sums == wanted, seed
        start = 1700000000 * 10**6
        times = [e["time_us"] for trace in snapshot["device_traces"] for e in trace]
        assert start <= min(times) and max(times) < start + 10**6


def memory_viz_batches(t):
    """No list is filled by more items at once than the viewer can spread into arguments; many places are kept once each."""
    lines = "".join(f"call {i % 700 + 2}\nmalloc p{i} 512\nfree p{i}\n" for i in range(3000))
    capture = t.made("history\nenter main /main.cu 1\n" + lines + "leave\nend complete\n")
    data = open(t.export(capture, "memory_viz"), "rb").read()
    readers.pickle_opcodes(data)
    (found,) = readers.memory_viz(pickle.loads(data))
    assert len(found["allocs"]) == 3000 and found["peak"] == 512 and not found["live"]
    names = [opcode.name for opcode, _, _ in pickletools.genops(data)]
    assert names.count("APPENDS") == 3000 * 5 // 1000 + 700 + 1  # one for each path, and that of devices
    assert len(data) < 3000 * 5 * 60, len(data)


def memory_viz_of_failures_and_arrays(t):
    capture = t.made(EVENTFUL.replace("    leave\n    end", "    call 7\n    malloc d 4096 array\n    malloc e 512 vmm\n    free d\n"
                                      "    malloc d 8192 array\n    leave\n    end"))
    snapshot = pickle.load(open(t.export(capture, "memory_viz"), "rb"))
    (found,) = readers.memory_viz(snapshot)
    assert found["ooms"] == [(7 << 20, 90 << 30)], found["ooms"]
    assert found["requested"] == 1000000 + (500 << 10) + 512 + 8192, found["requested"]
    assert [e["size"] for e in found["allocs"]] == [300 << 10, 1 << 20, 500 << 10, 4096, 512, 8192]
    assert [e.get("user_metadata") for e in found["allocs"][:3]] == ["float *grid = n * 4", "other", None], found["allocs"][:3]
    assert [f["name"] for f in found["allocs"][1]["frames"]] == ["main", "main {epoch}"], found["allocs"][1]


# The viewer without a page: its unpickler, what it makes of the events, and the plot of blocks and of segments.
VIEWER = """
const fs = require('fs'), vm = require('vm');
const scripts = ['process_alloc_data.js', 'MemoryViz.js'].map(name => process.argv[1] + '/' + name).filter(path => fs.existsSync(path));
const source = scripts.map(path => fs.readFileSync(path, 'utf8').replace(/^import [^]*?;$/mg, '')
  .replace(/^export \\{[^]*?\\};$/mg, '').replace(/^export /mg, '')).join('');
const page = new Proxy(function() {}, {get: () => page, apply: () => page});
const context = {console: {log() {}}, TextDecoder, Uint8Array, BigInt64Array, Float64Array, ArrayBuffer, document: page, window: page};
for (const name of ['d3', 'axisLeft', 'scaleLinear', 'zoom', 'zoomIdentity', 'brushX']) context[name] = page;
const data = fs.readFileSync(process.argv[2]);
context.buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
vm.createContext(context);
vm.runInContext(source + `;const snapshot = unpickle(buffer); annotate_snapshot(snapshot); this.found = snapshot.device_traces.map((_, d) =>
  [false, true].map(segments => process_alloc_data(snapshot, d, segments, 15000).max_size));`, context);
console.log(JSON.stringify(context.found));
"""


def memory_viz_by_its_own_script(t):
    """MemoryViz.js: torch's, or that of the folder GPUMEMPROF_MEMORY_VIZ."""
    needs("node")
    torch = importlib.util.find_spec("torch")
    folder = os.environ.get("GPUMEMPROF_MEMORY_VIZ") or (torch and os.path.join(os.path.dirname(torch.origin), "utils/viz")) or ""
    if not os.path.exists(os.path.join(folder, "MemoryViz.js")):
        print("skipped: needs MemoryViz.js, of torch or in the folder GPUMEMPROF_MEMORY_VIZ")
        return
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        devices = figures(t, capture)[1]
        wanted = [[devices[i]["peak"]] * 2 for i in range(len(devices) - 1)]
        for name in ("memory_viz", "memory_viz-json"):
            out = subprocess.run(["node", "-e", VIEWER, folder, t.export(capture, name)], capture_output=True, check=True, text=True)
            assert json.loads(out.stdout) == wanted, (out.stdout, wanted)


def totals_of(listed):
    """Live bytes of GPUs after each event that moves some, and bytes moved until then."""
    live, total, moved, out = {}, 0, 0, [(0, 0)]
    for e in listed:
        if e["event"] == "allocated" and e["device"] != "host":
            live[e["address"]] = e["bytes"]
            total += e["bytes"]
            moved += e["bytes"]
            out.append((moved, total))
        elif e["event"] == "freed" and e["address"] in live:
            moved += live[e["address"]]
            total -= live.pop(e["address"])
            out.append((moved, total))
    return out


def massif(t):
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        unit, snapshots = readers.massif(open(t.export(capture, "massif"), encoding="utf-8").read())
        totals = totals_of(events(t, capture))
        assert unit == "B" and 50 < len(snapshots) <= 102
        assert [s[:2] for s in snapshots] == [x for x in totals if x in {s[:2] for s in snapshots}]
        assert snapshots[0][:2] == (0, 0) and snapshots[-1][:2] == totals[-1] and snapshots[-1][3]
        (peak,) = [s for s in snapshots if s[2] == "peak"]
        assert peak[1] == max(total for _, total in totals)
        report, devices = figures(t, capture)
        if sorted(devices, key=str) != [0, "host"]:
            continue
        assert peak[1] == devices[0]["peak"]
        wanted = collections.Counter()  # by the line of the allocation
        for stack, size in (by_path(report, "self_at_peak") -
                            by_path(t.report(capture, "path", "--kind", "pinned"), "self_at_peak")).items():
            wanted[stack[-1]] += size
        shown = {frame_key(what.split(": ", 1)[1]): size for size, what, _ in peak[3][2] if not what.startswith("in ")}
        shown.pop(None, None)  # several functions with an unknown line
        assert shown and shown == {line: size for line, size in wanted.items() if line in shown}
        assert all(size < peak[1] / 100 for line, size in wanted.items() if line and line not in shown)
        assert sum(child[0] for child in peak[3][2]) == peak[1]


def massif_by_ms_print(t):
    needs("ms_print")
    for seed in SEEDS:
        path = t.export(t.random(seed, history=True), "massif")
        _, snapshots = readers.massif(open(path, encoding="utf-8").read())
        out = subprocess.run(["ms_print", path], capture_output=True, check=True, text=True).stdout
        assert re.search(rf"^Number of snapshots: {len(snapshots)}$", out, re.M)
        rows = [[int(x.replace(",", "")) for x in row] for row in
                re.findall(r"^ +(\d+) +([\d,]+) +([\d,]+) +([\d,]+) +0 +0$", out, re.M)]
        assert sorted(rows) == [[i, s[0], s[1], s[1]] for i, s in enumerate(snapshots)]
        peak = next(i for i, s in enumerate(snapshots) if s[2] == "peak")
        assert f"{peak} (peak)" in out


PATHS = """
    WITH RECURSIVE up(leaf, at, depth) AS (SELECT id, id, 0 FROM paths UNION ALL
      SELECT up.leaf, p.parent, up.depth + 1 FROM up JOIN paths p ON p.id = up.at WHERE p.parent IS NOT NULL)
    SELECT up.leaf, up.depth, f.function, f.file, f.line FROM up JOIN paths p ON p.id = up.at JOIN frames f ON f.id = p.frame
    ORDER BY up.leaf, up.depth DESC"""


def sqlite(t):
    """The rows of the database, joined as its schema says, are the report's rows and the events."""
    if not sqlite3:
        print("skipped: needs Python's sqlite3")
        return
    for seed in SEEDS:
        capture = t.random(seed, history=True)
        path = t.export(capture, "sqlite", name=f"{seed}.sqlite")
        db = sqlite3.connect(path)
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        stacks = collections.defaultdict(tuple)
        for leaf, _, function, file, line in db.execute(PATHS):
            stacks[leaf] += (f"{function} ({file}:{line})" if line else None,)
        report = t.report(capture, "path")
        for figure, what in (("self_alloc", "bytes FROM allocated"), ("blocks", "blocks FROM allocated"),
                             ("self_requested", "requested_bytes FROM allocated"), ("self_at_peak", "at_peak_bytes FROM allocated"),
                             ("leaked", "bytes - freed_bytes FROM allocated"), ("self_freed", "bytes FROM freed")):
            sums = collections.Counter()
            for leaf, value in db.execute(f"SELECT path, {what}"):
                sums[stacks[leaf]] += value
            assert +sums == by_path(report, figure), (seed, figure)
        listed = [e for e in events(t, capture) if e["event"] != "scope ended"]
        rows = db.execute("SELECT clock, ns, thread, event, address, life, bytes FROM events ORDER BY id").fetchall()
        assert rows == [tuple(e[key] for key in ("clock", "time_ns", "thread", "event", "address", "life", "bytes")) for e in listed]
        for device, record in figures(t, capture)[1].items():
            found = db.execute("SELECT peak_bytes, live_bytes, peak_ns, model FROM devices WHERE ordinal = ?",
                               (-1 if device == "host" else device,)).fetchall()
            assert found == [tuple(record[key] for key in ("peak", "live_at_exit", "peak_time_ns", "name"))]
            total = highest = 0
            for start, size, freed in db.execute(
                    "SELECT start, bytes, memoryOperationType FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE deviceId = ?",
                    (-1 if device == "host" else device,)):
                total += -size if freed else size
                highest = max(highest, total)
            assert (highest, total) == (record["peak"], record["live_at_exit"]), device
        kinds = dict(db.execute("SELECT memKind, sum(bytes) FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE NOT memoryOperationType GROUP BY 1"))
        wanted = collections.Counter()
        for row in t.report(capture, "kind")["rows"]:
            wanted[{"pinned": 1, "array": 3, "managed": 4}.get(row["kind"], 2)] += row["self_alloc"]
        assert kinds == wanted
        db.close()


def sqlite_by_its_shell(t):
    needs("sqlite3")
    capture = t.made(EVENTFUL)
    path = t.export(capture, "sqlite")

    def ask(sql):
        return subprocess.run(["sqlite3", path, sql], capture_output=True, check=True, text=True).stdout

    assert ask("SELECT file, line, self_alloc, blocks, self_at_peak, leaked FROM lines ORDER BY line") == (
        "/src/main.cu|2|307200|1|0|0\n/src/main.cu|4|1048576|1|1048576|1048576\n/src/worker.cu|11|512000|1|512000|512000\n")
    assert ask("SELECT event, bytes, device IS NULL FROM events") == (
        "allocated|307200|0\nallocated|1048576|0\nfailed|96636764160|1\nfailed|64|1\nfreed|307200|0\nallocated|512000|0\n")
    assert ask("SELECT name FROM marks") == 'begin "it"\n\n' and ask("SELECT command FROM run") == "./app\n"
    for table in re.findall(r"^CREATE (?:TABLE|VIEW) (\w+)", ask(".schema"), re.M):
        ask(f"SELECT * FROM {table}")
    assert "-- the columns that nsys export has" in ask(".schema")
    assert ask("SELECT count(*) FROM events") == "6\n"
    path = t.export(t.random(1), "sqlite")  # no history
    assert ask("SELECT count(*) FROM events") == "0\n" and int(ask("SELECT sum(bytes) FROM allocated")) > 0
    said = t.gpumemprof("export", "--to", "sqlite", "-o", "-", capture, status=2).stderr.decode()
    assert said == "gpumemprof export: sqlite cannot be written to a pipe; name a file with -o\n", said
    said = t.gpumemprof("export", "--to", "sqlite", "-o", "/dev/null", capture, status=2).stderr.decode()
    assert said == "gpumemprof export: /dev/null is no regular file, and a database has to be in one\n", said

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    said = t.gpumemprof("export", "--to", "sqlite", "-o", "small", capture, status=2, preexec_fn=small).stderr.decode()
    assert said.startswith("gpumemprof export: the database could not be written completely: ") and said.count("\n") == 1, said
    assert not [name for name in os.listdir(t.work) if name.startswith("small")]


def empty_and_filtered(t):
    nothing = t.made("history\nenter main /main.cu 1\ncall 2\nfail 1\nleave\nend complete\n", "nothing")
    readers.chrome(json.load(open(t.export(nothing, "chrome"), encoding="utf-8")))
    assert [d["allocs"] for d in readers.memory_viz(pickle.load(open(t.export(nothing, "memory_viz"), "rb")))] == [[]]
    unit, snapshots = readers.massif(open(t.export(nothing, "massif"), encoding="utf-8").read())
    assert (unit, [s[:3] for s in snapshots]) == ("B", [(0, 0, "empty")])
    capture = t.random(2, history=True)
    host = readers.chrome(json.load(open(t.export(capture, "chrome", "--device", "host"), encoding="utf-8")))
    report = t.report(capture, "kind", "--device", "host")
    assert set(host["counters"]) == {"host"} and sum(b["bytes"] for b in host["blocks"].values()) == sum(
        row["self_alloc"] for row in report["rows"])
    _, snapshots = readers.massif(open(t.export(capture, "massif", "--device", "host"), encoding="utf-8").read())
    assert max(s[1] for s in snapshots) == next(d["peak"] for d in report["devices"] if d["device"] == "host")


def history_that_is_not_there(t):
    capture = t.random(1)
    for name in FORMATS:
        said = t.gpumemprof("export", "--to", name, "-o", "out", capture, status=2).stderr.decode()
        assert said == (f"gpumemprof export: {capture} has no events, which {name} is made of: run the program with "
                        "GPUMEMPROF_OPTIONS=history=all\n"), said
    part = t.made("history\nenter main /main.cu 1\ncall 2\nmalloc a 512\nleave\ncounter events_overwritten 7\n", "part")
    for name in FORMATS:
        done = t.gpumemprof("export", "--to", name, "-o", "out", part, status=2 if name == "massif" else 0)
        assert b"a part of the events" in done.stderr
    assert not readers.chrome(json.loads(t.gpumemprof("export", "--to", "chrome", "-o", "-", part).stdout))["counters"]


def memory_does_not_grow_with_events(t):
    """The kernel's own high mark, read while the tool runs: what wait4 tells begins with that of this process."""
    def high_mark(pid):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return int(next((line.split()[1] for line in file if line.startswith("VmHWM:")), 0))

    commands = {name: ["export", "--to", name, "-o", t.path("out")] for name in (*FORMATS, "firefox")}
    commands.update({"part": ["report", "--from", "9", "--format", "csv"], "thread": ["report", "--by", "thread", "--format", "csv"],
                     "replay": ["events", "--replay"], "last": ["events", "--last", "3"]})

    def most(count):
        capture = t.made("history\nenter main /main.cu 1\ncall 2\n" + "malloc p 512\nfree p\n" * count + "leave\nend complete\n")
        assert os.path.getsize(capture) > count * 8
        kib = {}
        for name, words in commands.items():
            seen = 0
            for _ in range(20):  # until it was read while it ran: a busy machine may give this process no time in between
                with open(t.path("out"), "wb") as out, subprocess.Popen([t.tool, *words, capture], stdout=out) as run:
                    while run.poll() is None:
                        seen = max(seen, high_mark(run.pid))
                assert run.returncode == 0 and os.path.getsize(t.path("out")) > 40
                if seen:
                    break
            kib[name] = seen
        return kib

    # One chunk of 10 bytes an event is in memory; a record of each would be three times that.
    few, many, limit = most(2000), most(40000), 76000 * 16 // 1024
    # What ends at once may be read too early; with few events all take about the same.
    assert all(0 < many[name] < max(few.values()) + limit for name in commands), (few, many)


def damaged(t):
    """A history that is damaged in the middle leaves no file."""
    capture = t.random(1, history=True)
    data = bytearray(open(capture, "rb").read())
    at, head = next((at, head) for at, head in chunks(data) if head == 11)
    data[at + 64 + 32 + 400:at + 64 + 32 + 440] = b"\xff" * 40
    with open(t.path("bad.gmprof"), "wb") as out:
        out.write(data)
    for name in (*FORMATS, "firefox"):
        said = t.gpumemprof("export", "--to", name, "-o", "out", t.path("bad.gmprof"), status=2).stderr.decode()
        assert said.count("\n") == 1 and "is damaged" in said and not os.path.exists(t.path("out")), said


def chunks(data):
    at = 4096
    while at < len(data):
        yield at, int.from_bytes(data[at:at + 4], "little")
        at += int.from_bytes(data[at + 8:at + 16], "little")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
