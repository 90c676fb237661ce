#!/usr/bin/env python3
"""run.py FUZZER CORPORA PERCENT - runs a libFuzzer target on its corpus, CORPORA/NAME, which it adds to.

PERCENT of GPUMEMPROF_FUZZ_SECONDS; unless set, all targets together take 15 seconds, or 60 with GPUMEMPROF_TEST_REPEATS=full
(test/repeats.py). Each run has another seed and prints it. A finding is kept beside the corpora, and
its name printed: `FUZZER FILE` repeats it.
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import repeats  # noqa: E402

fuzzer, corpora, percent = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
seconds = int(os.environ.get("GPUMEMPROF_FUZZ_SECONDS", "60" if repeats.all_of_them() else "15")) * percent // 100
findings = corpora / "findings"
findings.mkdir(exist_ok=True)
name = fuzzer.name
OF_CAPTURES = {"capture": [], "reader_library": ["capture"]}  # and whose seeds they begin with, besides their own
(corpora / name).mkdir(exist_ok=True)
folders = [corpora / name, *[corpora / seeds for seeds in OF_CAPTURES.get(name, [])]]
if name in OF_CAPTURES and "GPUMEMPROF_FUZZ_SECONDS" not in os.environ and not repeats.all_of_them():
    # To begin with all seeds takes three times as long as the fuzzing: a third of them, other ones after each commit. What is found is not kept.
    chosen = corpora / f"chosen_{name}"
    shutil.rmtree(chosen, ignore_errors=True)
    chosen.mkdir()
    for seed in repeats.share(sorted(seed for folder in folders for seed in folder.iterdir()), 3):
        (chosen / f"{seed.parent.name}_{seed.name}").symlink_to(seed)
    folders = [chosen]
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=16:detect_container_overflow=0")
# Standard error is what the code under test says of bad input; libFuzzer keeps a way of its own.
os.execv(fuzzer, [str(fuzzer), f"-max_total_time={max(seconds, 1)}", f"-max_len={40000 if name in OF_CAPTURES else 10000}",
                  "-timeout=20", "-rss_limit_mb=1024", "-close_fd_mask=2", f"-artifact_prefix={findings}/{name}-",
                  "-print_final_stats=1", *map(str, folders)])
