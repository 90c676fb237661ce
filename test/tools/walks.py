#!/usr/bin/env python3
"""walks.py SOURCE PROGRAM WORK CASE - how often a command reads the events of a capture, and what several listeners receive in one walk.
PROGRAM is listeners_test, the tool with gpm_history_open counted.
"""
import os
import subprocess
import sys

from exports import Case

RUN = """history
enter main /m.cu 1
call 2 variable=kept
malloc kept 4MiB
repeat 12
 enter work /m.cu 10
 call 11 variable=grid
 malloc a{n} 1MiB
 call 12 variable=small
 malloc b{n} 4096 pool
 free b{n}
 leave
 free a{n}
 step
end
enter more /m.cu 20
call 21 variable=pinned
malloc p 2MiB pinned
leave
free kept
leave
"""
COMPLETE = "end complete\n"


def capture(t, name="run", more=COMPLETE):
    steps = "\n".join(RUN[RUN.index(" enter work"):RUN.index("end\nenter more")].replace("{n}", str(n)) for n in range(12))
    text = RUN[:RUN.index("repeat 12")] + steps + RUN[RUN.index("enter more"):] + more
    return t.made(text, name)


def walks_of(t, *arguments):
    """How often the events were read, by a command that worked."""
    file = t.path("walks")
    t.gpumemprof("tool", *arguments, env={**os.environ, "WALKS": file})
    with open(file, encoding="ascii") as counted:
        return int(counted.read())


def read_once_by_each_command(t):
    run, killed = capture(t), capture(t, "killed", "")
    commands = [("html", run, "-o", t.path("page.html")), ("html", run, "-o", t.path("page.html"), "--device", "0"),
                ("html", run, "-o", t.path("page.html"), "--kind", "device"),
                ("peak", "--scope", "work", run), ("peak", "--scope", "work", "--last", "0", run), ("peak", run), ("timeline", run),
                ("timeline", "--to", "20", run), ("timeline", "--axis", "clock", "--kind", "device", run), ("timeline", "--axis", "clock", run), ("timeline", "--from", "5", "--to", "20", "--axis", "clock", run),
                ("lifetimes", run), ("histogram", "--of", "lifetime", run),
                *[("leaks", "--growth", *more, of) for of in (run, killed) for more in ((), ("--format", "json"), ("--steps", "2:9"))],
                ("events", run), ("events", "--replay", run), ("export", "--to", "chrome", "-o", t.path("x"), run)]
    for words in commands:
        assert walks_of(t, *words) == 1, words
    assert walks_of(t, "temporaries", run) == walks_of(t, "report", run) == 0  # the sums have them


def listeners_receive_the_same_in_one_walk(t):
    runs = [capture(t), capture(t, "killed", "")] + [t.random(seed, history=True) for seed in range(8)]
    for run in runs:
        done = subprocess.run([t.tool, "compare", run], capture_output=True, text=True, check=False)
        assert not done.returncode, (run, done.stderr)
        counts = [int(line) for line in done.stdout.split()]
        assert min(counts[:2] + counts[3:5] + counts[6:9]) > 0, (run, counts)
        assert counts[8] == 40 or counts[8] == counts[6], counts  # it wanted no more


if __name__ == "__main__":
    source_, tool_, work_, case_ = sys.argv[1:]
    globals()[case_](Case(source_, tool_, work_))
