#!/usr/bin/env python3
"""page_sections.py SOURCE TOOL WORK CASE - the sections of a page of `gpumemprof html`, against the commands whose figures they are.

Everything a command prints as JSON has to be in the page unchanged; arrays are added up again here. page_events.py
looks at the section `events`.
"""
import base64
import collections
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys
import urllib.parse

import page_reader as reader
from exports import SEEDS, Case

TABLES = ("line", "function", "file", "kind", "device", "label", "variable", "type", "stream")
HEAD = ("state", "devices", "conservation", "losses", "failed", "unaccounted_calls")
KINDS = ("root", "function", "block", "call", "native", "unknown")
NODE_FIGURES = ("self_at_peak", "at_peak", "self_alloc", "incl_alloc", "own_peak_max", "leaked", "escaped", "blocks", "calls")
VIEWS = {"overview": set(), "state": {"device", "at"}, "tree": {"node"}, "lines": {"sort"}, "source": {"file", "line"}, "leaks": set(),
         "lifetimes": {"sort"}, "diff": set(), "timeline": {"search"}, "advice": {"finding"}}


def page(t, capture, *options, name="page.html"):
    """(profile, sections, text of the page)"""
    t.gpumemprof("html", capture, "-o", t.path(name), *options)
    data = reader.sections(t.path(name))
    return reader.profile(data), data, open(t.path(name), "rb").read()


def asked(t, command, capture, *options):
    return json.loads(t.gpumemprof(command, capture, "--format", "json", *options).stdout)


# ---- profile against commands ----------------------------------------------------------------------------------------------


def tables_are_those_of_report(t, capture, p, options):
    for by in TABLES:
        report = asked(t, "report", capture, "--by", by, "--limit", "0", *options)
        for row in report["rows"]:
            row.pop("location")  # says the file as seen from where the tool ran
            if len(row.get("frees_of", ())) > 20:
                row["frees_of_more"] = len(row["frees_of"]) - 20
                row["frees_of"] = row["frees_of"][:20]
        assert p["tables"][by] == report["rows"], by
        for name in HEAD:
            assert p[name] == report[name], (name, p[name], report[name])
    assert list(p["tables"]) == list(TABLES)


def lists_are_those_of_commands(t, capture, p, options):
    leaks = asked(t, "leaks", capture, *options)
    for name in ("leaks", "reachable"):
        for one in p[name]:
            assert is_at(p, one) or not one["file"], one
            node = one.pop("node")
            if "path" in one:
                path = path_of(p, node)
                assert one["path"] == path[-200:], one
                one["path"] = path
        assert p[name] == leaks[name], name
    if p["lifetimes"] is not None:
        rows = asked(t, "lifetimes", capture, *options)["rows"]
        for row in rows + p["lifetimes"]:
            row.pop("location")  # says the file as seen from where the tool ran
        assert p["lifetimes"] == rows
    assert (p["lifetimes"] is None) == (p["page"]["history"] not in ("all", "window") or bool(asked(t, "info", capture)["resets"]))
    device = [o for o in options if o.startswith("--device")]
    pools = asked(t, "pools", capture, *device)["pools"]
    for pool in pools:
        pool["name"] = re.sub(r"\S*/", "", pool["name"])  # made at a file, here without its folders
    assert p["pools"] == pools
    if not options:
        done = subprocess.run([t.tool, "check", capture, "--format", "json"], capture_output=True, cwd=t.work, check=False)
        assert p["budgets"] == json.loads(done.stdout)["budgets"]


def moments_are_those_of_commands(t, capture, p):
    info = asked(t, "info", capture)
    assert p["marks"] == info["marks"]
    assert [step["number"] for step in p["steps"]] == list(range(1, info["records"]["steps"] + 1))
    samples = [s for s in asked(t, "info", capture, "--samples")["samples"] if s["pool"] is None]
    place = {device["device"]: i for i, device in enumerate(p["devices"])}
    columns = {"device": [place[s["device"]] for s in samples], "clock": [s["clock"] for s in samples],
               "time_ns": [s["time_ns"] for s in samples], "used": [s["used"] for s in samples],
               "ledger": [s["ledger"] for s in samples], "reserved": [s["pools"] for s in samples],
               "by_monitor": [int(s["why"] == "monitor") for s in samples]}
    assert p["samples"] == columns
    assert info["monitor"]["samples"] == sum(p["samples"]["by_monitor"]), (info["monitor"], p["samples"]["by_monitor"])
    about = p["page"]
    assert about["format"] == 1 and about["capture"] == os.path.basename(capture)
    assert (about["pid"], about["host"], about["duration_ns"]) == (info["pid"], info["host"], info["duration_ns"])
    events = [] if about["history"] == "window" else [info["events"]]
    assert about["clock"] >= max(events + [device["peak_clock"] for device in p["devices"]])
    shown = asked(t, "oom", capture)["out_of_memory"] if p["ooms"] else []
    assert [(o["clock"], o["time_ns"], o["bytes"], o["advice"]) for o in p["ooms"]] == \
        [(o["clock"], o["time_ns"], o["requested"], o["advice"]) for o in shown]


# ---- arrays ----------------------------------------------------------------------------------------------------------------


def is_at(p, one):
    tree, texts, node = p["tree"], p["texts"], one["node"]
    return (texts[tree["file"][node]] or None, tree["line"][node], texts[tree["variable"][node]] or None) == \
        (one["file"], one["line"], one["variable"])


def path_of(p, node):
    tree, texts, path = p["tree"], p["texts"], []
    while node:
        kind = KINDS[tree["kind"][node]]
        if kind != "function":
            step = {"file": texts[tree["file"][node]] or None, "line": tree["line"][node],
                    "function": texts[tree["function"][node]] or None}
            if kind == "block":
                step["block"] = texts[tree["name"][node]] or None
            path.insert(0, step)
        node = tree["parent"][node]
    return path


def tree_is_that_of_report(t, capture, p, options):
    tree, count = p["tree"], len(p["tree"]["parent"])
    assert all(len(column) == count for column in tree.values())
    assert tree["parent"][0] == 0 and tree["kind"][0] == 0
    assert all(parent < node for node, parent in enumerate(tree["parent"]) if node)
    assert p["texts"][0] == "" and len(set(p["texts"])) == len(p["texts"])
    for self_, below in (("self_alloc", "incl_alloc"), ("self_at_peak", "at_peak"), ("leaked", "escaped")):
        sums = [value or 0 for value in tree[self_]]
        for node in range(count - 1, 0, -1):
            sums[tree["parent"][node]] += sums[node]
        variables = below == "escaped" and p["reachable"]  # have escaped, and are no leak
        assert variables or sums == [value or 0 for value in tree[below]], below
        at_top = sum(tree[below][node] for node in range(1, count) if not tree["parent"][node])
        assert tree[below][0] == at_top + (tree[self_][0] or 0), below
    texts = ("variable", "type", "size_expr", "callee")
    rows = asked(t, "report", capture, "--by", "path", "--limit", "0", *options)["rows"]
    said = collections.Counter()
    for node in range(count):
        said[json.dumps([path_of(p, node), [p["texts"][tree[name][node]] or None for name in texts],
                         [tree[name][node] for name in NODE_FIGURES]])] += 1
    for row in rows:
        key = json.dumps([row["path"], [row[name] for name in texts], [row[name] for name in NODE_FIGURES]])
        assert said[key], row
        said[key] -= 1


def functions_of_the_tree_are_those_of_report(p):
    """A frame of a function in the tree says what the row of the function says, over all of its call paths."""
    tree, texts, calls, peaks = p["tree"], p["texts"], collections.Counter(), {}
    for node, kind in enumerate(tree["kind"]):
        if KINDS[kind] not in ("function", "block"):
            continue
        name = texts[tree["function"][node]] + (f" {{{texts[tree['name'][node]]}}}" if KINDS[kind] == "block" else "")
        key = texts[tree["file"][node]] or None, tree["line"][node], name
        calls[key] += tree["calls"][node] or 0
        peaks[key] = max(peaks.get(key, 0), tree["own_peak_max"][node] or 0)
    for row in p["tables"]["function"]:
        key = row["file"], row["line"], row["function"]
        if key in calls:
            assert calls[key] == row["calls"], (key, calls[key], row["calls"])
            assert row["own_peak_max"] is None or peaks[key] == row["own_peak_max"], (key, peaks[key], row["own_peak_max"])


def cells_and_pairs_are_in_range(p):
    cells, pairs = p["cells"], p["pairs"]
    assert len({len(column) for column in cells.values()}) == 1 and len(pairs["cell"]) == len(pairs["node"])
    nodes, ranges = len(p["tree"]["parent"]), {"node": len(p["tree"]["parent"]), "device": len(p["devices"]), "kind": len(p["kinds"]),
                                               "label": len(p["texts"])}
    for name in ranges:
        assert all(value < ranges[name] for value in cells[name]), name
    for name in ("self_at_peak", "self_alloc", "leaked", "blocks"):
        sums = [0] * nodes
        for node, value in zip(cells["node"], cells[name], strict=True):
            sums[node] += value
        assert sums == [value or 0 for value in p["tree"][name]], name
    assert all(cell < len(cells["node"]) for cell in pairs["cell"]) and all(node < nodes for node in pairs["node"])


def tables_of_a_device_are_those_of_report(t, capture, p):
    for one in p["by_device"]:
        device = str(p["devices"][one["device"]]["device"])
        for by in ("line", "function", "file"):
            report = asked(t, "report", capture, "--by", by, "--limit", "0", "--device", device)["rows"]
            rows = [{**row, **{key: values[i] for key, values in one[by].items()}} for i, row in enumerate(p["tables"][by])
                    if any(values[i] is not None for values in one[by].values())]
            keys = ("file", "line", "function", *one[by])
            plain = [sorted(str([str(row.get(key)).removesuffix(".0") for key in keys]) for row in some) for some in (rows, report)]
            assert plain[0] == plain[1], (by, device)


def sentences_are_links(p):
    for sentence in p["sentences"]:
        assert re.search(r"\d", sentence["text"]) and sentence["text"][-1] == ".", sentence
        view, _, keys = sentence["to"].removeprefix("#/").partition("?")
        state = dict(urllib.parse.parse_qsl(keys, strict_parsing=bool(keys)))
        assert sentence["to"].startswith("#/") and set(state) <= VIEWS[view], sentence
        if "file" in state:
            assert state["file"] in p["texts"]
        if "device" in state:
            assert state["device"] in [str(device["device"]) for device in p["devices"]]


class Elements(html.parser.HTMLParser):
    """Texts of scripts and styles that a browser would run, and what names other files."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.within, self.links = {"script": [], "style": []}, None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        self.within = tag if tag in self.texts and "data-section" not in attributes else None
        if self.within:
            self.texts[tag].append("")

    def handle_data(self, data):
        if self.within:
            self.texts[self.within][-1] += data

    def handle_endtag(self, tag):
        self.within = None


def html_is_whole(text):
    """Scripts and styles are those that the Content-Security-Policy names; nothing comes from elsewhere."""
    policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', text)[1].decode()
    assert "default-src 'none'" in policy and "http" not in policy
    elements = Elements(text.decode())
    assert not elements.links and text.rstrip().endswith(b"</html>")
    for tag, name in (("script", "script-src"), ("style", "style-src")):
        named = re.search(rf"{name} ([^;]*)", policy)[1].split()
        assert named == [f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" for body in elements.texts[tag]], tag


def check(t, capture, *options):
    p, data, text = page(t, capture, *options)
    tables_are_those_of_report(t, capture, p, options)
    lists_are_those_of_commands(t, capture, p, options)
    moments_are_those_of_commands(t, capture, p)
    tree_is_that_of_report(t, capture, p, options)
    functions_of_the_tree_are_those_of_report(p)
    cells_and_pairs_are_in_range(p)
    if not options:
        tables_of_a_device_are_those_of_report(t, capture, p)
    sentences_are_links(p)
    html_is_whole(text)
    assert p["loss_texts"].keys() == p["losses"].keys() and all(p["loss_texts"].values())
    columns = t.gpumemprof("report", "--columns", "help").stdout.decode()
    for column in p["columns"]:
        assert re.search(rf"^{column['key']} .*{re.escape(column['definition'])}$", columns, re.MULTILINE), column
    assert ("events" in data) == (p["page"]["history"] == "all") and "sources" in data
    return p, data, text


# ---- cases -----------------------------------------------------------------------------------------------------------------

MADE = """
program ./app --size 3
device 0 first 1GiB
device 1 second 2GiB
host unit
enter main /src/app.cu 1 budget=1KiB no_leak
call 2 variable=grid type=float size_expr="n * 4" source_line="cudaMalloc(&grid, n * 4);"
malloc a 3MiB
call 3 variable=rows[i] type=double size_expr="rows.size() * 8" source_line="cudaMalloc(&rows[i], rows.size() * 8);"
malloc b 1MiB pool
malloc c 4KiB device device=1
mark loaded
call 4
malloc d 2MiB pinned
fail 64MiB
block part 5
call 6
repeat 30
malloc e 1KiB
free e
end
leave
call 7
free b
oom 2GiB device=0 free=1MiB total=1GiB
step
leave
sample first used=5MiB total=1GiB
sample exit used=400MiB total=1GiB ledger=3MiB
counter unknown_frees 3
end complete
"""


def of_random_programs(t):
    for seed in SEEDS:
        check(t, t.random(seed, history=seed != 2))


def of_several_devices_and_all_there_is(t):
    for history in ("", "history\n"):
        p, _, _ = check(t, t.made(history + MADE))
        texts = " ".join(sentence["text"] for sentence in p["sentences"])
        for words in ("GPU 0 held 4.00 MiB at its peak", "GPU 1 held", "were live when the program ended after it ran out of memory",
                      "out of memory", "budget broken", "3 frees of", "in no recorded allocation", "frees it right after"):
            assert words in texts, (words, texts)


def through_alloc(line, block, size):
    return f"call {line}\nenter alloc /src/wr.cpp 3\ncall 4\nenter raw /src/wr.cpp 1\ncall 2\nmalloc {block} {size}\nleave\nleave\n"


WRAPPED = ('device 0 "GPU" 16GiB\nenter main /src/wr.cpp 20\ncall 21\nenter weights /src/wr.cpp 5\n' +
           through_alloc(6, "a", "40MiB") + through_alloc(7, "b", "30MiB") + "leave\ncall 22\nenter cache /src/wr.cpp 10\n" +
           through_alloc(11, "c", "CACHE") + "leave\nleave\nend complete\n")


def sentences_name_the_first_call_that_distinguishes_paths(t):
    """All memory goes through raw and alloc: the one that asked for most of it is two calls above."""
    for size, way in (("10MiB", "the largest part of that (50.0 %) through wr.cpp:6 weights"),
                      ("60MiB", "the largest part of that (46.2 %) through wr.cpp:11 cache")):
        p, _, _ = page(t, t.made(WRAPPED.replace("CACHE", size)))
        first = p["sentences"][0]["text"]
        assert first.startswith("GPU 0 held ") and first.endswith(f": all of it from wr.cpp:2 raw, {way}."), first
    one = WRAPPED.replace("call 7\n", "call 6\n").split("call 22\n")[0] + "leave\nend complete\n"
    first = page(t, t.made(one))[0]["sentences"][0]["text"]
    assert first.endswith(": all of it from wr.cpp:2 raw, through wr.cpp:4 alloc."), first


def of_runs_that_did_not_end(t):
    """Killed, stopped, copied while it ran, a ring: what is there is as the commands have it."""
    for end in ("", "end stopped no space left", "end copy", "end elsewhere other", "counter events_overwritten 5"):
        p, _, _ = check(t, t.made("history\n" + MADE.replace("end complete", end)))
        midway = p["state"] == asked(t, "info", t.path("made.gmprof"))["state"] and end == "end copy"
        assert any("live at this moment" in sentence["text"] for sentence in p["sentences"]) == midway, (end, p["sentences"])


def of_parts_of_it(t):
    capture = t.made("history\n" + MADE)
    for options in (("--device=0",), ("--kind=pool",), ("--device=host",), ("--filter=function=main",), ("--filter=variable=grid",)):
        p, _, _ = check(t, capture, *options)
        only = options[0].removeprefix("--filter=").removeprefix("--").replace("=", " " if "filter" not in options[0] else "=", 1)
        assert p["page"]["only"] == only and p["sentences"][0]["text"].startswith(f"Only memory of {only} is in this page: ")

    for options, only in ((("--from=3",), "from 3 on"), (("--to=4",), "from the start to 4"), (("--from=2", "--to=6", "--device=0"), "device 0, from 2 to 6"),
                          (("--from=3", "--filter=function=main"), "from 3 on, function=main")):
        p, data, _ = check(t, capture, *options)
        assert p["page"]["only"] == only and p["page"]["history"] == "window" and "events" not in data, p["page"]


def of_a_program_that_allocated_nothing(t):
    for text in ("end complete", "history\nend complete", "history\nenter main /a.c 1\nleave\nend complete", "", "set 24 u64 4096\ntruncate 4096"):
        p, _, _ = check(t, t.made(text))
        assert not p["sentences"] and not p["leaks"], p["sentences"]


def samples_are_counted_as_info_counts_them(t):
    """Those of the monitor, and all: both figures are in `info` and on the page. A sample of one pool is none of a device."""
    samples = "".join(f"sample monitor device={1 + i % 2} ticks={100 * i} clock={i} used={i}MiB total=1GiB ledger={i}KiB\n" for i in range(1, 19))
    samples += "".join(f"sample change device=1 pool=0 ticks={2000 + i} used={i}KiB\nsample change ticks={3000 + i} used=5MiB total=1GiB\n" for i in range(7))
    capture = t.made("history\n" + MADE.replace("sample first", "cudapool device=1 used=1MiB reserved=2MiB\nsample first").replace(
        "sample exit", samples + "sample exit"))
    p, _, _ = check(t, capture)
    info = asked(t, "info", capture)
    assert (sum(p["samples"]["by_monitor"]), len(p["samples"]["by_monitor"])) == (18, 18 + 7 + 2)
    assert (info["monitor"]["samples"], info["records"]["samples"]) == (18, 18 + 2 * 7 + 2)


def of_hostile_texts(t):
    """Texts that end scripts or are markup in HTML: nothing of them is outside of base64 but the name of the file, escaped."""
    evil = "</script><script>alert(1)</script><!--"
    p, _, text = check(t, t.made(f"""
history
program {evil}
device 0 {evil.replace(' ', '')} 1GiB
enter {evil} /tmp/{evil}.cu 1
call 2 variable="{evil}" type="{evil}" size_expr="{evil}" source_line="{evil}"
malloc a 1KiB
mark {evil}
leave
end complete
""", name="a&b<i>"))
    assert evil in p["texts"] and b"alert(1)" not in text
    assert b"<title>a&amp;b&lt;i&gt;.gmprof" in text


def of_a_deep_recursion(t):
    """The page stays linear, though paths of leaks are quadratic."""
    level = "enter f /a.c 1\ncall 2\nmalloc m{} 8\ncall 3\n"
    p, _, text = page(t, t.made("".join(level.format(i) for i in range(1500))))
    assert len(p["leaks"]) == 1500 and max(len(leak["path"]) for leak in p["leaks"]) == 200
    deepest = max(p["leaks"], key=lambda leak: leak["node"])
    assert len(path_of(p, deepest["node"])) == 1500 and len(text) < 2 << 20


def sources_from_disk_or_the_capture(t):
    def write(name, lines):
        with open(t.path(name), "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        return t.path(name)

    same = write("same.cu", ["// head", "int *p; cudaMalloc(&p, 4);", "\tfree(p); // tab"])
    changed = write("changed.cu", ["a();", "b();", "new();"])
    other = write("passwd.cu", ["root:x:0:0", "secret", "secret"])
    unnamed, secret = write("unnamed.cuh", ["one", "two"]), write("secret.txt", ["key"])
    os.mkfifo(t.path("pipe.cu"))
    calls = [(same, 2, "int *p; cudaMalloc(&p, 4);"), (changed, 1, "a();"), (changed, 3, "old();"), (other, 3, "x();"), (other, 2, "y();"),
             (unnamed, 2, ""), (secret, 1, ""), (t.path("pipe.cu"), 4, "z();"), (t.path("gone.cu"), 4000000000, "far();"),
             (t.path("gone.cu"), 7, "near();"), (os.path.join(t.work, "."), 1, "folder();")]
    text = ""
    for i, (file, line, source) in enumerate(calls):
        text += f'enter f{i} {file} 1\ncall {line} source_line="{source}"\nmalloc m{i} 8\nleave\n'
    _, data, _ = page(t, t.made(text))
    files = {os.path.basename(f["file"]): f for f in json.loads(data["sources"])["files"]}
    assert len(files) == len({file for file, _, _ in calls})

    def said(name):
        return tuple(files[name][key] for key in ("from", "changed", "first", "lines"))

    assert said("same.cu") == ("disk", [], 1, ["// head", "int *p; cudaMalloc(&p, 4);", "        free(p); // tab"])
    assert said("changed.cu") == ("disk", [3], 1, ["a();", "b();", "new();"])
    assert said("passwd.cu") == ("capture", [], 2, ["y();", "x();"])
    assert said("unnamed.cuh") == ("disk", [], 1, ["one", "two"])
    assert said("secret.txt") == ("capture", [], 1, [])
    assert said("pipe.cu") == ("capture", [], 4, ["z();"])
    assert said("gone.cu") == ("capture", [], 7, ["near();"])
    assert said(".") == ("capture", [], 1, ["folder();"])


def private_files_stay_out_of_a_page(t):
    """A capture of somebody else may name any file of this machine, and guess a line of it."""
    secret, words = "-----BEGIN OPENSSH PRIVATE KEY-----", ["-----BEGIN OPENSSH PRIVATE KEY-----", "b3BlbnNzaC1rZXktdjE"]
    project, home = t.path("project"), t.path("home")
    for folder in (project, home, os.path.join(project, "src"), os.path.join(project, "build")):
        os.makedirs(folder, exist_ok=True)
    os.makedirs(os.path.join(project, ".git"), exist_ok=True)
    files = {name: os.path.join(*place, name) for name, place in (("id_rsa", (home,)), ("mine.cu", (home,)), ("key", (project, "src")),
                                                                  ("good.cu", (project, "src")), ("link.cu", (project, "src")))}
    for name, path in files.items():
        if name == "link.cu":
            os.path.lexists(path) or os.symlink(files["mine.cu"], path)
            continue
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(words) + "\n")
    capture = t.made("".join(f'enter f{i} {path} 1\ncall 1 source_line="{secret}"\nmalloc m{i} 8\nleave\n'
                             for i, path in enumerate(files.values())))

    def from_disk(where, *options):
        made = os.path.join(t.work, "private.html")
        done = subprocess.run([t.tool, "html", capture, "-o", made, *options], cwd=where, capture_output=True, text=True, check=True)
        sources = {os.path.basename(f["file"]): f for f in json.loads(reader.sections(made)["sources"])["files"]}
        assert all((words[1] in f["lines"]) == (f["from"] == "disk") for f in sources.values()), sources
        return {name for name, f in sources.items() if f["from"] == "disk"}, done.stderr

    for where in (project, os.path.join(project, "build")):
        names, said = from_disk(where)
        assert names == {"good.cu"} and f"2 source files are not below {project} (" in said and "--source-root DIR" in said, (names, said)
    names, said = from_disk(t.work, "--source-root", home)
    assert names == {"mine.cu", "link.cu"} and "1 source file is not below" in said, (names, said)
    assert from_disk(home, "--source-root", t.work) == ({"good.cu", "mine.cu", "link.cu"}, "")
    names, said = from_disk("/")  # as in a container
    assert not names and "the working folder is /, so that no source file is taken from the disk" in said, (names, said)
    assert from_disk("/", "--source-root", "/") == ({"good.cu", "mine.cu", "link.cu"}, "")
    done = subprocess.run([t.tool, "html", capture, "-o", t.path("none.html"), "--source-root", files["key"]], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "wants the folder of the sources" in done.stderr and not os.path.exists(t.path("none.html")), done


def redacted_has_no_text_of_the_source(t):
    capture, before = t.made("history\n" + MADE), t.made(MADE.replace("3MiB", "1MiB").replace("n * 4", "m * 8"), name="before")
    p, data, text = page(t, capture, "--redact-source", "--against", before)
    assert "sources" not in data and p["page"]["redacted"] is True
    everything = b"".join(data.values()) + text
    for secret in ("n * 4", "m * 8", "rows[i]", "rows.size", "cudaMalloc(&"):
        assert secret.encode() not in everything, secret
    whole, _, _ = page(t, capture)
    assert "n * 4" in whole["texts"]

    def figures(table):
        return [{key: value for key, value in row.items() if not isinstance(value, str)} for row in table]

    for by in ("function", "file", "kind", "device"):
        assert figures(whole["tables"][by]) == figures(p["tables"][by]), by
    for name in ("grid", "main", "float"):
        assert name in p["texts"], name
    assert all(row["size_expr"] is row["source_line"] is row["operands"] is None for row in p["tables"]["line"])


def another_capture_is_compared_as_diff_does(t):
    after, before = t.random(1), t.random(3)
    for options in ((), ("--device=0",), ("--names=short",)):
        _, data, _ = page(t, after, "--against", before, *options)
        diff = json.loads(data["diff"])
        for by in ("line", "function"):
            shown = asked(t, "diff", before, after, "--by", by, *options)
            assert diff[by] == shown["rows"], by
        grown = [s["text"] for s in json.loads(data["profile"])["sentences"] if s["to"] == "#/diff"]
        peaks = {d["device"]: (d["peak"], a["peak"]) for d in shown["b"]["devices"] for a in shown["a"]["devices"] if a["device"] == d["device"]}
        assert len(grown) == sum(now != was for now, was in peaks.values()), grown
        assert diff["before"] == {**shown["a"], "capture": os.path.basename(before)}


def a_page_that_cannot_be_so_small_says_so(t):
    capture = t.made("history\n" + MADE)
    size = len(page(t, capture)[2])
    done = t.gpumemprof("html", capture, "-o", t.path("small.html"), "--max-size", str(size // 2), status=2)
    assert not os.path.exists(t.path("small.html")) and not done.stdout
    said = done.stderr.decode()
    assert said.count("\n") == 1 and "even without single blocks" in said and "--max-size 1MiB" in said, said
    done = t.gpumemprof("html", capture, "-o", "-", "--max-size", "1000", status=2)
    assert not done.stdout
    small, data, text = page(t, capture, "--max-size", str(size + 64))
    assert len(text) <= size + 64 and small["page"]["max_size"] == size + 64
    assert reader.Events(data["events"]).head["complete"]


def many_paths(widths=(30, 30, 30)):
    """A block on each of 27000 call paths of 90 lines, most of another size; a third is freed, at other places."""
    lines, number = ["history", "program ./many", "enter main /src/many.cu 1"], 0
    for first in range(widths[0]):
        lines += [f"call {first + 2}", f"enter middle /src/many.cu 100 {'profiled' if first % 2 else ''}"]
        for second in range(widths[1]):
            lines += [f"call {second + 102}", "enter inner /src/many.cu 200"]
            for third in range(widths[2]):
                number += 1
                lines += [f"call {third + 202} variable=p", f"malloc m{number} {number * number * 7919 % 1000003 + 1}"]
                if number % 3 == 0:
                    lines += [f"call {third + 302}", f"free m{number - number % 2}"]
            lines += ["leave"]
        lines += ["leave"]
    return "\n".join(lines + ["leave", "end complete"])


def the_largest_call_paths_where_not_all_fit(t):
    """What is left out counts in the node above: every inclusive figure, and every sum, is still that of the report."""
    capture = t.made(many_paths())
    whole, _, text = page(t, capture, "--max-size", "30MiB")
    assert whole["page"]["paths"] == {"kept": len(whole["tree"]["parent"]), "seen": len(whole["tree"]["parent"])}
    most = len(text) * 2 // 3
    done = t.gpumemprof("html", capture, "-o", t.path("part.html"), "--max-size", str(most))
    data, said = reader.sections(t.path("part.html")), done.stderr.decode()
    p, size = reader.profile(data), os.path.getsize(t.path("part.html"))
    kept, seen, tree = p["page"]["paths"]["kept"], p["page"]["paths"]["seen"], p["tree"]
    assert most // 3 < size <= most and 1000 < kept < seen == len(whole["tree"]["parent"]) and kept == len(tree["parent"]), (size, most, kept)
    assert f"the page has the {kept} largest of {seen} nodes of the call tree" in said and "a higher --max-size has more" in said, said
    for self_, below in (("self_alloc", "incl_alloc"), ("self_at_peak", "at_peak"), ("leaked", "escaped")):
        sums = [value or 0 for value in tree[self_]]
        for node in range(kept - 1, 0, -1):
            assert tree["parent"][node] < node
            sums[tree["parent"][node]] += sums[node]
        assert sums == [value or 0 for value in tree[below]], below
        assert tree[below][0] == whole["tree"][below][0], below
    assert sum(tree["blocks"]) == sum(whole["tree"]["blocks"])
    own = ("at_peak", "incl_alloc", "escaped", "calls", "own_peak_max")  # of a node itself, or of all below it
    known = {(json.dumps(path_of(whole, node)), whole["tree"]["kind"][node]): [whole["tree"][name][node] for name in own]
             for node in range(seen)}
    for node in range(kept):
        assert known[json.dumps(path_of(p, node)), tree["kind"][node]] == [tree[name][node] for name in own], node
    least = min(at_peak for at_peak in tree["at_peak"] if at_peak)
    left_out = sorted(whole["tree"]["at_peak"])[:seen - kept]
    assert left_out[-1] <= least, (left_out[-1], least)
    assert sum(tree["left_out"]) == seen - kept and "left_out" not in whole["tree"]
    cells_and_pairs_are_in_range(p)
    assert p["tables"] == whole["tables"] and p["sentences"] == whole["sentences"]
    assert p["leaks"] == [dict(one, node=p["leaks"][i]["node"]) for i, one in enumerate(whole["leaks"][:len(p["leaks"])])]
    total = {"paths": len(whole["leaks"]), "bytes": sum(one["bytes"] for one in whole["leaks"]),
             "blocks": sum(one["blocks"] for one in whole["leaks"])}
    assert p["leaks_in_all"] == whole["leaks_in_all"] == total and len(p["leaks"]) < total["paths"], p["leaks_in_all"]
    events = reader.Events(data["events"])
    assert max(events.arrays["block.cell"]) < len(p["cells"]["node"]) and all(node < kept for node in events.arrays["scope.node"])
    assert all(pair == reader.NONE or pair < len(p["pairs"]["cell"]) for pair in events.arrays["block.pair"])


def written_whole_or_not_at_all(t):
    capture = t.made("history\n" + MADE)
    _, _, text = page(t, capture)
    done = t.gpumemprof("html", capture, "-o", "-")
    assert done.stdout == text
    done = t.gpumemprof("html", capture)
    size = f"{len(text) / (1 << 10):.2f} KiB" if len(text) < 1 << 20 else f"{len(text) / (1 << 20):.2f} MiB"
    assert done.stdout.decode() == f"made.html: {size}; open it in a browser: file://{t.path('made.html')}\n"
    assert open(t.path("made.html"), "rb").read() == text
    with open(capture, "r+b") as file:
        file.truncate(3000)
    t.gpumemprof("html", capture, "-o", t.path("made.html"), status=2)
    assert open(t.path("made.html"), "rb").read() == text
    assert not [name for name in os.listdir(t.work) if name.startswith("made.html.")]


if __name__ == "__main__":
    source, tool, work, case = sys.argv[1:]
    globals()[case](Case(source, tool, os.path.realpath(work)))
