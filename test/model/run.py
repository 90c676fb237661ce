#!/usr/bin/env python3
"""run.py - enumerates every interleaving of three threads with two events each, in the models of this folder, and checks
that each fault that is planted in a model is found.

What is proved here is argued in docs/decisions/31-one-lock-of-a-device.md. The code itself is tested by unit.collisions_*,
unit.repeats and e2e.frames: a model is no test of the code.
"""
import itertools
import sys

from events import Events
from explore import Broken, explore
from seal import Seal

BEFORE = ((0, 1, 4), (1, 2, 2), (0, 3, 1))  # cell, address, bytes
SCRIPTS = (  # of two events each
    (("alloc", 0, 10, 3), ("free", 10)),
    (("free", 1), ("alloc", 0, 11, 4)),
    (("alloc", 1, 12, 1), ("alloc", 1, 13, 2)),
    (("free", 1), ("free", 2)),
    (("free", 3), ("alloc", 1, 14, 6)),
    (("measure",), ("measure",)),
)


def events(scripts, fault=None):
    return explore(Events(list(scripts), fault, BEFORE))


def may_run(scripts):
    """Each address is allocated by one thread; one scope is measured at a time."""
    names = [event[2] for script in scripts for event in script if event[0] == "alloc"]
    return len(names) == len(set(names)) and sum(script[0][0] == "measure" for script in scripts) <= 1


def all_events(fault=None):
    chosen = [s for s in itertools.combinations_with_replacement(SCRIPTS, 3) if may_run(s)]
    return len(chosen), sum(events(scripts, fault) for scripts in chosen)


def finds(name, run):
    try:
        run()
    except Broken as broken:
        print(f"planted: {name}: {str(broken).splitlines()[0]}")
        return True
    print(f"planted: {name}: not found", file=sys.stderr)
    return False


def main():
    programs, states = all_events()
    print(f"events: {programs} programs of three threads with two events each, {states} states")
    states = explore(Seal([2, 2, 2]))
    print(f"seal: three threads with two events each and one that seals, {states} states")
    found = [finds(name, lambda name=name: all_events(name)) for name in ("no lock", "no second check", "limit not set")]
    found += [finds(name, lambda name=name: explore(Seal([2, 2], name))) for name in ("no barrier", "not busy")]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
