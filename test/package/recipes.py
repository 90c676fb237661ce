"""The source archive of a release, and the recipes of packaging/, which are filled in for it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

from harness import Skip

# What a module of pkg-config is called by conda-forge and by Spack.
NAMES = {"smartcols": "util-linux", "jansson": "jansson", "zlib": "zlib", "libdw": "elfutils", "sqlite3": "sqlite", "ncursesw": "ncurses", "tinfo": "ncurses",
         "libzstd": "zstd"}


def _modules(t):
    """The libraries that the tool is linked with."""
    text = (t.source / "tools/CMakeLists.txt").read_text()
    found = {word for words in re.findall(r"pkg_check_modules\(\w+ ([^)]*)\)", text) for word in words.split()} - {"REQUIRED", "IMPORTED_TARGET", "GLOBAL"}
    assert len(found) >= 5, found
    return {NAMES[module] for module in found}


def _recipes(t):
    """The recipes for an archive with one byte in it."""
    out = t.work / "dist"
    out.mkdir()
    version = re.search(r"^project\(gpumemprof VERSION ([\d.]+)", (t.source / "CMakeLists.txt").read_text(), re.M)[1]
    (out / f"gpumemprof-{version}.tar.gz").write_text("x")
    t.command(t.source / "scripts/release.sh", "--build", t.stage.parent, "--out", out, "--url", "https://example.org/files", "recipes")
    sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    t.command("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=out)
    archive = f"gpumemprof-{version}.tar.gz"
    return out, {"version": version, "url": f"https://example.org/files/{archive}", "sha256": sums[archive]}


def recipe_of_conda(t):
    import yaml
    out, expected = _recipes(t)
    recipe = yaml.safe_load((out / "conda/recipe.yaml").read_text())
    assert recipe["context"] == {"version": expected["version"]} and recipe["source"] == {key: expected[key] for key in ("url", "sha256")}, recipe
    assert _modules(t) <= set(recipe["requirements"]["host"]), recipe["requirements"]
    schema = os.environ.get("GPUMEMPROF_CONDA_SCHEMA")  # schema.json of prefix-dev/recipe-format
    if schema:
        import jsonschema
        jsonschema.validate(recipe, json.loads(pathlib.Path(schema).read_text()))


def recipe_of_spack(t):
    """It is run with stand-ins for Spack's functions, which keep what they are called with."""
    out, expected = _recipes(t)
    called = {name: [] for name in ("depends_on", "license", "version")}
    spack, cmake = types.ModuleType("spack.package"), types.ModuleType("cmake")
    for name, calls in called.items():
        setattr(spack, name, lambda *words, _calls=calls, **more: _calls.append((words, more)))

    class CMakePackage:
        def define(self, name, value):
            return name, value
    cmake.CMakePackage = CMakePackage
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": spack, "spack_repo": types.ModuleType("spack_repo"),
                        "spack_repo.builtin": types.ModuleType("builtin"), "spack_repo.builtin.build_systems": types.ModuleType("build_systems"),
                        "spack_repo.builtin.build_systems.cmake": cmake})
    scope = {}
    exec((out / "spack/spack_repo/gpumemprof/packages/gpumemprof/package.py").read_text(), scope)  # noqa: S102 - a recipe of this project
    assert called["version"] == [((expected["version"],), {"sha256": expected["sha256"]})], called["version"]
    assert scope["Gpumemprof"].url == expected["url"]
    needed = {re.split("[@+]", words[0])[0] for words, _ in called["depends_on"]}
    assert {name.replace("zlib", "zlib-api") for name in _modules(t)} <= needed, needed


def dockerfile_names_what_there_is(t):
    text = (t.source / "packaging/Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert {line.split()[0] for line in lines} == {"ARG", "FROM", "COPY", "WORKDIR", "RUN", "CMD"}, lines
    for line in lines:
        if line.startswith("RUN "):
            t.command("sh", "-n", "-c", line.removeprefix("RUN "))
    scripts = re.findall(r"scripts/[\w.]+", text)
    assert scripts and all(os.access(t.source / script, os.X_OK) for script in scripts), scripts
    newest = re.search(r"^GPUMEMPROF_LLVM\((\d+)\)$", (t.source / "include/gpumemprof/llvm_versions.def").read_text(), re.M)[1]
    assert set(re.findall(r"clang\S*?-(\d+)", text)) == {newest}, text


def source_archive_is_of_a_commit(t):
    release = [t.source / "scripts/release.sh", "--build", t.stage.parent, "--out", t.work / "dist", "source"]
    if not (t.source / ".git").exists():
        raise Skip("needs a checkout")
    changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], cwd=t.source, capture_output=True, text=True, check=True).stdout
    if changed:
        said = t.command(*release, status=2).err
        assert said == "release.sh: there are changes that are not committed; the source archive is of HEAD\n", said
        return
    t.command(*release)
    archive = next((t.work / "dist").glob("*.tar.gz"))
    packed = {line.split("/", 1)[1] for line in t.command("tar", "-tzf", archive).out.splitlines() if not line.endswith("/")}
    kept = set(subprocess.run(["git", "ls-files"], cwd=t.source, capture_output=True, text=True, check=True).stdout.splitlines())
    assert packed == kept | {"viewer/page.html"}, sorted(packed ^ kept)[:10]


def mistakes_are_refused(t):
    script = t.source / "scripts/release.sh"
    said = t.command(script, "zip", status=2).err
    assert said == "release.sh: cannot use 'zip'; `scripts/release.sh --help` lists what it takes\n", said
    said = t.command(script, "--help").out
    assert said.startswith("release.sh - makes the files of a release") and "--out DIR" in said and "set -e" not in said, said
    for folder in (t.work, t.work / "nowhere"):
        assert "it has no CPackConfig.cmake" in t.command(script, "--build", folder, "deb", status=2).err
    said = t.command(script, "--build", t.stage.parent, "--out", t.work / "empty", "recipes", status=2).err
    assert "gpumemprof-" in said and "make the kind 'source', too" in said, said


def mistakes_of_options_have_status_2(t):
    script, folder = t.source / "scripts/release.sh", t.work / "with a blank"
    folder.mkdir()
    for option in ("--build", "--out", "--url"):
        said = t.command(script, option, status=2).err
        assert said == f"release.sh: {option} needs a value; `scripts/release.sh --help` lists what it takes\n", said
    said = t.command(script, "--build", folder, status=2).err
    assert said == f"release.sh: {folder} is not a build of gpumemprof: it has no CPackConfig.cmake\n", said


def folders_are_those_of_the_caller(t):
    """Also through a link to the script."""
    folder = t.work / "with a blank"
    (folder / "bin").mkdir(parents=True)
    (folder / "build").symlink_to(t.stage.parent)
    (folder / "bin/release").symlink_to(t.source / "scripts/release.sh")
    said = t.command("bin/release", "--build", "build", "--out", "made here", "recipes", cwd=folder, status=2).err
    assert f"{folder}/made here/gpumemprof-" in said and "make the kind 'source', too" in said, said
    assert (folder / "made here").is_dir() and not (t.source / "made here").exists()


def what_a_package_is_checked_by_is_named(t):
    """Where rpm is not installed, and where git is not."""
    commands = t.work / "bin"
    commands.mkdir()
    for name in ("bash", "dirname", "realpath", "mkdir", "mktemp", "rm", "sed", "grep", "tail"):
        (commands / name).symlink_to(shutil.which(name))
    release = ["bash", t.source / "scripts/release.sh", "--build", t.stage.parent, "--out", t.work / "dist"]
    said = t.command(*release, "rpm", env={"PATH": str(commands)}, status=2).err
    assert said == "release.sh: 'rpmbuild' is not installed, and a package is checked by it\n", said
    said = t.command(*release, "source", env={"PATH": str(commands)}, status=2).err
    assert "git does not know this folder" in said and "git: command not found" in said, said
