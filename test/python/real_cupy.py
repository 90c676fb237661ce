#!/usr/bin/env python3
"""real_cupy.py - gpumemprof's lines beside CuPy's LineProfileHook, on a GPU:

    PYTHONPATH=$P/lib/python3/dist-packages python3 test/python/real_cupy.py

All sizes are multiples of 512, to which CuPy rounds. LineProfileHook's used_bytes of a line are inclusive; it has no own peaks and
no frees. Exit status: 0 equal, 1 not, 77 no cupy or no GPU.
"""
import json
import os
import sys

import real


def cupy_on_gpu():
    try:
        import cupy
        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # noqa: BLE001 - CuPy has an error of its own for each reason
        real.skip(f"needs cupy and a GPU ({error})")
    return cupy


def smooth(cupy, a):
    b = cupy.empty_like(a)
    b[1:] = a[1:] + a[:-1]
    return b


def chunk(cupy, n):
    a = cupy.zeros((n, 128), dtype=cupy.float32)
    return smooth(cupy, a)


def work(cupy):
    kept = []
    for n in (1, 2, 3):
        kept.append(chunk(cupy, n))
        kept.append(cupy.ones(n * 256, dtype=cupy.float32))
    del kept[1:3]
    return sum(one.size for one in kept)


def theirs():
    cupy = cupy_on_gpu()
    from cupy.cuda import memory_hooks
    work(cupy)  # kernels are compiled, and what CuPy itself keeps is there
    hook = memory_hooks.LineProfileHook()
    with hook:
        work(cupy)
    lines = {}

    def walk(frame):
        at = frame.stackframe
        if at is not None and os.path.basename(at.filename) == "real_cupy.py":
            row = lines.setdefault(str(at.lineno), [0, 0])
            row[0] += frame.used_bytes
            row[1] += frame.acquired_bytes
        for child in frame.children:
            walk(child)
    walk(hook._root)
    print(json.dumps(lines))


def ours():
    cupy = cupy_on_gpu()
    import gpumemprof
    gpumemprof.cupy.use_allocator()
    work(cupy)
    gpumemprof.reset()
    with gpumemprof.lines(path_filter="real_cupy.py"), gpumemprof.profile("work") as m:
        work(cupy)
    print(json.dumps([m.peak, m.net, m.allocated]))


def main():
    cupy_on_gpu()
    hook, (peak, net, allocated), lines = real.both(__file__)
    called = {line for line, row in lines.items() if row[0]} | set(hook)
    first = work.__code__.co_firstlineno + 8  # the workers' lines are behind the workload, and differ
    workers = {line for line in called if int(line) > first}
    total = max(figures[0] for figures in hook.values())
    right = real.compare("lines, beside used_bytes of LineProfileHook, in bytes", [
        (f"real_cupy.py:{line}", hook.get(line, [0])[0], lines.get(line, [0])[0], 0) for line in sorted(called) if line not in workers])
    right &= real.compare("all of it", [("allocated", total, allocated, 0)])
    print(f"\nonly ours: it needs {peak} bytes and leaves {net}")
    sys.exit(not right)


{"theirs": theirs, "ours": ours}.get(sys.argv[1] if sys.argv[1:] else "", main)()
