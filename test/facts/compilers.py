#!/usr/bin/env python3
"""compilers.py TOOL WORK CASE - `gpumemprof facts` of what nvcc and clang make of one source, where a toolkit is.

Environment: CUDA (the toolkit; may be empty), CLANG (a clang that compiles device code with it; may be empty).
A program has the same facts as its PTX, however the PTX is packed; the two compilers agree but for what is listed.
"""
import json
import os
import pathlib
import subprocess
import sys

TOOL, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
CUDA, CLANG = pathlib.Path(os.environ.get("CUDA") or "/nonexistent"), os.environ.get("CLANG") or ""
KERNELS = pathlib.Path(__file__).resolve().with_name("kernels.cu")
# What they do, as the source says it.
EXPECTED = {
    "copies": ({"0.0": "write", "1.0": "read"}, True),
    "adds": ({"0.0": "both", "1.0": "read"}, True),
    "by_value": ({"0.0": "write", "0.8": "none", "0.16": "read"}, True),
    "by_reference": ({"0.0": "write", "1.0": "read", "2.0": "none"}, True),
    "walks": ({"0.0": "read", "1.0": "write"}, False),
    "keeps": ({"0.0": "write", "1.0": "unknown"}, True),
    "prints": ({"0.0": "read"}, True),
    "calls": ({"0.0": "unknown", "1.0": "none"}, False),
    "shares": ({"0.0": "both"}, True),
    "computes": ({"0.0": "both"}, True),
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=WORK)
    assert not done.returncode, (words, done.stdout, done.stderr)
    return done


def facts(*files):
    """Of each kernel: the classes of its words that may be addresses, and whether it is closed."""
    document = json.loads(run(TOOL, "facts", "--format", "json", *files).stdout)
    assert not document["damaged"], document
    if document["compressed"]:
        skip("the tool was built without libzstd")
    return {kernel["name"]: ({f"{word['parameter']}.{word['offset']}": word["access"] for word in kernel["words"]}, kernel["closed"])
            for kernel in document["kernels"]}


def nvcc(*words):
    if not (CUDA / "bin/nvcc").exists():
        skip("no CUDA toolkit")
    run(CUDA / "bin/nvcc", "-cudart", "none", *words)


def clang(*words):
    if not CLANG or not CUDA.exists():
        skip("no clang that compiles device code, or no CUDA toolkit")
    run(CLANG, "-x", "cuda", f"--cuda-path={CUDA}", "--cuda-gpu-arch=sm_80", "-O2", "-Wno-unknown-cuda-version", *words)


def nvcc_says_what_the_source_does():
    nvcc("-arch=sm_80", "-ptx", KERNELS, "-o", "nvcc.ptx")
    assert facts("nvcc.ptx") == EXPECTED, facts("nvcc.ptx")


def clang_says_what_the_source_does():
    clang("--cuda-device-only", "-S", KERNELS, "-o", "clang.ptx")
    assert facts("clang.ptx") == EXPECTED, facts("clang.ptx")


def objects_of_nvcc_have_the_facts_of_their_ptx():
    """However they are compressed, and for nvlink."""
    for options in ((), ("-Xfatbin", "-compress=false"), ("-Xfatbin", "--compress-mode=speed"), ("-Xfatbin", "--compress-mode=size"),
                    ("-Xfatbin", "--compress-all"), ("-rdc=true",), ("-lineinfo",), ("-gencode", "arch=compute_90,code=[sm_90,compute_90]"),
                    ("-gencode", "arch=compute_80,code=sm_86")):
        nvcc("-gencode", "arch=compute_80,code=[sm_80,compute_80]", *options, "-c", KERNELS, "-o", "nvcc.o")
        assert facts("nvcc.o") == EXPECTED, (options, facts("nvcc.o"))


def objects_of_clang_have_the_facts_of_their_ptx():
    clang("--cuda-include-ptx=all", "-c", KERNELS, "-o", "clang.o")
    assert facts("clang.o") == EXPECTED, facts("clang.o")


def machine_code_of_other_ptx_makes_everything_unknown():
    nvcc("-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode", "arch=compute_90,code=sm_90", "-c", KERNELS, "-o", "unseen.o")
    document = json.loads(run(TOOL, "facts", "--format", "json", "unseen.o").stdout)
    for kernel in document["kernels"]:
        assert kernel["reason"] == "is there also as machine code, made from compute_90 that is not here", kernel
        assert {word["access"] for word in kernel["words"]} == {"unknown"}, kernel
    nvcc("-gencode", "arch=compute_90,code=sm_90", "-c", KERNELS, "-o", "without.o")
    done = run(TOOL, "facts", "without.o")
    assert done.stdout.count("open: is there only as machine code, made from compute_90") == len(EXPECTED), done.stdout
    assert f"{len(EXPECTED)} kernels are there only as machine code that says nothing; compile it with" in done.stderr, done.stderr


def what_cannot_be_read_makes_everything_unknown():
    """The first frame of zstd is machine code; it may be of another architecture."""
    nvcc("-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-Xfatbin", "--compress-all", "-c", KERNELS, "-o", "whole.o")
    assert facts("whole.o") == EXPECTED
    whole = (WORK / "whole.o").read_bytes()
    (WORK / "damaged.o").write_bytes(whole.replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe", 1))
    done = run(TOOL, "facts", "--format", "json", "damaged.o")
    assert "1 part of the device code could not be read: damaged, or of a version that is not known" in done.stderr, done.stderr
    document = json.loads(done.stdout)
    assert document["damaged"] == 1 and len(document["kernels"]) == len(EXPECTED), document
    for kernel in document["kernels"]:
        assert kernel["reason"] == "is in a file with device code that cannot be read", kernel
        assert {word["access"] for word in kernel["words"]} == {"unknown"}, kernel


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    globals()[sys.argv[3]]()
