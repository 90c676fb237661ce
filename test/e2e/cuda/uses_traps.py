"""Blocks whose use no argument of a kernel shows: `advise` gives no advice about them. And blocks that are used in no such way, of which
it has to know that (traps.cu)."""
import json

import repeats

ARCH = "sm_90"
SIZE = (1 << 18) + 700  # of `a`
LIBRARY = """
#include <stddef.h>
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t size) { return 0; }
int cublasSscal_v2(void *handle, int n, const float *alpha, float *x, int step) { return 0; }
int cublasLtMatmulDescSetAttribute(void *description, int attribute, const void *value, size_t size) { return 0; }
int cublasSgemmBatched(void *handle, float *const *list) { return 0; }
int cublasXtSscal(void *handle, float *const *list) { return 0; }
int MPI_Send(const void *buffer, int count) { return 0; }
int MPI_Isend(const void *buffer, int count, int *request) { return 0; }
int MPI_Wait(int *request) { return 0; }
int own_send(const void *buffer) { return 0; }
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


def _filter(t):
    path = t.work / "filter"
    path.write_text("library:own_*\n")
    return f"-fplugin-arg-gpumemprof-filter={path}"


def _clang(t, name, *flags, link=()):
    program = t.work / name
    t.command(t.compiler("c++"), "-O2", f"--cuda-path={t.cuda}", f"--cuda-gpu-arch={ARCH}",
              "-Wno-unknown-cuda-version", *flags, t.programs / "cuda/traps/traps.cu", *t.gpumemprof("flags", "clang").out.split(), _filter(t),
              *t.link_flags(runtime=False), t.sim / "libcuda.so.1", *link, f"-Wl,-rpath,{t.work}", "-pthread", "-o", program)
    return program


def _nvcc(t, name, *flags, link=()):
    program = t.work / name
    t.command(f"{t.cuda}/bin/nvcc", "-O2", f"-gencode=arch=compute_{ARCH[3:]},code=[{ARCH},compute_{ARCH[3:]}]", *flags,
              t.programs / "cuda/traps/traps.cu", *t.gpumemprof("flags", "nvcc").out.split(), "-Xcompiler", _filter(t), "-cudart", "shared", "-Xlinker", t.sim / "libcuda.so.1", *link,
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


def _traps(t, build, *flags):
    t.need_toolkit()
    program = build(t, "traps", *flags, link=[_library(t, "cublas", LIBRARY)])
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


def managed_variables(t):
    """The host stores addresses in them, which is not recorded."""
    _traps(t, _nvcc, "-DMANAGED")


def code_that_was_not_rebuilt(t):
    """It is named, and nothing is said about memory that it may use."""
    t.need_toolkit()
    closed = _library(t, "closed", CLOSED, *t.link_flags(runtime=False))
    program = _clang(t, "closed", "-DCLOSED", link=[closed])
    answer = _advice(t, program, "not_rebuilt")
    assert not answer["findings"], answer
    assert answer["not_judged"] and all(u["reason"] == f"{closed} was not rebuilt, so what it uses is not recorded"
                                        for u in answer["not_judged"]), answer


# What the file that was not rebuilt does, how it is compiled and linked, and whom `advise` names.
PARTS = {"launches": ([], [], ("other::count in ", "use_last in ")), "launches_unoptimized": (["-O0"], [], ("other::count in ", "use_last in ")),
         "fills": (["-DFILL"], [], ("use_last in ",)), "fills_without_plt": (["-DFILL", "-fno-plt"], [], ("use_last in ",)),
         "fills_by_address": (["-DADDRESS"], [], ("use_last in ",)), "fills_by_address_without_plt": (["-DADDRESS", "-fno-plt"], [], ("use_last in ",)),
         "fills_at_a_fixed_address": (["-DFILL", "-fno-pie"], ["-no-pie"], ("use_last in ",)), "fills_by_a_table": (["-DTABLE"], [], ("a part of ",)),
         "fills_with_lld": (["-DFILL"], ["-fuse-ld=lld"], ("use_last in ",)), "fills_with_ibt": (["-DFILL", "-Xarch_host", "-fcf-protection"], ["-Wl,-z,ibtplt"], ("use_last in ",)),
         "fills_stripped": (["-DFILL"], ["-s"], ("a part of ",))}


def _part(t, name, rebuilt, flags=(), link=()):
    """A program of two files; rebuilt: both of them."""
    plugin = [word for word in t.gpumemprof("flags", "clang").out.split() if word.startswith("-fplugin")]
    fixed = "-no-pie" in link
    objects = [t.work / f"main{fixed}.o", t.work / f"{name}_other.o"]
    for built, more in zip(objects, (plugin, ["-DOTHER", *flags, *(plugin if rebuilt else [])])):
        if built == objects[1] or not built.exists():
            t.command(t.compiler("c++"), "-O2", f"--cuda-path={t.cuda}", f"--cuda-gpu-arch={ARCH}", "--cuda-include-ptx=all", "-Wno-unknown-cuda-version",
                      "-fno-pie" if fixed else "-fPIE", *more, "-c", t.programs / "cuda/parts.cu", "-o", built)
    program = t.work / name
    t.command(t.compiler("c++"), *objects, "-o", program, *link)
    return program


def files_that_were_not_rebuilt(t):
    """They are named, and nothing is said about memory that they may use; where all were rebuilt there is advice."""
    t.need_toolkit()
    for name in {"launches", "fills", *repeats.share(PARTS, 3)}:
        flags, link, said = PARTS[name]
        for rebuilt in False, True:
            answer = _advice(t, _part(t, name, rebuilt, flags, [*t.link_flags(), *link]), name)
            reasons = {u["reason"] for u in answer["not_judged"]}
            assert bool(answer["findings"]) == rebuilt and bool(reasons) != rebuilt, (name, rebuilt, answer)
            assert all(any(reason.startswith(word) for word in said) for reason in reasons), (name, reasons)


def files_that_were_not_rebuilt_with_a_static_runtime(t):
    """No simulated runtime can take the place of a static one, so here is only what the program records of itself."""
    t.need_toolkit()
    static = [f"-L{t.cuda}/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread", *t.link_flags()[:-2]]
    for name, rebuilt, link, recorded in (("static", False, [], b"_Z8use_lastPf"), ("static_rebuilt", True, [], b""), ("static_stripped", True, ["-s"], b"")):
        capture = t.work / f"{name}.gmprof"
        t.command(_part(t, name, rebuilt, ["-DFILL"], [*static, *link]), env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
        uses = capture.read_bytes()
        assert not recorded or recorded in uses, name
        # Two records of code that is not seen would begin alike: no site, 14, no values, no kernel.
        assert (b"\xff\xff\xff\xff\x0e\0\0\0\xff\xff\xff\xff" in uses) == (name != "static_rebuilt"), name
