#!/usr/bin/env python3
"""exports.py SOURCE TOOL WORK CASE - what `gpumemprof export` writes, against the report of the same capture.

Captures are those of random programs (oracle.py). What a file says is read by a reader of its own here, written from the
format's rules, and by the tools the format is for where this machine has them; sums and stacks are compared with
`report --format json`.
"""
import collections
import gzip
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys

import export_readers as readers
import oracle
from recorder import Recorder

SEEDS = (1, 2, 3)
FIGURES = ("self_at_peak", "self_alloc", "self_requested", "self_freed", "leaked", "blocks", "leaked_blocks", "temporary_blocks")


def needs(program):
    if not shutil.which(program):
        print(f"skipped: needs {program}")
        sys.exit(0)


class WithHistory(Recorder):
    """Blocks do not overlap, and addresses are used again."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.history, self.taken = {}, {}

    def event(self, kind, record, name, size=None, padding=0):
        if kind == 0:
            self.taken[name] = next(i for i in range(1, 1 << 20) if i not in self.taken.values())
            self.places[name] = self.taken[name] << 31
        else:
            del self.taken[name]
        super().event(kind, record, name, size, padding)


class Case:
    def __init__(self, source, tool, work):
        self.source, self.tool, self.work = source, tool, work
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def path(self, name):
        return os.path.join(self.work, name)

    def gpumemprof(self, *args, status=0, **more):
        done = subprocess.run([self.tool, *args], capture_output=True, cwd=self.work, check=False, **more)
        assert done.returncode == status, (args, done.returncode, done.stderr)
        return done

    def report(self, capture, by, *more):
        return json.loads(self.gpumemprof("report", capture, "--by", by, "--format", "json", "--limit", "0", *more).stdout)

    def random(self, seed, history=False, events=400):
        kept = oracle.Recorder
        oracle.Recorder = WithHistory if history else Recorder
        try:
            r = oracle.random_program(self.source, seed, events, history)
        finally:
            oracle.Recorder = kept
        if seed % 2:
            r.header["flags"] |= 1  # complete
        name = self.path(f"random{seed}.gmprof")
        with open(name, "wb") as out:
            out.write(r.bytes())
        return name

    def made(self, text, name="made"):
        with open(self.path(name + ".txt"), "w", encoding="utf-8") as out:
            out.write(text)
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run([sys.executable, os.path.join(here, "mkcapture.py"), self.source, self.path(name + ".txt"),
                        self.path(name + ".gmprof")], check=True)
        return self.path(name + ".gmprof")

    def export(self, capture, to, *more, name="out"):
        self.gpumemprof("export", "--to", to, "-o", name, capture, *more)
        return self.path(name)


def step_key(step):
    """A call on an unknown line is named after its function: the report leaves it open."""
    if not step["line"]:
        return None
    name = step["function"] + (f" {{{step['block']}}}" if step.get("block") else "")
    return f"{name} ({step['file']}:{step['line']})"


def frame_key(text):
    return text if re.search(r":\d+\)$", text) else None


def by_path(report, figure):
    """stack, outermost first -> sum"""
    sums = collections.Counter()
    for row in report["rows"]:
        if row[figure]:
            sums[tuple(step_key(step) for step in row["path"]) or (None,)] += row[figure]
    return sums


def folded(t):
    for seed in SEEDS:
        capture = t.random(seed)
        report = t.report(capture, "path")
        for figure in FIGURES:
            value = "at_peak" if figure == "self_at_peak" else figure
            found = collections.Counter()
            for line in open(t.export(capture, "folded", "--value", value), encoding="utf-8"):
                stack, number = re.fullmatch(r"([^\n]+) (\d+)\n", line).groups()
                found[tuple(frame_key(frame) for frame in stack.split(";"))] += int(number)
            assert found == by_path(report, figure), (seed, figure)
            assert figure == "temporary_blocks" or found, figure
        usual = t.gpumemprof("export", "--to", "folded", "-o", "-", capture).stdout
        assert usual == open(t.export(capture, "folded", "--value", "at_peak"), "rb").read()
    # What would end a frame, or the line, does not.
    capture = t.made('enter "a;b(int)" "/x y/a;.c" 1\ncall 2\nmalloc p 7\nenter main - 1\ncall 5\nmalloc q 9\n')
    assert open(t.export(capture, "folded"), encoding="utf-8").read() == (
        "a,b(int) (/x y/a,.c:2) 7\na,b(int) (/x y/a,.c:2);main 9\n")


def folded_by_flamegraph(t):
    """In PATH, or where Debian's libdevel-nytprof-perl has it."""
    script = shutil.which("flamegraph.pl") or "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
    if not os.path.exists(script):
        print("skipped: needs flamegraph.pl, as libdevel-nytprof-perl has it")
        return
    capture = t.random(1)
    svg = subprocess.run(["perl", script, "--countname=bytes", t.export(capture, "folded")], capture_output=True, check=True,
                         text=True).stdout
    drawn = re.search(r"<title>all \(([\d,]+) bytes", svg)[1].replace(",", "")
    assert int(drawn) == sum(row["self_at_peak"] for row in t.report(capture, "path")["rows"]), drawn


def filters(t):
    """A device or a kind alone has the sums that the report has of it."""
    for seed in SEEDS:
        capture = t.random(seed)
        for only in (("--kind", "pool"), ("--kind", "pinned"), ("--device", "0"), ("--device", "host")):
            sums = sum(int(line.rsplit(" ", 1)[1]) for line in
                       open(t.export(capture, "folded", "--value", "self_alloc", *only), encoding="utf-8"))
            assert sums == sum(row["self_alloc"] for row in t.report(capture, "path", *only)["rows"]), only


def pprof(t):
    for seed in SEEDS:
        capture = t.random(seed)
        profile = readers.pprof(gzip.open(t.export(capture, "pprof")).read())
        assert profile["types"] == [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"),
                                    ("inuse_space", "bytes"), ("peak_space", "bytes")], profile["types"]
        assert profile["period"] == ("space", "bytes", 1) and profile["default"] == "peak_space"
        assert profile["time"] == 1700000000 * 10**9 and profile["duration"] == 10**9 and profile["comment"] == ["./app"]
        report = t.report(capture, "path")
        for i, figure in enumerate(("blocks", "self_alloc", "leaked_blocks", "leaked", "self_at_peak")):
            found = collections.Counter()
            for stack, values, _ in profile["samples"]:
                found[tuple(frame_key(frame) for frame in reversed(stack))] += values[i]
            assert +found == by_path(report, figure), (seed, figure)
        for by, name in (("kind", lambda row: row["kind"]),
                         ("device", lambda row: row["device"] if row["device"] == "host" else f"GPU {row['device']}")):
            found = collections.Counter()
            for _, values, labels in profile["samples"]:
                found[labels[by]] += values[1]
            assert +found == {name(row): row["self_alloc"] for row in t.report(capture, by)["rows"] if row["self_alloc"]}, by


def pprof_by_pprof(t):
    """Flat bytes by function are the report's."""
    tool = ["pprof"] if shutil.which("pprof") else ["go", "tool", "pprof"]
    needs(tool[0])
    capture = t.random(1)
    path = t.export(capture, "pprof")
    out = subprocess.run([*tool, "-top", "-flat", "-unit=B", "-nodefraction=0", "-nodecount=100000", "-sample_index=alloc_space",
                          path], capture_output=True, check=True, text=True, env={**os.environ, "HOME": t.work}).stdout
    found = {m[2]: int(m[1]) for m in re.finditer(r"^\s*(\d+)B?\s+\S+%\s+\S+%\s+\d+B?\s+\S+%\s+(.*?)$", out, re.M) if int(m[1])}
    wanted = collections.Counter()
    for row in t.report(capture, "path")["rows"]:
        if row["self_alloc"]:
            wanted[row["function"] or "(code that was not rebuilt)"] += row["self_alloc"]
    assert found == wanted, (found, wanted)


def speedscope(t):
    for seed in SEEDS:
        capture = t.random(seed)
        file = json.load(open(t.export(capture, "speedscope"), encoding="utf-8"))
        stacks = readers.speedscope(file)
        report = t.report(capture, "path")
        for figure, found in zip(("self_at_peak", "self_alloc", "leaked", "blocks"), stacks, strict=True):
            sums = collections.Counter()
            for stack, weight in found:
                sums[tuple(f"{f['name']} ({f['file']}:{f['line']})" if f.get("line") else None for f in stack)] += weight
            assert sums == by_path(report, figure), (seed, figure)
    empty = json.load(open(t.export(t.made("end complete\n", "empty"), "speedscope"), encoding="utf-8"))
    assert readers.speedscope(empty) == [[], [], [], []]


def dhat(t):
    for seed in SEEDS:
        capture = t.random(seed)
        path = t.export(capture, "dhat")
        file = json.load(open(path, encoding="utf-8"))
        points = readers.dhat(file)
        report = t.report(capture, "path")
        for figure, field in (("self_alloc", "tb"), ("blocks", "tbk"), ("self_at_peak", "gb"), ("leaked", "eb"), ("leaked_blocks", "ebk")):
            sums = collections.Counter()
            for stack, point in points:
                sums[tuple(frame_key(frame) for frame in reversed(stack))] += point[field]
            assert +sums == by_path(report, figure), (seed, figure)
        sums = report["conservation"]
        assert file["te"] == sums["allocated_blocks"] + sums["freed_blocks"]
        for _, point in points:
            assert point["mb"] >= max(point["gb"], point["eb"]) and point["mb"] <= point["tb"]
            assert point["mbk"] >= max(point["gbk"], point["ebk"], 1) and point["mbk"] <= point["tbk"]


# dh_view without a page: builds its tree and tells the root's figures.
DH_VIEW = """
const fs = require('fs'), vm = require('vm');
const source = fs.readFileSync(process.argv[1], 'utf8').replace('"use strict";', '');
const context = {document: {createElement() { return {}; }}};
vm.createContext(context);
context.text = fs.readFileSync(process.argv[2], 'utf8');
vm.runInContext(source + `;gData = JSON.parse(text); gSelect = {childNodes: gSelectData.map(() => ({})), selectedIndex: 0};
  buildTree(); this.out = [gRoot._totalBytes, gRoot._totalBlocks, gRoot._atTGmaxBytes, gRoot._atTEndBytes];`, context);
console.log(JSON.stringify(context.out));
"""


def dhat_by_dh_view(t):
    needs("node")
    viewer = next((path for folder in ("/usr/libexec/valgrind", "/usr/lib/valgrind")
                   if os.path.exists(path := folder + "/dh_view.js")), None)
    if not viewer:
        print("skipped: needs dh_view.js of valgrind")
        return
    for seed in SEEDS:
        capture = t.random(seed)
        path = t.export(capture, "dhat")
        out = subprocess.run(["node", "-e", DH_VIEW, viewer, path], capture_output=True, check=True, text=True).stdout
        rows = t.report(capture, "path")["rows"]
        assert json.loads(out) == [sum(row[figure] for row in rows) for figure in
                                   ("self_alloc", "blocks", "self_at_peak", "leaked")], out


def whole_or_not(t):
    """A file that could not be finished is not there, and one that was there stays as it was."""
    capture = t.random(1)
    out = t.path("there")
    open(out, "w", encoding="utf-8").write("before")

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    said = t.gpumemprof("export", "--to", "dhat", "-o", "there", capture, status=2, preexec_fn=small).stderr.decode()
    assert said == "gpumemprof export: there could not be written completely: File too large\n".replace("there", os.path.realpath(out)), said
    assert open(out, encoding="utf-8").read() == "before"
    said = t.gpumemprof("export", "--to", "dhat", "-o", "/dev/full", capture, status=2).stderr.decode()
    assert said == "gpumemprof export: /dev/full could not be written completely: No space left on device\n", said
    with open("/dev/full", "wb") as device:
        done = subprocess.run([t.tool, "export", "--to", "pprof", "-o", "-", capture], stdout=device, stderr=subprocess.PIPE,
                              check=False)
    assert done.returncode == 2 and b"standard output could not be written completely: No space" in done.stderr, done
    left = sorted(name for name in os.listdir(t.work) if not name.startswith("random"))
    assert left == ["there"], left
    # The rights of a new file; a link stays a link; no file is made of a device.
    os.umask(0o027)
    assert stat.S_IMODE(os.stat(t.export(capture, "dhat", name="fresh")).st_mode) == 0o640
    os.symlink("fresh", t.path("link"))
    t.export(capture, "folded", name="link")
    assert os.path.islink(t.path("link")) and open(t.path("fresh"), encoding="utf-8").read().count(" (")
    t.gpumemprof("export", "--to", "folded", "-o", "/dev/null", capture)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    said = t.gpumemprof("export", "--to", "folded", "-o", ".", capture, status=2).stderr
    assert said == b"gpumemprof export: . cannot be written: Is a directory\n", said
    said = t.gpumemprof("export", "--to", "folded", "-o", "none/x", capture, status=2).stderr
    assert said == b"gpumemprof export: none/x cannot be written: No such file or directory\n", said
    # Compressed by its name, and the same inside.
    packed = open(t.export(capture, "dhat", name="x.json.gz"), "rb").read()
    assert gzip.decompress(packed) == open(t.export(capture, "dhat"), "rb").read()


def ended_by_a_signal(t):
    """It takes the unfinished file away, and ends the tool as it would have."""
    capture = t.random(1)

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    t.gpumemprof("export", "--to", "dhat", "-o", "out", capture, status=-signal.SIGXFSZ, preexec_fn=small)
    assert os.listdir(t.work) == ["random1.gmprof"], os.listdir(t.work)


def bad_input(t):
    capture = t.random(2)

    def said(*args):
        done = t.gpumemprof("export", *args, status=2)
        assert not done.stdout, done.stdout
        return done.stderr.decode()

    assert said("--to", "pprofs", capture) == "gpumemprof export: there is no format `pprofs`; did you mean `pprof`?\n"
    assert said("--to", "json", capture) == (
        "gpumemprof export: json is a format of every command's own: `gpumemprof report --format json`\n")
    assert "Python" in said("--to", "parquet", capture) and "--to callgrind" in said("--to", "kcachegrind", capture)
    assert "--to help" in said(capture)
    assert "did you mean `leaked`" in said("--to", "folded", "--value", "leakd", capture)
    assert "--value is for folded" in said("--to", "dhat", "--value", "leaked", capture)
    assert "one capture at a time" in said("--to", "dhat", capture, capture)
    assert "no device `7`" in said("--to", "dhat", "--device", "7", capture)
    assert said("--to", "dhat", "/dev/null").count("\n") == 1
    assert "is not for a terminal" in on_terminal(t, "--to", "pprof", "-o", "-", capture)
    listed = t.gpumemprof("export", "--to", "help").stdout.decode()
    for name in names(t):
        assert re.search(rf"^{name} ", listed, re.M), name
    printed = t.gpumemprof("export", "--to", "pprof", capture).stdout.decode()
    assert printed == "random2.pb.gz: pprof -http=: random2.pb.gz (or go tool pprof)\n", printed


def names(t):
    text = open(os.path.join(t.source, "tools/export/exports.def"), encoding="utf-8").read()
    found = re.findall(r'^GPM_EXPORT\(\w+,\s*"([\w-]+)"', text, re.M)
    assert len(found) > 3
    return found


def on_terminal(t, *args):
    leader, follower = os.openpty()
    done = subprocess.run([t.tool, "export", *args], stdout=follower, stderr=subprocess.PIPE, check=False)
    os.close(leader)
    os.close(follower)
    assert done.returncode == 2
    return done.stderr.decode()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
