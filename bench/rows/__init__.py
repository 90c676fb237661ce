"""One module per row of the table; each has time(bench, results) and count(bench, results).

time takes processor time and needs a quiet machine; count takes what is the same in every run
(instructions, text bytes) and is what CI runs. Micro-benchmarks of the runtime's core (live table,
suffix maxima) become a module of their own here.
"""
from . import calls, compiling, pairs, report

ROWS = {"calls": calls, "pairs": pairs, "compile": compiling, "report": report}
