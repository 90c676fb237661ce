#!/usr/bin/env python3
"""run.py - runs one end-to-end test: `run.py FILE CASE` calls FILE's function CASE with a Harness.

CTest calls it, with the installed tree and the work folder in GPUMEMPROF_TEST_* (test/CMakeLists.txt).
It prints the processor time of itself and of all programs that it started (scripts/count_tests.py --slowest reads that).
Exit status: 0 passed, 1 failed (with a traceback), 77 skipped (prints `skipped: reason`).
"""
import importlib.util
import os
import pathlib
import resource
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]  # the latter has repeats.py
sys.path += sorted(str(room) for room in HERE.parent.iterdir() if room != HERE)  # some tests use functions of other rooms
from harness import Harness, Skip  # noqa: E402


def main():
    path, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("e2e_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        getattr(module, case)(Harness(os.environ))
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(f"processor time: {sum(each.ru_utime + each.ru_stime for each in used):.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
