"""The reader library on the capture of a program that still runs, on the simulated device: what a refresh reads, and that
what was handed out before stays as it is. The program (watched.cpp) does one thing at a time and then rests, except where
a test lets it run."""
import collections
import ctypes
import os
import select
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../reader"))
import binding  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
ALLOCATED, FREED = 0, 1
EVENTS = 11  # a type of chunks


class Running:
    """The program, and a reader of its capture."""

    def __init__(self, t):
        self.t, self.capture = t, t.work / "run.gmprof"
        program = t.build("watched", "tools/watched.cpp", flags=["-O1"])
        self.process = subprocess.Popen([program], cwd=t.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={self.capture}:quiet=1:history=all"})
        assert self.process.stdout.readline() == "ready\n"
        self.reader = binding.Reader(binding.load(str(t.stage / "lib/libgpumemprof-read.so")), self.capture)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.reader.close()
        self.process.kill()
        self.process.wait()

    def start(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

    def do(self, what):
        self.start(what)
        assert self.process.stdout.readline() == "done\n", what

    def refresh(self):
        self.reader.check(self.reader.call("refresh", self.reader.handle, 0))

    def figures(self):
        """Bytes that each function allocated, and blocks."""
        return {row["function"]: (row["self_alloc"], row["blocks"]) for row in self.reader.rows("function")}

    def events(self):
        return [(e.what, e.clock, e.bytes) for e in self.reader.events()]

    def pointer(self, name, *arguments):
        """Where a text is in memory."""
        function = getattr(ctypes.CDLL(self.reader.library._name), "gpumemprof_read_" + name)
        function.restype = ctypes.c_void_p
        return function(*arguments)


def capture_stays_at_its_moment_until_the_refresh(t):
    with Running(t) as p:
        figures, events = p.figures(), p.events()
        assert "hold" not in figures and sum(what == ALLOCATED for what, *_ in events) == sum(b for _, b in figures.values())
        for more in ("hold 1000 64", "churn 20000 1"):  # in the chunk that has room, and then in chunks of their own
            p.do(more)
            assert p.figures() == figures and p.events() == events, more
        p.refresh()
        assert p.figures()["hold"] == (1000 * 64 * KIB, 1000) and p.figures()["churn"] == (20000 * KIB, 20000), p.figures()
        more = collections.Counter(what for what, *_ in p.events()) - collections.Counter(what for what, *_ in events)
        assert more[ALLOCATED] == 1000 + 20000 and more[FREED] == 20000, more
        keys = ("function", "self_alloc", "blocks", "at_peak", "own_peak_max", "leaked")
        its, mine = t.report(p.capture, "function", "--limit", "0")["rows"], p.reader.rows("function")
        assert sorted([row[key] for key in keys] for row in its) == sorted([row[key] for key in keys] for row in mine), (its, mine)


def lists_iterators_and_texts_outlive_a_refresh(t):
    with Running(t) as p:
        r, figures, events = p.reader, p.figures(), p.events()
        rows, iterator = r.made("rows", r.handle, 0, binding.BY.index("function")), r.events()
        texts = {row: p.pointer("text", rows, row, r.call("column", rows, b"location")) for row in range(len(figures))}
        paths = {node: p.pointer("path", r.handle, 0, node) for node in range(len(r.list(binding.What.NODES)))}
        before, first = {place: ctypes.string_at(place) for place in [*texts.values(), *paths.values()]}, next(iterator)
        for _ in range(3):
            p.do("hold 100 64")
            p.do("churn 3000 1")
            p.refresh()
        assert {row["function"]: (row["self_alloc"], row["blocks"]) for row in r.rows_of(rows)} == figures
        assert [first.clock] + [e.clock for e in iterator] == [clock for _, clock, _ in events]
        assert {place: ctypes.string_at(place) for place in before} == before
        assert {node: p.pointer("path", r.handle, 0, node) for node in paths} == paths  # nodes keep their numbers


def refreshes_follow_a_program_that_does_not_wait(t):
    """Each finds at least what the one before found; its events are no more than its figures have."""
    with Running(t) as p:
        ticks, rounds = 0, 0
        for _ in range(5):
            p.start("churn 20000 1")
            p.start("once 4")
            p.start("churn 20000 2")
        said = b""
        while said.count(b"done") < 15:
            if select.select([p.process.stdout], [], [], 0)[0]:
                said += os.read(p.process.stdout.fileno(), 4096)
            p.refresh()
            before, rows = ticks, p.reader.rows("function", lifetimes=True)
            ticks = sum(row["blocks"] for row in rows)
            assert all(max(row["freed_blocks"] or 0, row["kept_blocks"] or 0) <= row["blocks"] for row in rows), rows
            events = sum(what == ALLOCATED for what, *_ in p.events())
            assert before <= events <= ticks, (before, events, ticks)
            rounds += 1
        assert rounds > 2 and p.figures()["churn"][1] == 5 * 40000, (rounds, p.figures())


def refresh_sees_the_end_of_the_program(t):
    with Running(t) as p:
        state, = p.reader.list(binding.What.CAPTURES)
        p.start("end")
        p.process.wait()
        p.refresh()
        ended, = p.reader.list(binding.What.CAPTURES)
        assert (state["state"], state["complete"], ended["state"], ended["complete"]) == ("running", False, "complete", True)


def damaged_events_are_an_error_each_time(t):
    with Running(t) as p:
        p.start("end")
        p.process.wait()
        data, at = bytearray(p.capture.read_bytes()), 4096
        while struct.unpack_from("<I", data, at)[0] != EVENTS:
            at += struct.unpack_from("<Q", data, at + 8)[0]
        data[at + 64 + struct.unpack_from("<Q", data, at + 16)[0] - 1] ^= 1
        p.capture.write_bytes(data)
        p.refresh()
        for _ in range(3):
            try:
                p.reader.list(binding.What.BLOCKS)
            except binding.Failure as failure:
                assert failure.status == -2 and "run.gmprof is damaged: its events are not those" in failure.sentence, failure
            else:
                raise AssertionError("events of another checksum were read")


def other_capture_in_its_place_is_an_error(t):
    with Running(t) as p:
        figures, events = p.figures(), p.events()
        other = t.work / "other.gmprof"
        subprocess.run([t.work / "watched"], check=True, input="end\n", text=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={other}:quiet=1:history=all"})
        shutil.move(p.capture, t.work / "moved.gmprof")
        shutil.copy(other, p.capture)
        for ask, sentence in ((p.refresh, "run.gmprof is the capture of another run now; open it"),
                              (p.events, "run.gmprof is another file than the one that was opened; open it again")):
            try:
                ask()
            except binding.Failure as failure:
                assert failure.status == -2 and sentence in failure.sentence, failure
            else:
                raise AssertionError(f"no error: {sentence}")
        assert p.figures() == figures
        shutil.move(t.work / "moved.gmprof", p.capture)
        p.refresh()
        assert p.events() == events
