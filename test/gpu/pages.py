#!/usr/bin/env python3
"""pages.py - on a GPU: what marks of pages cost (uses=pages of the plugin), and whether every page is right.

    python3 test/gpu/pages.py build OUT [BUILD]       builds OUT/pages-{plain,marked}, with OUT/lib; CUDA, ARCH as in build.sh
    python3 test/gpu/pages.py run OUT TOOL [SHIFT]    there: times of seven kernels, and the pages by `gpumemprof pages`

`run` prints a line for each kernel: microseconds plain and marked, and their ratio; first where the marks were there already, then
where each has to be updated. Exit status 1: a page is not what the program itself computed, or a ratio is above 2."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e/harness"))
from page_runs import runs_of  # noqa: E402

MOST = 2.0


def build(out, build_folder=HERE.parent.parent / "build"):
    out, build_folder = pathlib.Path(out), pathlib.Path(build_folder)
    cuda, arch = os.environ.get("CUDA", "/usr/local/cuda"), os.environ.get("ARCH", "sm_90")
    (out / "lib").mkdir(parents=True, exist_ok=True)
    link = build_folder / "lib/libgpumemprof.so"
    for name in (link.name, os.readlink(link)):
        shutil.copy(link, out / "lib" / name)
    for way in ("plain", "marked"):
        plugin = build_folder / "lib/gpumemprof/llvm-22/gpumemprof.so"
        flags = [] if way == "plain" else [f"-fplugin={plugin}", "-fplugin-arg-gpumemprof-uses=pages"]
        link = [] if way == "plain" else ["-L", out / "lib", "-lgpumemprof"]
        subprocess.run(["clang++-22", "-O2", "-std=c++17", "-Wno-unknown-cuda-version", f"--cuda-gpu-arch={arch}", f"--cuda-path={cuda}",
                        *flags, HERE / "programs/pages_speed.cu", "-o", out / f"pages-{way}", *link, f"-L{cuda}/lib64", "-lcudart",
                        "-lpthread", "-Wl,-rpath,$ORIGIN/lib"], check=True)


def output(program, *words, **more):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True, **more).stdout.splitlines()


def times(lines):
    return {(name, way): float(number) for name, way, number in (line.split()[1:] for line in lines if line.startswith("time "))}


def run(out, tool, shift="26"):
    out, capture = pathlib.Path(out).resolve(), pathlib.Path(out).resolve() / "pages.gmprof"
    plain = times(output(out / "pages-plain", shift))
    capture.unlink(missing_ok=True)
    lines = output(out / "pages-marked", shift, env={**os.environ, "GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    marked, bad = times(lines), 0
    for (name, way), before in plain.items():
        ratio = marked[name, way] / before
        bad += ratio > MOST
        print(f"{name:18} {way:8} {before:12.2f} {marked[name, way]:12.2f} {ratio:6.2f}")
    found = json.loads("\n".join(output(tool, "pages", "--limit", "0", "--format", "json", capture)))
    blocks = {(block["address"], block["bytes"]): block for block in found["blocks"]}
    for name, address, size, last, *pages in (line.split() for line in lines if not line.startswith("time ")):
        block = blocks.get((int(address, 16), int(size)))
        right = block and block["judged"] and runs_of(block) == pages and block["last_use"] == int(last)
        bad += not right
        print(f"{name:18} {sum(int(run[1:]) for run in pages):9} pages:", "right" if right else f"WRONG, {block}, not {pages}, last used at {last}")
    print(f"the marks took {found['own_bytes'] >> 20} MiB")
    return bad != 0


if __name__ == "__main__":
    sys.exit({"build": build, "run": run}[sys.argv[1]](*sys.argv[2:]))
