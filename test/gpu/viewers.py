#!/usr/bin/env python3
"""viewers.py - exported snapshots read by torch.cuda._memory_viz itself, on a machine that has torch and a GPU.

    test/gpu/viewers.py FOLDER       as test/gpu/build.sh makes it, with the tool (and its libraries) in FOLDER/tool

Each program runs with history=all. What torch's reader says of the snapshot (its table of segments, its flame graph of live
memory, its trace, its pages) has to hold the bytes, blocks and events of `gpumemprof report` and `events`.
Exit status: 0 all agree, 1 something does not, 77 no torch.
"""
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

PROGRAMS = ("direct", "pool", "threads", "managed", "pitched", "vmm", "graph", "contexts")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        from torch.cuda import _memory_viz as viz
    except ImportError as error:
        print(f"viewers.py: skipped: {error}")
        return 77
    folder, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(tempfile.mkdtemp())
    tool = folder / "tool/gpumemprof"
    libraries = f"{folder}/lib:{folder}/tool:/usr/local/cuda/lib64:" + os.environ.get("LD_LIBRARY_PATH", "")
    wrong = []

    def run(*words, **more):
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries, **more}
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, env=environment).stdout

    for name in PROGRAMS:
        program = folder / "bin/prof-clang" / name
        capture, snapshot = work / f"{name}.gmprof", work / f"{name}.pickle"
        run(program, GPUMEMPROF_OPTIONS=f"output={capture}:quiet=1:history=all")
        run(tool, "export", "--to", "memory_viz", "-o", snapshot, capture)
        report = json.loads(run(tool, "report", "--by", "device", "--format", "json", capture))
        events = json.loads(run(tool, "events", "--format", "json", capture))["events"]
        live = sum(d["live_at_exit"] for d in report["devices"] if isinstance(d["device"], int))
        made = [e for e in events if e["event"] == "allocated" and isinstance(e["device"], int)]
        with open(snapshot, "rb") as file:
            data = pickle.load(file)
        folded = [int(line.rsplit(" ", 1)[1]) for line in viz.memory(data, format_flamegraph=lambda text: text).splitlines()]
        traced = len(re.findall(r"^\w+ = \w+\[\d+:", viz.trace(data), re.M))
        pages = [viz.segsum(data), viz.trace_plot(data), viz.segment_plot(data)]
        facts = {"live": (sum(folded), live), "allocations": (traced, len(made)), "pages": (all(pages), True)}
        bad = {key: pair for key, pair in facts.items() if pair[0] != pair[1]}
        wrong += [(name, bad)] if bad else []
        print(f"{'WRONG' if bad else 'ok':5} {name:10} live {live:>10}  allocations {len(made):>6}  {bad or ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
