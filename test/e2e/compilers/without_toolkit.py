"""`gpumemprof flags sim`: clang compiles CUDA sources, kernels and launches included, where there is no CUDA toolkit.

The toolkit of this machine, if it has one, must not be read; so each test is the same with and without one."""
import re
import struct

from harness import check

MIB = 1 << 20
SAID = """to symbol: no error
from symbol: no error
1 4
launches: no error
cooperative: no error
extended: no error
2000 threads: refused
address: no error
set: no error
get: no error
block size: no error
blocks: no error
1
elsewhere: no error
end: no error
"""


def _flags(t, llvm, *which):
    t.compiler("c++", llvm), t.plugin(llvm)
    return t.gpumemprof("flags", "sim", "--llvm", llvm, *which).out.split()


def _sources(t):
    return [t.programs / "compilers" / name for name in ("kernels.cu", "kernels_elsewhere.cu")]


def _dryrun(t, program):
    capture = t.work / "run.gmprof"
    done = t.gpumemprof("dryrun", "--device-memory", "1GiB", program,
                        env={"GPUMEMPROF_OPTIONS": f"verify=paths:history=all:output={capture}:quiet=1"})
    return done.out, capture


def _judge(t, program):
    said, capture = _dryrun(t, program)
    assert said == SAID, said
    t.check_lines(capture)
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(row["leaked"] for row in report["rows"]), report
    rows = t.rows(capture)
    check(rows["main:53"], "data", incl_alloc=1 << 20, at_peak=1 << 20, incl_net=1 << 20)
    check(rows["elsewhere:14"], "data elsewhere", incl_alloc=1 << 18, own_peak_max=1 << 18)
    check(rows["launches:38"], "halves", self_alloc=2048, own_peak_max=2048)
    check(rows["main:68"], "call of elsewhere", incl_alloc=1 << 18, own_peak_max=1 << 18)
    variables = {(row["line"], row["variable"]): row["self_alloc"] for row in report["rows"] if row["function"] == "(static)"}
    assert variables == {(10, "weights"): 4096, (11, "steps"): 16, (7, "limits"): 64}, variables
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def _in_one_step(t, llvm):
    """The flags may precede the sources."""
    program = t.work / "kernels"
    done = t.command(t.compiler("c++", llvm), *_flags(t, llvm), "-O2", "-g1", "-Wall", "-Wextra", "-Werror", *_sources(t), "-o", program)
    assert not done.err, done.err
    _judge(t, program)


def in_one_step_by_clang_22(t):
    _in_one_step(t, 22)


def in_one_step_by_clang_19(t):
    _in_one_step(t, 19)


def in_one_step_by_clang_16(t):
    _in_one_step(t, 16)


def _in_two_steps(t, llvm):
    objects = []
    for source in _sources(t):
        objects.append(t.work / f"{source.stem}.o")
        t.command(t.compiler("c++", llvm), *_flags(t, llvm, "--compile"), "-g1", "-Werror", "-c", source, "-o", objects[-1])
    program = t.work / "kernels"
    done = t.command(t.compiler("c++", llvm), *objects, *_flags(t, llvm, "--link"), "-o", program)
    assert not done.err, done.err
    _judge(t, program)


def in_two_steps_by_clang_22(t):
    _in_two_steps(t, 22)


def in_two_steps_by_clang_19(t):
    _in_two_steps(t, 19)


def with_cmake_as_the_manual_says(t):
    text = (t.source / "docs/BUILDING.md").read_text()
    properties = "set_source_files_properties({} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS -xcuda)"
    assert f"\n    {properties.format('app.cu')}\n" in text
    sources = " ".join(map(str, _sources(t)))
    (t.work / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(kernels CXX)\nadd_executable(kernels {sources})\n"
                                           f"{properties.format(sources)}\n")
    flags = {which: " ".join(_flags(t, 22, which)) for which in ("--compile", "--link")}
    t.command(t.cmake, "-S", t.work, "-B", t.work / "build", f"-DCMAKE_CXX_COMPILER={t.compiler('c++')}",
              f"-DCMAKE_CXX_FLAGS={flags['--compile']} -O2 -g1", f"-DCMAKE_EXE_LINKER_FLAGS={flags['--link']}")
    t.command(t.cmake, "--build", t.work / "build")
    _judge(t, t.work / "build/kernels")


def the_toolkit_gives_the_same_report(t):
    t.need_toolkit()
    program, rows = t.work / "kernels", []
    for flags in (_flags(t, 22), [*t.gpumemprof("flags", "clang").out.split(), f"--cuda-path={t.cuda}", "--cuda-gpu-arch=sm_90",
                                  "-Wno-unknown-cuda-version", f"-I{t.cuda}/include/cccl", *t.link_flags(runtime=False)]):
        t.command(t.compiler("c++"), *flags, "-O2", "-g1", *_sources(t), "-o", program)
        said, capture = _dryrun(t, program)
        assert said == SAID, said
        rows.append(t.report(capture)["rows"])
    same = [[{key: value for key, value in row.items() if not key.endswith("_ns")} for row in one] for one in rows]
    assert same[0] == same[1], same


def the_program_needs_dryrun(t):
    """Without it the loader looks for CUDA, and does not silently take the simulated one."""
    program = t.work / "kernels"
    t.command(t.compiler("c++"), *_flags(t, 22), *_sources(t), "-o", program)
    paths = t.command("readelf", "-d", program).out
    assert "Shared library: [libcudart.so.13]" in paths and str(t.sim) not in paths, paths


def files_that_are_no_cuda_take_the_flags_too(t):
    (t.work / "main.c").write_text("int twice(int); int main(void) { return twice(0); }\n")
    (t.work / "twice.cpp").write_text('#include <cuda_runtime.h>\nextern "C" int twice(int n) { void *p; return cudaMalloc(&p, 4096) + 2 * n; }\n')
    flags = _flags(t, 22, "--compile")
    t.command(t.compiler("c"), *flags, "-Werror", "-c", "main.c")
    t.command(t.compiler("c++"), *flags, "-Werror", "-c", "twice.cpp")
    done = t.command(t.compiler("c++"), *_flags(t, 22), "-Werror", "main.o", "twice.o", "-o", "both")
    assert not done.err, done.err
    _, capture = _dryrun(t, t.work / "both")
    assert t.rows(capture)["twice:2"]["leaked"] == 4096


def examples_compile(t):
    for llvm in (22, 19):
        flags = [t.compiler("c++", llvm), *_flags(t, llvm), "-O2", "-g1", "-Werror"]
        t.command(*flags, t.examples / "train.cu", "-o", t.work / "train")
        _, capture = _dryrun(t, t.work / "train")
        assert sum(row["leaked"] for row in t.report(capture)["rows"]) == 4 * 2048 * 1000 * 4
        t.command(*flags, "-include", t.examples / "worked_example.h", t.examples / "worked_example.cu", "-o", t.work / "worked")
        _, capture = _dryrun(t, t.work / "worked")
        check(t.rows(capture, "function")["main"], "main", incl_alloc=380 * MIB, own_peak_max=350 * MIB)


def _headers_and_clang_agree(t, llvm):
    """No declaration of ours clashes with one of clang or of the C++ library, and the toolkit is not read."""
    flags = [t.compiler("c++", llvm), *_flags(t, llvm, "--compile"), "-Wall", "-Wextra", "-Werror", "-x", "cuda"]
    calls = t.source / "test/sim/device_calls.cu"
    for standard in ("c++11", "c++14", "c++17", "c++20"):
        t.command(*flags, "-fsyntax-only", f"-std={standard}", "-DWITH_CURAND", "-Wno-unused", calls)
    text = "".join(f"#include <{name}>\n" for name in (
        "malloc.h", "complex", "cmath", "algorithm", "functional", "iostream", "map", "memory", "random", "string", "thread", "vector",
        "cstdint", "cfloat", "cassert", "sys/time.h", "unistd.h", "time.h", "tgmath.h"))
    (t.work / "library.cu").write_text(text + "__global__ void k(float *p) { p[0] = std::abs(std::sqrt(p[1])); }\n")
    t.command(*flags, "-fsyntax-only", t.work / "library.cu")
    (t.work / "names.cu").write_text("using namespace std;\n__device__ int count, search;\nvoid swap(int *a, int *b);\n"
                                     "__global__ void merge(int *p) { p[0] = count + search; }\nint find() { return 1; }\n")
    t.command(*flags, "-fsyntax-only", "-Wno-unused", t.work / "names.cu")
    headers = sorted(path.relative_to(t.sim / "include") for path in (t.sim / "include").rglob("*.h") if "gpumemprof_sim" not in path.parts)
    assert len(headers) > 20, headers
    for header in headers:
        (t.work / "header.cu").write_text(f"#include <{header}>\n#include <{header}>\n")
        t.command(*flags, "-fsyntax-only", t.work / "header.cu")
    read = t.command(*flags, "-M", "-DWITH_CURAND", calls).out
    ours = {path for path in re.findall(r"\S+", read) if "/cuda" in path or "curand" in path}
    assert ours and all(path.startswith((str(t.sim), "/usr/lib/llvm")) for path in ours if "test/sim" not in path), ours


def headers_and_clang_22_agree(t):
    _headers_and_clang_agree(t, 22)


def headers_and_clang_19_agree(t):
    _headers_and_clang_agree(t, 19)


def numbers_of_16_bits_are_exact_on_the_host(t):
    """Every half and bfloat16 is what Python's struct says, and becomes itself again."""
    (t.work / "halves.cu").write_text("""
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
int main() {
  for (unsigned i = 0; i < 65536; i++) {
    unsigned short bits = static_cast<unsigned short>(i);
    float h = __half2float(__ushort_as_half(bits)), b = __bfloat162float(__ushort_as_bfloat16(bits));
    printf("%a %u %a %u\\n", h, __half_as_ushort(__float2half(h)), b, __bfloat16_as_ushort(__float2bfloat16(b)));
  }
  for (float near : {2049.f, 2050.f, 2051.f, 65519.f, 65520.f, 5.9604645e-8f, 2.9802322e-8f, 2.9802326e-8f, -1e-30f})
    printf("%g ", __half2float(__float2half(near)));
  __half2 pair = __floats2half2_rn(1.5f, 2) * __half2half2(__half(2)) + __half2(__half(1), __half(0.5));
  printf("%g %g %d\\n", __low2float(pair), __high2float(pair), __half(3) > __half(2.5));
}
""")
    t.command(t.compiler("c++"), *_flags(t, 22), "halves.cu", "-o", "halves")
    said, _ = _dryrun(t, t.work / "halves")
    lines = said.splitlines()
    for i, line in enumerate(lines[:65536]):
        half, half_bits, brain, brain_bits = line.split()
        for text, bits, expected in ((half, half_bits, struct.unpack("<e", struct.pack("<H", i))[0]),
                                     (brain, brain_bits, struct.unpack("<f", struct.pack("<HH", 0, i))[0])):
            if expected != expected:
                assert "nan" in text, (i, text)
            else:
                assert text == "inf" or text == "-inf" or float.fromhex(text) == expected, (i, text, expected)
                assert int(bits) == i, (i, bits)
    assert lines[65536] == "2048 2050 2052 65504 inf 5.96046e-08 0 5.96046e-08 -0 4 4.5 1", lines[65536]


def a_kernel_with_an_error_is_an_error(t):
    """Device code is checked: what CUDA does not have there is refused, as by the toolkit."""
    (t.work / "wrong.cu").write_text("__global__ void k(float *p) { p[0] = no_such_function(p[1]); }\n"
                                     "static void host() {}\n__global__ void l() { host(); }\n__global__ int m() { return 1; }\n")
    done = t.command(t.compiler("c++"), *_flags(t, 22, "--compile"), "-c", "wrong.cu", status=1)
    for text in ("wrong.cu:1:38: error: use of undeclared identifier 'no_such_function'", "wrong.cu:3:23: error: no matching function for call to 'host'",
                 "wrong.cu:4:12: error: kernel function type"):
        assert text in done.err, done.err

