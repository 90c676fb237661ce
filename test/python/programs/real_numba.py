"""Numba itself on the simulated device, with its own calls of the driver; its kernels are not run."""
import ctypes
import json

import gpumemprof
import numpy
from numba import cuda
from numba.cuda.cudadrv import driver


def plain(name):
    """Numba 0.56 takes a function's _v2 where there is one; those of CUDA 13 have other parameters."""
    function = getattr(ctypes.CDLL("libcuda.so.1"), name)

    def call(*arguments):
        assert function(*arguments) == 0, name
    setattr(driver.driver, name, call)


def make(n):
    return cuda.device_array(n, dtype=numpy.float32)  # line A


plain("cuCtxGetDevice")
plain("cuCtxSynchronize")
gpumemprof.numba.use_allocator()
with gpumemprof.lines(path_filter="real_numba.py"), gpumemprof.profile("arrays") as m:
    a = make(1024)
    b = cuda.to_device(numpy.zeros(5000, dtype=numpy.uint8))  # line B
    del a
    c = make(100)
assert (m.peak, m.allocated, m.net) == (9096, 9496, 5400), m
free, total = cuda.current_context().get_memory_info()
assert 0 < free < total
assert b.copy_to_host().sum() == 0
print(json.dumps({"A": 4496, "B": 5000}))
