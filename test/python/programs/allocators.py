"""Memory of PyTorch, CuPy or Numba by gpumemprof's allocator: `allocators.py NAME CASE`. With stand-ins of these where the
test puts them into PYTHONPATH."""
import ctypes
import json
import sys
import threading

import gpumemprof

KIB = 1 << 10
library, case = sys.argv[1:3]
of = getattr(gpumemprof, library)


def make(size):
    if library == "torch":
        import torch
        return torch.empty(size)
    if library == "cupy":
        import cupy
        return cupy.empty(size)
    from numba import cuda
    return cuda.device_array(size)


def kept(size):
    return make(size)                         # line A


def step(n):
    temporary = make(n * KIB)                 # line B
    result = kept(2 * n * KIB)                # line C
    del temporary
    return result


def lines():
    ctypes.CDLL("libcuda.so.1").cuInit(0)
    assert of.use_allocator() is of.use_allocator()
    with gpumemprof.lines(path_filter="allocators.py"):
        with gpumemprof.profile("steps") as m:
            results = [step(n) for n in (1, 2, 3)]
        several = [threading.Thread(target=step, args=(10,)) for _ in range(3)]
        for one in several:
            one.start()
        for one in several:
            one.join()
        results.clear()
    assert (m.peak, m.allocated, m.net, m.kinds) == (15 * KIB, 18 * KIB, 12 * KIB, {"pool": 18 * KIB}), m
    print(json.dumps({"A": [(12 + 60) * KIB, 20 * KIB], "B": [(6 + 30) * KIB, 10 * KIB], "C": [(12 + 60) * KIB, 20 * KIB]}))


def late():
    import torch
    ctypes.CDLL("libcuda.so.1").cuInit(0)
    torch._state.initialized = True
    of.use_allocator()


def out_of_memory():
    ctypes.CDLL("libcuda.so.1").cuInit(0)
    of.use_allocator()
    try:
        make(1 << 50)
    except MemoryError as error:
        print(type(error).__name__, error)


def stream():
    import torch
    ctypes.CDLL("libcuda.so.1").cuInit(0)
    of.use_allocator()
    one = torch.empty(4096)
    one.record_stream(None)
    del one
    print(gpumemprof.snapshot().acquired)


def absent():
    sys.modules[library] = None
    of.use_allocator()


def information():
    from numba import cuda
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)  # as Numba has it
    of.use_allocator()
    one = make(1 << 20)
    free, total = cuda.memory_info()
    assert 0 < free <= total, (free, total)
    del one
    print("known")


globals()[case]()
