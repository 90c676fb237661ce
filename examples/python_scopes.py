#!/usr/bin/env python3
"""python_scopes.py - the scopes of torch_scopes.py without PyTorch: two steps of a training that only allocate.

    LIB=/opt/gpumemprof/lib/libgpumemprof.so gpumemprof dryrun python3 examples/python_scopes.py

It asks gpumemprof's allocator for memory as PyTorch does, so it shows what a capture of a Python program has, on the simulated
device and without a GPU.
"""
import ctypes

from torch_scopes import label, lib, scope

MIB = 1 << 20
allocate, free = lib.gpumemprof_torch_malloc, lib.gpumemprof_torch_free
allocate.restype = ctypes.c_void_p
allocate.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
free.restype = None
free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]


def step():
    with scope("forward") as forward:
        activations = allocate(96 * MIB, 0, None)
    with scope("backward") as backward:
        gradients = allocate(64 * MIB, 0, None)
        free(activations, 96 * MIB, 0, None)
    free(gradients, 64 * MIB, 0, None)
    return forward, backward


def main():
    ctypes.CDLL("libcuda.so.1").cuInit(0)
    with scope("model"):
        allocate(64 * MIB, 0, None)
    for number in range(2):
        with label(f"step {number}"):
            for name, result in zip(("forward", "backward"), step()):
                print(f"step {number}: {name} needs {result.own_peak / MIB:.2f} MiB and leaves {result.net / MIB:+.2f}")


if __name__ == "__main__":
    main()
