#!/usr/bin/env python3
"""oracle.py SOURCE TOOL WORK [SEED...] - random programs; every figure of a report against brute force.

The oracle replays the raw events of recorder.py (log): it keeps whole paths and all blocks, and looks at each
key of each path for each event. It knows no nodes, cells, pairs, epochs or maxima.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
from collections import defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import repeats  # noqa: E402
from recorder import BUDGET, HOST, NO_ALLOC, Recorder  # noqa: E402

FUNCTIONS = [(f"f{i}", f"/src/{'ab'[i % 2]}.cu", 10 * i + 1) for i in range(6)]
BUDGETS = {"f1": dict(flags=BUDGET, budget=1 << 29), "f2": dict(flags=NO_ALLOC),
           "f3": dict(flags=BUDGET | NO_ALLOC, budget=4096)}


# ---- random programs --------------------------------------------------------------------------------

def random_program(source, seed, events, history=None):
    rng = random.Random(seed)
    r = Recorder(source, records_per_chunk=rng.choice([0, 8, 64]), keep_log=True)
    r.history = {} if (seed % 2 if history is None else history) else None
    depth_limit = rng.choice([4, 8, 25])
    many_threads, devices = rng.random() < 0.5, rng.choice([1, 1, 3])
    number = 0
    while r.clock < events:
        if many_threads and rng.random() < 0.1:
            r.thread = rng.randrange(3)
        action = rng.random()
        stack = r.stack
        if action < 0.25 and len(stack) < depth_limit:
            function = rng.choice(FUNCTIONS)
            if stack:
                random_call(rng, r)
            r.enter(function[0], function[1], function[2], profiled=function[0] == "f5",
                    **BUDGETS.get(function[0], {}))
        elif action < 0.30 and stack and len(stack) < depth_limit:
            r.block(rng.choice(["load", "solve"]), 500)
        elif action < 0.50 and stack:
            r.leave()
        elif action < 0.80:
            random_call(rng, r)
            kind = rng.choice(["device", "device", "pool", "managed", "pinned", "array"])
            size = rng.choice([1, 256, 4096, rng.randrange(1, 1 << 30)])
            r.malloc(f"p{number}", size, kind, rng.randrange(devices), requested=max(1, size - rng.randrange(3)))
            number += 1
        elif r.blocks:
            random_call(rng, r)
            r.free(rng.choice(sorted(r.blocks)) if rng.random() < 0.7 else next(reversed(r.blocks)))
    for thread in list(r.threads):  # some programs end in the middle of everything
        r.thread = thread
        while r.stack and rng.random() < 0.5:
            r.leave()
    return r


def random_call(rng, r):
    if not any(f.call_key if hasattr(f, "call_key") else True for f in r.stack) or rng.random() < 0.2:
        return
    if any(r.sites[f.site]["kind"] == 1 for f in r.stack):
        line = rng.randrange(100, 106)
        if rng.random() < 0.5:
            r.call(line, variable="p", size_expr=f"n{line}", column=rng.randrange(2))
        else:
            r.call(line, callee="g")


# ---- brute force ------------------------------------------------------------------------------------

class Oracle:
    def __init__(self, log):
        self.blocks = {}                                  # name -> (size, kind, device, path, freed path or None)
        self.totals, self.peaks = defaultdict(int), defaultdict(int)
        self.at_peak = defaultdict(dict)                  # device -> {block: size} at its peak
        self.live = defaultdict(dict)
        self.line_live, self.line_peak = defaultdict(int), defaultdict(int)
        self.open, self.ended = defaultdict(list), []     # thread -> activations
        for event in log:
            getattr(self, event[0])(*event[1:])
        for stack in self.open.values():
            while stack:
                self.ended.append(stack.pop())

    def enter(self, thread, serial, key, path, profiled):
        highest = max([v for d, v in self.totals.items() if d != HOST], default=0)
        self.open[thread].append(dict(serial=serial, key=key, path=path, profiled=profiled, net=0, peak=0, moved=False,
                                      device_peak=highest))

    def leave(self, _thread, serial):
        for stack in self.open.values():
            if stack and stack[-1]["serial"] == serial:
                self.ended.append(stack.pop())
                return
        raise AssertionError("left a scope that is not innermost")

    def moved(self, thread, amount):
        for activation in self.open[thread]:
            activation["moved"] = True
            activation["net"] += amount
            activation["peak"] = max(activation["peak"], activation["net"])
        highest = max([v for d, v in self.totals.items() if d != HOST], default=0)
        for stack in self.open.values():
            for activation in stack:
                activation["device_peak"] = max(activation["device_peak"], highest)

    def malloc(self, thread, name, size, kind, device, path):
        if kind == "pinned":
            device = HOST
        self.blocks[name] = dict(size=size, kind=kind, device=device, path=path, freed=None, thread=thread)
        self.totals[device] += size
        self.live[device][name] = size
        if self.totals[device] > self.peaks[device]:
            self.peaks[device] = self.totals[device]
            self.at_peak[device] = dict(self.live[device])
        self.line_live[path[-1]] += size
        self.line_peak[path[-1]] = max(self.line_peak[path[-1]], self.line_live[path[-1]])
        self.moved(thread, 0 if device == HOST else size)

    def free(self, thread, name, path):
        block = self.blocks[name]
        block["freed"] = path
        self.totals[block["device"]] -= block["size"]
        del self.live[block["device"]][name]
        self.line_live[block["path"][-1]] -= block["size"]
        self.moved(thread, 0 if block["device"] == HOST else -block["size"])

    # -- rows ---------------------------------------------------------------------------------------------

    def rows(self, by):
        rows = defaultdict(lambda: defaultdict(int))
        peaks = defaultdict(list)
        for name, block in self.blocks.items():
            size, self_key, keys = block["size"], own_key(block["path"], by), keys_of(block["path"], by)
            freed_keys = keys_of(block["freed"], by) if block["freed"] else set()
            held = size if name in self.at_peak[block["device"]] else 0
            rows[self_key]["self_alloc"] += size
            rows[self_key]["blocks"] += 1
            rows[self_key]["self_at_peak"] += held
            rows[self_key]["leaked"] += 0 if block["freed"] else size
            rows[self_key]["leaked_blocks"] += 0 if block["freed"] else 1
            for key in keys:
                rows[key]["incl_alloc"] += size
                rows[key]["at_peak"] += held
                rows[key]["escaped"] += 0 if block["freed"] else size
                if block["freed"]:
                    rows[key]["freed_own" if key in freed_keys else "freed_elsewhere"] += size
            if by == "line":
                rows[self_key]["calls"] += 1
                if block["device"] != HOST:
                    peaks[self_key].append(size)
            if block["freed"]:
                rows[own_key(block["freed"], by)]["self_freed"] += size
                if by == "line":
                    rows[own_key(block["freed"], by)]["calls"] += 1
                for key in freed_keys - keys:
                    rows[key]["freed_others"] += size
        for a in self.ended:
            key = caller_of(a["path"]) if by == "line" else own_key(a["path"], "function")
            if by == "file":
                key = ("file", key[1])
            if key is None or not (a["moved"] or a["profiled"]):
                continue
            if a["moved"]:
                peaks[key].append(a["peak"])
            rows[key]["calls"] += 1
            rows[key]["device_peak"] = max(rows[key]["device_peak"], a["device_peak"])
        for key, row in rows.items():
            row["incl_freed"] = row["freed_own"] + row["freed_others"]
            row["self_net"] = row["self_alloc"] - row["self_freed"]
            row["incl_net"] = row["incl_alloc"] - row["incl_freed"]
            if peaks[key]:
                row["own_peak_max"] = max(peaks[key])
                row["own_peak_mean"] = sum(peaks[key]) // len(peaks[key])
            if by == "line" and key[2]:  # unknown places share one record: not known
                row["live_peak"] = self.line_peak[key]
        return rows


def keys_of(path, by):
    if by == "file":
        return {("file", key[1]) for key in path}
    if by == "function":
        scopes = {key for key in path if key[0] == "function"}
        return scopes or {("function", "", "", "")}
    return {key for key in path if key[0] == "line"}


def own_key(path, by):
    if by == "line":
        return path[-1]
    if by == "file":
        return ("file", path[-1][1])
    return next((key for key in reversed(path) if key[0] == "function"), ("function", "", "", ""))


def caller_of(path):
    """The line whose call started the last scope of a path, or None."""
    return path[-2] if len(path) > 1 and path[-2][0] == "line" else None


# ---- comparison -------------------------------------------------------------------------------------

def key_of(row, by):
    if by not in ("line", "function", "file"):
        return row.get("size_from" if by == "size" else by)
    if by == "file":
        return ("file", row["file"] or "")
    file, function = row["file"] or "", row["function"] or ""
    if by == "line":
        return ("line", file, row["line"], function)
    name = ""
    if function.endswith("}"):
        function, name = function[:-1].split(" {")
    return ("function", file, function, name)


ALWAYS = ("self_alloc incl_alloc self_freed incl_freed self_net incl_net freed_own freed_others freed_elsewhere escaped "
          "at_peak self_at_peak leaked leaked_blocks blocks calls").split()
SOMETIMES = "own_peak_max own_peak_mean device_peak live_peak".split()


def check(r, tool, work, seed):
    path = os.path.join(work, f"random{seed}.gmprof")
    with open(path, "wb") as out:
        out.write(r.bytes())
    oracle, wrong = Oracle(r.log), []
    for by in ("line", "function", "file"):
        report = json.loads(subprocess.run([tool, "report", path, "--by", by, "--format", "json"], check=True,
                                           capture_output=True).stdout)
        expected, seen = oracle.rows(by), {}
        for row in report["rows"]:
            key = key_of(row, by)
            assert key not in seen, f"two rows {key}"
            seen[key] = row
            figures = expected.get(key, {})
            wrong += [f"{by} {key}: {f} is {row[f]}, brute force says {figures.get(f, 0)}" for f in ALWAYS
                      if row[f] != figures.get(f, 0)]
            wrong += [f"{by} {key}: {f} is {row[f]}, brute force says {figures.get(f)}" for f in SOMETIMES
                      if (row[f] or 0) != figures.get(f, 0)]
        wrong += [f"{by}: no row {key}" for key in expected if key not in seen]
        whole = sum(block["size"] for block in oracle.blocks.values())
        wrong += [f"{by} {key}: {f} is {row[f]}, and {row[part]} of {whole}" for key, row in seen.items()
                  for f, part in (("self_percent", "self_alloc"), ("incl_percent", "incl_alloc"))
                  if whole and abs(row[f] - row[part] * 100 / whole) > 0.0051]
        wrong += [f"{by} {key}: alloc_per_call is {row['alloc_per_call']}" for key, row in seen.items()
                  if row["alloc_per_call"] != (row["incl_alloc"] // row["calls"] if row["calls"] else None)]
        if not report["conservation"]["ok"]:
            wrong.append(f"conservation: {report['conservation']}")
        for device in report["devices"]:
            ordinal = HOST if device["device"] == "host" else device["device"]
            if device["peak"] != oracle.peaks[ordinal] or device["live_at_exit"] != oracle.totals[ordinal]:
                wrong.append(f"device {ordinal}: {device}")
        if sum(row["self_at_peak"] for row in report["rows"]) != sum(oracle.peaks.values()):
            wrong.append(f"{by}: rows do not add up to the device peaks")
    wrong += check_groups(oracle, tool, path, random.Random(seed), r.history is not None)
    wrong += check_filters(oracle, tool, path)
    wrong += check_paths(oracle, tool, path) + check_sizes(oracle, tool, path, r.history is not None)
    wrong += check_budgets(oracle, tool, path)
    if wrong:
        sys.exit(f"seed {seed} ({path}):\n  " + "\n  ".join(wrong[:20]))
    os.remove(path)


def check_paths(oracle, tool, path):
    """By path: figures of whole call paths, compared as a bag, because two sites can look alike."""
    report = json.loads(subprocess.run([tool, "report", path, "--by", "path", "--format", "json"], check=True,
                                       capture_output=True).stdout)
    ours, theirs = defaultdict(lambda: [0, 0, 0, 0]), defaultdict(lambda: [0, 0, 0, 0])
    for row in report["rows"]:
        key = tuple((s["file"] or "", s["line"], s["function"] or "", s.get("block")) for s in row["path"])
        for i, figure in enumerate(("self_alloc", "self_freed", "self_at_peak", "leaked")):
            ours[key][i] += row[figure]
    for name, block in oracle.blocks.items():
        for where, indexes in ((block["path"], (0, 2, 3)), (block["freed"], (1,))):
            if not where:
                continue
            key = tuple(steps(where))
            held = name in oracle.at_peak[block["device"]]
            for i in indexes:
                theirs[key][i] += block["size"] if i < 2 or (i == 2 and held) or (i == 3 and not block["freed"]) else 0
    return [f"path {key}: {ours.get(key)}, brute force says {theirs.get(key)}" for key in ours.keys() | theirs.keys()
            if any(ours[key]) and ours[key] != theirs[key] or any(theirs[key]) and ours[key] != theirs[key]]


def check_filters(oracle, tool, path):
    """--filter by names on the call path: the same figures, of the blocks that it leaves."""
    wrong = []
    for words, left in ((["function=f1"], lambda keys: any("f1" in key[2:] for key in keys)),
                        (["file=!b.cu"], lambda keys: all(key[1] != "/src/b.cu" for key in keys)),
                        (["function=~^(f[13]|solve)$", "file=*a.cu"],
                         lambda keys: any(key[2:][0] in ("f1", "f3") or key[3] in ("f1", "f3", "solve") for key in keys)
                         and any(key[1] == "/src/a.cu" for key in keys))):
        filtered = Oracle([])
        filtered.__dict__.update(oracle.__dict__, ended=[], blocks={
            name: block for name, block in oracle.blocks.items() if left(block["path"])})
        options = [word for text in words for word in ("--filter", text)]
        for by in ("line", "function", "file"):
            report = json.loads(subprocess.run([tool, "report", path, "--by", by, "--format", "json", *options], check=True,
                                               capture_output=True).stdout)
            expected, seen = filtered.rows(by), {key_of(row, by): row for row in report["rows"]}
            figures = [figure for figure in ALWAYS if figure != "calls"]
            wrong += [f"{words} {by} {key}: {figure} is {seen.get(key, {}).get(figure)}, brute force says {row[figure]}"
                      for key, row in expected.items() for figure in figures
                      if any(row[f] for f in figures) and seen.get(key, {}).get(figure) != row[figure]]
            wrong += [f"{words} {by}: a row {key} too many" for key, row in seen.items()
                      if key not in expected and any(row[figure] for figure in figures)]
            sums = sum(block["size"] for block in filtered.blocks.values()), len(filtered.blocks)
            if sums != (report["filter"]["allocated"], report["filter"]["allocated_blocks"]):
                wrong.append(f"{words}: leaves {report['filter']}, brute force says {sums}")
    return wrong


GROUPS = "line function file kind device size thread variable type label path".split()
SELF = "self_alloc self_freed self_net self_at_peak blocks leaked leaked_blocks".split()


def check_groups(oracle, tool, path, rng, history):
    """--group-by A,B: parts add up to their row, and are what the blocks of both keys make."""
    wrong = []
    tree, known, both = GROUPS[:3], GROUPS[:7] if history else GROUPS[:5], {"size", "thread"}
    asked = [by for by in GROUPS if history or by != "thread"]
    for first, second in rng.sample([(a, b) for a in asked for b in asked if a != b and {a, b} != both], 6):
        report = json.loads(subprocess.run([tool, "report", path, "--group-by", f"{first},{second}", "--format", "json"],
                                           check=True, capture_output=True).stdout)
        for row in report["rows"]:
            sums = {f: sum(part[f] for part in row["parts"]) for f in SELF + ["self_requested", "temporary_blocks"]}
            wrong += [f"{first},{second}: parts of {key_of(row, first)} have {f} {sums[f]}, it has {row[f]}"
                      for f in sums if sums[f] != row[f]]
        if first not in known or second not in known:
            continue
        theirs = defaultdict(lambda: dict.fromkeys(SELF, 0))
        for name, b in oracle.blocks.items():
            part = theirs[group_key(b, b["path"], first), group_key(b, b["path"], second)]
            freed = b["freed"] if first in tree else b["freed"] and b["path"]
            for f, amount in (("self_alloc", b["size"]), ("blocks", 1), ("leaked", 0 if b["freed"] else b["size"]),
                              ("leaked_blocks", not b["freed"]),
                              ("self_at_peak", b["size"] * (name in oracle.at_peak[b["device"]]))):
                part[f] += amount
            if freed:
                theirs[group_key(b, freed, first), group_key(b, freed, second)]["self_freed"] += b["size"]
        ours = {}
        for row in report["rows"]:
            for part in row["parts"]:
                key = key_of(row, first), key_of(part, second)
                assert key not in ours, f"{first},{second}: two parts {key}"
                ours[key] = part
        for key, part in theirs.items():
            part["self_net"] = part["self_alloc"] - part["self_freed"]
            if {f: ours.get(key, {}).get(f) for f in SELF} != part:
                wrong.append(f"{first},{second} {key}: {ours.get(key)}, brute force says {part}")
        wrong += [f"{first},{second}: a part {key} too many" for key in ours if key not in theirs]
    return wrong


def group_key(block, path, by):
    if by in ("line", "function", "file"):
        return own_key(path, by)
    size = block["size"]
    return {"kind": block["kind"], "device": "host" if block["device"] == HOST else block["device"],
            "size": 1 << (size.bit_length() - 1), "thread": block["thread"]}[by]


def check_sizes(oracle, tool, path, history):
    """By size: exact with the history; without it no class has more than that, and nothing is left out."""
    figures = "self_alloc self_freed at_peak leaked blocks leaked_blocks".split()
    report = json.loads(subprocess.run([tool, "report", path, "--by", "size", "--format", "json"], check=True,
                                       capture_output=True).stdout)
    theirs = defaultdict(lambda: [0] * len(figures))
    for name, block in oracle.blocks.items():
        size, live = block["size"], not block["freed"]
        held = name in oracle.at_peak[block["device"]]
        for i, amount in enumerate((size, size * (not live), size * held, size * live, 1, int(live))):
            theirs[1 << (size.bit_length() - 1)][i] += amount
    ours = {row["size_from"]: [row[figure] for figure in figures] for row in report["rows"]}
    if history:
        return [f"size {key}: {ours.get(key)}, brute force says {theirs.get(key)}" for key in ours.keys() | theirs.keys()
                if ours.get(key) != theirs.get(key)]
    wrong = [f"size {key}: {row} is more than {theirs[key]}" for key, row in ours.items()
             if key is not None and any(a > b for a, b in zip(row, theirs[key]))]
    sums = [[sum(column) for column in zip([0] * len(figures), *rows.values())] for rows in (ours, theirs)]
    return wrong + ([f"sizes: together {sums[0]}, brute force says {sums[1]}"] if sums[0] != sums[1] else [])


def check_budgets(oracle, tool, path):
    """Which are broken, how much and how often. (Paths are those of scopes, and not counted here.)"""
    theirs = {}
    for name, budget in BUDGETS.items():
        ended = [a for a in oracle.ended if a["key"][2:] == (name, "") and a["moved"]]
        if budget["flags"] & BUDGET and ended:
            over = [a["peak"] for a in ended if a["peak"] > budget["budget"]]
            theirs[name, "budget"] = ("broken", max(over)) if over else ("kept", None)
        if budget["flags"] & NO_ALLOC and ended:
            sizes = [b["size"] for b in oracle.blocks.values() if name in [key[2] for key in b["path"] if key[0] == "function"
                                                                          and not key[3]]]
            theirs[name, "no_alloc"] = ("broken", sum(sizes), len(sizes)) if sizes else ("kept", None, 0)
    done = subprocess.run([tool, "check", path, "--allow-incomplete", "--format", "json"], check=False, capture_output=True)
    ours = {(b["function"], b["budget"]): (b["verdict"], b["bytes"]) + ((b["times"],) if b["budget"] == "no_alloc" else ())
            for b in json.loads(done.stdout)["budgets"]}
    wrong = [f"check: {key} is {ours.get(key)}, brute force says {theirs.get(key)}" for key in ours.keys() | theirs.keys()
             if ours.get(key) != theirs.get(key)]
    if done.returncode != any(value[0] == "broken" for value in theirs.values()):
        wrong.append(f"check: status {done.returncode}")
    return wrong


def steps(path):
    for key in path:
        if key[0] == "function" and key[3]:
            yield (key[1], 500, key[2], key[3])
        elif key[0] == "line":
            yield (key[1], key[2], key[3], None) if key[2] else ("", 0, "", None)


def main(source, tool, work, *seeds):
    os.makedirs(work, exist_ok=True)
    seeds = [int(s) for s in seeds] or repeats.seeds(0, 60, 15 if repeats.sanitized() else 30)
    for seed in seeds:
        check(random_program(source, seed, 10 if seed % 3 == 0 else 120 if seed % 3 == 1 else 600), tool, work, seed)
    print(f"{len(seeds)} random programs: every figure is that of brute force")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
