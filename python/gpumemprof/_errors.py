"""What the package raises."""
from __future__ import annotations

ARGUMENT, CAPTURE, LACKS, MEMORY, STOPPED = -1, -2, -3, -4, -5  # of enum gpumemprof_read_status


class Error(Exception):
    """Something that gpumemprof cannot do: the library's sentence, and its status (enum gpumemprof_read_status), which is 0
    where the package itself found the reason."""

    def __init__(self, sentence: str, status: int = 0):
        super().__init__(sentence)
        self.sentence, self.status = sentence, status


Error.__module__ = "gpumemprof"
