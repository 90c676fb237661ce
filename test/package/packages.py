"""What scripts/release.sh makes of a build, installed where nothing else of gpumemprof is, and whole projects that are not touched.

Packing takes a while, so the kinds of packages take turns (test/repeats.py)."""
import pathlib
import shlex
import shutil
import subprocess
import tempfile

import repeats
from harness import Skip, check

APP = """#include <cuda_runtime.h>
int main() {
  void *block;
  return cudaMalloc(&block, 4096);
}
"""
ROW = "app.cpp:4 main"


def its_turn(turn):
    which, parts = repeats.part(3)
    if parts > 1 and which != turn:
        raise Skip("another kind of package has its turn")


def _release(t, out, *kinds):
    return [t.source / "scripts/release.sh", "--build", t.stage.parent, "--out", out, *kinds]


def pack(t, kind):
    """The package of that kind, made of the build under test and checked by release.sh."""
    t.command(*_release(t, t.work / "packed", kind))
    return next((t.work / "packed").glob(f"gpumemprof*.{kind.replace('tgz', 'tar.gz')}"))


def pack_in_a_layer(t, kind):
    """The same. What is compiled for it does not change the build under test, but a layer over that."""
    t.need_root()
    build = t.stage.parent
    with tempfile.TemporaryDirectory() as folder:
        layer, out = f"{folder}/layer", f"{folder}/out"
        mounts = (f"mkdir -p {layer} {out} && mount --bind {t.work} {out} && mount -t tmpfs none {layer} && mkdir {layer}/upper {layer}/work && "
                  f"mount -t overlay overlay -o lowerdir={build},upperdir={layer}/upper,workdir={layer}/work {build}")
        if subprocess.run(["unshare", "-m", "sh", "-c", mounts], check=False).returncode:
            raise Skip("cannot mount an overlay here")
        t.command("unshare", "-m", "sh", "-c", f"{mounts} && {shlex.join(map(str, _release(t, out, kind)))}")
    return next(t.work.glob(f"gpumemprof*.{kind}"))


def use(t, prefix):
    """Compiles, runs and reports by an installed tool; the library folder and all else are its own business."""
    (t.work / "app.cpp").write_text(APP)
    tool = prefix / "bin/gpumemprof"
    flags = t.command(tool, "flags", "sim").out
    script = f"clang++-22 {flags.strip()} app.cpp -o app && {str(tool)!r} dryrun -o app.gmprof ./app && {str(tool)!r} report app.gmprof"
    said = t.command("sh", "-c", script, cwd=t.work).out
    assert ROW in said, said


def archive_unpacked_anywhere(t):
    its_turn(0)
    archive = pack(t, "tgz")
    place = t.work / "any where"
    place.mkdir()
    t.command("tar", "-xzf", archive, "-C", place)
    prefix, = place.iterdir()
    use(t, prefix)


def _bare_debian(t, root, packages):
    """No gpumemprof is in it yet. Where a machine cannot have one, the test is skipped."""
    words = ["mmdebstrap", "--mode=root", "--variant=minbase", "--quiet", "--aptopt=APT::Install-Recommends \"false\"",
             "--include=" + ",".join(packages), "bookworm", root]
    for command in (["unshare", "-m", "-p", "-f", "true"], words):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Skip("cannot make a bare Debian here: " + " ".join(done.stderr.split())[-300:])


def debian_package_on_a_bare_root(t):
    """Three commands on a Debian that has a compiler and this package: compile, run, report."""
    its_turn(1)
    t.need_root()
    if not shutil.which("mmdebstrap"):
        raise Skip("needs mmdebstrap")
    package = pack(t, "deb")
    root = t.work / "root"
    needs = t.command("dpkg-deb", "-f", package, "Depends").out
    _bare_debian(t, root, ["clang-16", *(word.split()[0] for word in needs.split(","))])
    (root / "root/app.cpp").write_text(APP)
    shutil.copy(package, root / "root")
    try:
        script = ("mount -t proc proc /proc && cd /root && dpkg -i *.deb >/dev/null && rm *.deb && "
                  "clang++-16 -g1 -fplugin=gpumemprof.so $(gpumemprof flags sim --compile) app.cpp -o app $(gpumemprof flags sim --link) && "
                  "gpumemprof dryrun ./app && gpumemprof report && dpkg --verify gpumemprof && "
                  "test -e /usr/share/man/man1/gpumemprof-report.1 && ls")
        said = t.command("unshare", "-m", "-p", "-f", "chroot", root, "bash", "-c", script).out
    finally:
        shutil.rmtree(root, ignore_errors=True)
    assert ROW in said, said
    files = said.splitlines()[-3:]
    assert files[:2] == ["app", "app.cpp"] and files[2].endswith(".gmprof"), said


def rpm_package_with_lib64_is_unpacked_and_used(t):
    its_turn(2)
    if not shutil.which("rpmbuild") or not shutil.which("cpio"):
        raise Skip("needs rpmbuild and cpio")
    package = pack_in_a_layer(t, "rpm")
    needs = t.command("rpm", "-qp", "--requires", package).out
    assert "libdw.so.1" in needs and "libcuda" not in needs, needs
    gives = t.command("rpm", "-qp", "--provides", package).out
    assert f"{t.loaded_runtime().name}()" in gives and "libcuda" not in gives, gives
    place = t.work / "unpacked"
    place.mkdir()
    t.command("sh", "-c", f"rpm2cpio {package} | cpio -idm --quiet", cwd=place)
    use(t, place / "usr")
    assert sorted(path.name for path in (place / "usr/lib").iterdir()) == ["python3"]
    found = t.command("pkg-config", "--variable=plugin", "gpumemprof", env={"PKG_CONFIG_PATH": str(place / "usr/lib64/pkgconfig")}).out
    assert pathlib.Path(found.strip()).exists(), found
    t.command("python3", "-c", "import gpumemprof; print(gpumemprof.read('app.gmprof').rows())", cwd=t.work,
              env={"PYTHONPATH": str(place / "usr/lib/python3/dist-packages")})
    whole_project(t, place / "usr/lib64")


def whole_project_without_a_change_to_it(t):
    whole_project(t, t.stage / "lib")


def whole_project(t, libraries):
    everything = libraries / "cmake/gpumemprof/gpumemprof-everything.cmake"
    tool = t.stage / "bin/gpumemprof"
    compile_, link = (t.command(tool, "flags", "sim", part).out.strip() for part in ("--compile", "--link"))
    words = [t.cmake, "-G", "Ninja", "-S", t.source / "test/package/untouched", f"-DCMAKE_PROJECT_INCLUDE={everything}"]
    t.command(*words, "-B", t.work / "build", "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
              f"-DCMAKE_CXX_FLAGS={compile_}", f"-DCMAKE_SHARED_LINKER_FLAGS={link}")
    t.command(t.cmake, "--build", t.work / "build")
    t.command(tool, "dryrun", "-o", t.work / "run.gmprof", t.work / "build/tools/holder")
    rows = t.rows(t.work / "run.gmprof", "function")
    check(rows["hold"], "hold", self_alloc=3000, leaked=3000)
    check(rows["main"], "main", self_alloc=0, incl_alloc=3000)
    t.command(t.cmake, "--install", t.work / "build", "--prefix", t.work / "installed")
    for file in (t.work / "installed/lib/cmake/untouched").iterdir():
        assert "gpumemprof" not in file.read_text(), file
    said = " ".join(t.command(*words, "-B", t.work / "gcc", "-DCMAKE_CXX_COMPILER=g++", status=1).err.split())
    assert "the CXX compiler is GNU" in said and "-DCMAKE_CXX_COMPILER=clang++-22" in said, said
    said = " ".join(t.command(*words, "-B", t.work / "mode", "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
                              "-DGPUMEMPROF_MODE=some", status=1).err.split())
    assert "GPUMEMPROF_MODE=some is not all, annotated or every" in said, said
