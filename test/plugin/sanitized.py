#!/usr/bin/env python3
"""sanitized.py SOURCE PLUGIN CLANG WORK - a plugin built with AddressSanitizer and UndefinedBehaviorSanitizer compiles
the programs of the end-to-end tests and the example, each in one mode, without a report: an eighth of them, others after each commit,
or all of them (test/repeats.py). clang itself is not built so: the sanitizers' library is preloaded, and leaks, which are clang's, are not
looked for."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import repeats  # noqa: E402

source, plugin, clang, work = pathlib.Path(sys.argv[1]), *sys.argv[2:]
library = subprocess.run([clang, "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True, check=True).stdout.strip()
if not os.path.exists(library):
    print(f"skipped: needs {library} (libclang-rt-22-dev)")
    sys.exit(77)
os.makedirs(work, exist_ok=True)
environment = {**os.environ, "LD_PRELOAD": library, "UBSAN_OPTIONS": "print_stacktrace=1",
               "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0:alloc_dealloc_mismatch=0"}
filter_file = os.path.join(work, "filter.txt")
pathlib.Path(filter_file).write_text("fun:walk*\n", encoding="utf-8")
MODES = (["mode=all"], ["mode=every", "source-text=off"], ["mode=all", f"filter={filter_file}", "runtime=weak"], ["mode=annotated"])
mpi = subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True, check=True).stdout if shutil.which("mpicc") else ""
# As `gpumemprof flags sim` has it: kernels are compiled without a toolkit.
KERNELS = ["-x", "cuda", "-std=c++20", "--cuda-host-only", "-nocudainc", "-nocudalib", "--no-offload-new-driver", "-Xclang", "-target-sdk-version=11.8",
           "-Xclang", "-fcuda-allow-variadic-functions", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", "/dev/null", f"--cuda-path={source}/sim",
           "-include", f"{source}/sim/include/gpumemprof_host_only.h"]
programs = sorted([*(source / "test/e2e/programs").glob("*/*.c*"), source / "examples/train.cu"])
count = 0
for number in repeats.seeds(0, len(programs), len(programs) // 8):
    path = programs[number]
    if not mpi and "<mpi.h>" in path.read_text(encoding="utf-8"):
        continue
    launches = path.suffix == ".cu" and "<<<" in path.read_text(encoding="utf-8")
    language = KERNELS if launches else ["-x", "c", "-std=gnu11"] if path.suffix == ".c" else ["-x", "c++", "-std=c++20"]
    options = MODES[number % len(MODES)]
    done = subprocess.run([clang, *language, "-O2" if number % 2 else "-O0", "-g", f"-fplugin={plugin}",
                           *(f"-fplugin-arg-gpumemprof-{option}" for option in options), f"-I{source}/include",
                           f"-I{source}/sim/include", *shlex.split(mpi), "-c", path, "-o", os.path.join(work, "out.o")],
                          env=environment, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0 and "runtime error" not in done.stderr, (path.name, options, done.stderr[:5000])
    count += 1
symbols = subprocess.run(["nm", plugin], capture_output=True, text=True, check=True).stdout
assert "__asan_init" in symbols and "__ubsan_handle" in symbols
print(f"{count} compilations")
