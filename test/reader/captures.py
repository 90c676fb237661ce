#!/usr/bin/env python3
"""captures.py SOURCE FOLDER - captures for the tests of the reader library, from text: `worked.gmprof` (the worked
example, with its events), some of the tool's fixtures, and random programs, one of them with many chunks of events."""
import pathlib
import struct
import sys

SOURCE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "test/tools"))
import mkcapture  # noqa: E402
import oracle  # noqa: E402
import recorder  # noqa: E402

WORDS = ("budgets_broken_and_met", "oom", "pools", "temporaries", "growth", "that_grow", "variables_separately", "labels", "streams")  # in names of fixtures


class SmallChunks(recorder.Recorder):
    """A recorder that begins a new chunk of events after a few, so that reading them goes back to the file often."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.full, self.begins = [], {}

    def event(self, *arguments, **more):
        super().event(*arguments, **more)
        done, clock, time, _ = self.history[self.thread]
        if len(done) >= 48:
            self.end_chunk(self.thread)
            self.begins[self.thread] = clock, time
            self.history[self.thread] = b"", clock, time, 0

    def end_chunk(self, thread):
        head = struct.pack("<4Q", len(self.full) + 1, *self.begins.get(thread, (0, 0)), 0)
        self.full.append((thread, head + self.history[thread][0]))

    def records(self):
        yield from (record for record in super().records() if record[0] != recorder.EVENTS)
        for thread in sorted(self.history):
            self.end_chunk(thread)
        yield from ((recorder.EVENTS, thread, [bytes([byte]) for byte in chunk]) for thread, chunk in self.full)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    example = (SOURCE / "test/tools/lit/Inputs/worked_example.txt").read_text(encoding="utf-8")
    with_events = FOLDER / "worked.txt"
    with_events.write_text("history\n" + example, encoding="utf-8")
    mkcapture.main(str(SOURCE), str(with_events), str(FOLDER / "worked.gmprof"))
    made = 0
    for fixture in sorted((SOURCE / "test/tools/lit").rglob("*.test")):
        if not any(word in fixture.stem for word in WORDS):
            continue
        try:
            mkcapture.main(str(SOURCE), str(fixture), str(FOLDER / f"{fixture.stem}.gmprof"))
            made += 1
        except (AttributeError, ValueError, IndexError, FileNotFoundError, TypeError):
            continue  # a test without a fixture of its own
    assert made > 5, made
    for seed in range(3):
        (FOLDER / f"random{seed}.gmprof").write_bytes(oracle.random_program(str(SOURCE), seed, 30).bytes())
    oracle.Recorder = SmallChunks
    (FOLDER / "small_chunks.gmprof").write_bytes(oracle.random_program(str(SOURCE), 5, 400, history=True).bytes())


main()
