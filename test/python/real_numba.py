#!/usr/bin/env python3
"""real_numba.py - gpumemprof's lines beside the sizes that Numba's own memory manager is asked for, on a GPU:

    PYTHONPATH=$P/lib/python3/dist-packages python3 test/python/real_numba.py

Numba's manager runs once with a class of its own that writes down each size and the lines it was asked from. Exit status: 0 equal, 1 not,
77 no numba or no GPU.
"""
import json
import os
import sys
import traceback

import real


def numba_on_gpu():
    try:
        import numpy
        from numba import cuda
        if not cuda.is_available():
            real.skip("needs a GPU")
    except ImportError as error:
        real.skip(f"needs numba with its CUDA part ({error})")
    return cuda, numpy


def make(cuda, numpy, n):
    return cuda.device_array(n, dtype=numpy.float32)


def work(cuda, numpy):
    @cuda.jit
    def double(a, b):
        i = cuda.grid(1)
        if i < a.size:
            b[i] = 2 * a[i]
    kept = [make(cuda, numpy, n) for n in (1000, 2000, 3000)]
    for step in range(3):
        a = cuda.to_device(numpy.arange(1 << (10 + step), dtype=numpy.float32))
        b = cuda.device_array_like(a)
        double[8, 128 << step](a, b)
        assert b.copy_to_host()[5] == 10
    del kept[0]
    return kept


def theirs():
    cuda, numpy = numba_on_gpu()
    from numba.cuda.cudadrv import driver
    lines, blocks = {}, []

    class Counting(driver.NumbaCUDAMemoryManager):
        def memalloc(self, size):
            blocks.append(size)
            for line in {frame.lineno for frame in traceback.extract_stack() if os.path.basename(frame.filename) == "real_numba.py"}:
                lines[str(line)] = lines.get(str(line), 0) + size
            return super().memalloc(size)
    cuda.set_memory_manager(Counting)
    work(cuda, numpy)
    print(json.dumps({"lines": lines, "blocks": len(blocks), "bytes": sum(blocks)}))


def ours():
    cuda, numpy = numba_on_gpu()
    import gpumemprof
    gpumemprof.numba.use_allocator()
    with gpumemprof.lines(path_filter="real_numba.py"), gpumemprof.profile("work") as m:
        kept = work(cuda, numpy)
        cuda.synchronize()
        cuda.current_context().deallocations.clear()
    print(json.dumps({"blocks": m.blocks_allocated, "bytes": m.allocated, "net": m.net, "kept": sum(one.nbytes for one in kept)}))


def main():
    numba_on_gpu()
    counted, mine, lines = real.both(__file__)
    right = real.compare("lines, beside what Numba's own manager is asked for, in bytes", [
        (f"real_numba.py:{line}", size, lines.get(line, [0])[0], 0) for line, size in sorted(counted["lines"].items())
        if int(line) < theirs.__code__.co_firstlineno])  # the workers' own lines differ
    right &= real.compare("all of it", [("allocated", counted["bytes"], mine["bytes"], 0), ("blocks", counted["blocks"], mine["blocks"], 0),
                                        ("left in arrays", mine["kept"], mine["net"], 0)])
    sys.exit(not right)


{"theirs": theirs, "ours": ours}.get(sys.argv[1] if sys.argv[1:] else "", main)()
