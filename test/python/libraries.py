"""How the package finds its libraries: in prefixes, also moved ones, beside it, or not at all; older ones; without CUDA."""
import os
import pathlib
import re
import shutil
import tempfile

from common import environment, has, on_device, python, python_runs

SHOW = "import gpumemprof._libraries as l, sys; l.reader(); print(l.find(l.RUNTIME)); print(l.tool()); print(l.path_of_runtime())"


def _fails(t, code, *words, env=None):
    result = python_runs(t, "-c", code, status=1, env=env)
    last = result.err.splitlines()[-1]
    assert last.startswith("gpumemprof.Error: ") and all(word in last for word in words), result.err


def _version(t):
    """The project's, from its one place."""
    return re.search(r"^project\(gpumemprof VERSION ([\d.]+)", (t.source / "CMakeLists.txt").read_text(), re.M)[1]


def _reader(t):
    link = t.stage / "lib/libgpumemprof-read.so"
    return link.with_name(os.readlink(link))


def beside_the_package(t):
    found = python_runs(t, "-c", SHOW).out.splitlines()
    assert found == [str(t.runtime), str(t.tool), str(t.loaded_runtime().resolve())], found


def in_a_prefix_that_was_moved(t):
    moved = t.work / "moved here"
    (moved / "bin").mkdir(parents=True)
    shutil.copy(t.tool, moved / "bin")
    (moved / "lib").mkdir()
    for library in (t.stage / "lib").glob("libgpumemprof*.so*"):
        shutil.copy(library, moved / "lib", follow_symlinks=False)
    shutil.copytree(t.stage / "lib/python3", moved / "lib/python3")
    found = python_runs(t, "-c", SHOW, env={"PYTHONPATH": str(moved / "lib/python3/dist-packages")}).out.splitlines()
    runtime = moved / "lib" / t.runtime.name
    assert found == [str(runtime), str(moved / "bin/gpumemprof"), str(runtime.resolve())], found
    of_prefix = python_runs(t, "-c", SHOW, env={"GPUMEMPROF_PREFIX": str(moved)}).out.splitlines()
    assert of_prefix == found, of_prefix


def where_debian_has_libraries(t):
    prefix = t.work / "usr"
    (prefix / "lib/x86_64-linux-gnu").mkdir(parents=True)
    shutil.copy(_reader(t), prefix / "lib/x86_64-linux-gnu" / _reader(t).name)
    python_runs(t, "-c", "import gpumemprof._libraries as l; l.reader(); print(l.find(l.READER))", env={"GPUMEMPROF_PREFIX": str(prefix)})


def nowhere(t):
    with tempfile.TemporaryDirectory() as folder:  # not below the build folder, which has libraries
        shutil.copytree(t.stage / "lib/python3/dist-packages/gpumemprof", pathlib.Path(folder) / "gpumemprof")
        _nowhere(t, {"PYTHONPATH": folder})


def _nowhere(t, env):
    _fails(t, "import gpumemprof; gpumemprof.read('x')", f"{_reader(t).name} is neither beside this package", "GPUMEMPROF_PREFIX", env=env)
    prefix = {"GPUMEMPROF_PREFIX": "/nowhere"}
    _fails(t, "import gpumemprof; gpumemprof.read('x')", "is not in GPUMEMPROF_PREFIX=/nowhere", "bin/gpumemprof", env=prefix)
    result = python_runs(t, "-c", """import gpumemprof
with gpumemprof.profile("x") as m, gpumemprof.lines() as by_line, gpumemprof.label("y"), gpumemprof.paused():
    pass
@gpumemprof.profile
def f(): return 7
assert f() == 7 and not f.profiled[0].recorded and "nothing was recorded: libgpumemprof.so" in f.profiled[0].note
assert not m.recorded and m.peak == 0 and str(by_line) == m.note, (by_line, m)
assert gpumemprof.summary() == [] and gpumemprof.mark() == 0 and gpumemprof.live_since(0) == [] and not gpumemprof.reset()
assert not gpumemprof.snapshot().recorded
print("runs as it is")
""", env=env)
    assert result.out == "runs as it is\n"


def older_libraries(t):
    folder = t.work / "older/lib"
    folder.mkdir(parents=True)
    (t.work / "older.c").write_text('const char *gpumemprof_read_version(void) { return "0.0.9"; }\n')
    (t.work / "runtime.c").write_text("int gpumemprof_torch_malloc;\n")
    t.command("cc", "-shared", "-fPIC", t.work / "older.c", "-o", folder / _reader(t).name)
    t.command("cc", "-shared", "-fPIC", t.work / "runtime.c", "-o", folder / t.runtime.name)
    env = {"GPUMEMPROF_PREFIX": str(t.work / "older")}
    _fails(t, "import gpumemprof; gpumemprof.read('x')", f"{_reader(t).name} is version 0.0.9, which is older", _version(t), env=env)
    _fails(t, "import gpumemprof._libraries as l; l.runtime()", "libgpumemprof.so is older than this Python package", env=env)


def library_of_another_major_version(t):
    """Two versions can be installed side by side. The package takes its own, or names what it found."""
    folder = t.work / "other/lib"
    folder.mkdir(parents=True)
    (folder / "libgpumemprof-read.so.7").write_text("")
    env = {"GPUMEMPROF_PREFIX": str(t.work / "other")}
    _fails(t, "import gpumemprof; gpumemprof.read('x')", f"{folder}/libgpumemprof-read.so.7 is of another version", _version(t), env=env)
    shutil.copy(_reader(t), folder / _reader(t).name)
    python_runs(t, "-c", "import gpumemprof._libraries as l; l.reader()", env=env)


def the_runtime_of_the_process_is_used(t):
    """Under the tool, a second prefix does not bring a second runtime."""
    other = t.work / "other/lib"
    other.mkdir(parents=True)
    shutil.copy(t.runtime, other / t.loaded_runtime().name)
    result, _ = on_device(t, "one_runtime.py", env={"GPUMEMPROF_PREFIX": str(t.work / "other")})
    assert result.out == f"1 {t.loaded_runtime().resolve()}\n", result.out


def without_cuda(t):
    for env in ({}, {"GPUMEMPROF": "0"}):
        result = python_runs(t, "-c", """import gpumemprof
with gpumemprof.profile("x") as m, gpumemprof.lines():
    pass
assert not m.recorded and m.peak == m.net == 0 and m.device is None
print(m.note)
""", env={"GPUMEMPROF_OPTIONS": f"output={t.work}/x.gmprof:quiet=1", **env})
        assert result.out.startswith("nothing was recorded: "), result.out
        assert ("GPUMEMPROF=0" in result.out) == bool(env) and result.out.count("\n") == 1


def version_is_the_projects(t):
    for path in (None, str(t.source / "python")):
        version = python_runs(t, "-c", "import gpumemprof; print(gpumemprof.__version__)", env={"PYTHONPATH": path or environment(t)["PYTHONPATH"]}).out
        assert version == _version(t) + "\n", version


def structures_are_those_of_c(t):
    prints = python_runs(t, "-c", """import ctypes, gpumemprof._structures as s
for name, kind in (("snapshot", s.Snapshot), ("result", s.Result), ("summary_row", s.SummaryRow), ("block", s.Block),
                   ("remaining", s.Remaining), ("interpreted", s.Interpreted), ("amount", s.Amount)):
    print(name, ctypes.sizeof(kind), *(f"{field}:{getattr(kind, field).offset}" for field, *_ in kind._fields_))
""").out.splitlines()
    code, expected = "", []
    for line in prints:
        name, size, *fields = line.split()
        code += f'printf("%zu\\n", sizeof(struct gpumemprof_{name}));'
        expected.append(size)
        for field in fields:
            code += f'printf("%zu\\n", offsetof(struct gpumemprof_{name}, {field.split(":")[0]}));'
            expected.append(field.split(":")[1])
    assert len(expected) > 80
    (t.work / "layout.c").write_text(f'#include <stdio.h>\n#include "gpumemprof/gpumemprof.h"\nint main(void) {{ {code} return 0; }}\n')
    t.command("cc", "-I", t.stage / "include", t.work / "layout.c", "-o", t.work / "layout")
    assert t.command(t.work / "layout").out.split() == expected


def a_wheel_has_the_version_and_the_plugin(t):
    """What `pip install ./python` builds, as setuptools makes it."""
    has(t, "setuptools")
    shutil.copytree(t.source / "python", t.work / "project/python", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    shutil.copy(t.source / "CMakeLists.txt", t.work / "project")
    folder = t.work / "project/python"
    t.command(python(), "setup.py", "-q", "build", "egg_info", cwd=folder)
    assert f'version: str = "{_version(t)}"' in (folder / "build/lib/gpumemprof/_version.py").read_text()
    assert {path.name for path in (folder / "build/lib/gpumemprof").iterdir()} == {
        path.name for path in (folder / "gpumemprof").iterdir() if path.suffix in (".py", ".typed")}
    entry = (folder / "gpumemprof.egg-info/entry_points.txt").read_text()
    assert "[pytest11]" in entry and "gpumemprof.pytest_plugin = gpumemprof.pytest_plugin" in entry, entry
    assert f"\nVersion: {_version(t)}\n" in (folder / "gpumemprof.egg-info/PKG-INFO").read_text()


def hints_are_those_of_mypy(t):
    has(t, "mypy")
    t.command(python(), "-m", "mypy", "--python-version", "3.9", "--ignore-missing-imports", "--cache-dir", t.work / "cache",
              t.source / "python/gpumemprof", cwd=t.source / "python")
