"""Random calls of Python functions that allocate and free, with recursion, exceptions, generators and threads, seen by
gpumemprof.lines and by the oracle: `random_calls.py SEED THREADS [trace]` prints the oracle's figures as JSON."""
import gc
import json
import random
import sys
import threading

import gpumemprof
from device import Memory
from oracle import Oracle

oracle = Oracle()


class Thread:
    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.live = []
        self.budget = 400

    def keep(self, depth):
        self.live.append(Memory(self.choose.randrange(1, 100000)))
        return self.any(depth)

    def temporary(self, depth):
        one = Memory(self.choose.randrange(1, 100000))
        self.any(depth)
        two = Memory(self.choose.randrange(1, 100000)); self.any(depth)
        return one.size + two.size

    def release(self, depth):
        if self.live:
            self.live.pop(self.choose.randrange(len(self.live))).free()
        self.any(depth)

    def raises(self, depth):
        kept = Memory(self.choose.randrange(1, 100000))
        try:
            self.thrower(depth)
        except ValueError:
            self.any(depth)
        return kept.size

    def thrower(self, depth):
        held = Memory(self.choose.randrange(1, 100000))
        self.any(depth)
        raise ValueError(held.size)

    def nested(self, depth):
        def inner(n):
            return [Memory(self.choose.randrange(1, 1000)) for _ in range(n)]
        found = inner(3) + inner(2)
        self.any(depth)
        return len(found)

    def loop(self, depth):
        for _ in range(3):
            self.any(depth)
            Memory(self.choose.randrange(1, 100000)).free()

    def generates(self, depth):
        for n in self.numbers(depth):
            Memory(n).free()
        one = self.numbers(depth)
        next(one)
        next(one)  # the same activation, called from another line
        return one

    def numbers(self, depth):
        for _ in range(3):
            one = Memory(self.choose.randrange(1, 100000))
            yield one.size
            self.any(depth)

    def measured(self, depth):
        with gpumemprof.profile("block") as m:
            self.any(depth)
            Memory(5).free()
        assert m.recorded
        self.any(depth)

    def any(self, depth):
        self.budget -= 1
        if depth > 0 and self.budget > 0:
            name = self.choose.choice(("keep", "temporary", "release", "release", "raises", "nested", "loop", "generates", "measured"))
            getattr(self, name)(depth - 1)


def work(seed):
    thread = Thread(seed)
    for _ in range(20):
        thread.budget = 60
        thread.any(8)
        gpumemprof.step()
    for one in thread.live:
        one.free()


def main():
    seed, threads = int(sys.argv[1]), int(sys.argv[2])
    if sys.argv[3:] == ["trace"]:  # as under a debugger or a coverage tool: a function of its own traces each frame
        traced = []

        def trace(frame, event, _):
            traced.append(event)
            return trace if frame.f_code.co_name == "keep" else None
        sys.settrace(trace)
    with gpumemprof.lines(path_filter="random_calls.py"):
        oracle.start()
        work(seed)
        several = [threading.Thread(target=work, args=(seed * 100 + n,)) for n in range(1, threads)]
        for one in several:
            one.start()
        for one in several:
            one.join()
        oracle.stop()
    if sys.argv[3:] == ["trace"]:
        sys.settrace(None)
        assert traced.count("line") > 100, "the debugger's own trace function was called"
    gc.collect()
    print(json.dumps(oracle.figures()))


main()
