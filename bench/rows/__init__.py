"""One module per row of the table; each has time(bench, results) and count(bench, results).

time takes processor time and needs a quiet machine; count takes what is the same in every run
(instructions, text bytes) and is what CI runs.
"""
from . import calls, compiling, control, growth, interpreter, log, operands, pairs, peaks, report, table, threads

ROWS = {"calls": calls, "pairs": pairs, "operands": operands,
        "interpreter": interpreter, "table": table, "peaks": peaks, "threads": threads,
        "growth": growth, "log": log, "control": control, "compile": compiling, "report": report}
