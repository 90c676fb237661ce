"""One program (programs/common/modes.cpp) in every way a compiler is asked for: each build runs and its report
equals that of the plain build in every scope, line and figure."""
import concurrent.futures
import hashlib
import json
import pathlib
import shutil

from harness import Skip, check
from same_at_every_level import differences, plain

VIEWS = ("path", "function")

SANITIZERS = {
    "asan": ["-fsanitize=address"],
    "asan-fake-stack": ["-fsanitize=address", "-fsanitize-address-use-after-return=always", "-O0"],
    "ubsan": ["-fsanitize=undefined", "-fno-sanitize-recover=all"],
    "tsan": ["-fsanitize=thread"],
    "nsan": ["-fsanitize=numerical"],
    "safe-stack": ["-fsanitize=safe-stack"],
    "cfi": ["-fsanitize=cfi", "-flto=thin", "-fvisibility=hidden", "-fuse-ld=lld"],
}
CODE_GENERATION = {
    "O0": ["-O0"],
    "O3-native": ["-O3", "-march=native"],
    "Os": ["-Os"],
    "Oz": ["-Oz"],
    "cxx17": ["-std=c++17"],
    "cxx23": ["-std=c++23"],
    "no-plt": ["-fno-plt"],
    "medium": ["-mcmodel=medium"],
    "cet": ["-fcf-protection=full"],
    "stack-protector": ["-fstack-protector-all", "-D_FORTIFY_SOURCE=2"],
    "stack-clash": ["-fstack-clash-protection", "-ftrivial-auto-var-init=pattern"],
    "retpoline": ["-mretpoline"],
    "instrument-functions": ["-finstrument-functions", "-lm"],
    "pg": ["-pg"],
    "xray": ["-fxray-instrument", "-fxray-instruction-threshold=1"],
    "frame-pointer": ["-fno-omit-frame-pointer", "-mno-red-zone"],
    "debug": ["-g3", "-gsplit-dwarf"],
    "save-temps": ["-save-temps=obj", "-g"],
    "hidden": ["-fvisibility=hidden", "-fvisibility-inlines-hidden"],
    "per-thread": ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"],
    "no-rtti": ["-fno-rtti"],
    "dynamic-tls": ["-ftls-model=global-dynamic"],
    "profile-generate": ["-fprofile-instr-generate", "-fcoverage-mapping"],
    "gcov": ["--coverage"],
    "unified-lto": ["-flto=thin", "-funified-lto", "-fuse-ld=lld"],
}


def without_streams(value):
    """cudaFreeAsync_ptsz is what the per-thread default stream makes of cudaFreeAsync."""
    return json.loads(json.dumps(value).replace("_ptsz", ""))


def views(t, capture, lost=()):
    """What a report says but its times and where the program lay."""
    reports = {}
    for view in VIEWS:
        reports[view] = without_streams(plain(t.report(capture, view)))
        assert reports[view]["conservation"]["ok"], reports[view]["conservation"]
        losses = reports[view]["losses"]
        assert {name for name, count in losses.items() if count} == set(lost), losses
        for key in ("executable", "command", "capture", "host", "pid", "not_checked"):  # the last where line tables are gone
            reports[view].pop(key, None)
    return reports


def same_report(expected, found, mode):
    for view in VIEWS:
        assert found[view] == expected[view], (f"by {view}, plain and {mode}:\n"
                                               + "\n".join(differences(expected[view], found[view])))


def same_in_modes(t, modes, **more):
    def one(mode, flags):
        program = t.build(mode, "common/modes.cpp", flags=["-O1", *flags], **more)
        # What -gsplit-dwarf moves to a file of its own is not read.
        result, capture = t.run(program, capture=mode + ".gmprof", env={"LLVM_PROFILE_FILE": f"{t.work}/{mode}.profraw"},
                                verify="part" if "-gsplit-dwarf" in flags else True)
        assert (result.out, result.err) == ("done 1\n", ""), f"{mode}: {result.out}{result.err}"
        return views(t, capture)
    expected = one("plain", [])
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for mode, found in [(mode, pool.submit(one, mode, flags)) for mode, flags in modes.items()]:
            try:
                same_report(expected, found.result(), mode)
            except AssertionError as error:
                wrong.append(f"{mode}: {error}")
    assert not wrong, "\n".join(wrong)


def sanitizers(t):
    same_in_modes(t, SANITIZERS)


def code_generation(t):
    same_in_modes(t, CODE_GENERATION)


def openmp_regions_and_tasks(t):
    """A worker's path begins with the region, under its function's name and at its line."""
    t.need_openmp()
    for level in ("-O0", "-O2"):
        program = t.build("regions" + level, "compilers/regions.cpp", flags=["-fopenmp", level])
        result, capture = t.run(program)
        assert (result.out, result.err) == ("done 1\n", ""), result.err
        report = t.report(capture, "path")
        assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
        names = {place["function"] for row in report["rows"] for place in row["path"]}
        assert names == {"main", "smooth<float>", "tile"}, names
        below = {}  # first scope of the path -> bytes allocated in it
        for row in report["rows"]:
            if row["function"] == "tile":
                assert row["path"][-2]["line"] in (13, 28), row["path"]
                first = row["path"][0]["function"]
                below[first] = below.get(first, 0) + row["self_alloc"]
        assert below["smooth<float>"] == sum(range(5, 17)) * 1024, below  # three workers; main has the first four
        assert sum(below.values()) == sum(range(17)) * 1024 + 300, below


def threads_under_thread_sanitizer(t):
    """Blocks handed between threads: nothing of the profiler looks like a race, and a race is still found."""
    oracle, found = t.build_oracle(), {}
    for mode, flags in (("plain", []), ("tsan", ["-fsanitize=thread"])):
        program = t.build(mode, "common/threads.cpp", flags=["-O1", "-DORACLE_OFF", *flags], link=[oracle, "-lstdc++"])
        result, capture = t.run(program, capture=mode + ".gmprof")
        assert not result.err, result.err
        found[mode] = views(t, capture)
    same_report(found["plain"], found["tsan"], "tsan")


def language_standards_of_c(t):
    for standard in ("c11", "c17", "c23"):
        program = t.build(standard, t.examples / "worked_example.c",
                          flags=[f"-std={standard}", "-include", t.examples / "worked_example.h"])
        _, capture = t.run(program)
        check(t.rows(capture, "function")["main"], "main", incl_alloc=380 << 20, own_peak_max=350 << 20,
              escaped=30 << 20)


MODULE = """%s
%s template <class T> T *tile(size_t n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T)); // line 6
  return p;
}
"""


def precompiled_headers_modules_and_header_units(t):
    (t.work / "tiles.h").write_text(MODULE % ("\n\n#include <cuda_runtime.h>", "inline"))
    (t.work / "tiles.cppm").write_text(MODULE % ("module;\n#include <cuda_runtime.h>\nexport module tiles;", "export"))
    (t.work / "main.cpp").write_text("""#ifdef MODULE
import tiles;
#elif defined(UNIT)
import "tiles.h";
#elif !defined(PCH)
#include "tiles.h"
#endif
#include <cuda_runtime.h>
int main() {
  cudaFree(tile<float>(256));
  return !tile<char>(100);
}
""")
    base = [t.compiler("c++"), "-std=c++20", "-O1", "-I", t.work, *t.plugin_flags(), *t.include_flags()]
    pch, module, unit = t.work / "tiles.pch", t.work / "tiles.pcm", t.work / "unit.pcm"
    t.command(*base, "-x", "c++-header", t.work / "tiles.h", "-o", pch)
    t.command(*base, "--precompile", t.work / "tiles.cppm", "-o", module)
    t.command(*base, "-c", module, "-o", t.work / "tiles.o")
    t.command(*base, "-xc++-user-header", "-fmodule-header", t.work / "tiles.h", "-o", unit)
    found = {}
    for mode, words in (("header", []), ("pch", ["-DPCH", "-include-pch", pch]),
                        ("module", ["-DMODULE", f"-fmodule-file=tiles={module}", t.work / "tiles.o"]),
                        ("unit", ["-DUNIT", f"-fmodule-file={unit}"])):
        t.command(*base, *words, t.work / "main.cpp", "-o", t.work / mode, *t.link_flags())
        _, capture = t.run(t.work / mode)
        rows = t.rows(capture)
        check(rows["tile<float>:6"], mode, self_alloc=1024, leaked=0)
        check(rows["tile<char>:6"], mode, self_alloc=100, leaked=100)
        found[mode] = sorted(rows)
    assert all(rows == found["header"] for rows in found.values()), found


def profile_counts_are_those_without_the_plugin(t):
    profdata = "/usr/lib/llvm-22/bin/llvm-profdata"
    if not pathlib.Path(profdata).exists():
        raise Skip("needs llvm-profdata of LLVM 22")
    counts = {}
    for plugin in (True, False):
        name = "with" if plugin else "without"
        program = t.build(name, "common/modes.cpp", flags=["-O1", "-fprofile-instr-generate"], plugin=plugin, runtime=plugin)
        t.run(program, env={"LLVM_PROFILE_FILE": f"{t.work}/{name}.profraw"})
        t.command(profdata, "merge", t.work / (name + ".profraw"), "-o", t.work / (name + ".profdata"))
        counts[name] = t.command(profdata, "show", "--all-functions", "--counts", t.work / (name + ".profdata")).out
    assert "main" in counts["with"] and counts["with"] == counts["without"], counts
    same_in_modes(t, {"use": [f"-fprofile-instr-use={t.work}/with.profdata", "-Wno-profile-instr-unprofiled"]})


def ccache_knows_what_the_plugin_depends_on(t):
    """But for the filter file, which CCACHE_EXTRAFILES has to name (docs/BUILDING.md)."""
    if not shutil.which("ccache"):
        raise Skip("needs ccache")
    plugin, filter_file = t.work / "lib/gpumemprof.so", t.work / "filter.txt"
    shutil.copytree(t.plugin().parent, plugin.parent, symlinks=True)
    for module in plugin.parent.glob("llvm-*/gpumemprof.so"):  # ccache reads none of these
        assert hashlib.sha256(module.read_bytes()).hexdigest().encode() in plugin.read_bytes(), module
    filter_file.write_text("[gpumemprof]\nfun:nothing\n")
    env = {"CCACHE_DIR": str(t.work / "cache"), "CCACHE_EXTRAFILES": str(filter_file), "CCACHE_CONFIGPATH": "/dev/null"}

    def compiled(*options):
        t.command("ccache", "-z", env=env)
        t.command("ccache", t.compiler("c++"), "-std=c++20", "-O1", f"-fplugin={plugin}", *t.include_flags(),
                  f"-fplugin-arg-gpumemprof-filter={filter_file}", *options, "-c", t.programs / "common/modes.cpp", "-o",
                  t.work / "object.o", env=env)
        stats = dict(line.split("\t") for line in t.command("ccache", "--print-stats", env=env).out.splitlines())
        return stats["cache_miss"], (t.work / "object.o").read_bytes()

    first = compiled()
    assert first[0] == "1" and compiled() == ("0", first[1])
    assert compiled("-fplugin-arg-gpumemprof-mode=every")[0] == "1"
    filter_file.write_text("[gpumemprof]\nfun:*steps*\n")
    filtered = compiled()
    assert filtered[0] == "1" and filtered[1] != first[1]
    with open(plugin, "ab") as file:
        file.write(b"a new version")
    assert compiled()[0] == "1"


def relocatable_device_code(t):
    """Two files, linked on the device too, by clang and by nvcc."""
    t.need_toolkit()
    (t.work / "other.cu").write_text("""__device__ int twice(int n) { return 2 * n; }
#include <cuda_runtime.h>
void *make(size_t bytes) {
  void *p;
  cudaMalloc(&p, bytes);
  return p;
}
""")
    (t.work / "main.cu").write_text("""extern __device__ int twice(int n);
__global__ void fill(int *p) { *p = twice(*p); }
void *make(unsigned long bytes);
int main() {
  fill<<<1, 1>>>((int *)make(4096));
  make(100);
  return 0;
}
""")
    clang = [t.compiler("c++"), "-fgpu-rdc", f"--cuda-path={t.cuda}", "--cuda-gpu-arch=sm_90", "--offload-new-driver",
             "-Wno-unknown-cuda-version", *t.plugin_flags()]
    nvcc = [f"{t.cuda}/bin/nvcc", "-rdc=true", "-arch=sm_90", "-ccbin", t.compiler("c++", 19),
            *t.nvcc_flags(19)]
    link = {"clang": [f"-L{t.cuda}/lib64", *t.link_flags()],
            "nvcc": ["-L", t.stage / "lib", "-lgpumemprof", "-Xlinker", f"-rpath={t.stage}/lib", "-cudart", "shared"]}
    for name, words in (("clang", clang), ("nvcc", nvcc)):
        t.command(*words, "-c", t.work / "other.cu", "-o", t.work / "other.o")
        t.command(*words, "-c", t.work / "main.cu", "-o", t.work / "main.o")
        t.command(*words, t.work / "main.o", t.work / "other.o", "-o", t.work / name, *link[name])
        _, capture = t.run(t.work / name, env={"LD_LIBRARY_PATH": str(t.sim)})
        check(t.rows(capture)["make:5"], name, self_alloc=4196, leaked=4196, leaked_blocks=2)
        check(t.rows(capture)["main:5"], name, incl_alloc=4096)


def calls_of_one_statement_are_one_row_by_nvcc(t):
    """nvcc prints a statement on one line, whatever lines it was written on: the row says how many others there are."""
    t.need_toolkit()
    (t.work / "statement.cu").write_text("""#include <cuda_runtime.h>
int main() {
  void *a, *b, *c, *d;
  return cudaMalloc(&a, 100) ||
         cudaMalloc(&b, 2000) ||
         cudaMalloc(&c, 300) ||
         cudaMalloc(&d, 400);
}
""")
    t.command(f"{t.cuda}/bin/nvcc", "-ccbin", t.compiler("c++", 19), "-arch=sm_90", *t.nvcc_flags(19), t.work / "statement.cu",
              "-o", t.work / "statement", "-cudart", "shared", f"-L{t.stage}/lib", "-lgpumemprof",
              "-Xlinker", f"-rpath={t.stage}/lib:{t.sim}")
    _, capture = t.run(t.work / "statement")
    check(t.rows(capture)["main:4"], "statement", self_alloc=2800, calls=4, variable="b", others=3)
    assert "main  b = 2000 (+3 more)\n" in t.gpumemprof("report", capture).out
    assert [row["variable"] for row in t.report(capture, "path")["rows"]] == ["b", "d", "c", "a"]


def function_that_must_not_block_may_be_the_first_of_a_thread(t):
    """RealtimeSanitizer ends a program that maps memory there."""
    program = t.build("realtime", "compilers/realtime.cpp", flags=["-O1", "-fsanitize=realtime"])
    result, capture = t.run(program)
    check(t.report(capture)["conservation"], "conservation", ok=True, allocated=10)
    assert t.command(program, env={"GPUMEMPROF": "0"}).out == result.out == "5\n"
