"""torch_calls.py - what torch does with gpumemprof's allocator, without torch: calls the two functions through ctypes, under
scopes and labels of examples/torch_scopes.py, and compares every figure with its own count.

    torch_calls.py LIBCUDA CASE      in the environment: LIB, HEADERS, and EXAMPLES, where torch_scopes.py is
"""
import ctypes
import json
import os
import random
import sys
import threading

sys.path.insert(0, os.environ["EXAMPLES"])
import torch_scopes as t  # noqa: E402

MIB = 1 << 20
malloc, free, used_by = t.lib.gpumemprof_torch_malloc, t.lib.gpumemprof_torch_free, t.lib.gpumemprof_torch_record_stream
malloc.restype = ctypes.c_void_p
malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
used_by.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
free.restype = used_by.restype = None


def driver():
    library = ctypes.CDLL(sys.argv[1])
    assert library.cuInit(0) == 0
    return library


def layout():
    """As C has them: test/e2e/cuda/torch_allocator.py compares."""
    for name, structure in ("snapshot", t.Snapshot), ("result", t.Result):
        print(name, ctypes.sizeof(structure), *(f"{f}:{getattr(structure, f).offset}" for f, _ in structure._fields_))


class Count:
    """The figures of one scope, counted here."""

    def __init__(self):
        self.allocated = self.freed = self.net = self.peak = 0

    def moved(self, size):
        self.net += size
        if size > 0:
            self.allocated += size
        else:
            self.freed -= size
        self.peak = max(self.peak, self.net)


def play(seed, lines, labels, lock, live):
    """Random allocations and frees below scopes, at most four deep."""
    dice, blocks, counts = random.Random(seed), [], []

    def step(depth):
        for _ in range(12):
            what = dice.random()
            if what < 0.45:
                size = dice.randrange(1, 100000)
                p = malloc(size, 0, None)
                assert p
                blocks.append((p, size))
                for c in counts:
                    c.moved(size)
                with lock:
                    key = counts[-1].line if counts else "via torch"
                    lines[key] = lines.get(key, 0) + size
                    labels[labelled[-1]] = labels.get(labelled[-1], 0) + size
            elif what < 0.8 and blocks:
                p, size = blocks.pop(dice.randrange(len(blocks)))
                free(p, size, 0, None)
                for c in counts:
                    c.moved(-size)
            elif depth < 4:
                counts.append(Count())
                counts[-1].line = f"torch_calls.py:{sys._getframe().f_lineno + 1} step"
                with t.scope(f"depth {depth}") as result:
                    step(depth + 1)
                c = counts.pop()
                got = result.allocated, result.freed, result.net, result.own_peak
                assert got == (c.allocated, c.freed, c.net, c.peak), (got, vars(c))
                assert result.left == 1 and result.created[1].bytes == c.allocated, result.left

    labelled = [None]
    step(0)
    for i in range(3):
        with t.label(f"round {i}"):
            labelled.append(f"round {i}")
            step(0)
            labelled.pop()
    with lock:
        live.append(sum(size for _, size in blocks))


def figures():
    driver()
    lines, labels, lock, live = {}, {}, threading.Lock(), []
    threads = int(sys.argv[3])
    if threads == 1:
        play(7, lines, labels, lock, live)
    else:
        running = [threading.Thread(target=play, args=(seed, lines, labels, lock, live)) for seed in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    now = t.snapshot(0)
    assert now.acquired == sum(live) and now.live[1].bytes == sum(live), (now.acquired, live)
    print(json.dumps({"lines": lines, "labels": {k or "": v for k, v in labels.items()}, "live": sum(live)}))


def out_of_memory():
    driver()
    with t.scope("fits") as fits:
        a = malloc(40 * MIB, 0, None)
    with t.scope("does not") as refused:
        b = malloc(40 * MIB, 0, None)
    assert a and not b and fits.allocated == 40 * MIB and refused.allocated == 0, (a, b)
    free(a, 40 * MIB, 0, None)
    assert malloc(40 * MIB, 0, None), "what was freed is there again"


def nothing_recorded():
    driver()
    with t.scope("off") as result, t.label("off"):
        a = malloc(MIB, 0, None)
    free(malloc(5, 0, None), 5, 0, None)
    free(None, 0, 0, None)
    assert a and malloc(0, 0, None) is None and malloc(-5, 0, None) is None
    assert not any(bytes(result)) and not any(bytes(t.snapshot())), "all zeros"
    free(a, MIB, 0, None)


def no_driver():
    ctypes.set_errno(7)
    assert malloc(100, 0, None) is None and malloc(100, 0, None) is None
    free(12345, 100, 0, None)


def wrong_device():
    driver()
    for device in 2, -1, 1000:
        assert malloc(100, device, None) is None


def two_devices():
    cuda = driver()
    one, context, current = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(one), 0) == 0 and cuda.cuCtxSetCurrent(one) == 0
    with t.scope("both") as both:
        blocks = [(malloc((1 + device) * MIB, device, None), device) for device in (0, 1)]
    assert all(p for p, _ in blocks) and both.allocated == 3 * MIB, both.allocated
    cuda.cuCtxGetCurrent(ctypes.byref(current))
    assert current.value == one.value, "the context that was current is"
    assert t.snapshot(0).acquired == MIB and t.snapshot(1).acquired == 2 * MIB
    cuda.cuCtxSetCurrent(context)
    for p, device in blocks:
        free(p, 0, device, None)
    assert t.snapshot(0).acquired == 0 and t.snapshot(1).acquired == 0


def pool_used(cuda):
    pool, used = ctypes.c_void_p(), ctypes.c_uint64()
    assert cuda.cuDeviceGetMemPool(ctypes.byref(pool), 0) == 0
    assert cuda.cuMemPoolGetAttribute(pool, 7, ctypes.byref(used)) == 0
    return used.value


def streams():
    """A stream that is captured: memory of the graph, and frees of what was there before."""
    cuda = driver()
    before, side = malloc(3 * MIB, 0, None), malloc(MIB, 0, None)
    context, stream, other = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
    assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == 0 and cuda.cuStreamCreate(ctypes.byref(other), 1) == 0
    for _ in range(3):
        used_by(side, other)
    for i in range(20):
        used_by(side, 1 + i % 2)  # the default streams, by their other names
    waits = ctypes.c_int.in_dll(ctypes.CDLL(None), "waits")
    free(side, MIB, 0, None)
    assert waits.value == 3 and pool_used(cuda) == 3 * MIB, "for each stream that used it, once"
    free(malloc(MIB, 0, None), MIB, 0, None)
    assert waits.value == 3, "another block at the address waits for nobody"
    assert cuda.cuStreamBeginCapture_v2(stream, 0) == 0
    inside = malloc(MIB, 0, stream)
    kept = malloc(2 * MIB, 0, stream)
    assert inside and kept
    free(inside, MIB, 0, stream)
    used_by(before, stream)
    free(before, 3 * MIB, 0, other)  # now it would join the capture
    before = malloc(3 * MIB, 0, None)
    free(before, 3 * MIB, 0, stream)  # now it would end it
    assert waits.value == 3
    assert t.snapshot(0).acquired == 2 * MIB and pool_used(cuda) == 6 * MIB
    graph, program = ctypes.c_void_p(), ctypes.c_void_p()
    assert cuda.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0, "the capture stands"
    nodes = ctypes.c_size_t()
    assert cuda.cuGraphGetNodes(graph, None, ctypes.byref(nodes)) == 0 and nodes.value == 3, "two of memory, one frees"
    assert cuda.cuGraphInstantiateWithFlags(ctypes.byref(program), graph, ctypes.c_ulonglong(1)) == 0
    for _ in range(2):
        assert cuda.cuGraphLaunch(program, stream) == 0
    small = malloc(512, 0, None)
    assert pool_used(cuda) == 512, "what waited is freed"
    free(kept, 2 * MIB, 0, stream)
    assert cuda.cuGraphLaunch(program, stream) == 0, "it was freed, so a launch allocates it again"
    free(small, 512, 0, None)
    assert t.snapshot(0).acquired == 0


def without_pools():
    driver()
    p = malloc(MIB, 0, None)
    now = t.snapshot(0)
    assert p and now.live[0].bytes == MIB and now.live[1].bytes == 0, "device memory"
    free(p, MIB, 0, None)
    assert t.snapshot(0).acquired == 0


globals()[sys.argv[2]]()
