"""Programs that were compiled with another CUDA than 13: they need another runtime API and declare what they call as that
CUDA does. No headers of it are needed here."""
from harness import MIB, check

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
