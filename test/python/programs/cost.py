"""What an event and a line cost: `cost.py off|lines DEPTH [new]` prints nanoseconds for an allocation with its free."""
import contextlib
import sys
import time

import gpumemprof
from device import Memory

EVENTS = 20000


def events():
    begin = time.perf_counter_ns()
    for _ in range(EVENTS):
        Memory(4096).free()
    return (time.perf_counter_ns() - begin) / EVENTS


def one():
    Memory(4096).free()


def calls():
    begin = time.perf_counter_ns()
    for _ in range(EVENTS):
        one()
    return (time.perf_counter_ns() - begin) / EVENTS


def below(depth):
    return below(depth - 1) if depth else (calls if sys.argv[3:] else events)()


with gpumemprof.lines() if sys.argv[1] == "lines" else contextlib.nullcontext():
    print(round(below(int(sys.argv[2]))))
