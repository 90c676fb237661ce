"""Programs that were compiled with another CUDA than 13: they need another runtime API and declare what they call as that
CUDA does. No headers of it are needed here."""
import json
import os
import pathlib
import shutil

from harness import MIB, Skip, check

PROGRAM = """#include <stdio.h>
int cudaMalloc(void **p, unsigned long n);
int cudaFree(void *p);
int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaMemPrefetchAsync(const void *p, unsigned long n, int device, void *stream);
int cudaMallocManaged(void **p, unsigned long n, unsigned flags);
static int properties[258 * 4];
static void *take(unsigned long n) {
  void *p = NULL;
  cudaMalloc(&p, n); /* TAKE */
  return p;
}
int main(void) {
  int version = 0;
  void *kept = take(3 << 20), *managed = NULL;
  cudaFree(take(1 << 20));
  cudaRuntimeGetVersion(&version);
  cudaGetDeviceProperties_v2(properties, 0);
  cudaMallocManaged(&managed, 4096, 1);
  printf("%d %d %d %d\\n", version / 1000, properties[388 / 4], kept != NULL, cudaMemPrefetchAsync(managed, 4096, -1, NULL));
  return 0;
}
"""


def compiled(t, name, version, *flags):
    """PROGRAM, by clang with the flags; it is linked against a library of that version, which the program finds by dryrun."""
    source, stub = t.work / "program.c", t.work / "stub.c"
    source.write_text(PROGRAM)
    names = ("cudaMalloc", "cudaFree", "cudaRuntimeGetVersion", "cudaGetDeviceProperties_v2", "cudaMemPrefetchAsync",
             "cudaMallocManaged")
    stub.write_text("".join(f"int {function}(void) {{ return 0; }}\n" for function in names))
    script, library = t.work / "names.map", t.work / f"libcudart-{version}.so"
    script.write_text(f"libcudart.so.{version} {{ global: cuda*; local: *; }};\n")
    t.command(t.compiler("c"), "-shared", "-fPIC", stub, f"-Wl,-soname,libcudart.so.{version}", f"-Wl,--version-script={script}",
              "-o", library)
    t.command(t.compiler("c"), "-O1", *flags, source, "-o", t.work / name, library)
    return t.work / name


def a_program_of_cuda_12_runs(t):
    """The simulated runtime has the version of the names, so the loader says nothing."""
    done = t.gpumemprof("dryrun", compiled(t, "plain", 12))
    assert done.out == "12 132 1 0\n" and "version information" not in done.err, (done.out, done.err)


def a_rebuilt_program_of_cuda_12_is_profiled(t):
    lib = t.stage / "lib"
    program = compiled(t, "rebuilt", 12, *t.plugin_flags(), "-I", t.stage / "include", "-L", lib, "-lgpumemprof", f"-Wl,-rpath,{lib}")
    capture = t.work / "run.gmprof"
    done = t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": f"verify=paths:quiet=1:output={capture}"})
    assert done.out == "12 132 1 0\n", (done.out, done.err)
    t.check_lines(capture)
    check(t.rows(capture, "function")["take"], "take", self_alloc=4 * MIB, leaked=3 * MIB, calls=2)


def other_versions_are_refused(t):
    done = t.gpumemprof("dryrun", compiled(t, "eleven", "11.0"), status=2)
    assert "needs libcudart.so.11.0, and the simulated runtimes are libcudart.so.13 and libcudart.so.12" in done.err, done.err


def _every_form(t, name, *flags, llvm=22):
    """cuda/cuda12.c, linked with the simulated runtime of CUDA 12 and the batches that it does not have."""
    batches = t.work / "libbatches.so"
    t.command(t.compiler("c", llvm), "-shared", "-fPIC", t.programs / "cuda/cuda12_batches.c", "-o", batches)
    t.command(t.compiler("c", llvm), "-std=gnu11", "-O1", "-g", *flags, t.programs / "cuda/cuda12.c", "-o", t.work / name, batches,
              t.sim / "libcudart.so.12", t.sim / "libcuda.so.1", f"-Wl,-rpath,{t.work}", "-ldl")
    return t.work / name


def _own_count(done):
    return {name: int(size) for name, size in map(str.split, done.out.splitlines())}


def _recorded(t, program, part, llvm):
    capture = t.work / f"{part}-{llvm}.gmprof"
    done = t.gpumemprof("dryrun", program, part,
                        env={"GPUMEMPROF_OPTIONS": f"cupti=off:verify=paths:quiet=1:history=all:uses=on:output={capture}"})
    t.check_lines(capture)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    return done, capture


def _rebuilt(t, llvm):
    lib = t.stage / "lib"
    flags = (*t.plugin_flags(llvm, lines=False), "-L", lib, "-lgpumemprof", f"-Wl,-rpath,{lib}")
    return _every_form(t, f"rebuilt-{llvm}", *flags, llvm=llvm)


def _nodes_are_counted_where_they_were_added(t, llvm):
    """Also those added by functions that the program found by name, whose parameters depend on the version that it asked for."""
    done, capture = _recorded(t, _rebuilt(t, llvm), "nodes", llvm)
    sizes, report = _own_count(done), t.report(capture, "function")
    rows = {row["function"]: row for row in report["rows"]}
    assert len(sizes) == 11 and report["conservation"]["ok"] and not any(report["losses"].values()), (sizes, report["losses"])
    for name, size in sizes.items():
        check(rows[name], name, own_peak_max=size, incl_alloc=size, calls=1)
    check(rows["before_exit"], "before_exit", freed_elsewhere=sizes["before_exit"], leaked=0)  # by cudaThreadExit
    check(rows["main"], "main", incl_alloc=sum(sizes.values()),
          incl_net=sum(sizes.values()) - sizes["allocates_and_frees"] - sizes["before_exit"])


def nodes_are_counted_where_they_were_added_by_clang_22(t):
    _nodes_are_counted_where_they_were_added(t, 22)


def nodes_are_counted_where_they_were_added_by_clang_19(t):
    _nodes_are_counted_where_they_were_added(t, 19)


def _uses_have_the_ranges_that_were_given(t, llvm):
    """And the functions get every argument, of which the program checks the results."""
    done, capture = _recorded(t, _rebuilt(t, llvm), "uses", llvm)
    expected = [(words[0] if words[0] != "any" else "any memory used", int(words[1]), int(words[2], 16) if words[2:] else None,
                 int(words[3]) if words[3:] else None) for words in map(str.split, done.out.splitlines())]
    listed = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    found = [(e["event"], e["line"], *([int(v["value"]) for v in e["values"][:2]] or (None, None))) for e in listed if "values" in e]
    assert len(expected) == 18 and found == expected, "\n".join(map(str, (*found, "", *expected)))


def uses_have_the_ranges_that_were_given_by_clang_22(t):
    _uses_have_the_ranges_that_were_given(t, 22)


def uses_have_the_ranges_that_were_given_by_clang_19(t):
    _uses_have_the_ranges_that_were_given(t, 19)


def a_program_that_was_not_rebuilt_has_the_same_figures(t):
    """Listened to through the CUPTI of CUDA 13, and through that of CUDA 12, which knows fewer calls and is the only one here."""
    program, only_12 = _every_form(t, "plain", "-fno-omit-frame-pointer"), t.work / "only12"
    only_12.mkdir()
    for name in ("libcudart.so.12", "libcuda.so.1", "libcupti.so.12"):
        shutil.copy(t.sim / name, only_12)
    for command, env in ((("dryrun",), {}), (("run",), {"LD_LIBRARY_PATH": str(only_12)})):
        capture = t.work / f"{command[0]}.gmprof"
        options = f"quiet=1:output={capture}"
        done = t.gpumemprof(*command, program, "nodes", env={"GPUMEMPROF_OPTIONS": options, **env})
        assert "CUPTI" not in done.err, done.err
        sizes = _own_count(done)
        report = t.report(capture, "function")
        live = sum(sizes.values()) - sizes["allocates_and_frees"] - sizes["before_exit"]
        check(report["conservation"], command[0], ok=True, allocated=sum(sizes.values()), live=live)
        assert report["devices"][0]["peak"] == live + sizes["before_exit"], report["devices"]
        found = {row["incl_alloc"]: row for row in report["rows"]}
        for name, size in sizes.items():
            check(found[size], name, own_peak_max=size, calls=1)


def _toolkit_12(t, part):
    """A toolkit of CUDA 12 that has this part, a path in it."""
    given = os.environ.get("GPUMEMPROF_CUDA12")
    for home in [pathlib.Path(given)] if given else sorted(pathlib.Path("/usr/local").glob("cuda-12*"), reverse=True):
        if (home / part).exists() and t.command(home / "bin/nvcc", "--version", status=None).status == 0:
            return home
    raise Skip(f"needs a toolkit of CUDA 12 with {part}")


def _agrees_with_the_same_program_without_a_toolkit(t, program):
    """The figures of examples/train.cu, and how often its kernels were launched."""
    plain, found = t.work / "without", []
    t.command(t.compiler("c++"), "-O2", *t.gpumemprof("flags", "sim").out.split(), t.examples / "train.cu", "-o", plain)
    assert "libcudart.so.12" in t.command("readelf", "-d", program).out
    for built in (plain, program):
        capture = t.work / f"{built.name}.gmprof"
        t.gpumemprof("dryrun", built, env={"GPUMEMPROF_OPTIONS": f"quiet=1:history=all:uses=on:output={capture}"})
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
        rows = t.rows(capture, "function")
        events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
        found.append(({name: [row[figure] for figure in ("at_peak", "own_peak_max", "incl_alloc", "leaked", "calls")]
                       for name, row in rows.items()},
                      [(e["event"], e.get("kernel"), [v["bytes"] for v in e["values"] if "bytes" in v]) for e in events if "values" in e]))
    assert found[0] == found[1] and len(found[0][1]) > 300, found


def a_toolkit_of_cuda_12_by_clang(t):
    for llvm in (22, 19):
        home, lib, program = _toolkit_12(t, "include/nv/target"), t.stage / "lib", t.work / f"clang-{llvm}"
        t.command(t.compiler("c++", llvm), "-O2", f"--cuda-path={home}", "--cuda-gpu-arch=sm_90", *t.plugin_flags(llvm), "-I", t.stage / "include",
                  t.examples / "train.cu", "-o", program, "-L", lib, f"-Wl,-rpath,{lib}", "-lgpumemprof", "-L", home / "lib64", "-lcudart")
        _agrees_with_the_same_program_without_a_toolkit(t, program)


def a_toolkit_of_cuda_12_by_nvcc(t):
    for llvm in (22, 19):
        home, program = _toolkit_12(t, "bin/nvcc"), t.work / f"nvcc-{llvm}"
        t.compiler("c++", llvm)
        flags = t.gpumemprof("flags", "nvcc", "--llvm", llvm).out.split()
        t.command(home / "bin/nvcc", "-O2", "-arch=sm_90", t.examples / "train.cu", *flags, "-o", program)
        _agrees_with_the_same_program_without_a_toolkit(t, program)
