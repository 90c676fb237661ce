"""`gpumemprof top` of a program with threads that does one thing at a time: what it shows is what the program did, counted
here, and what `report` and, at the end, `leaks` say of the same moment."""
import collections
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
from harness import Skip  # noqa: E402
from vt import Terminal  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
STAGE, SPARE = 64 * KIB, 2 * MIB


class Watched:
    """The program, and its books kept a second time: blocks by the function that allocated them."""

    def __init__(self, t, options="", folder=None, name="run.gmprof"):
        self.t, self.folder = t, folder or t.work
        program = t.build("watched", "tools/watched.cpp", flags=["-O1"])
        self.capture = self.folder / name
        self.process = subprocess.Popen([program], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={self.capture}:quiet=1{options}"})
        self.live = collections.defaultdict(list)
        self.allocated, self.freed = collections.Counter(), collections.Counter()
        self.nets, self.peaks = [], []  # of main and its stages: now, and highest
        assert self.process.stdout.readline() == "ready\n"
        for number in range(3):
            self.allocate("worker", (number + 1) * MIB)
            self.allocate("spare", SPARE)
            self.free("spare", SPARE)
        for _ in range(2):
            self.nets.append(0)
            self.peaks.append(0)
        self.allocate("stage", STAGE)

    def move(self, by):
        for i in range(len(self.nets)):
            self.nets[i] += by
            self.peaks[i] = max(self.peaks[i], self.nets[i])

    def allocate(self, function, size):
        self.live[function].append(size)
        self.allocated[function] += 1
        self.move(size)

    def free(self, function, size):
        self.live[function].remove(size)
        self.freed[function] += 1
        self.move(-size)

    def do(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        word, *numbers = what.split()
        count, size = (int(numbers[0]) if numbers else 0), (int(numbers[1]) * KIB if len(numbers) > 1 else 0)
        if word == "hold":
            for _ in range(count):
                self.allocate("hold", size)
        if word == "drop":
            for _ in range(min(count, len(self.live["hold"]))):
                self.free("hold", self.live["hold"][0])
        if word == "churn":
            for _ in range(count):
                self.allocate("churn", size)
                self.free("churn", size)
        if word == "once":
            self.allocate("once", count * KIB)
        if word == "enter":
            self.nets.append(0)
            self.peaks.append(0)
            self.allocate("stage", STAGE)
        if word == "leave":
            self.free("stage", STAGE)
            self.nets.pop()
            self.peaks.pop()
        if word in ("end", "die"):
            return
        assert self.process.stdout.readline() == "done\n", what

    def top(self, *words):
        return json.loads(self.t.gpumemprof("top", *words, "--format", "json", cwd=self.folder).out)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


WORK = ("hold 5 300", "churn 7 512", "enter", "once 100", "drop 2", "hold 3 1024", "enter", "churn 40 4096", "hold 1 9000", "leave", "drop 3")


def _by_function(top):
    """Lines of `worker` are two: what it keeps, and what it does not."""
    lines = {}
    for line in top["lines"]:
        name = "spare" if line["variable"] == "spare" else line["function"]
        assert name not in lines, name
        lines[name] = line
    return lines


def _compare(w, top):
    """The program's books, and the report of the same moment."""
    lines = _by_function(top)
    assert lines.keys() == set(w.allocated), (lines.keys(), w.allocated)
    for name, line in lines.items():
        assert (line["live"], line["blocks"]) == (sum(w.live[name]), len(w.live[name])), (name, line, w.live[name])
    report = w.t.report(w.capture)
    rows = {(row["line"], row["function"]): row for row in report["rows"]}
    for line in top["lines"]:
        row = rows[line["line"], line["function"]]
        for name in ("file", "live_peak", "self_at_peak", "self_alloc"):
            assert line[name] == row[name], (name, line, row)
        assert line["live"] == row["leaked"] and line["blocks"] == row["leaked_blocks"], (line, row)
    for name in ("devices", "conservation", "losses"):
        assert top[name] == report[name], name
    assert top["conservation"]["ok"] and top["all"]["live"] == sum(line["live"] for line in top["lines"])
    assert top["all"]["live"] == sum(device["live_at_exit"] for device in top["devices"])


def _compare_scopes(w, top):
    """Threads 1 to 3 are in worker; the program's first is in main and its stages."""
    own = [scope for scope in top["scopes"] if scope["thread"] == 0]
    assert [scope["function"] for scope in own] == ["main"] + ["stage"] * (len(w.nets) - 1), own
    assert [scope["net"] for scope in own] == w.nets, (own, w.nets)
    assert [scope["own_peak"] for scope in own] == w.peaks, (own, w.peaks)
    workers = [scope for scope in top["scopes"] if scope["thread"]]
    found = sorted((scope["function"], scope["depth"], scope["net"], scope["own_peak"]) for scope in workers)
    assert found == [("worker", 0, n * MIB, n * MIB + SPARE) for n in (1, 2, 3)], found
    assert len({scope["thread"] for scope in workers}) == 3, workers
    # What a report says of the functions, once the open scopes are ended.
    peaks = {row["function"]: row["own_peak_max"] for row in w.t.report(w.capture, "function")["rows"]}
    assert peaks["main"] == own[0]["own_peak"] and peaks["worker"] == 3 * MIB + SPARE, peaks


def each_refresh_is_what_the_program_did(t):
    with Watched(t) as w:
        _compare(w, w.top("run.gmprof"))
        for what in WORK:
            w.do(what)
            top = w.top(str(w.process.pid))
            assert top["state"] == "running" and top["pid"] == w.process.pid and top["capture"] == str(w.capture), top
            _compare(w, top)
            _compare_scopes(w, top)


def the_end_of_the_program_tells_its_leaks(t):
    for last, state in (("end", "complete"), ("die", "ended without a clean exit")):
        with Watched(t) as w:
            for what in WORK:
                w.do(what)
            running = w.top("run.gmprof")
            assert all(line["leaked"] is None and line["old"] is None for line in running["lines"])
            w.do(last)
            assert w.process.wait() == (3 if last == "die" else 0)
            top = w.top("run.gmprof")
            assert top["state"] == state and bool(top["scopes"]) == (last == "die"), top
            leaks = json.loads(t.gpumemprof("leaks", w.capture, "--format", "json").out)["leaks"]
            by_line = collections.Counter()
            for leak in leaks:
                by_line[leak["line"]] += leak["bytes"]
            assert {line["line"]: line["leaked"] for line in top["lines"] if line["leaked"]} == by_line, by_line
            assert sum(by_line.values()) == (100 * KIB if last == "end" else running["all"]["live"]), by_line


def rates_are_what_happened_in_the_time(t):
    with Watched(t) as w:
        w.do("hold 1 64")
        top_words = subprocess.Popen([t.tool, "top", str(w.process.pid), "--interval", "3s", "--format", "json"], stdout=subprocess.PIPE)
        time.sleep(1.2)  # the first refresh was long ago, the second is long to come
        for what in ("hold 30 100", "churn 50 200", "drop 11"):
            w.do(what)
        top = json.loads(top_words.communicate()[0])
    seconds = top["interval_ns"] / 1e9
    assert 3 <= seconds < 30, seconds
    lines, everything = _by_function(top), top["all"]

    def is_count(rate, count):
        assert abs(rate * seconds - count) < 0.001, (rate, seconds, rate * seconds, count)

    is_count(lines["hold"]["allocations"], 30)
    is_count(lines["hold"]["frees"], 11)
    is_count(lines["churn"]["allocations"], 50)
    is_count(lines["churn"]["frees"], 50)
    is_count(lines["worker"]["allocations"], 0)
    is_count(everything["allocations_per_s"], 80)
    is_count(everything["frees_per_s"], 61)
    is_count(everything["allocated_per_s"] / KIB, 30 * 100 + 50 * 200)
    is_count(everything["freed_per_s"] / KIB, 64 + 10 * 100 + 50 * 200)
    change = 30 * 100 * KIB - 64 * KIB - 10 * 100 * KIB
    assert lines["hold"]["growth"] == lines["hold"]["change"] == everything["change"] == change, lines["hold"]
    assert lines["churn"]["change"] == 0 and not lines["hold"]["growing"]


def a_program_is_found_wherever_its_capture_is(t):
    elsewhere, here = t.work / "else where", t.work / "here"
    elsewhere.mkdir()
    here.mkdir()
    with Watched(t, folder=elsewhere, name="of its.own") as w:  # a name and a folder of its own
        assert w.top(w.process.pid)["pid"] == w.process.pid
        with Watched(t, folder=here, name="first.gmprof") as first, Watched(t, folder=here, name="second.gmprof") as second:
            assert first.top()["pid"] == second.process.pid  # began last
            os.utime(first.capture)
            assert first.top()["pid"] == second.process.pid
            second.do("die")
            second.process.wait()
            assert first.top()["pid"] == first.process.pid
            gone = t.gpumemprof("top", second.process.pid, status=2).err
            assert f"there is no process {second.process.pid}" in gone, gone
        w.capture.unlink()
        said = t.gpumemprof("top", w.process.pid, status=2).err
        assert said.count("\n") == 1 and f"process {w.process.pid}" in said, said
        (here / str(w.process.pid)).write_text("a file")  # a number is a process, ./ a file
        assert "not a gpumemprof capture" in t.gpumemprof("top", f"./{w.process.pid}", cwd=here, status=2).err


ALONE = ("unshare", "--pid", "--fork", "--mount-proc")  # no process but those that it starts


def programs_elsewhere_are_found_without_a_word(t):
    """Tests beside this one have programs that run, too: a namespace of its own has only what it is given."""
    elsewhere, here = t.work / "elsewhere", t.work / "here"
    elsewhere.mkdir()
    here.mkdir()
    with Watched(t, folder=elsewhere, name="one.gmprof") as one, Watched(t, folder=elsewhere, name="two.gmprof") as two:
        said = t.gpumemprof("top", cwd=here, status=2).err
        assert re.match(r"gpumemprof top: \d+ programs run that record, none into this folder; choose one:\n", said), said
        lines = said.splitlines()[1:]
        wanted = [f"  gpumemprof top {w.process.pid:<10} {w.capture}" for w in (one, two)]
        assert len(lines) > 20 or all(line in lines for line in wanted), said
    if subprocess.run([*ALONE, "true"], check=False, capture_output=True).returncode:
        return  # that is not allowed here

    def isolated(script):
        return subprocess.run([*ALONE, "bash", "-c", script, t.tool, t.build("watched", "tools/watched.cpp", flags=["-O1"]), elsewhere / "three.gmprof"],
                              cwd=here, capture_output=True, text=True, check=False)
    none = isolated("\"$0\" top --once")
    assert none.returncode == 2 and none.stderr == (
        "gpumemprof top: no program that you may look at records into a capture now, here or elsewhere; name a capture\n"), none
    found = isolated("GPUMEMPROF_OPTIONS=output=$2:quiet=1 \"$1\" < <(sleep 60) > said & until [ -s said ]; do sleep .1; done; "
                  "\"$0\" top --once --format json")
    assert found.returncode == 0 and json.loads(found.stdout)["capture"] == str(elsewhere / "three.gmprof"), found


def reset_restarts_the_figures(t):
    """Rates of before are none of after; lines and what is live stay."""
    with Watched(t) as w:
        w.do("hold 4 1024")
        w.do("churn 9 64")
        with Terminal([t.tool, "top", "--interval", "1h", str(w.process.pid)], cwd=t.work, columns=110) as on:
            on.read(5)
            if b"built without ncurses" in on.raw:
                raise Skip("needs ncurses")
            on.wait("churn")
            w.do("reset")
            w.do("once 512")
            on.press("r")
            rows = on.wait("(figures were reset)")
            assert any("churn" in row for row in rows) and any(row.split()[:1] == ["4.00M"] for row in rows), rows
            on.press("r")
            assert "alloc/s 0 " in on.wait("alloc/s 0 ")[2]
            on.press("q")
            assert on.ends() == 0
        w.live["churn"], before = [], dict(w.allocated)
        w.allocated = {name: 1 for name in before if w.live[name]}  # what is live is what was allocated
        _compare(w, w.top("run.gmprof"))


def the_screen_follows_the_program_to_its_end(t):
    with Watched(t) as w:
        with Terminal([t.tool, "top", "--interval", "0.1s", "--old", "1s", str(w.process.pid)], cwd=t.work, columns=110) as on:
            on.read(5)
            if b"built without ncurses" in on.raw:
                raise Skip("needs ncurses")
            on.wait("spare")
            for i in range(4):
                w.do("hold 10 1024")
                on.wait(f"{(i + 1) * 10}.0M")
            rows = on.wait(lambda rows: any("▲" in row and " hold " in row for row in rows))
            assert " running " in rows[0] and str(w.process.pid) in rows[0], rows[0]
            on.wait(lambda rows: any(row.split()[7] == "40.0M" for row in rows if " hold " in row))  # OLD, a second later
            w.do("enter")
            w.do("once 640")
            on.press("F5")
            rows = on.wait("+704K")  # the block of the stage, and 640 KiB
            shown = [row.split() for row in rows if "watched.cpp:" in row]
            threads = [row[0] for row in shown if row[0].isdigit()]
            assert len(threads) == 4 and [row[1:3] for row in shown if row[-1] == "worker"] == [
                [f"+{n}.00M", f"{n + 2}.00M"] for n in (1, 2, 3)], shown
            on.press("F5")
            before = on.wait("hold")
            w.do("die")
            rows = on.wait("the program has ended: this is its last state; q leaves")
            assert "ended without a clean exit" in rows[0] and any("40.0M" in row and " hold " in row for row in rows), (before, rows)
            on.press("q")
            assert on.ends() == 0


def _shown(rows):
    """Exact figures of the lines on the screen, by function: live, most, blocks."""
    found = {}
    for row in rows:
        cells = row.replace("▲", " ").split()
        if len(cells) > 9 and cells[8].startswith("watched.cpp:"):
            found["spare" if "*spare" in row else cells[9]] = (int(cells[0]), int(cells[2]), int(cells[5]))
    return found


def every_step_is_on_the_screen(t):
    """Most refreshes read only the figures: they are those that a newly opened capture shows."""
    with Watched(t) as w:
        with Terminal([t.tool, "top", "--interval", "1h", "--bytes", str(w.process.pid)], cwd=t.work, columns=240) as on:
            on.read(5)
            if b"built without ncurses" in on.raw:
                raise Skip("needs ncurses")
            on.wait("spare")
            figures_only = 0
            for what in (*WORK, "leave") * 3:  # so that no call path is new from the second time on
                w.do(what)
                on.press("r")
                expected = {name: (sum(w.live[name]), len(w.live[name])) for name in w.allocated}
                report = t.report(w.capture)
                most = {"spare" if row["variable"] == "spare" else row["function"]: row["live_peak"] for row in report["rows"]
                        if row["blocks"]}
                (device,) = [d for d in report["devices"] if d["device"] == 0]
                text = f"{device['live_at_exit']} peak {device['peak']} of "
                # Waits for all of it: after a step that changes nothing live, the rows of the refresh before fit `expected`, too.
                rows = on.wait(lambda rows, e=expected, m=most, d=text: {n: v[::2] for n, v in _shown(rows).items()} == e and
                               {n: v[1] for n, v in _shown(rows).items()} == m and d in rows[1])
                figures_only += " reopen " not in rows[2]
                on.press("t")
                scopes = [row.split() for row in on.wait("OPEN SCOPE") if "watched.cpp:" in row]
                nets = [int(cells[1 if cells[0].isdigit() else 0]) for cells in scopes]
                assert nets == w.nets + [MIB, 2 * MIB, 3 * MIB], (scopes, w.nets)
                on.press("t")
                on.wait("spare")
            assert len(WORK) <= figures_only < 3 * len(WORK), figures_only
            on.press("q")
            assert on.ends() == 0
