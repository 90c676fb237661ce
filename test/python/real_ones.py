"""PyTorch and CuPy themselves, where they are and there is a GPU; elsewhere these tests are skipped by name."""
import sys

from common import HERE, environment, python
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
