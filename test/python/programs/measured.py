"""Blocks, functions, methods, generators and coroutines that `profile` measures, each beside the log of the program."""
import asyncio
import contextlib
import random
import sys
import threading

import gpumemprof
from device import MIB, Expected, Memory


def nested():
    outer, inner = Expected(), Expected()
    with gpumemprof.profile("outer") as m, outer.part():
        a = Memory(8 * MIB)
        with gpumemprof.profile("inner") as n, inner.part():
            b = Memory(2 * MIB)
            a.free()
            c = Memory(MIB)
            b.free()
        c.free()
    outer.check(m)
    inner.check(n)
    assert (m.peak, n.peak, n.net, m.name) == (10 * MIB, 2 * MIB, -7 * MIB, "outer"), (m, n)
    assert m.device == n.device == 0 and m.blocks_allocated == 3 and m.kinds == {"device": 11 * MIB}, m


def recursive():
    results = []

    @gpumemprof.profile(on_result=results.append)
    def step(depth):
        a = Memory((depth + 1) * MIB)
        if depth:
            step(depth - 1)
        return a.size

    step(4)
    assert [m.peak for m in results] == [sum(range(1, n + 1)) * MIB for n in range(1, 6)], results
    assert step.profiled == results and step.__name__ == "step"


def exceptions():
    class Left(Exception):
        pass
    expected, kept = Expected(), []

    @gpumemprof.profile
    def raises():
        with expected.part():
            kept.append(Memory(3 * MIB))
            raise Left("x")

    for action in (raises, lambda: in_block(Left)):
        try:
            action()
        except Left as error:
            assert str(error) == "x" and error.__traceback__.tb_next
        else:
            raise AssertionError("the exception was lost")
    expected.check(raises.profiled[0])
    kept.clear()


def in_block(left):
    with gpumemprof.profile("block"):
        raise left("x")


class Methods:
    @gpumemprof.profile
    def plain(self, size):
        return Memory(size)

    @classmethod
    @gpumemprof.profile("named")
    def of_class(cls, size):
        return Memory(size)

    @gpumemprof.profile
    @staticmethod
    def static(size):
        return Memory(size)


def methods():
    one = Methods()
    one.plain(MIB), Methods.of_class(2 * MIB), one.static(3 * MIB)
    peaks = [f.profiled[-1].peak for f in (Methods.plain, Methods.of_class, Methods.static)]
    assert peaks == [MIB, 2 * MIB, 3 * MIB], peaks
    assert Methods.of_class.profiled[-1].name == "named" and Methods.plain.profiled[-1].name == "Methods.plain"


def generators():
    expected = Expected()

    @gpumemprof.profile
    def chunks():
        with expected.part():
            a = Memory(4 * MIB)
        got = yield 1
        assert got == "sent"
        with expected.part():
            b = Memory(2 * MIB)
            a.free()
        try:
            yield 2
        except KeyError:
            with expected.part():
                b.free()
                c = Memory(MIB)
        yield 3
        with expected.part():
            c.free()
        return "end"

    def user():
        result = yield from chunks()
        assert result == "end"
    g = user()
    assert next(g) == 1
    others = Memory(100 * MIB)  # while it waits
    assert g.send("sent") == 2
    others.free()
    assert g.throw(KeyError()) == 3
    assert next(g, None) is None
    m = chunks.profiled[0]
    expected.check(m)
    assert m.calls == expected.parts == 4 and m.peak == 6 * MIB, m
    closed = chunks()
    next(closed)
    closed.close()
    assert chunks.profiled[1].calls == 2 and chunks.profiled[1].net == 0, chunks.profiled[1]


def coroutines():
    made = {}

    @gpumemprof.profile
    async def work(name, size):
        expected = made[name] = Expected()
        with expected.part():
            a = Memory(size)
        await asyncio.sleep(0)
        with expected.part():
            b = Memory(2 * size)
            a.free()
        await asyncio.sleep(0)
        with expected.part():
            b.free()
        return name

    async def all_of_them():
        return await asyncio.gather(*(work(n, (n + 1) * MIB) for n in range(5)))

    assert asyncio.run(all_of_them()) == [0, 1, 2, 3, 4]
    for m in work.profiled:
        made[m.peak // (3 * MIB) - 1].check(m)
    assert sorted(m.peak for m in work.profiled) == [3 * MIB * n for n in range(1, 6)], work.profiled

    async def cancelled():
        task = asyncio.ensure_future(work(0, MIB))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
    assert asyncio.run(cancelled()) and len(work.profiled) == 6


def asynchronous_generators():
    expected = Expected()

    @gpumemprof.profile
    async def chunks():
        for n in range(3):
            with expected.part():
                a = Memory((n + 1) * MIB)
            await asyncio.sleep(0)
            yield n
            with expected.part():
                a.free()

    async def user():
        found = []
        async for n in chunks():
            found.append(n)
            Memory(50 * MIB).free()
        return found

    assert asyncio.run(user()) == [0, 1, 2]
    expected.check(chunks.profiled[0])
    assert chunks.profiled[0].peak == 3 * MIB


def threads():
    failures = []

    def work(seed):
        choose, live = random.Random(seed), []
        for _ in range(40):
            expected = Expected()
            with gpumemprof.profile(f"thread {seed}") as m, expected.part():
                for _ in range(choose.randrange(12)):
                    if live and choose.random() < 0.5:
                        live.pop(choose.randrange(len(live))).free()
                    else:
                        live.append(Memory(choose.randrange(1, 1 << 20)))
            try:
                expected.check(m)
            except AssertionError as error:
                failures.append(error)
        for one in live:
            one.free()

    several = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for one in several:
        one.start()
    for one in several:
        one.join()
    assert not failures, failures[0]


def snapshots():
    before = gpumemprof.snapshot()
    a = Memory(5 * MIB)
    with gpumemprof.label("part"):
        now = gpumemprof.snapshot()
    assert now.recorded and now.acquired - before.acquired == 5 * MIB and now.ordinal == 0 and now.label == "part", now
    mark = gpumemprof.mark("here")
    b = Memory(7 * MIB)
    rows = gpumemprof.live_since(mark)
    assert sum(row["bytes"] for row in rows) == 7 * MIB, rows
    a.free(), b.free()
    assert gpumemprof.live_since(mark) == []
    assert gpumemprof.reset() and not any(row["freed"] for row in gpumemprof.summary("function"))


def managers():
    """Blocks that functions open which end before the block does."""
    @contextlib.contextmanager
    def managed(expected):
        before = Memory(MIB)
        with gpumemprof.profile("managed") as m, expected.part():
            inside = Memory(2 * MIB)
            yield m
            inside.free()
        before.free()

    def stacked(several, expected):
        Memory(MIB).free()
        several.enter_context(expected.part())
        return several.enter_context(gpumemprof.profile("stacked"))

    one, two, three = Expected(), Expected(), Expected()
    with managed(one) as m:
        a = Memory(5 * MIB)
        with contextlib.ExitStack() as several:
            n = stacked(several, two)
            o = stacked(several, three)
            b = Memory(6 * MIB)
            a.free()
            nested()
        c = Memory(4 * MIB)
        b.free()
        c.free()
    one.check(m), two.check(n)
    assert (o.peak, o.net, m.calls, n.calls) == (11 * MIB, MIB, 1, 1), (o, m, n)
    assert (m.peak, n.peak, n.net) == (18 * MIB, 11 * MIB, MIB), (m, n)

    async def block(size, waits):
        with gpumemprof.profile("block") as m:
            held = Memory(size)
            for _ in range(waits):
                await asyncio.sleep(0)
            held.free()
        return m

    async def both():
        return await asyncio.gather(block(MIB, 4), block(10 * MIB, 2))
    first, second = asyncio.run(both())
    assert (first.peak, first.net, second.peak, second.net) == (11 * MIB, 0, 10 * MIB, 0), (first, second)


def overlapping():
    """Blocks of one thread that end in the order in which they began."""
    async def block(size, waits):
        expected = Expected()
        with gpumemprof.profile("block") as m, expected.part():
            held = Memory(size)
            for _ in range(waits):
                await asyncio.sleep(0)
            held.free()
        return expected, m

    async def all_of_them():
        return await asyncio.gather(block(MIB, 2), block(10 * MIB, 4), block(100 * MIB, 3))
    for expected, m in asyncio.run(all_of_them()):
        expected.check(m)
        assert m.freed > m.allocated or m.net > 0 or m.peak == 111 * MIB, m


def across_threads():
    """One object of `profile` in several threads, and a block that another thread ends."""
    shared, order, results = gpumemprof.profile("shared"), [threading.Event() for _ in range(4)], {}

    def work(number):
        expected = Expected()
        order[number].wait()
        with shared as m, expected.part():
            held = Memory((number + 1) * MIB)
            order[number + 1].set()
            order[3].wait()
            held.free()
        results[number] = expected, m
    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for one in threads:
        one.start()
    order[0].set()
    for one in threads:
        one.join()
    for expected, m in results.values():
        expected.check(m)

    block = gpumemprof.profile("across")
    m = block.__enter__()
    other = threading.Thread(target=block.__exit__, args=(None, None, None))
    other.start()
    other.join()
    assert not m.recorded and "ended on another thread" in m.note, m
    nested()


with gpumemprof.lines() if sys.argv[2:] else contextlib.nullcontext():
    globals()[sys.argv[1]]()
print("as in the log")
