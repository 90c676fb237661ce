"""common.py - what the tests of the Python package share: they run programs on the simulated device, with Debian's python3 and
without anything that pip installs."""
import os
import pathlib
import shutil
import subprocess
import sys

from harness import Skip

HERE = pathlib.Path(__file__).resolve().parent


def python(version=""):
    """The interpreter: GPUMEMPROF_TEST_PYTHON, Debian's, or the one of that version."""
    if not version:
        debian = "/usr/bin/python3"
        return os.environ.get("GPUMEMPROF_TEST_PYTHON") or (debian if os.path.exists(debian) else sys.executable)
    places = [shutil.which(f"python{version}"), *sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))]
    for place in filter(None, places):
        if subprocess.run([place, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(place)
    raise Skip(f"needs Python {version}")


def has(t, module):
    """Skips the test where the module is absent."""
    if t.command(python(), "-c", f"import {module}", status=None).status:
        raise Skip(f"needs {module} for {python()}")


def environment(t, **more):
    return {"PYTHONPATH": f"{t.stage}/lib/python3/dist-packages:{HERE}/programs", "PYTHONDONTWRITEBYTECODE": "1", **more}


def on_device(t, program, *arguments, version="", env=None, **more):
    """Runs a program of programs/ on the simulated device, where CUPTI sees its calls. Returns (result, capture)."""
    path = HERE / "programs" / program
    # Not verified: the lines are Python's, and on the machine's stack is the interpreter.
    return t.run(t.tool, "dryrun", python(version), path, *arguments, env={**environment(t), **(env or {})}, verify=False, **more)


def python_runs(t, *words, env=None, **more):
    """Runs Python without a device and without the runtime in the process."""
    return t.command(python(), *words, env={**environment(t), **(env or {})}, **more)
