"""repeats.py - how many repeats a test of random programs makes, and which.

A run of all tests takes a few of a test's seeds, and other ones after each commit, so that all have their turn.
GPUMEMPROF_TEST_REPEATS=full takes all of them: `.ci/run --full`, before a release. GPUMEMPROF_TEST_TURN=N repeats
the choice that a failed run named. Called by bench/run.py (--in-turns), bench/rows/growth.py, bench/counts_test.py, test/page/pages.py, test/package/packages.py, test/differential/run.py, test/lit_in_turns.py, test/fuzz/run.py, test/reader/in_turns.py,
test/seeds_in_turns.py, test/plugin/sanitized.py, test/tools/ schema.py, oracle.py, selected.py, options.py and unusual_values.py, test/e2e/ control/dumps.py, cuda/uses_traps.py,
cuda/not_rebuilt.py, frames/control_flow.py, frames/oracle.py, frames/random_programs.py, life/crash_safety.py, life/faults.py, life/sanitized.py, timed/growth.py and tools/ comparing.py, rows.py and windows.py, and, for tests that are many times slower under a sanitizer,
by test/tools/ merges.py, advice/predictions.py and advice/in_a_page.py.
"""
import os
import pathlib
import subprocess


def all_of_them():
    return os.environ.get("GPUMEMPROF_TEST_REPEATS") == "full"


def turn():
    """A number that the commit gives; 0 in a folder that is no checkout."""
    if given := os.environ.get("GPUMEMPROF_TEST_TURN"):
        return int(given)
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, check=False)
    return int(done.stdout[:7], 16) if done.returncode == 0 else 0


def sanitized():
    """Whether the programs under test were built with a sanitizer; set by test/tools/CMakeLists.txt."""
    return os.environ.get("GPUMEMPROF_TEST_SANITIZED") == "1"


def seeds(first, count, few):
    """The seeds from `first` on: all `count` of them, or `few` that lie side by side; the last is followed by the first."""
    if all_of_them() or few >= count:
        return list(range(first, first + count))
    begin = turn()
    print(f"{few} of the seeds {first} to {first + count - 1}, chosen by GPUMEMPROF_TEST_TURN={begin}", flush=True)
    return [first + (begin * few + i) % count for i in range(few)]


def part(parts):
    """Which of the parts a run takes, and of how many: another one after each commit; or (0, 1), all there is."""
    if all_of_them() or parts == 1:
        return 0, 1
    which = turn() % parts
    print(f"one of {parts} parts, chosen by GPUMEMPROF_TEST_TURN={which}", flush=True)
    return which, parts


def share(items, parts):
    """Every `parts`-th of the items, other ones after each commit; or all of them."""
    items = list(items)
    if all_of_them() or parts == 1:
        return items
    which = turn() % parts
    print(f"one of {parts} of {len(items)}, chosen by GPUMEMPROF_TEST_TURN={which}", flush=True)
    return items[which::parts]
