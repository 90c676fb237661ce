#!/usr/bin/env python3
"""compilers.py TOOL WORK CASE - `gpumemprof facts` of what nvcc and clang make of one source, where a toolkit is.

Environment: CUDA (the toolkit; may be empty), CLANG (a clang that compiles device code with it; may be empty), PLUGIN (for that clang).
A program has the same facts as its PTX, however the PTX is packed; the two compilers agree but for what is listed. With the plugin it has
them without PTX, too.
"""
import json
import os
import pathlib
import subprocess
import sys

TOOL, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
CUDA, CLANG = pathlib.Path(os.environ.get("CUDA") or "/nonexistent"), os.environ.get("CLANG") or ""
PLUGIN = os.environ.get("PLUGIN") or ""
FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = FOLDER / "kernels.cu"
PROGRAMS = [KERNELS, FOLDER / "agreement.cu", FOLDER.parent / "gpu/programs/pages_speed.cu", FOLDER.parents[1] / "examples/edges.cu"]
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
    "asks": ({"0.0": "write", "1.0": "read"}, True),
    "asks_for_bits": ({"0.0": "write", "1.0": "read"}, True),
    "asks_for_their_distance": ({"0.0": "write", "1.0": "read", "2.0": "read"}, True),
    "takes_tags_away": ({"0.0": "write", "1.0": "read"}, False),
    "asks_in_a_structure": ({"0.0": "write", "0.8": "none", "0.16": "read"}, True),
    "stores_in_a_variable": ({"0.0": "unknown"}, True),
    "stores_by_a_register": ({"0.0": "write", "1.0": "unknown"}, True),
    "stores_itself": ({"0.0": "unknown"}, True),
    "stores_after_a_comment": ({"0.0": "write", "1.0": "unknown"}, True),
    "copies_from_shared_memory": ({"0.0": "write", "1.0": "unknown"}, True),
    "follows_in_assembly": ({"0.0": "write", "1.0": "read"}, False),
    "writes_a_surface": ({"0.0": "none", "1.0": "unknown"}, False),
    "keeps_a_record": ({"0.0": "write", "1.0": "unknown", "1.8": "unknown"}, True),
    "uses_a_record": ({"0.0": "write", "1.0": "read", "1.8": "read"}, False),
    "follows_records": ({"0.0": "write", "1.0": "read"}, False),
}
# The plugin does not tell the operands of assembly apart if an address in it is none of them.
OF_THE_PLUGIN = EXPECTED | {
    "stores_by_a_register": ({"0.0": "unknown", "1.0": "unknown"}, True),
    "follows_in_assembly": ({"0.0": "write", "1.0": "unknown"}, False),
    "writes_a_surface": ({"0.0": "unknown", "1.0": "unknown"}, False),
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
    assert kernels_of("nvcc.ptx")["takes_tags_away"]["reason"] == "uses a number as an address"


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
    assert f"{len(EXPECTED)} kernels are there only as machine code that says nothing; compile it again with" in done.stderr, done.stderr


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


def kernels_of(*files):
    return {kernel["symbol"]: kernel for kernel in json.loads(run(TOOL, "facts", "--format", "json", *files).stdout)["kernels"]}


def plugin(*words):
    if not PLUGIN:
        skip("no plugin for that clang")
    clang(f"-fplugin={PLUGIN}", *words)


def the_plugin_says_what_the_source_does():
    """In machine code alone, also for two devices, from files that were saved in between, and beside PTX."""
    for options in ((), ("--cuda-gpu-arch=sm_90",), ("-g",)):
        plugin(*options, "-c", KERNELS, "-o", "plugin.o")
        assert facts("plugin.o") == OF_THE_PLUGIN, (options, facts("plugin.o"))
        assert {kernel["source"] for kernel in kernels_of("plugin.o").values()} == {"clang"}, options
        assert kernels_of("plugin.o")["takes_tags_away"]["reason"] == "uses a number as an address"
    plugin("-save-temps", "-c", KERNELS, "-o", "plugin.o")
    saved = facts("plugin.o")
    assert {name: closed for name, (_, closed) in saved.items()} == {name: closed for name, (_, closed) in EXPECTED.items()}, saved
    plugin("--cuda-include-ptx=all", "-c", KERNELS, "-o", "plugin.o")
    assert facts("plugin.o") == EXPECTED, facts("plugin.o")
    assert {kernel["source"] for kernel in kernels_of("plugin.o").values()} == {"both"}


def names_of_clang_are_readable():
    """It names the kind of an argument of a template that is an `auto`, which older C++ libraries do not know."""
    (WORK / "names.cu").write_text("__device__ void clears(float *what) { *what = 0; }\n"
                                   "template <auto F> __global__ void calls(float *what) { F(what); }\n"
                                   "template __global__ void calls<&clears>(float *);\n")
    clang("--cuda-device-only", "-std=c++17", "-S", "names.cu", "-o", "names.ptx")
    name, = facts("names.ptx")
    assert name.startswith("calls<&") and "clears(float*)" in name, name


def nvlink_keeps_what_the_plugin_says():
    """A function in another file is not followed; a template that is in both files is there once."""
    (WORK / "one.cu").write_text(
        "__device__ void other(float *);\ntemplate <class T> __global__ void same(T *a, const T *b) { *a = *b; }\n"
        "template __global__ void same<int>(int *, const int *);\n__global__ void calls(float *a, float *b) { other(a); *b = 1; }\nint main() {}\n")
    (WORK / "two.cu").write_text(
        "__device__ void other(float *a) { *a = 1; }\ntemplate <class T> __global__ void same(T *a, const T *b) { *a = *b; }\n"
        "template __global__ void same<int>(int *, const int *);\n")
    for name in ("one", "two"):
        plugin("-fgpu-rdc", "-fPIC", "-c", f"{name}.cu", "-o", f"{name}.o")
    if not pathlib.Path(CLANG).resolve().with_name("clang-linker-wrapper").exists():
        skip("no clang-linker-wrapper")
    run(CLANG, "--offload-link", "-fgpu-rdc", "--cuda-gpu-arch=sm_80", f"--cuda-path={CUDA}", "-shared", "-nostdlib", "one.o", "two.o", "-o", "linked.so")
    known = facts("linked.so")
    assert known["same<int>"] == ({"0.0": "write", "1.0": "read"}, True), known
    assert known["calls"] == ({"0.0": "unknown", "1.0": "write"}, False), known


def code_without_facts_makes_everything_unknown():
    """Of one kernel there is code of two compilations, and the plugin was there in one of them."""
    (WORK / "alike.cu").write_text("template <class T> __global__ void same(T *a, const T *b) { *a = *b; }\n"
                                   "template __global__ void same<int>(int *, const int *);\n")
    plugin("-c", "alike.cu", "-o", "with.o")
    clang("-c", "alike.cu", "-o", "without.o")
    assert facts("with.o")["same<int>"] == ({"0.0": "write", "1.0": "read"}, True)
    for files in (("with.o", "without.o"), ("without.o", "with.o")):
        kernel = next(iter(kernels_of(*files).values()))
        assert not kernel["closed"] and {word["access"] for word in kernel["words"]} <= {"unknown"}, kernel


def the_plugin_and_nvcc_agree():
    """On the kernels of our own programs: they say the same, or one of them is on the safe side."""
    masks = {"none": 0, "read": 1, "write": 2, "both": 3, "unknown": 7}
    compared = 0
    for source in PROGRAMS:
        include = ["-I", FOLDER.parents[1] / "include", "-I", source.parent]
        nvcc("-arch=sm_80", *include, "-ptx", source, "-o", "nvcc.ptx")
        plugin(*include, "-c", source, "-o", "plugin.o")
        one, other = kernels_of("plugin.o"), kernels_of("nvcc.ptx")
        assert one.keys() == other.keys(), (source, one.keys() ^ other.keys())
        for symbol in one.keys():
            compared += 1
            accesses = {(word["parameter"], word["offset"]): masks[word["access"]] for word in other[symbol]["words"]}
            for word in one[symbol]["words"]:
                first, second = masks[word["access"]], accesses[word["parameter"], word["offset"]]
                assert word["is_number"] or first & second in (first, second), (source, symbol, word, other[symbol])
            # An address that is put together from halves is not followed in clang's code.
            assert one[symbol]["closed"] or not other[symbol]["closed"] or symbol == "shuffles", (source, one[symbol], other[symbol])
    assert compared >= 45, compared


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    globals()[sys.argv[3]]()
