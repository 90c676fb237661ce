"""Memory of the runtime's allocator (torch.h) for libraries that take Python functions: CuPy and Numba."""
from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from . import _structures as c


class Blocks:
    """Allocates and frees in the order of a stream, and remembers which block is of which device and stream."""

    def __init__(self, stream: Callable[[], int], out_of_memory: Callable[[int], Exception]):
        self._stream, self._out_of_memory = stream, out_of_memory
        self._malloc, self._free = c.call("gpumemprof_torch_malloc"), c.call("gpumemprof_torch_free")
        self._blocks: Dict[int, Tuple[int, int, Any]] = {}

    def allocate(self, size: int, device: int) -> int:
        """The address of a block; 0 for a size of 0."""
        if size <= 0:
            return 0
        stream = self._stream()
        address = self._malloc(size, device, stream)
        if not address:
            raise self._out_of_memory(size)
        self._blocks[address] = size, device, stream
        return address

    def free(self, address: int) -> None:
        """Frees a block; 0 is none. What is not of here is left alone."""
        block = self._blocks.pop(address, None)
        if block:
            size, device, stream = block
            self._free(address, size, device, stream)
