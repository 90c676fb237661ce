"""`advise --rule error-path-leak`: memory that is lost only where a later allocation failed (error_path.cu)."""
import json


def _costs(t, program, way):
    capture = t.work / f"{way}.gmprof"
    t.gpumemprof("dryrun", "--device-memory", "1GiB", program, way,
                 env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    return json.loads(t.gpumemprof("advise", "--rule", "error-path-leak", "--format", "json", capture).out)["costs"]


def what_a_failed_allocation_leaves_behind_is_named(t):
    program = t.work / "error_path"
    t.plugin()
    t.command(t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split(), "-O2", t.programs / "cuda/error_path.cu", "-o", program)
    text = (t.programs / "cuda/error_path.cu").read_text().splitlines()
    failing = next(number for number, line in enumerate(text, 1) if line.endswith("// @b"))
    costs = _costs(t, program, "leaks")
    assert len(costs) == 1 and costs[0]["calls"] == 2 and costs[0]["bytes"] == 2 << 20, costs
    assert costs[0]["to"]["line"] == failing and "cudaMalloc" in text[costs[0]["from"]["line"] - 1], costs
    assert not _costs(t, program, "frees")
