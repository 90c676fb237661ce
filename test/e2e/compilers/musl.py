"""The runtime with musl as the C library: it compiles, and what a program does with it is recorded."""
import pathlib
import re
import shutil

from harness import MIB, Skip, check

KERNEL = ("linux", "asm-generic", "asm")


def _kernel_headers(t):
    """Debian's musl-gcc does not search the kernel's headers, which lie beside glibc's."""
    folder = t.work / "kernel"
    folder.mkdir()
    for name in KERNEL:
        found = [path / name for path in (pathlib.Path("/usr/include"), *pathlib.Path("/usr/include").glob("*-linux-gnu"))
                 if (path / name).is_dir()]
        if not found:
            raise Skip(f"needs the kernel's headers ({name}/)")
        (folder / name).symlink_to(found[0])
    return ["-idirafter", folder]


def _shared(t, output, *words):
    t.command("musl-gcc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", *words, "-o", output)
    return output


def _runtime(t):
    files = re.findall(r"\b[a-z_0-9]+/[a-z_0-9]+\.c\b", (t.source / "runtime/CMakeLists.txt").read_text())
    unity = t.work / "unity.c"
    unity.write_text("".join(f'#include "{name}"\n' for name in files))
    return _shared(t, t.work / "libgpumemprof.so", "-std=gnu11", "-Wall", "-Werror", "-fvisibility=hidden", *_kernel_headers(t),
                   "-I", t.source / "include", "-I", t.source / "runtime", unity, "-Wl,-soname,libgpumemprof.so")


def _object(t, source, llvm):
    """By clang with musl's headers."""
    headers = next(pathlib.Path("/usr/include").glob("*-linux-musl"), None)
    if not headers:
        raise Skip("needs musl's headers (musl-dev)")
    built = t.work / f"{pathlib.PurePath(source).name}.{llvm}.o"
    target = f"--target={headers.name}"
    resources = t.command(t.compiler("c", llvm), "-print-resource-dir").out.strip()
    t.command(t.compiler("c", llvm), target, "-nostdlibinc", "-isystem", headers, "-isystem", f"{resources}/include", "-O1",
              "-fPIC", *t.plugin_flags(llvm), *t.include_flags(), "-c", t.programs / source, "-o", built)
    return built


def program_its_library_and_its_child_are_recorded(t):
    if not shutil.which("musl-gcc"):
        raise Skip("needs musl-gcc (musl-tools)")
    runtime = _runtime(t)
    cuda = _shared(t, t.work / "libcuda.so.1", *t.include_flags(), t.programs / "common/signal_cuda.c", "-Wl,-soname,libcuda.so.1")
    for llvm in (22, 19):
        library = _shared(t, t.work / f"library{llvm}.so", _object(t, "common/two_runtimes_library.c", llvm), runtime, cuda)
        program = t.work / f"program{llvm}"
        t.command("musl-gcc", _object(t, "common/two_runtimes.c", llvm), runtime, cuda, f"-Wl,-rpath,{t.work}", "-o", program)
        assert "musl" in t.command("readelf", "-l", program).out
        for old in t.work.glob("*gmprof*"):
            old.unlink()
        result, capture = t.run(program, library, "fork", verify=False)  # musl has no _dl_find_object
        captures = sorted(t.work.glob("*gmprof*"))
        assert not result.err and len(captures) == 2 and captures[0] == capture, (result.err, captures)
        for path, bytes_of_main in zip(captures, (MIB, 3 * MIB)):
            report = t.report(path)
            assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
            rows = t.rows(path, "function")
            check(rows["main"], "main", self_alloc=bytes_of_main)
            check(rows["work"], "work", self_alloc=2 * MIB, leaked=0)
        assert t.state(capture) == "complete", t.state(capture)
