#!/usr/bin/env python3
"""top_screen.py SOURCE TOOL WORK CASE - `gpumemprof top` on a terminal made here: what the screen shows after each key.

The program that is watched is a `sleep`; its capture is made here (mkcapture.py) and replaced between refreshes, which
happen only when a test presses `r`.
"""
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

from exports import Case
from large import Large
from mkcapture import start_time
from recorder import CELLS, NONE, PAIRS
from vt import Terminal

MIB = 1 << 20
HEAD = ["program ./app --steps 9", "device 0 card 1GiB", "enter main /src/app.cu 1"]


class Watched(Case):
    """A program, and captures of it."""

    def __init__(self, *args):
        super().__init__(*args)
        self.program = subprocess.Popen(["sleep", "600"])
        self.capture = self.path("app.gmprof")

    def close(self):
        self.program.kill()
        self.program.wait()

    def write(self, *lines, end=None):
        text = "\n".join([*HEAD, *lines, end or f"end running {self.program.pid}"]) + "\n"
        with open(self.path("app.txt"), "w", encoding="utf-8") as out:
            out.write(text)
        subprocess.run([sys.executable, os.path.join(self.source, "test/tools/mkcapture.py"), self.source, self.path("app.txt"),
                        self.path("next")], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        os.replace(self.path("next"), self.capture)

    def top(self, *words, interval="1h", **more):
        return Terminal([self.tool, "top", "--interval", interval, *words, self.capture], cwd=self.work, **more)


def allocations(line, variable, count, size, name=""):
    return [f"call {line} variable={variable}"] + [f"malloc {name or variable}{i} {size}" for i in range(count)]


def lines_of(rows):
    """By place, the cells of the rows below the titles."""
    titles = next(i for i, row in enumerate(rows) if "PEAK%" in row)
    found = {}
    for row in rows[titles + 1:]:
        cells = row.split()
        place = next((i for i, cell in enumerate(cells) if cell.startswith("app.cu:")), None)
        if place is not None:
            found[cells[place]] = cells[:place]
    return found


FIRST = [*allocations(10, "weights", 3, "100MiB"), *allocations(20, "step", 2, "1MiB"), *allocations(30, "cache", 1, "5MiB")]


def figures_of_two_refreshes(t):
    t.write(*FIRST)
    begin = time.monotonic()
    with t.top() as on:
        rows = on.wait("PEAK%")
        assert rows[0].startswith(f"pid {t.program.pid}  running ") and rows[0].endswith("./app --steps 9"), rows[0]
        assert re.match(r"GPU 0   \[\|+ +307M peak 307M of 1.00G\]$", rows[1]), rows[1]
        bar = rows[1][9:-1]
        assert abs(bar.count("|") / len(bar) - 307 / 1024) < 0.02, bar
        assert "alloc/s -" in rows[2] and "blocks 6" in rows[2], rows[2]
        shown = lines_of(rows)
        assert list(shown) == ["app.cu:10", "app.cu:30", "app.cu:20"], shown
        assert shown["app.cu:10"] == ["300M", "97.7", "300M", "-", "-", "3", "-", "-"], shown
        assert rows[-1].startswith("F1Help F2Bytes F3Search F4Filter F5Scopes F6SortBy") and "F10Quit" in rows[-1], rows
        t.write(*FIRST, *allocations(20, "step", 7, "1MiB", "more"), "free cache0", *allocations(40, "late", 1, "64MiB"))
        on.press("r")
        shown = lines_of(on.wait("app.cu:40"))
        passed = time.monotonic() - begin
        assert list(shown) == ["app.cu:10", "app.cu:40", "app.cu:20", "app.cu:30"], shown
        assert shown["app.cu:20"][:1] == ["9.00M"] and shown["app.cu:20"][3:6] == ["+7.00M", "+7.00M", "9"], shown
        assert shown["app.cu:40"][3:6] == ["+64.0M", "+64.0M", "1"] and shown["app.cu:30"][3:6] == ["-5.00M", "-5.00M", "0"], shown
        assert float(shown["app.cu:20"][6]) * passed >= 5.5, (shown, passed)  # 7 in the time between the refreshes, which is less
        assert "highest 373M; sorted by LIVE" in on.screen.text()[3], on.screen.text()[3]
        on.press("r")
        shown = lines_of(on.wait(lambda rows: lines_of(rows).get("app.cu:20", [""] * 9)[4] == "0"))
        assert shown["app.cu:20"][3:7] == ["+7.00M", "0", "9", "0"], shown
        on.press("q")
        assert on.ends() == 0 and on.raw.rstrip().endswith(b"\x1b[?1l\x1b>"), on.raw[-40:]


def lines_that_rise_repeatedly_are_marked(t):
    for encoding, mark in (("C.UTF-8", "▲"), ("C", "^")):
        t.write(*FIRST)
        with t.top(LC_ALL=encoding) as on:
            on.wait("app.cu:20")
            for i in range(1, 4):
                assert mark not in "\n".join(on.screen.text()[5:]), i
                t.write(*FIRST, *allocations(20, "step", i, "1MiB", "more"))
                on.press("r")
                on.wait(f"{2 + i}.00M")
            rows = on.wait(mark)
            assert [mark in row for row in rows if "app.cu:" in row] == ["app.cu:20" in row for row in rows if "app.cu:" in row], rows
            assert all(c < "\x7f" for row in rows for c in row) == (encoding == "C"), rows
            t.write(*FIRST)
            on.press("r")
            on.wait(lambda rows, mark=mark: mark not in "\n".join(rows[5:]))
            on.press("F10")
            assert on.ends() == 0


def sorting(t):
    t.write(*allocations(10, "a", 1, "3MiB"), *allocations(20, "b", 9, "1MiB"), *[f"free b{i}" for i in range(8)],
            *allocations(30, "c", 4, "512KiB"))
    with t.top() as on:
        def order():
            return [int(place[7:]) for place in lines_of(on.screen.text())]

        def shows(expected, title):
            on.wait(lambda rows: order() == expected and f"sorted by {title}" in rows[3])

        on.wait("app.cu:30")
        shows([10, 30, 20], "LIVE")
        on.press("B")
        shows([30, 10, 20], "BLOCKS")
        on.press("I")
        shows([10, 20, 30], "BLOCKS up")  # equal ones by live bytes
        on.press("I", "X")
        shows([20, 10, 30], "PEAK")
        on.press(">")
        shows([10, 30, 20], "GROWTH")  # not known: by live bytes
        on.press("<", "<")
        shows([20, 10, 30], "PEAK%")
        on.press("N")
        shows([10, 20, 30], "LINE")
        on.press(">")
        shows([10, 30, 20], "LIVE")
        on.press("F6")
        rows = on.wait("SORT BY")
        assert any("B BLOCKS   blocks live" in row for row in rows), rows
        on.press("Down", "Down", "Enter")
        shows([20, 10, 30], "PEAK")
        on.press("F6", "Esc")
        shows([20, 10, 30], "PEAK")
    with t.top("--sort", "blocks") as on:
        on.wait("sorted by BLOCKS")
        assert [int(place[7:]) for place in lines_of(on.screen.text())] == [30, 10, 20]
        os.kill(on.pid, signal.SIGTERM)
        assert on.ends() == -signal.SIGTERM and b"\x1b[?1049l" in on.raw


def filter_and_search(t):
    t.write(*FIRST)
    with t.top() as on:
        on.wait("app.cu:20")
        on.press("F4", "C", "A", "C")
        on.wait(lambda rows: list(lines_of(rows)) == ["app.cu:30"] and rows[-1].endswith("takes it away): CAC"))
        on.press("Back", "Back", "Back", "zzz")
        on.wait("no line holds what F4 filters by")
        on.press("Back", "Back", "Back", "step", "Enter")
        on.wait(lambda rows: list(lines_of(rows)) == ["app.cu:20"] and rows[-2] == "filter: step (F4 changes it)")
        on.press("\\", "Esc")
        on.wait(lambda rows: len(lines_of(rows)) == 3 and rows[-2] == "")
        on.press("/", "step")
        on.wait("Search (F3 next, Enter or Esc ends it): step")
        on.press("Enter", "Enter")
        on.wait("CALL PATH of app.cu:20")
        on.press("Esc", "F3", "qqq")
        on.wait("ends it): stepqqq")
        on.press("Esc", "n")
        on.wait("no line holds stepqqq")
        on.press("Home", "/", *["Back"] * 7, "c", "F3", "Esc", "n", "Enter")  # each line holds it: two further, and round
        on.wait("CALL PATH of app.cu:30")
        on.press("q")
        assert on.ends() == 0


def views(t):
    t.write("enter train /src/app.cu 50", *allocations(51, "x", 2, "8MiB"), "leave", "call 3", "enter train /src/app.cu 50",
            "call 51", "malloc y 4MiB", "block epoch 55", "call 56", "malloc z 1MiB", "free z", "thread 4",
            "enter work /src/worker.cu 7", "call 8", "malloc w 2MiB")
    with t.top(columns=120) as on:
        on.wait("app.cu:51")
        on.press("Enter")
        rows = on.wait("CALL PATH of app.cu:51")
        below = rows[next(i for i, row in enumerate(rows) if "CALL PATH" in row) + 1:]
        assert re.match(r" +16.0M +\d+.\d +2 +16.0M app.cu:51 train$|.*> app.cu:51 train$", below[0]), below
        assert re.match(r" +4.00M +\d+.\d +1 +4.00M app.cu:3 main > app.cu:51 train$", below[1]), below
        on.press("F5")
        rows = on.wait("OPEN SCOPE, outermost first")
        scopes = [row for row in rows if ".cu:" in row]
        assert re.match(r" +0 +\+20.0M +21.0M app.cu:1 main$", scopes[0]), scopes
        assert re.match(r" +\+4.00M +5.00M   app.cu:50 train  from app.cu:3 main$", scopes[1]), scopes
        assert re.match(r" +0 +1.00M     app.cu:55 train \{epoch\}  from app.cu:3 main$", scopes[2]), scopes
        assert re.match(r" +4 +\+2.00M +2.00M worker.cu:7 work$", scopes[3]) and len(scopes) == 4, scopes
        on.press("t")
        on.wait("app.cu:51 train")
        on.press("e")
        on.wait("20971520")
        on.press("p")
        on.wait(" /src/app.cu:51 tr")
        on.press("Right", "Right")
        on.wait(lambda rows: "LIVE" not in rows[4])
        on.press("Left", "Left", "F1")
        rows = on.wait("COLUMNS, each with the key that sorts by it; KEYS")
        assert any("M LIVE" in row for row in rows), rows
        on.press("End")
        on.wait("q F10 Ctrl-C leave")
        on.press("h", "q")
        assert on.ends() == 0


def every_size_of_the_terminal(t):
    many = [line for i in range(200) for line in allocations(1000 + i, f"p{i}_", 1, f"{1 + i}MiB")]
    t.write(*many)
    with t.top() as on:
        rows = on.wait("app.cu:1199")
        assert len([row for row in rows if "app.cu:" in row]) == 24 - 6, rows
        on.press("PgDn")
        on.wait("app.cu:1182 main") and on.press("End")
        rows = on.wait("app.cu:1000")
        assert "app.cu:1000" in rows[-2] and "app.cu:1017" in rows[5], rows
        on.press("Up", "Home")
        on.wait("app.cu:1199")
        for rows, columns in ((50, 200), (12, 60), (6, 20), (3, 10), (1, 1), (2, 300), (24, 80)):
            on.resize(rows, columns)
            if rows > 6:
                shown = on.wait(lambda text, n=rows: len([row for row in text if "G  " in row or "M  " in row]) >= n - 8)
                assert shown[-1].startswith("F1Help"), shown
            else:
                time.sleep(0.3)
                on.read(0.1)
            on.press("Down", "F1", "F1", "F2", "F2", "t", "t", "Enter", "Esc")
        on.wait("F10Quit")
        on.press("q")
        assert on.ends() == 0


def devices_find_room(t):
    t.write(*[f"device {i} card 100GiB" for i in range(8)], *allocations(10, "a", 1, "25GiB"),
            "call 11", "malloc b 80GiB device=5", "malloc c 1GiB device=5", "free b")
    for rows, columns, first, expected in (
            (24, 80, 8, ["GPU 0 +\\[\\|{7} +25.0G/100G\\] +GPU 1 +\\[ +0/100G\\]", "GPU 4 .*GPU 5 +\\[\\|:+1.00G/100G\\]"]),
            (24, 79, 8, ["GPU 0 +\\[\\|{17} +25.0G peak 25.0G of 100G\\]", "GPU 1 +\\[ +0 peak 0 of 100G\\]"]),
            (40, 160, 8, ["GPU 4 .*GPU 5 +\\[\\|:+1.00G peak 81.0G of 100G\\]"]), (12, 80, 2, ["GPU 0 .*GPU 1 "])):
        with t.top(rows=rows, columns=columns) as on:
            shown = on.wait("F1Help")
            head = "\n".join(shown)
            for pattern in expected:
                assert re.search(pattern, head), (pattern, head)
            assert head.count("GPU ") >= first and ("more devices" in head) == (first < 8) and "app.cu:10" in head, head
            on.press("q")
            assert on.ends() == 0


def program_that_ends(t):
    t.write(*FIRST)
    with t.top(interval="100ms") as on:
        on.wait("running")
        t.write(*FIRST, "free step0", "leave", end=f"end running {t.program.pid}\nend complete")
        rows = on.wait("the program has ended: this is its last state; q leaves")
        assert " complete " in rows[0] and "LEAKED" in rows[4], rows
        shown = lines_of(rows)
        assert shown["app.cu:20"][-1] == "1.00M" and shown["app.cu:10"][-1] == "300M", shown
        before = on.screen.text()
        time.sleep(0.4)
        on.read(0.1)
        assert on.screen.text() == before
        on.press("F5")
        on.wait("no scope is open")
        on.press("q")
        assert on.ends() == 0
    t.write(*FIRST)
    with t.top(interval="100ms") as on:
        on.wait("running")
        t.close()
        on.wait("ended without a clean exit")
        on.press("\x03")
        assert on.ends() == 0


def advice_once_the_program_has_ended(t):
    """While it runs, what it does later may use any memory."""
    ptx = t.path("kernels.ptx")
    shutil.copyfile(os.path.join(t.source, "test/tools/lit/Inputs/kernels.ptx"), ptx)
    os.utime(ptx, (1699999999, 1699999999))  # before the recording
    run = ["history", f"module {ptx} 1 1", "kernel step _Z4stepPf p", "call 10 variable=a", "malloc a 4MiB", "call 11", "launch step a",
           "call 12 variable=b", "malloc b 4MiB", "call 13", "launch step b", "call 14", "free a"]
    t.write(*run)
    with t.top(interval="100ms", columns=140) as on:
        rows = on.wait("running")
        assert "advise" not in "\n".join(rows), rows
        t.write(*run, "call 15", "free b", "leave", end=f"end running {t.program.pid}\nend complete")
        rows = on.wait("gpumemprof advise: ")
        assert rows[-3] == "gpumemprof advise: app.cu:14 main: free a after line 11 instead (step was its last use): peak 8.00 MiB -> 4.00 MiB", rows[-3]
        assert rows[-2].startswith("the program has ended") and rows[-1].startswith("F1Help"), rows
        on.press("q")
        assert on.ends() == 0


def file_that_breaks(t):
    t.write(*FIRST)
    with t.top(interval="100ms", columns=120) as on:
        on.wait("running")
        with open(t.path("next"), "wb") as out:
            out.write(open(t.capture, "rb").read()[:5000])
        os.replace(t.path("next"), t.capture)
        rows = on.wait("this is the state before: ")
        assert "app.gmprof is truncated" in rows[-2] and "300M" in "\n".join(rows), rows
        t.write(*FIRST)
        rows = on.wait(lambda rows: "truncated" not in "\n".join(rows))
        os.remove(t.capture)
        on.wait("does not exist")
        t.write(*FIRST, end="pid 1")
        rows = on.wait("this is the state before: app.gmprof is another program's by now")
        assert " ended " in rows[0] and "300M" in "\n".join(rows), rows
        on.press("q")
        assert on.ends() == 0


def file_that_is_scribbled_over(t):
    """In place, so that a refresh that reads only figures meets what no program writes: the state before, or other figures."""
    t.write("enter train /src/app.cu 50", *allocations(51, "x", 2, "8MiB"), "free x0", "thread 4", "enter work /src/app.cu 7", *FIRST)
    good, rng = open(t.capture, "rb").read(), random.Random(1)
    with t.top(columns=120) as on, open(t.capture, "r+b", buffering=0) as file:
        on.wait("running")
        for i in range(120):
            at = rng.choice((rng.randrange(4096, len(good)), rng.randrange(0, len(good) // 8) * 8))
            what = rng.choice((b"\xff" * 8, bytes(8), rng.randbytes(1), rng.randbytes(4), struct.pack("<Q", rng.randrange(1 << 20))))
            os.pwrite(file.fileno(), what, at)
            on.press("r", "t")
            on.wait("F10Quit")
            os.pwrite(file.fileno(), good, 0)
            file.truncate(len(good))
            on.press("r", rng.choice(("t", "Enter", "e", "F6", "Esc", "Down", "End")))
        on.press("Esc", "r")
        rows = on.wait(lambda rows: "app.cu:51" in "\n".join(rows) and ("running" in rows[0] or "another" in rows[-2]))
        assert "running" not in rows[0] or " refresh " in rows[2] or " reopen " in rows[2], rows
        on.press("q")
        assert on.ends() == 0, on.raw[-3000:]


def pause_and_interval(t):
    t.write(*FIRST)
    with t.top(interval="100ms") as on:
        on.wait("running")
        on.press("Space")
        on.wait("top is paused")
        t.write(*FIRST, *allocations(40, "late", 1, "64MiB"))
        time.sleep(0.4)
        on.read(0.1)
        assert "app.cu:40" not in "\n".join(on.screen.text())
        on.press("r")
        on.wait("app.cu:40")
        on.press("d", "x", "Enter")
        on.wait("`x` is no time of 0.1 or more seconds")
        on.press("s", "0.2", "Enter", "Space")
        t.write(*FIRST, *allocations(40, "late", 1, "64MiB"), "free late0")
        on.wait(lambda rows: lines_of(rows)["app.cu:40"][0] == "0")
        on.press("q")
        assert on.ends() == 0


def colours_and_terminals(t):
    t.write(*FIRST)
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False), ({"TERM": "linux"}, True)):
        with t.top(**environment) as on:
            while b"F10" not in on.raw:
                assert on.read(5)
            assert bool(re.search(rb"\x1b\[[0-9;]*[34][0-7](;[0-9;]*)?m", on.raw)) == coloured, (environment, on.raw)
            on.press("q")
            on.screen.feed = lambda data: None
            assert on.ends() == 0
    on = t.top(interval="100ms")
    on.wait("running")
    os.close(on.fd)  # the window was closed
    end = time.monotonic() + 20
    while not (gone := os.waitpid(on.pid, os.WNOHANG))[0]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert os.waitstatus_to_exitcode(gone[1]) in (0, -signal.SIGHUP), gone
    for name in ("no-such-terminal", "dumb", ""):
        with t.top(TERM=name) as on:
            assert on.ends() == 2
            said = on.raw.decode().replace("\r\n", "\n")
            assert said == (f"gpumemprof top: the terminal `{name}` (TERM) is not known, or has no screen to draw on; set TERM "
                            "to what it is, or use --once\n"), said


def names_are_harmless(t):
    """What a capture says reaches the terminal as text: no control characters, wide characters counted."""
    t.write("enter ev\x07il /src/ev\x1b[31mil.cu 1", 'call 9 variable="測試測試測試測試測試測試測試測試測試" size_expr="\x1b]0;title"', "malloc a 1MiB")
    with t.top(columns=90) as on:
        on.wait("1.00M")
        on.press("F5")
        on.wait("OPEN SCOPE")
        on.press("t", "Right", "Right", "Enter", "q")
        on.ends()
        assert b"\x07" not in on.raw and b"]0;title" not in on.raw.replace(b"?]0;title", b""), on.raw


def refreshes_of_many_call_paths_are_cheap(t):
    """10^4 call paths of 20 calls each that have nothing in common, 400000 nodes; a cell and a pair for each path. The first refresh
    opens the capture, later ones read only figures."""
    r = Large(t.source)
    scopes = [r.site(1, 0, 10 * i, file="/src/app.cu", function=f"function_{i}") for i in range(500)]
    calls = [r.site(3, 2, 10 * i + 1, file="/src/app.cu", function=f"function_{i}", variable="p") for i in range(500)]
    r.add(NONE, NONE)
    for path in range(10000):
        node = 0
        for level in range(20):
            node = r.add(r.add(node, scopes[(path + 7 * level) % 500]), calls[(path + 7 * level) % 500])
        r.packed[CELLS] += struct.pack("<IHH14Q8x", node, 1, 0, 4, 64, 1, 32, 1, 3, 0, 64, 1, 1, 64, 64, 900, 1)
        r.packed[PAIRS] += struct.pack("<II8x2Q", path, node, 32, 1)
    r.devices[1].update(peak=64 * 10000, epoch=1)
    r.header.update(pid=t.program.pid, pid_start=start_time(t.program.pid),
                    boot_id=open("/proc/sys/kernel/random/boot_id", encoding="utf-8").read().strip())
    with open(t.capture, "wb") as out:
        out.write(r.bytes())
    with t.top(interval="100ms", columns=120) as on:
        took, end = [], time.monotonic() + 120
        while sum(not reopened for _, reopened in took) < 6 and time.monotonic() < end:
            rows = on.wait("blocks ", seconds=60)
            word, value, unit = rows[2].split()[-3:]
            refresh = (float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit], word == "reopen")
            if took[-1:] != [refresh]:  # the same figure is the same refresh
                took.append(refresh)
            on.read(0.2)
        assert {cells[0] for cells in lines_of(rows).values()} == {"640B"}, rows  # 20 paths end at each line
        on.press("q")
        assert on.ends() == 0
    figures_only = [ms for ms, reopened in took if not reopened]
    print(f"a refresh took {took[0][0]:.1f} ms of a processor at first, then {min(figures_only):.1f} to {max(figures_only):.1f} ms")
    assert took[0][1] and len(figures_only) == 6 and min(figures_only) < min(50, took[0][0] / 4), took


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    watched = Watched(*sys.argv[1:4])
    try:
        watched.write()
        with watched.top() as terminal:
            terminal.press("q")
            terminal.ends()
        if b"built without ncurses" in terminal.raw:
            print("skipped: needs ncurses")
            sys.exit(0)
        globals()[sys.argv[4]](watched)
    finally:
        watched.close()
