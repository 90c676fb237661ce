"""in_turns.py PARTS PROGRAM ARGUMENT... - runs PROGRAM PARTS WHICH ARGUMENT..., where WHICH is below PARTS and another one after each
commit; or PROGRAM 1 0 ARGUMENT..., where all repeats are wanted (test/repeats.py)."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import repeats  # noqa: E402

parts, program = int(sys.argv[1]), sys.argv[2]
turn = repeats.share([(parts, which) for which in range(parts)], parts)
taken = turn[0] if len(turn) == 1 else (1, 0)
os.execv(program, [program, *map(str, taken), *sys.argv[3:]])
