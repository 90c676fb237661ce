"""PyTorch, CuPy and Numba themselves, where they are and there is a GPU; elsewhere these tests are skipped by name."""
import json
import sys

from common import HERE, environment, has, on_device, python
from harness import Skip


def _real(t, script):
    result = t.command(python(), HERE / script, env=environment(t), status=None)
    if result.status == 77:
        raise Skip(result.out.strip().removeprefix("skipped: "))
    sys.stdout.write(result.out)
    assert result.status == 0, result.out + result.err


def torch_has_the_same_figures(t):
    _real(t, "real_torch.py")


def cupy_has_the_same_figures(t):
    _real(t, "real_cupy.py")


def numba_has_the_same_figures(t):
    _real(t, "real_numba.py")


def numba_has_its_lines(t):
    """On the simulated device: Numba's memory manager as Numba itself calls it."""
    has(t, "numba")
    result, capture = on_device(t, "real_numba.py", env={"NUMBA_CUDA_DRIVER": str(t.sim / "libcuda.so.1")})
    text = (HERE / "programs/real_numba.py").read_text().splitlines()
    expected = {1 + next(i for i, line in enumerate(text) if line.endswith(f"# line {name}")): size
                for name, size in json.loads(result.out).items()}
    rows = {row["line"]: row["self_alloc"] for row in t.report(capture)["rows"] if row["self_alloc"]}
    assert rows == expected, (rows, expected)
