#!/usr/bin/env python3
"""same_as_tool.py LIBRARY TOOL CAPTURE... - what the library answers of captures is what the tool prints as JSON: rows, peaks,
timelines, peaks of scopes, leaks with and without suppressions, growth, temporaries, budgets, failures, pools, events,
differences and sums. The tool goes its own way from its analyses to the text, so each figure is written twice."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import binding

PLACE = ("file", "line", "function", "variable", "size_expr", "type", "callee", "operands", "source_line", "location", "status",
         "renamed", "line_a", "line_b", "size_from", "size_below")
EVENTS = {"allocated": 0, "freed": 1, "free failed": 2, "scope ended": 3, "failed": 4}
OPERATIONS = ("launched", "copied", "filled", "prefetched", "library call", "addresses stored", "any memory used", "shared", "source unchanged",
              "source changed")
KINDS = range(20)
wrong, compared, named = [], collections.Counter(), set()


class Tool:
    def __init__(self, path, capture):
        self.path, self.capture = path, capture

    def __call__(self, command, *options, captures=None):
        """Its document; a text: why there is none."""
        done = subprocess.run([self.path, *command.split(), "--format", "json", *options, *(captures or [self.capture])],
                              capture_output=True, text=True, cwd="/")
        return done.stderr if done.returncode == 2 else json.loads(done.stdout)


def same(what, of_library, of_tool):
    """Lists whose order is defined."""
    compared[what.split()[0]] += len(of_tool) if isinstance(of_tool, list) else 1
    if of_library != of_tool:
        wrong.append(f"{what}: the library has\n    {of_library}\n  and the tool\n    {of_tool}")


def figures(rows, keys):
    """The rows without an order: texts name places, which the tool prints as seen from its folder."""
    return sorted(json.dumps([row[key] for key in keys]) for row in rows)


def number_keys(rows):
    return [key for key in rows[0] if key not in PLACE and not isinstance(rows[0][key], (list, dict, str))] if rows else []


def same_figures(what, of_library, of_tool, of_rows=lambda row: row):
    """Rows of both, by the numbers that both have."""
    its = [of_rows(row) for row in of_tool]
    keys = [key for key in number_keys(its) if of_library and key in of_library[0]]
    same(what, figures(of_library, keys), figures(its, keys))


# What the lists have beside the fields of JSON: call paths by number, places in words, and what stands elsewhere in a document.
OWN = {"node", "location", "allocation"}
# By list: the document, the objects whose fields its keys are, and the keys that are its own.
LISTS = {
    "CAPTURES": ("info", "info", "file_bytes has_events complete"),
    "DEVICES": ("report", "used_device", "ordinal memory_free peak_node peak_place"),
    "COUNTERS": ("info", "", "counter text count loss"),  # one object in JSON: its fields are rows here
    "STEPS": ("timeline", "moment", "step live"),
    "MARKS": ("info", "mark", ""),
    "SAMPLES": ("info", "sample", ""),
    "NODES": ("tree", "branch step", "scope"),
    "LEAKS": ("leaks", "leak", ""),
    "VARIABLES": ("leaks", "reachable", ""),
    "BUDGETS": ("check", "budget", "where_node"),
    "OOMS": ("oom", "out_of_memory", ""),
    "POOLS": ("pools", "pool", ""),
    "TEMPORARIES": ("temporaries", "temporary", "free_node"),
    "GROWTH": ("leaks", "growing_line leaks_growth", ""),
    "BLOCKS": ("events", "event", "free_node age age_ns temporary"),
    "SUPPRESSED": ("leaks", "", "suppression bytes blocks grown lines"),  # a sentence of the tool, in no document
    "rows": ("lifetimes", "row", ""),
    "peak": ("peak", "held_line", ""),
    "timeline": ("timeline", "timeline_device timeline_column", "device_max device_max_at"),
    "scope": ("peak", "scope_peak", "reached_node reached_place"),
    "scope live": ("peak", "held_in_scope", ""),
    "scope before": ("peak", "before_peak", ""),
    "diff": ("diff", "diff_row", "line operands source_line"),
    "merge": ("merge", "merge_row", ""),
}


def fields_of(tool, command, names):
    """The fields of objects of a document, those of an object inside as CSV has them: recorded.bytes."""
    schema = json.loads(subprocess.run([tool.path, "schema", command], capture_output=True, text=True, check=True).stdout)["$defs"]

    def walk(name, before, deep):
        for key, field in schema[name]["properties"].items():
            inner = [one["$ref"].rsplit("/", 1)[1] for one in [field, *field.get("anyOf", [])] if "$ref" in one]
            yield before + key
            for one in inner if deep else ():
                yield from walk(one, f"{before}{key}.", False)
    return {key for name in names.split() for key in walk(name, "", True)}


def keys(tool, name, its):
    command, objects, own = LISTS[name]
    named.add(name)
    same("keys", (name, sorted(set(its) - OWN - set(own.split()) - fields_of(tool, command, objects))), (name, []))


def list_keys(r, tool):
    """Of a capture with all of them; the keys do not depend on the rows."""
    for what in binding.What:
        mine = answer(lambda: r.keys("list_of", 0, int(what)))  # noqa: B023
        if mine:
            keys(tool, what.name, mine)
    keys(tool, "rows", r.keys("rows", 0, 0))
    keys(tool, "peak", r.keys("peak", 0, 0))
    timeline_keys = answer(lambda: r.keys("timeline", 0, 0, 1))
    if timeline_keys:
        keys(tool, "timeline", timeline_keys)


def answer(ask):
    """What the library answers; null: it refused."""
    try:
        return ask()
    except binding.Failure as failure:
        assert failure.status < 0 and len(failure.sentence) > 10, failure
        return None


def rows(r, tool):
    for by in binding.BY:
        mine, its = answer(lambda: r.rows(by)), tool(f"report --by {by} --limit 0")
        if mine is None or isinstance(its, str):
            same(f"rows by {by}", mine is None, isinstance(its, str))
            continue
        same_figures(f"rows by {by}", mine, its["rows"])
    for by in ("line", "function", "file", "path"):
        its = tool(f"lifetimes --by {by} --limit 0")
        if not isinstance(its, str):
            blocks = [row for row in r.rows(by, lifetimes=True) if row["blocks"]]
            same_figures(f"lifetimes by {by}", blocks, [x for x in its["rows"] if x["blocks"]])


def held(r, tool):
    for one in tool("peak --limit 0")["peaks"]:
        device = [d for d in r.list(binding.What.DEVICES)
                  if d["ordinal"] == one["device"] or d["device"] == one["device"]][0]
        number = r.list(binding.What.DEVICES).index(device)
        same("devices", [device["peak"], device["peak_clock"], device["peak_time_ns"]], [one["bytes"], one["clock"], one["time_ns"]])
        same("peak", figures(r.peak(number), ("bytes", "blocks")), figures(one["live"], ("bytes", "blocks")))


def name_of_device(r, row):
    device = r.list(binding.What.DEVICES)[row["device"]]
    return device["ordinal"] if device["ordinal"] >= 0 else device["device"]


def timeline(r, tool):
    for number, axis in enumerate(("time", "clock")):
        for parts in (1, 7, 100):
            its = tool(f"timeline --axis {axis} --width {parts}")
            mine = answer(lambda: r.timeline(number, parts))
            if isinstance(its, str) or mine is None:
                same("timeline", mine is None, isinstance(its, str))
                continue
            same("timeline", [[name_of_device(r, row), row["device_max"], row["device_max_at"], row["samples"],
                               *(row[key] for key in ("begin", "end", "min", "max", "last"))] for row in mine],
                 [[one["device"], one["max"], one["max_at"], one["samples"],
                   *(row[key] for key in ("begin", "end", "min", "max", "last"))] for one in its["timeline"] for row in one["columns"]])


def scopes(r, tool):
    names = {node["block"] or node["function"] for node in r.list(binding.What.NODES) if node["scope"]}
    for name in sorted(names - {""}) + ["no_such_scope"]:
        its = tool("peak --limit 0 --last 3", "--scope", name)
        mine = answer(lambda: r.scope(name, 3))
        if isinstance(its, str) or mine is None:
            same("scopes", mine is None, isinstance(its, str))
            continue
        peak, live, before = mine
        for part, its_rows in (("scope", peak), ("scope live", live), ("scope before", before)):
            if its_rows:
                keys(tool, part, its_rows[0])
        one, = its["peaks"]
        same("scopes", [[p["own_peak"], p["clock"], p["since_clock"], p["thread"], p["time_ns"]] for p in peak],
             [[one["own_peak"], one["clock"], one["since_clock"], one["thread"], one["time_ns"]]])
        same("scopes", [[x["bytes"], x["blocks"], x["in_it"]] for x in live],
             [[x["bytes"], x["blocks"], x["in_it"]] for x in one["live"]])
        same("scopes", [[x["bytes"], x["clock"], x["time_ns"]] for x in before],
             [[x["bytes"], x["clock"], x["time_ns"]] for x in one["before"]])


def leaks(r, tool, *options):
    its = tool("leaks --limit 0", *options)
    same("leaks", [[x["bytes"], x["blocks"]] for x in r.list(binding.What.LEAKS)], [[x["bytes"], x["blocks"]] for x in its["leaks"]])
    same("variables", [[x["bytes"], x["blocks"]] for x in r.list(binding.What.VARIABLES)],
         [[x["bytes"], x["blocks"]] for x in its["reachable"]])
    its, mine = tool("leaks --growth", *options), answer(lambda: r.list(binding.What.GROWTH))
    if isinstance(its, str) or mine is None:
        same("growth", mine is None, isinstance(its, str))
    else:
        same("growth", [[x["first"], x["last"], x["rises"], x["from"], x["to"]] for x in mine],
             [[x["first"], x["last"], x["rises"], its["from"], its["to"]] for x in its["growth"]])


def suppressed(library, tool, capture, folder):
    """Each function of the call paths alone: what it hides and what stays is all that leaked."""
    with_all = binding.Reader(library, capture)
    names = sorted({node["function"] for node in with_all.list(binding.What.NODES)} - {""})[:5]
    all_bytes = sum(x["bytes"] for x in with_all.list(binding.What.LEAKS))
    same("suppressed", with_all.list(binding.What.SUPPRESSED), [])
    for name in names:
        file = folder / "suppressions"
        file.write_text(f"# known\nleak:^{name}$\nleak:no_such_name\n", encoding="utf-8")
        r = binding.Reader(library, capture, suppressions=file)
        leaks(r, tool, "--suppressions", str(file))
        hidden, none = r.list(binding.What.SUPPRESSED)
        same("suppressed", hidden["bytes"] + sum(x["bytes"] for x in r.list(binding.What.LEAKS)), all_bytes)
        same("suppressed", [hidden["suppression"], none["bytes"], none["blocks"]], [f"leak:^{name}$", 0, 0])
        if hidden["lines"] is not None:
            same("suppressed", hidden["lines"], len(with_all.list(binding.What.GROWTH)) - len(r.list(binding.What.GROWTH)))
        r.close()
    with_all.close()


def found(r, tool):
    its = tool("temporaries --limit 0")
    if not isinstance(its, str):
        same("temporaries", sorted([x["temporary_blocks"], x["blocks"], x["largest"]] for x in r.list(binding.What.TEMPORARIES)),
             sorted([x["temporary_blocks"], x["blocks"], x["largest"]] for x in its["temporaries"]))
    keys = ("budget", "verdict", "limit", "bytes", "blocks", "times")
    its = tool("check --limit 0")  # which has nothing to check without any
    same("budgets", figures(r.list(binding.What.BUDGETS), keys), figures([] if isinstance(its, str) else its["budgets"], keys))
    same("ooms", [[x["requested"], x["memory_free"], x["kept_by_pools"], x["unaccounted"], x["clock"], x["recorded.bytes"], x["advice"]]
                  for x in r.list(binding.What.OOMS)],
         [[x["requested"], x["memory_free"], x["kept_by_pools"], x["unaccounted"], x["clock"], x["recorded"]["bytes"],
           "; ".join(x["advice"])] for x in tool("oom --limit 0")["out_of_memory"]])
    same_figures("pools", r.list(binding.What.POOLS), tool("pools --limit 0")["pools"],
                 lambda row: {key: row[key] for key in row if key not in ("device", "several_devices", "handle")})


def events(r, tool):
    its = tool("events --limit 0")
    first, second = [], []
    mine = answer(lambda: r.walk(lambda _, e: first.append((e[0].clock, e[0].time_ns, e[0].thread, e[0].what, e[0].bytes)) or 0,
                                 lambda _, e: second.append(e[0].clock) or 0) or [])
    if isinstance(its, str) or mine is None:
        same("events", mine is None, isinstance(its, str))
        return
    same("events", [x[:4] for x in first], [(x["clock"], x["time_ns"], x["thread"], EVENTS.get(x["event"], x["event"]))
                                            for x in its["events"] if x["event"] not in OPERATIONS])  # as read.h says
    same("events", [x[4] for x in first if x[3] < 2], [x["bytes"] for x in its["events"] if x["event"] in ("allocated", "freed")])
    same("events", second, [x[0] for x in first])


def facts(r, tool):
    info = tool("info")
    same("counters", {x["counter"]: x["count"] for x in r.list(binding.What.COUNTERS)},
         {key: count for key, count in info["counters"].items() if count})
    one, = r.list(binding.What.CAPTURES)
    same("captures", [one["pid"], one["rank"], one["start_realtime_ns"], one["duration_ns"], one["state"], one["host"]],
         [info["pid"], info["rank"], info["start_realtime_ns"], info["duration_ns"], info["state"], info["host"]])
    same("records", [len(r.list(what)) for what in (binding.What.NODES, binding.What.STEPS, binding.What.MARKS, binding.What.SAMPLES)],
         [info["records"][key] for key in ("nodes", "steps", "marks", "samples")])


def several(library, tool, captures):
    r = binding.Reader(library, *captures)
    keys(tool, "diff", r.diff("line")[0])
    keys(tool, "merge", r.merge("line")[0])
    for by in ("line", "function"):
        its, mine = tool(f"diff --by {by} --limit 0", captures=captures)["rows"], r.diff(by)
        mine, its = [row for row in mine if row["status"] != "same"], [row for row in its if row["status"] != "same"]
        for side in ("a", "b", "difference"):
            values = [{key: row[f"{side}.{key}"] or 0 for key in its[0]["difference"] if f"{side}.{key}" in row} for row in mine]
            same_figures(f"diff by {by}", values, its,
                         lambda row: {key: (row[side] or {}).get(key) or 0 for key in row["difference"]})  # noqa: B023
    for by in ("line", "function", "file", "path", "kind", "label", "type", "variable", "stream", "size"):
        its, mine = tool(f"merge --by {by} --limit 0", captures=captures), answer(lambda: r.merge(by))  # noqa: B023
        if isinstance(its, str) or mine is None:
            same(f"merge by {by}", mine is None, isinstance(its, str))
            continue
        its = its["rows"]
        for key in ("self_alloc", "leaked", "blocks", "at_peak", "max_size"):
            same(f"merge by {by}",
                 figures([{"n": x["processes"], "min": x[key + ".min"], "max": x[key + ".max"]} for x in mine], ("n", "min", "max")),
                 figures([{"n": x["processes"], **(x[key] or {"min": None, "max": None})} for x in its], ("n", "min", "max")))
    r.close()


def main(library_path, tool_path, *captures):
    library = binding.load(library_path)
    captures = [str(pathlib.Path(path).resolve()) for path in captures]
    readable = []
    with tempfile.TemporaryDirectory() as folder:
        for capture in captures:
            tool = Tool(tool_path, capture)
            if isinstance(tool("info"), str):
                same("refused", answer(lambda: binding.Reader(library, capture)), None)
                continue
            readable.append(capture)
            r = binding.Reader(library, capture)
            for compare in (list_keys, facts, rows, held, timeline, scopes, leaks, found, events):
                before = len(wrong)
                compare(r, tool)
                wrong[before:] = [f"{capture}: {line}" for line in wrong[before:]]
            r.close()
            suppressed(library, tool, capture, pathlib.Path(folder))
    several(library, tool, [path for path in readable if "random" in path][:2])
    for line in wrong[:20]:
        print(line[:3000])
    print(f"{len(readable)} captures, {len(wrong)} differences; compared {dict(compared)}")
    idle = {what for what, count in compared.items() if not count}
    if set(LISTS) - named:
        print(f"no keys were compared of {set(LISTS) - named}")
    return 1 if wrong or idle or set(LISTS) - named or len(readable) < 8 else 0


sys.exit(main(*sys.argv[1:]))
