"""firefox_reader.py - reads profiles of the Firefox Profiler: by the rules of its processed format, and by its own code (the
package @firefox-devtools/profiler-cli)."""
import collections
import json
import os
import subprocess
import tempfile
import time

VERSION = 63


def table(found, *columns):
    """As many values in each column as the table says it has; the columns are those of the version."""
    assert set(found) - {"weightType"} == {"length", *columns}, sorted(found)
    for column in columns:
        assert len(found[column]) == found["length"], column
    return found["length"]


def all_below(values, limit):
    return all(isinstance(value, int) and 0 <= value < limit for value in values)


class Shared:
    def __init__(self, shared):
        strings, sources, frames, stacks = (shared[name] for name in ("stringArray", "sources", "frameTable", "stackTable"))
        self.strings, functions = strings, shared["funcTable"]
        assert len(set(strings)) == len(strings) and all(isinstance(text, str) for text in strings)
        table(shared["resourceTable"], "lib", "name", "host", "type")
        table(shared["nativeSymbols"], "libIndex", "address", "name", "functionSize")
        count = table(sources, "id", "filename", "startLine", "startColumn", "sourceMapURL")
        assert all_below(sources["filename"], len(strings)) and len(set(sources["filename"])) == count
        known = table(functions, "name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber")
        assert all_below(functions["name"], len(strings)) and all_below([s for s in functions["source"] if s is not None], count)
        table(frames, "address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "line", "column")
        assert all_below(frames["func"], known) and frames["line"] == [functions["lineNumber"][f] for f in frames["func"]]
        self.functions = [self.text(functions, sources, i) for i in range(known)]
        self.stacks = []
        self.count = table(stacks, "frame", "prefix")
        for i, (frame, prefix) in enumerate(zip(stacks["frame"], stacks["prefix"], strict=True)):
            assert 0 <= frame < frames["length"] and (prefix is None or 0 <= prefix < i), "a parent comes behind its child"
            self.stacks.append((() if prefix is None else self.stacks[prefix]) + (self.functions[frames["func"][frame]],))

    def text(self, functions, sources, i):
        source, line = functions["source"][i], functions["lineNumber"][i]
        name = self.strings[functions["name"][i]]
        return f"{name} ({self.strings[sources['filename'][source]]}:{line})" if line else name


def in_order(times):
    return all(a <= b for a, b in zip(times, times[1:]))


def allocations(found, shared):
    """Rows of (ms, bytes, stack, block, thread): a free is of a live block, and of its bytes."""
    columns = ["time", "weight", "stack"] + (["memoryAddress", "threadId"] if "memoryAddress" in found else [])
    count = table(found, *columns)
    assert found["weightType"] == "bytes" and all_below(found["stack"], shared.count) and in_order(found["time"])
    rows, live = [], {}
    for i in range(count):
        block, thread = (found[name][i] for name in columns[3:]) if columns[3:] else (None, None)
        rows.append((found["time"][i], found["weight"][i], shared.stacks[found["stack"][i]], block, thread))
        if block is not None and rows[-1][1] > 0:
            assert block not in live and block < 1 << 53, "two live blocks at one address"
            live[block] = rows[-1]
        elif block is not None and rows[-1][1] < 0:
            assert live.pop(block)[1] == -rows[-1][1], rows[-1]
    return rows, live


def read(file):
    assert set(file) == {"meta", "libs", "counters", "threads", "shared"}
    meta, shared = file["meta"], Shared(file["shared"])
    assert meta["preprocessedProfileVersion"] == VERSION and meta["categories"][0]["color"] == "grey" and meta["interval"] > 0
    assert max(file["shared"]["frameTable"]["category"]) < len(meta["categories"])
    schemas, end = {schema["name"]: schema for schema in meta["markerSchema"]}, meta["profilingEndTime"]
    threads, markers, ids = {}, [], set()
    for thread in file["threads"]:
        found = thread["markers"]
        table(found, "data", "name", "startTime", "endTime", "phase", "category")
        for name, data, start, phase in zip(found["name"], found["data"], found["startTime"], found["phase"], strict=True):
            fields = {field["key"]: field["format"] for field in schemas[data["type"]]["fields"]}
            assert phase == 0 and set(data) <= {"type", "cause", *fields} and 0 <= start <= end, data
            data = {key: shared.strings[value] if fields.get(key) == "unique-string" else value for key, value in data.items()}
            cause = data.pop("cause", None)
            markers.append((shared.strings[name], start, data, cause and shared.stacks[cause["stack"]]))
        samples = thread["samples"]
        assert samples["length"] == len(samples["time"]) == len(samples["stack"]) and in_order(samples["time"])
        ids.add(thread["tid"])
        rows, live = allocations(thread["nativeAllocations"], shared) if "nativeAllocations" in thread else ([], {})
        assert all(0 <= at < end for at in [*samples["time"], *(row[0] for row in rows)])
        threads[thread["name"]] = {"allocations": rows, "live": live, "id": thread["tid"], "samples": [
            (at, weight, shared.stacks[stack]) for at, weight, stack in zip(samples["time"], samples["weight"] or [], samples["stack"])]}
    assert len(ids) == len(threads) == len(file["threads"]) and [t["isMainThread"] for t in file["threads"]].index(True) == 0
    assert max(meta["initialVisibleThreads"]) < len(threads) and meta["initialSelectedThreads"] == [0]
    counters = {}
    for counter in file["counters"]:
        table(counter["samples"], "time", "count")
        times, changes = counter["samples"]["time"], counter["samples"]["count"]
        assert in_order(times) and (times[0], changes[0]) == (0, 0), "the viewer takes the first value for 0"
        counters[counter["name"]] = [(at, total) for at, total in zip(times, running(changes), strict=True)]
    return {"threads": threads, "markers": markers, "counters": counters, "functions": shared.functions, "meta": meta}


def running(changes):
    total = 0
    for change in changes:
        total += change
        yield total


def sums(rows):
    """Bytes of each stack; a row has its bytes and its stack behind the time."""
    found = collections.Counter()
    for _, weight, stack, *_ in rows:
        found[stack] += weight
    return found


# ---- by the Firefox Profiler's own code --------------------------------------------------------------


class Profiler:
    """A session of profiler-cli with a file; it needs no network. Its server is started here: the command that does it by itself gives
    up after half a second, and leaves a server behind."""

    def __init__(self, modules, path):
        self.script = os.path.join(modules, "@firefox-devtools/profiler-cli/dist/profiler-cli.js")
        self.path = path

    def run(self, *words):
        return subprocess.run(["node", self.script, *words, "--session", "test"], env=self.environment, capture_output=True, text=True,
                              check=False, timeout=120)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()  # the name of a socket is short
        self.environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.folder.name, "PROFILER_CLI_NO_SYMBOLICATE": "1"}
        self.server = subprocess.Popen(["node", self.script, "--daemon", self.path, "--session", "test"], env=self.environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # No question before it listens: after one, it sometimes never knew the session.
        log, end, said = os.path.join(self.folder.name, "test.log"), time.monotonic() + 120, ""
        while "Profile loaded" not in said:
            if "Failed to load" in said or self.server.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise ValueError(said)
            time.sleep(0.05)
            said = open(log, encoding="utf-8").read() if os.path.exists(log) else ""
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()

    def ask(self, *words):
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def tree(self, thread, strategy, functions):
        """Bytes of each stack in a thread, by what the viewer calls a data source."""
        answer = self.ask("thread", "samples-top-down", "--thread", f"t-{thread}", "--strategy", strategy, "--max-lines", "1000000")
        assert answer["weightType"] == "bytes", answer["weightType"]
        found = collections.Counter()

        def walk(node, above):
            assert "childrenTruncated" not in node
            for child in node["children"]:
                text = functions[child["functionIndex"]]
                assert text.startswith(child["name"]), (text, child["name"])
                found[above + (text,)] += child["selfSamples"]
                walk(child, above + (text,))
        walk(answer["regularCallTree"], ())
        return found
