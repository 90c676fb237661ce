#!/usr/bin/env python3
"""oom.py FOLDER - runs FOLDER/own/oom (oom.cpp) on a GPU and holds what `gpumemprof oom` says against the program's and CUDA's figures."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

folder, capture = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(tempfile.mkdtemp()) / "oom.gmprof"
source = (pathlib.Path(__file__).parent / "programs/oom.cpp").read_text().splitlines()
environment = {**os.environ, "LD_LIBRARY_PATH": f"{folder}/lib:/usr/local/cuda/lib64:{folder}/tool",
               "GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1"}
ran = subprocess.run([folder / "own/oom"], env=environment, capture_output=True, text=True)
print(ran.stderr, ran.stdout, sep="")
own = json.loads(ran.stdout)
described = subprocess.run([folder / "tool/gpumemprof", "oom", "--format", "json", capture], env=environment, capture_output=True, text=True,
                      check=True)
[oom] = json.loads(described.stdout)["out_of_memory"]


def line(mark):
    return next(n for n, text in enumerate(source, 1) if text.endswith("// " + mark))


found = {"requested": oom["requested"], "free": oom["memory_free"], "total": oom["memory_total"], "line": oom["line"],
         "held": {row["function"]: (row["line"], row["bytes"], row["blocks"]) for row in oom["lines"]}, "errors": own["errors"],
         "hook": own["hook"]}
expected = {"requested": own["wanted"], "free": own["free"], "total": own["total"], "line": line("WANTED"),
            "held": {"hold": (line("HOLD"), own["hold"], 1), "cache": (line("CACHE"), own["cache"], 1)}, "errors": [2, 2, 2, 0, 0],
            "hook": own["free"]}
wrong = {key: (found[key], expected[key]) for key in expected if found[key] != expected[key]}
print("every figure agrees" if not wrong else f"DIFFERS (found, expected): {wrong}")
sys.exit(bool(wrong))
