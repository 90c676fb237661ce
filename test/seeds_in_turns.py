"""seeds_in_turns.py COUNT PROGRAM ARGUMENT... - runs PROGRAM ARGUMENT... with one of the seeds 0 to COUNT - 1 in GPUMEMPROF_TEST_SEED, another one
after each commit, or with all of them (test/repeats.py)."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import repeats  # noqa: E402

for seed in repeats.seeds(0, int(sys.argv[1]), 1):
    status = subprocess.run(sys.argv[2:], env={**os.environ, "GPUMEMPROF_TEST_SEED": str(seed)}, check=False).returncode
    if status:
        sys.exit(f"seed {seed}: exit status {status}")
