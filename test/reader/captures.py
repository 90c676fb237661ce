#!/usr/bin/env python3
"""captures.py SOURCE FOLDER - captures for the tests of the reader library, from text: `worked.gmprof` (the worked
example, with its events), some of the tool's fixtures, and random programs."""
import pathlib
import sys

SOURCE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "test/tools"))
import mkcapture  # noqa: E402
import oracle  # noqa: E402

WORDS = ("budgets_broken_and_kept", "oom", "pools", "temporaries", "growth", "that_grow", "variables_separately", "labels", "streams")  # in names of fixtures


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


main()
