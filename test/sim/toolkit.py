#!/usr/bin/env python3
"""toolkit.py TEST - the simulated device against a CUDA toolkit, where there is one (else status 77).

Environment: SIM (folder of the libraries), SIM_SOURCE (sim/ of the source), CUDA (the toolkit; may be
empty), WORK (a folder to write in), CLANG (a clang that compiles CUDA 13; may be empty). GPUMEMPROF_CUDA12: a folder with
include/ and a library folder of CUDA 12; without it, /usr/local/cuda-12*.
"""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SIM, SOURCE, WORK = (pathlib.Path(os.environ[name]) for name in ("SIM", "SIM_SOURCE", "WORK"))
CUDA = pathlib.Path(os.environ.get("CUDA") or "/nonexistent")
OURS, THEIRS = SOURCE / "include", CUDA / "include"
HEADERS = {"cuda_runtime_api.h": "cuda", "cuda.h": "CU"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def command(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def compiled(name, text, includes, *flags):
    """Builds a C program from text and returns its path."""
    source = WORK / f"{name}.c"
    source.write_text(text)
    command("cc", "-std=gnu11", "-w", "-I", includes, source, "-o", WORK / name, *flags)
    return WORK / name


def exported(library):
    lines = command("nm", "-D", "--defined-only", library).stdout.splitlines()
    return {line.split()[-1] for line in lines if line.split()[-2] in "TWi"}


def enumerators(text):
    """Names in the enumerations and constants of preprocessed C."""
    found = []
    for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", text):
        found += re.findall(r"(?:^|,)\s*(\w+)", body)
    return [name for name in dict.fromkeys(found) if re.match(r"cuda|CU", name)]


def fields(text):
    """(type, field) for the members of the named structures and unions of preprocessed C."""
    found = []
    for match in re.finditer(r"\b(struct|union)\s+(\w+)\s*\{", text):
        depth, at, statement = 1, match.end(), ""
        while depth:
            char = text[at]
            depth += (char == "{") - (char == "}")
            if depth == 1 and char == ";":
                name = re.search(r"(\w+)\s*(\[[^;]*\])*\s*$", statement)
                if name and name.group(1) not in ("struct", "union"):
                    found.append((f"{match.group(1)} {match.group(2)}", name.group(1)))
                statement = ""
            elif depth == 1 and char != "}":
                statement += char
            elif depth == 1:
                statement = ""
            at += 1
    return [pair for pair in found if re.match(r"(struct|union) (cuda|CU|dim3|\w+\d$|\w+4_)", pair[0])]


def headers_agree():
    """Every enumerator, size and offset of our headers is that of the toolkit's."""
    needs_toolkit()
    count = 0
    for header in HEADERS:
        text = command("cc", "-E", "-P", "-I", OURS, OURS / header).stdout
        lines = [f'P("{name}", (long long){name});' for name in enumerators(text)]
        for kind, field in fields(text):
            lines.append(f'P("{kind}.{field}", (long long)__builtin_offsetof({kind}, {field}));')
        for kind in dict.fromkeys(kind for kind, _ in fields(text)):
            lines.append(f'P("sizeof {kind}", (long long)sizeof({kind}));')
            lines.append(f'P("alignof {kind}", (long long)_Alignof({kind}));')
        program = (f"#include <stdio.h>\n#include <{header}>\n#define P(n, v) printf(\"%s %lld\\n\", n, v)\n"
                   "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
        ours = command(compiled("ours", program, OURS)).stdout.splitlines()
        theirs = command(compiled("theirs", program, THEIRS)).stdout.splitlines()
        wrong = [f"{mine}   toolkit: {other}" for mine, other in zip(ours, theirs) if mine != other]
        if wrong or len(ours) != len(theirs):
            sys.exit("\n".join(wrong))
        count += len(ours)
    print(f"{count} figures agree")
    if count < 1500:
        sys.exit("that is too few: the headers were not read")


def prototypes_agree():
    """Our prototypes are redeclarations of the toolkit's."""
    needs_toolkit()
    parts = {"cuda_runtime_api.h": sorted(OURS.glob("gpumemprof_sim/runtime_[!p]*.h")),
             "cuda.h": sorted(OURS.glob("gpumemprof_sim/driver_[degms]*.h"))}
    for header, files in parts.items():
        files = [path for path in files if "typedef" not in path.read_text()]
        if not files:
            sys.exit(f"no prototypes found for {header}")
        text = f"#include <{header}>\n#define GPM_SIM_DEFAULT(value)\n"
        text += "".join(f'#include "{path}"\n' for path in files)
        (WORK / "prototypes.c").write_text(text)
        command("cc", "-std=gnu11", "-w", "-fsyntax-only", "-I", THEIRS, WORK / "prototypes.c")


def tests_compile_with_the_toolkits_headers():
    """What the tests of the simulated device call is CUDA, not something only our headers have."""
    needs_toolkit()
    for test in sorted(HERE.glob("*_test.c")):
        command("cc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Werror", "-fsyntax-only", "-I", THEIRS, test)


def error_texts_agree():
    """cudaGetErrorString and cudaGetErrorName say what the real library says, for every code."""
    needs_toolkit()
    program = compiled("errors", """
#include <stdio.h>
const char *cudaGetErrorString(int), *cudaGetErrorName(int);
int main(void) {
  for (int i = 0; i < 1100; i++) printf("%d %s %s\\n", i, cudaGetErrorName(i), cudaGetErrorString(i));
}
""", OURS, CUDA / "lib64/libcudart.so")
    both = [command(program, env={"LD_LIBRARY_PATH": str(path)}).stdout for path in (SIM, CUDA / "lib64")]
    wrong = [(a, b) for a, b in zip(*(text.splitlines() for text in both)) if a != b]
    if wrong:
        sys.exit("\n".join(f"{a}   toolkit: {b}" for a, b in wrong))


def exports_agree():
    """The libraries export the names of the real ones."""
    needs_toolkit()
    pairs = [(SIM / "libcudart.so.13", CUDA / "lib64/libcudart.so.13"),
             (SIM / "libcupti.so.13", CUDA / "lib64/libcupti.so.13"),
             (SIM / "libcuda.so.1", CUDA / "lib64/stubs/libcuda.so")]
    for ours, theirs in pairs:
        if not theirs.exists():
            skip(f"there is no {theirs}")
        # what CUPTI exports besides is for NVTX
        lacking = {name for name in exported(theirs) - exported(ours) if not name.startswith("InitializeInjectionNvtx")}
        if lacking:
            sys.exit(f"{ours.name} lacks {', '.join(sorted(lacking))}")
    for ours, theirs in pairs[:2]:
        extra = exported(ours) - exported(theirs)
        if extra:
            sys.exit(f"{ours.name} exports {', '.join(sorted(extra))}, which the real one does not")


TRACED = re.compile(r"^GPM_CU_TRACED\((\w+), (\d+), (\w+), (.*)\)$", re.M)


def calls_of(source):
    """(name, number, implementation, [type of each parameter]) of each call that CUPTI reports."""
    found = TRACED.findall((source / "driver_api/traced.def").read_text())
    return [(name, number, how, re.findall(r"\(([^(),]+), \w+\)", parameters)) for name, number, how, parameters in found]


def runtime_calls(path):
    """(name, number) of each call of the runtime API that CUPTI reports."""
    return re.findall(r"^GP\w+\((cuda\w+), (\d+)", path.read_text(), re.M)


def what_the_profiler_listens_to_is_reported():
    """Each call but those that are not simulated."""
    text = (SOURCE.parent / "runtime/foreign/cupti_calls.def").read_text()
    wanted = set(re.findall(r"^GPUMEMPROF_CUPTI_\w+\((\w+),", text, re.M))
    lacking = wanted - {call[0] for call in calls_of(SOURCE)}
    if lacking != {"cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph_ptsz"}:
        sys.exit(f"not reported: {' '.join(sorted(lacking))}")
    wanted = {name for name, _ in runtime_calls(SOURCE.parent / "runtime/foreign/cupti_runtime.def")}
    recorded = set(re.findall(r"^GPUMEMPROF_\w+\((cuda\w+), CUDART", (SOURCE.parent / "include/gpumemprof/cuda_api.def").read_text(), re.M))
    if wanted != {name for name in recorded if "EntryPoint" not in name}:
        sys.exit(f"cupti_runtime.def and cuda_api.def differ by {' '.join(sorted(wanted ^ recorded))}")
    lacking = wanted - {name for name, _ in runtime_calls(SOURCE / "runtime_api/traced.def")}
    if lacking != {"cudaGraphAddNode", "cudaDeviceReset", "cudaStreamBeginCaptureToGraph", "cudaStreamBeginCaptureToGraph_ptsz"}:
        sys.exit(f"not reported: {' '.join(sorted(lacking))}")


def callbacks_agree():
    """Numbers and parameters of calls, CUPTI's structure and names of results are those of the toolkit."""
    needs_toolkit()
    if not (THEIRS / "cupti.h").exists():
        skip("needs CUPTI")
    lines = ["#include <cupti.h>", "#include <stddef.h>", f'#include "{SOURCE}/calls/calls.h"']
    meta = (THEIRS / "generated_cuda_meta.h").read_text()
    for name, number, _, types in calls_of(SOURCE):
        body = re.search(r"typedef struct %s_params_st \{(.*?)\}" % name, meta, re.S)[1]
        theirs = [re.sub(r"\s*\w+$", "", line.strip()) for line in body.split(";") if line.strip()]
        if theirs != types:
            sys.exit(f"{name}: {types} in traced.def, {theirs} in the toolkit")
        lines.append(f'_Static_assert(CUPTI_DRIVER_TRACE_CBID_{name} == {number}, "{name}");')
    text = (THEIRS / "cupti_runtime_cbid.h").read_text()
    numbers = set(re.findall(r"CUPTI_RUNTIME_TRACE_CBID_(\w+)_v\d+\s*=\s*(\d+)", text))
    wrong = [f"{name} {number}" for path in (SOURCE / "runtime_api/traced.def", SOURCE.parent / "runtime/foreign/cupti_runtime.def")
             for name, number in runtime_calls(path) if (name, number) not in numbers]
    if wrong:
        sys.exit(f"other numbers in the toolkit: {', '.join(wrong)}")
    for ours, theirs in (("site", "callbackSite"), ("function", "functionName"), ("parameters", "functionParams"),
                         ("result", "functionReturnValue"), ("symbol", "symbolName"), ("context", "context"),
                         ("context_id", "contextUid"), ("data", "correlationData"), ("correlation", "correlationId")):
        lines.append(f'_Static_assert(offsetof(struct gpm_sim_report, {ours}) == offsetof(CUpti_CallbackData, {theirs}), "");')
    lines.append('_Static_assert(CUPTI_DRIVER_TRACE_CBID_SIZE < GPM_SIM_CALL_NUMBERS && CUPTI_CB_DOMAIN_SIZE == GPM_SIM_DOMAINS && '
                 'CUPTI_CB_DOMAIN_DRIVER_API == GPM_SIM_DOMAIN_DRIVER && CUPTI_API_EXIT == GPM_SIM_EXIT, "");')
    lines.append('_Static_assert(sizeof(struct gpm_sim_report) == sizeof(CUpti_CallbackData), "");')
    (WORK / "callbacks.c").write_text("\n".join(lines) + "\n")
    command("cc", "-std=gnu11", "-fsyntax-only", "-I", THEIRS, WORK / "callbacks.c")
    program = compiled("results", """
#include <stdio.h>
int cuptiGetResultString(int, const char **);
int main(void) {
  for (int i = -1; i < 1100; i++) {
    const char *text = "";
    int result = cuptiGetResultString(i, &text);
    printf("%d %d %s\\n", i, result, text);
  }
}
""", OURS, CUDA / "lib64/libcupti.so.13")
    both = [command(program, env={"LD_LIBRARY_PATH": str(path)}).stdout for path in (SIM, CUDA / "lib64")]
    wrong = [(a, b) for a, b in zip(*(text.splitlines() for text in both)) if a != b]
    if wrong:
        sys.exit("\n".join(f"{a}   toolkit: {b}" for a, b in wrong))


def names_are_versioned():
    """A program linked with the real library finds the version it asks for."""
    text = command("nm", "-D", "--defined-only", SIM / "libcudart.so.13").stdout
    if "cudaMalloc@@libcudart.so.13" not in text:
        sys.exit("cudaMalloc has not the version libcudart.so.13")
    if "cuptiSubscribe@@libcupti.so.13" not in command("nm", "-D", "--defined-only", SIM / "libcupti.so.13").stdout:
        sys.exit("cuptiSubscribe has not the version libcupti.so.13")
    if "@" in command("nm", "-D", "--defined-only", SIM / "libcuda.so.1").stdout:
        sys.exit("names of libcuda.so.1 have versions; the real ones have none")


def needs_cuda_12():
    """The headers and the runtime of CUDA 12."""
    homes = [os.environ.get("GPUMEMPROF_CUDA12")] if os.environ.get("GPUMEMPROF_CUDA12") else sorted(glob.glob("/usr/local/cuda-12*"))
    for home in map(pathlib.Path, reversed(homes)):
        for folder in ("lib64", "lib/x86_64-linux-gnu"):
            if (home / folder / "libcudart.so.12").exists() and (home / "include/cuda_runtime_api.h").exists():
                return home / "include", home / folder / "libcudart.so.12"
    return skip("needs CUDA 12")


def prototypes(includes):
    """Name -> types of the parameters of each function of the runtime API, names left out."""
    text = command("cc", "-E", "-P", "-I", includes, "-x", "c", includes / "cuda_runtime_api.h").stdout
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", re.sub(r"\s+", " ", text))
    found = {}
    for name, parameters in re.findall(r"\b(cuda[A-Z]\w*) ?\(([^;{}]*?)\) ?;", text):
        found[name] = [re.sub(r"\b(struct|enum) |\s", "", re.sub(r"([\w*] ?)\b\w+ *$", r"\1", one.strip())) for one in
                       parameters.split(",")]
    return found


def cuda_twelve_agrees():
    """libcudart.so.12 exports the names of the real one. Each function whose parameters 13 changed has a line in cuda12.h,
    and structures have the sizes that cuda12.c and its test assume."""
    headers, library = needs_cuda_12()
    ours, theirs = exported(SIM / "libcudart.so.12"), exported(library)
    if theirs - ours:
        sys.exit(f"libcudart.so.12 lacks {' '.join(sorted(theirs - ours))}")
    text = command("nm", "-D", "--defined-only", SIM / "libcudart.so.12").stdout
    if "cudaMalloc@@libcudart.so.12" not in text:
        sys.exit("cudaMalloc has not the version libcudart.so.12")
    cupti = library.with_name("libcupti.so.12")
    if cupti.exists():
        lacking = {name for name in exported(cupti) - exported(SIM / "libcupti.so.12") if not name.startswith("InitializeInjectionNvtx")}
        if lacking:
            sys.exit(f"libcupti.so.12 lacks {' '.join(sorted(lacking))}")
        text = (headers / "cupti_driver_cbid.h").read_text()
        numbers = dict(re.findall(r"CUPTI_DRIVER_TRACE_CBID_(\w+)\s*=\s*(\d+)", text))
        wrong = [name for name, number, _, _ in calls_of(SOURCE) if name in numbers and numbers[name] != number]
        if wrong or len(numbers) < 600:
            sys.exit(f"other numbers in CUDA 12: {' '.join(wrong)}")
    renamed = set(re.findall(r"^#define (cuda\w+) ", (SOURCE / "cuda12/cuda12.h").read_text(), re.M))
    body = re.search(r"struct gpm_cudart12_properties \{(.*?)\};", (SOURCE / "cuda12/properties.h").read_text(), re.S)[1]
    lines = ["#include <cuda_runtime_api.h>", "#include <stddef.h>", f"struct ours {{{body}}};"]
    for field in re.findall(r"(\w+)(?:\[\d+\])?;", body):
        lines.append(f'_Static_assert(offsetof(struct ours, {field}) == offsetof(struct cudaDeviceProp, {field}), "{field}");')
    sizes = {"cudaDeviceProp": 1032, "cudaPointerAttributes": 24, "cudaResourceDesc": 64, "cudaResourceViewDesc": 48,
             "cudaGraphNodeParams": 256, "cudaMemPoolProps": 88}
    lines += [f'_Static_assert(sizeof(struct {name}) == {size}, "{name}");' for name, size in sizes.items()]
    lines.append('_Static_assert(offsetof(struct cudaDeviceProp, hostRegisterSupported) == 728, "the end in CUDA 11");')
    (WORK / "cuda12.c").write_text("\n".join(lines) + "\n")
    command("cc", "-std=gnu11", "-fsyntax-only", "-I", headers, WORK / "cuda12.c")
    needs_toolkit()
    bare = [{name.split("@")[0] for name in names} for names in (ours, theirs, exported(CUDA / "lib64/libcudart.so.13"))]
    new = bare[0] - bare[1] - bare[2] - {"cudaEventElapsedTime_v2"}  # of 12.8
    if new:
        sys.exit(f"libcudart.so.12 exports {' '.join(sorted(new))}")
    twelve, thirteen = prototypes(headers), prototypes(THEIRS)
    changed = {name for name in twelve.keys() & thirteen.keys() if twelve[name] != thirteen[name]}
    if changed - renamed or len(changed) < 9 or len(twelve) < 250:
        sys.exit(f"of {len(twelve)} functions, without a line in cuda12.h: {' '.join(sorted(changed - renamed))}")


def per_thread_streams_use_their_own_names():
    (WORK / "stream.c").write_text("""
#include <cuda.h>
#include <cuda_runtime.h>
int main(void) {
  void *p;
  CUdeviceptr q;
  cudaMallocAsync(&p, 4, 0);
  cudaMemcpy(&p, &p, 4, cudaMemcpyDefault);
  return (int)cuMemAllocAsync(&q, 4, 0);
}
""")
    command("cc", "-std=gnu11", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", "-I", OURS, "-c", WORK / "stream.c", "-o",
            WORK / "stream.o")
    undefined = command("nm", "-u", WORK / "stream.o").stdout
    for name in ("cudaMallocAsync_ptsz", "cudaMemcpy_ptds", "cuMemAllocAsync_ptsz"):
        if not re.search(rf"\b{name}\b", undefined):
            sys.exit(f"{name} is not called:\n{undefined}")


EXPECTED = """to symbol: no error
factor 2: 3
counter: 0
launch: no error
launch of double: no error
launch of 2000 threads: refused
blocks: 8
attributes: no error
free: no error
second free: invalid argument
"""


def runs_device_code(name, *words):
    needs_toolkit()
    program = WORK / name
    command(*words, HERE / "device_code.cu", "-o", program)
    done = command(program, env={"LD_LIBRARY_PATH": str(SIM)})
    if done.stdout != EXPECTED or done.stderr:
        sys.exit(f"{done.stdout}{done.stderr}")


def nvcc_built_programs_run():
    runs_device_code("by_nvcc", CUDA / "bin/nvcc", "-arch=sm_90", "-cudart", "shared")


def clang_built_programs_run():
    clang = os.environ.get("CLANG")
    if not clang:
        skip("needs clang++-22")
    needs_toolkit()
    runs_device_code("by_clang", clang, f"--cuda-path={CUDA}", "--cuda-gpu-arch=sm_90", "-Wno-unknown-cuda-version",
                     f"-L{CUDA}/lib64", "-lcudart")


def device_calls_are_cuda():
    """The device code that our headers accept in without_toolkit.py compiles by nvcc too, with the same sizes of types."""
    needs_toolkit()
    curand = ["-DWITH_CURAND"] if (THEIRS / "curand_kernel.h").exists() else []
    command(CUDA / "bin/nvcc", "-arch=sm_90", *curand, "-c", HERE / "device_calls.cu", "-o", WORK / "calls.o")


DEVICE_HEADERS = (
    "crt/device_functions.h crt/device_double_functions.h crt/math_functions.h crt/sm_70_rt.h crt/sm_80_rt.h crt/sm_90_rt.h "
    "device_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_atomic_functions.h sm_32_intrinsics.h "
    "sm_60_atomic_functions.h sm_61_intrinsics.h cuda_bf16.h cuda_fp16.h").split()
# What programs do not call: names of the toolkit's own, those of C libraries on other systems, and old ones that CUDA marks as deprecated.
NOT_DECLARED = re.compile(
    r"_?_(nv|isfinite|isinf|isnan|signbit|libcpp|cmath|pow)\w*|__cluster_map_shared_multicast|__u128Atomic\w+|_+[A-Z]\w*|_[df]\w*|_[hl]\w+|"
    r"__(CUDA|NV|HALF|BFLOAT16|DOUBLE|FLOAT)_\w+|defined|d(add|mul|sub)|(double|float|int|ll|uint|ull)2\w+|syncthreads_\w+")


def device_functions_are_declared():
    """Our headers name each function that the toolkit declares for device code."""
    needs_toolkit()
    clang = os.environ.get("CLANG")
    if not clang:
        skip("needs clang++-22")
    (WORK / "all.cu").write_text("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n")
    ours = command(clang, "--cuda-host-only", "-nocudainc", "-nocudalib", f"--cuda-path={WORK}", "-I", OURS,
                   "-include", OURS / "gpumemprof_host_only.h", "-E", "-P", WORK / "all.cu").stdout
    known, lacking, count = set(re.findall(r"\w+", ours)), set(), 0
    declared = r"(?:__device__|__SM_\w+_DECL__|__DEVICE\w*_DECL__|__CUDA_\w+_DECL__)[^;{()]*?\b(\w+)\s*\("
    for header in DEVICE_HEADERS:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", (THEIRS / header).read_text(), flags=re.S)
        names = {name for name in re.findall(declared, text) if not re.match("__(attribute__|DEPRECATED__|declspec)|operator", name)}
        lacking |= {name for name in names - known if not NOT_DECLARED.fullmatch(name)}
        count += len(names)
    if lacking:
        sys.exit(f"not declared: {' '.join(sorted(lacking))}")
    print(f"{count} functions are declared")
    if count < 1000:
        sys.exit("that is too few: the headers were not read")


def needs_toolkit():
    if not THEIRS.is_dir():
        skip("needs the CUDA toolkit")


TESTS = {test.__name__: test for test in (
    headers_agree, prototypes_agree, tests_compile_with_the_toolkits_headers, error_texts_agree, exports_agree, names_are_versioned,
    what_the_profiler_listens_to_is_reported, callbacks_agree, cuda_twelve_agrees,
    per_thread_streams_use_their_own_names, nvcc_built_programs_run, clang_built_programs_run,
    device_calls_are_cuda, device_functions_are_declared)}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in TESTS:
        sys.exit(f"usage: toolkit.py {'|'.join(TESTS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(WORK)
    WORK.mkdir()
    TESTS[sys.argv[1]]()
