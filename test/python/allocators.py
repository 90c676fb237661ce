"""Memory of PyTorch, CuPy and Numba in one call: with stand-ins that ask for memory as these do (fakes/), and with the real ones
where they are and there is a GPU (real_torch.py, real_cupy.py)."""
import json
import os

from common import HERE, environment, on_device, python


def _run(t, library, case, tool=True, **more):
    env = environment(t, PYTHONPATH=f"{environment(t)['PYTHONPATH']}:{HERE}/fakes")
    if tool:
        return on_device(t, "allocators.py", library, case, env=env, **more)
    env["LD_LIBRARY_PATH"] = f"{t.sim}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return t.run(python(), HERE / "programs/allocators.py", library, case, env=env, verify=False, **more)


def _lines(t, library, tool):
    result, capture = _run(t, library, "lines", tool, options="history=all")
    text = (HERE / "programs/allocators.py").read_text().splitlines()
    expected = {text.index(next(line for line in text if f"# line {name}" in line)) + 1: figures
                for name, figures in json.loads(result.out).items()}
    rows = {row["line"]: [row["incl_alloc"], row["own_peak_max"]] for row in t.report(capture)["rows"] if row["line"] in expected}
    assert rows == expected, (rows, expected)
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(report["losses"].values()) and not sum(row["leaked"] for row in report["rows"])


def lines_of_a_stand_in_for_torch(t):
    _lines(t, "torch", True)


def lines_of_a_stand_in_for_cupy(t):
    _lines(t, "cupy", True)


def lines_of_a_stand_in_for_numba(t):
    _lines(t, "numba", True)


def lines_without_the_tool(t):
    for library in ("torch", "cupy", "numba"):
        _lines(t, library, False)


def too_late_for_a_stand_in_for_torch(t):
    result, _ = _run(t, "torch", "late", status=1)
    assert result.err.splitlines()[-1].startswith("gpumemprof.Error: use_allocator() comes too late: PyTorch has taken memory"), result.err


def out_of_memory_is_the_librarys_error(t):
    assert _run(t, "cupy", "out_of_memory")[0].out == f"OutOfMemoryError Out of memory allocating {1 << 50} bytes\n"
    assert _run(t, "numba", "out_of_memory")[0].out.startswith("MemoryError gpumemprof's allocator got no")


def record_stream_of_a_stand_in_for_torch(t):
    assert _run(t, "torch", "stream")[0].out == "0\n"


def memory_info_of_a_stand_in_for_numba(t):
    assert _run(t, "numba", "information")[0].out == "known\n"


def addresses_for_numba_are_what_its_driver_takes(t):
    """Older versions say whether they use NVIDIA's bindings; newer ones always do, and do not say it."""
    t.command(python(), "-c", """import ctypes
from gpumemprof.numba import _pointer
from numba.cuda.cudadrv import driver
class Bindings:
    class CUdeviceptr(int): pass
assert type(_pointer(5)) is ctypes.c_uint64
driver.binding = Bindings
assert type(_pointer(5)) is ctypes.c_uint64
driver.USE_NV_BINDING = True
assert type(_pointer(5)) is Bindings.CUdeviceptr
del driver.USE_NV_BINDING
assert type(_pointer(5)) is Bindings.CUdeviceptr and _pointer(5) == 5
""", env={**environment(t), "PYTHONPATH": environment(t)["PYTHONPATH"] + f":{HERE}/fakes"})


def one_error_without_the_library(t):
    for library, name in (("torch", "PyTorch"), ("cupy", "CuPy"), ("numba", "Numba")):
        result = t.command(python(), HERE / "programs/allocators.py", library, "absent", env=environment(t), status=1)
        last = result.err.splitlines()[-1]
        assert last.startswith(f"gpumemprof.Error: use_allocator() is for {name}, which cannot be imported here"), result.err
        assert result.err.count("Traceback") == 1, result.err
