"""gpumemprof for Python: GPU memory of Python programs by line, and captures as rows.

    with gpumemprof.profile("step") as m: ...      what a block needs and leaves
    @gpumemprof.profile                            the same of each call of a function
    with gpumemprof.lines(): ...                   memory by line of Python code
    gpumemprof.torch.use_allocator()               memory of PyTorch; gpumemprof.cupy, gpumemprof.numba: of CuPy, Numba
    gpumemprof.read("run.gmprof").rows()           a capture as a list of dictionaries, or a DataFrame
    pytest --gpumemprof                            limits of tests: gpumemprof.pytest_plugin

It needs the libraries of an installed gpumemprof, of the same version or newer (with the same major number), and nothing else.
Importing it loads none of them. Without CUDA, and with GPUMEMPROF=0, programs run as they are: figures are 0, and `note` says
why.
"""
from . import cupy, numba, torch
from ._capture import Capture, RowList, read
from ._errors import Error
from ._lines import lines
from ._measure import Measurement, profile, snapshot
from ._summary import dump, label, live_since, mark, paused, reset, step, summary
from ._version import version as __version__

__all__ = ["Capture", "Error", "Measurement", "RowList", "cupy", "dump", "label", "lines", "live_since", "mark", "numba", "paused",
           "profile", "read", "reset", "snapshot", "step", "summary", "torch", "__version__"]
