"""The installed package: find_package(gpumemprof), gpumemprof_instrument() and `gpumemprof flags` build
programs that record, and say clearly what is wrong where they cannot."""
import shutil
import sys

from harness import Skip, check

LAYOUT = ["bin/gpumemprof", "lib/libgpumemprof.so", "lib/libgpumemprof.a", "lib/gpumemprof/gpumemprof.so", "lib/gpumemprof/llvm-22/gpumemprof.so",
          "lib/gpumemprof/llvm-19/gpumemprof.so", "lib/gpumemprof/llvm-22/gpumemprof-pass.so", "lib/gpumemprof/sim/libcudart.so.13",
          "lib/libgpumemprof-read.so", "lib/libgpumemprof-read.a", "lib/pkgconfig/gpumemprof-read.pc",
          "lib/pkgconfig/gpumemprof-read-static.pc", "include/gpumemprof/read.h",
          "include/gpumemprof/gpumemprof.h", "lib/cmake/gpumemprof/gpumemprof-config.cmake",
          "share/gpumemprof/schema/report.schema.json", "share/gpumemprof/examples/train.cu", "share/gpumemprof/examples/umpire_adaptor.hpp"]


def configure(t, project, *definitions, llvm=22, prefix=None, status=0, env=None):
    return t.command(t.cmake, "-S", t.source / "test/package" / project, "-B", t.work / "build", "-G", "Ninja",
                     f"-DCMAKE_PREFIX_PATH={prefix or t.stage}", f"-DCMAKE_C_COMPILER=clang-{llvm}",
                     f"-DCMAKE_CXX_COMPILER=clang++-{llvm}", *definitions, status=status, env=env)


def refused(t, project, *definitions, llvm=22):
    """What CMake says, on one line, where it refuses to configure."""
    return " ".join(configure(t, project, *definitions, llvm=llvm, status=1).err.split())


def build_and_check(t, row, bytes_allocated, env=None):
    t.command(t.cmake, "--build", t.work / "build", env=env)
    program = t.work / "build/consumer"
    _, capture = t.run(program, env={"LD_LIBRARY_PATH": str(t.sim)}, verify="part")  # has no line tables
    rows = t.rows(capture)
    assert row in rows, sorted(rows)
    check(rows[row], row, self_alloc=bytes_allocated, leaked=bytes_allocated, leaked_blocks=1)


def everything_is_installed_under_its_fixed_name(t):
    missing = [name for name in LAYOUT if not (t.stage / name).exists()]
    assert not missing, missing


def c_and_cxx_project_with_clang_22(t):
    configure(t, "host")
    build_and_check(t, "work:5", 3072)


def c_and_cxx_project_with_clang_19(t):
    t.plugin(19)
    configure(t, "host", llvm=19)
    build_and_check(t, "work:5", 3072)


def c_and_cxx_project_with_clang_16(t):
    """It gives the plugin no lines unless they are asked for."""
    t.plugin(16)
    configure(t, "host", "-DCMAKE_C_FLAGS=-g1", "-DCMAKE_CXX_FLAGS=-g1", llvm=16)
    build_and_check(t, "work:5", 3072)


def prefix_that_was_moved(t):
    moved = t.work / "moved prefix"
    shutil.copytree(t.stage, moved, symlinks=True)
    configure(t, "host", prefix=moved)
    build_and_check(t, "work:5", 3072)


def mode_and_filter_reach_the_compiler(t):
    filter_file = t.work / "filter.txt"
    filter_file.write_text("[gpumemprof]\nfun:nothing\n")
    configure(t, "host", f"-DINSTRUMENT_ARGUMENTS=MODE;every;FILTER;{filter_file}")
    build_and_check(t, "work:5", 3072)
    commands = (t.work / "build/build.ninja").read_text()
    assert "mode=every" in commands and str(filter_file) in commands
    repeated = t.command(t.cmake, "--build", t.work / "build").out
    assert "no work" in repeated, repeated
    filter_file.write_text("[gpumemprof]\nfun:other\n")
    rebuilt = t.command(t.cmake, "--build", t.work / "build").out
    assert "work.c" in rebuilt, rebuilt


def other_compiler_is_refused_with_a_remedy(t):
    said = refused(t, "host", "-DCMAKE_CXX_COMPILER=g++")
    assert "the CXX compiler is GNU" in said and "the C compiler" not in said, said
    assert "in a new build folder with -DCMAKE_CXX_COMPILER=clang++-22 Call" in said, said


def compilers_of_all_languages_are_refused_at_once(t):
    said = refused(t, "host", "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++")
    assert "gpumemprof_instrument(consumer): the plugin needs clang 22 or 19 or 16, but the C compiler is GNU" in said, said
    assert "the CXX compiler is GNU" in said, said
    assert "in a new build folder with -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 Call" in said, said


def clang_of_another_version_is_refused(t):
    if not shutil.which("clang-14"):
        raise Skip("needs a clang that the plugin is not for")
    said = refused(t, "host", "-DCMAKE_C_COMPILER=gcc", llvm=14)
    assert "the C compiler is GNU" in said and "the CXX compiler is Clang 14" in said, said
    assert "-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22" in said, said


def wrong_mode_is_refused(t):
    done = configure(t, "host", "-DINSTRUMENT_ARGUMENTS=MODE;some", status=1)
    assert "MODE some" in done.err, done.err


def missing_filter_file_is_refused(t):
    done = configure(t, "host", "-DINSTRUMENT_ARGUMENTS=FILTER;nowhere.txt", status=1)
    assert "nowhere.txt" in done.err, done.err


def subproject_has_the_same_names(t):
    configure(t, "subproject", f"-DGPUMEMPROF_SOURCE={t.source}", "-DGPUMEMPROF_CUDA_TOOLKIT=OFF")


def makefile_with_the_flags_of_the_tool(t):
    folder = t.work / "make"
    shutil.copytree(t.source / "test/package/make", folder)
    t.command("make", "-C", folder, f"GPUMEMPROF={t.tool}", f"CC={t.compiler('c')}", f"SIM={t.sim}")
    _, capture = t.run(folder / "consumer", verify="part")  # has no line tables
    check(t.rows(capture)["main:5"], "main:5", self_alloc=3072, leaked=3072)


def cuda_project_with_clang(t):
    t.need_toolkit()
    if not shutil.which("clang-linker-wrapper-22"):
        raise Skip("needs clang-tools-22, clang's own linker for device code")
    env = {"CUDAFLAGS": "--cuda-gpu-arch=sm_90", "CUDA_PATH": t.cuda}
    configure(t, "device", "-DCMAKE_CUDA_COMPILER=clang++-22", "-DCMAKE_CUDA_ARCHITECTURES=90", env=env)
    build_and_check(t, "main:10", 4096, env)


def cuda_project_with_nvcc(t):
    t.need_toolkit()
    t.plugin(19)
    configure(t, "device", f"-DCMAKE_CUDA_COMPILER={t.cuda}/bin/nvcc", "-DCMAKE_CUDA_HOST_COMPILER=clang++-19",
              "-DCMAKE_CUDA_ARCHITECTURES=90")
    build_and_check(t, "main:10", 4096)


def nvcc_with_another_host_compiler_is_refused(t):
    """It takes clang below 21, so 22 is no remedy."""
    t.need_toolkit()
    t.plugin(19)
    said = refused(t, "device", f"-DCMAKE_CUDA_COMPILER={t.cuda}/bin/nvcc", "-DCMAKE_CUDA_ARCHITECTURES=90")
    assert "the host compiler of nvcc is g++" in said, said
    assert "in a new build folder with -DCMAKE_CUDA_HOST_COMPILER=clang++-19 Call" in said, said


def all_languages_beside_nvcc_are_refused_at_once(t):
    t.need_toolkit()
    t.plugin(19)
    project = t.work / "three"
    shutil.copytree(t.source / "test/package/device", project)
    lists = project / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("LANGUAGES CXX", "LANGUAGES C CXX").replace("main.cu", "main.cu a.c b.cpp"))
    for name in ("a.c", "b.cpp"):
        (project / name).write_text(f"int {name[0]};\n")
    said = refused(t, project, "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_CUDA_ARCHITECTURES=90",
                   f"-DCMAKE_CUDA_COMPILER={t.cuda}/bin/nvcc")
    for fault in ("the C compiler is GNU", "the CXX compiler is GNU", "the host compiler of nvcc is g++"):
        assert fault in said, said
    variables = [f"-DCMAKE_{word}" for word in ("C_COMPILER=clang-22", "CXX_COMPILER=clang++-22", "CUDA_HOST_COMPILER=clang++-19")]
    assert set(variables) <= set(said.split()), said


def _worked_example(t):
    """A capture of the worked example, with its events."""
    t.command(sys.executable, t.source / "test/reader/captures.py", t.source, t.work / "captures")
    return t.work / "captures/worked.gmprof"


def programs_that_read_captures(t):
    configure(t, "read", f"-DREADER_TESTS={t.source}/test/reader")
    t.command(t.cmake, "--build", t.work / "build")
    capture = _worked_example(t)
    for kind in ("read", "read_static"):
        t.command(t.work / f"build/answers_{kind}", capture)
    needed = t.command("readelf", "-d", t.work / "build/answers_read").out
    assert "libgpumemprof-read.so.0" in needed, needed
    needed = t.command("readelf", "-d", t.work / "build/answers_read_static").out
    assert "gpumemprof" not in needed, needed


def installed(program):
    if not shutil.which(program):
        raise Skip(f"needs {program}")
    return program


def flags_of_pkg_config(t, package):
    env = {"PKG_CONFIG_PATH": str(t.stage / "lib/pkgconfig")}
    return t.command(installed("pkg-config"), "--cflags", "--libs", package, env=env).out.split()


def reads_what_worked_allocated(t, compiler, source, *standard):
    """Compiles a program without a warning, shared and static; both print what the worked example allocated."""
    capture = _worked_example(t)
    for package in ("gpumemprof-read", "gpumemprof-read-static"):
        program = t.work / package
        t.command(compiler, *standard, "-pedantic", "-Wall", "-Wextra", "-Werror", t.source / "test/package/read" / source,
                  *flags_of_pkg_config(t, package), "-o", program)
        needs = "libgpumemprof-read.so.0" in t.command("readelf", "-d", program).out
        assert needs == (package == "gpumemprof-read"), package
        printed = t.command(program, capture, env={"LD_LIBRARY_PATH": str(t.stage / "lib")}).out
        lines = dict(line.rsplit(" ", 1) for line in printed.splitlines())
        assert lines["make"] == str(380 << 20) and lines["blocks"] == "4", printed
        said = t.command(program, t.source / "README.md", env={"LD_LIBRARY_PATH": str(t.stage / "lib")}, status=1).err
        assert "README.md is not a gpumemprof capture" in said, said


def strict_c99_program(t):
    reads_what_worked_allocated(t, t.compiler("c"), "strict.c", "-std=c99")


def strict_c99_program_by_gcc(t):
    reads_what_worked_allocated(t, installed("gcc"), "strict.c", "-std=c99")


def cxx17_program_with_plain_names(t):
    reads_what_worked_allocated(t, t.compiler("c++"), "plain_names.cpp", "-std=c++17")


def cxx17_program_with_plain_names_by_gcc(t):
    reads_what_worked_allocated(t, installed("g++"), "plain_names.cpp", "-std=c++17")


def example_of_the_ten_largest_lines(t):
    flags = flags_of_pkg_config(t, "gpumemprof-read")
    program, example = t.work / "ten_largest", t.source / "examples/ten_largest.c"
    assert len(example.read_text().splitlines()) <= 30
    t.command(t.compiler("c"), "-Wall", "-Werror", example, *flags, f"-Wl,-rpath,{t.stage}/lib", "-o", program)
    lines = t.command(program, _worked_example(t)).out.splitlines()
    assert 0 < len(lines) <= 10 and lines[0].split()[0] == str(350 << 20) and "make" in lines[0], lines
    said = t.command(program, example, status=2).err
    assert "ten_largest.c is not a gpumemprof capture" in said, said
