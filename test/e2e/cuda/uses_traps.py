"""Blocks whose use no argument of a kernel shows: `advise` gives no advice about them. And blocks that are used in no such way, of which
it has to know that (traps.cu)."""
import json

ARCH = "sm_90"
SIZE = (1 << 18) + 700  # of `a`
LIBRARY = """
#include <stddef.h>
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t size) { return 0; }
int cublasSscal_v2(void *handle, int n, const float *alpha, float *x, int step) { return 0; }
int cublasLtMatmulDescSetAttribute(void *description, int attribute, const void *value, size_t size) { return 0; }
int cublasXtSscal(void *handle, float *const *list) { return 0; }
"""
CLOSED = """
#include <cuda_runtime_api.h>
void closed_clear(void *p, size_t n) { cudaMemset(p, 0, n); }
"""


def _library(t, name, text, *link):
    source, built = t.work / f"{name}.c", t.work / f"lib{name}.so"
    source.write_text(text)
    t.command(t.compiler("c"), "-shared", "-fPIC", "-O2", *t.include_flags(), source, "-o", built, *link)
    return built


def _clang(t, name, *flags, link=()):
    program = t.work / name
    t.command(t.compiler("c++"), "-O2", f"--cuda-path={t.cuda}", f"--cuda-gpu-arch={ARCH}", "--cuda-include-ptx=all",
              "-Wno-unknown-cuda-version", *flags, t.programs / "cuda/traps.cu", *t.gpumemprof("flags", "clang").out.split(),
              *t.link_flags(runtime=False), t.sim / "libcuda.so.1", *link, f"-Wl,-rpath,{t.work}", "-pthread", "-o", program)
    return program


def _nvcc(t, name, *flags, link=()):
    program = t.work / name
    t.command(f"{t.cuda}/bin/nvcc", "-O2", f"-gencode=arch=compute_{ARCH[3:]},code=[{ARCH},compute_{ARCH[3:]}]", *flags,
              t.programs / "cuda/traps.cu", *t.gpumemprof("flags", "nvcc").out.split(), "-cudart", "shared", "-Xlinker", t.sim / "libcuda.so.1", *link,
              "-Xlinker", f"-rpath={t.work}", "-o", program)
    return program


# Those that copy nothing: what is idle may be copied out and back in beside each trap.
RULES = ("late-free", "never-freed", "early-alloc", "early-alloc-fill", "unused", "write-only")


def _advice(t, program, way):
    capture = t.work / f"{way}.gmprof"
    t.gpumemprof("dryrun", "--device-memory", "1GiB", program, way,
                 env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    rules = [word for rule in RULES for word in ("--rule", rule)]
    return json.loads(t.gpumemprof("advise", "--format", "json", "--min", "0", *rules, capture).out)


def _traps(t, build):
    t.need_toolkit()
    program = build(t, "traps", link=[_library(t, "cublas", LIBRARY)])
    wrong = []
    for way in t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": "enabled=0"}).out.split():
        answer = _advice(t, program, way)
        about = [f for f in answer["findings"] if any(step["bytes"] == SIZE for step in f["steps"])]
        if bool(about) != way.startswith("clean"):
            wrong.append((way, about, answer["not_judged"]))
        if way.startswith("clean") and any(u["bytes"] >= SIZE for u in answer["not_judged"]):
            wrong.append((way, answer["not_judged"]))
    assert not wrong, "\n".join(map(str, wrong))


def traps_by_clang(t):
    _traps(t, _clang)


def traps_by_nvcc(t):
    _traps(t, _nvcc)


def code_that_was_not_rebuilt(t):
    """It is named, and nothing is said about memory that it may use."""
    t.need_toolkit()
    closed = _library(t, "closed", CLOSED, *t.link_flags(runtime=False))
    program = _clang(t, "closed", "-DCLOSED", link=[closed])
    answer = _advice(t, program, "not_rebuilt")
    assert not answer["findings"], answer
    assert answer["not_judged"] and all(u["reason"] == f"{closed} was not rebuilt, so what it uses is not recorded"
                                        for u in answer["not_judged"]), answer
