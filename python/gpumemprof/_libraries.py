"""Finds and loads libgpumemprof.so (the runtime) and libgpumemprof-read.so (captures), and the tool.

They are looked for in GPUMEMPROF_PREFIX, then in the installed tree that this package is in, then by the system. A runtime
that is in the process already, as under `gpumemprof run`, is always the one that is used, because there can be only one.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
from typing import Iterator, Optional

from ._errors import Error
from ._version import version

_MAJOR = version.split(".", maxsplit=1)[0]
RUNTIME, READER = "libgpumemprof.so", f"libgpumemprof-read.so.{_MAJOR}"
_loaded: dict[str, ctypes.CDLL] = {}


def _folders(prefix: pathlib.Path) -> Iterator[pathlib.Path]:
    """Where libraries of an installed tree may be."""
    for name in ("lib", "lib64"):
        yield prefix / name
    yield from sorted(prefix.glob("lib/*-linux-*"))


def prefixes() -> Iterator[pathlib.Path]:
    """The installed trees to look in, the preferred one first."""
    given = os.environ.get("GPUMEMPROF_PREFIX")
    if given:
        yield pathlib.Path(given)
        return
    yield from list(pathlib.Path(__file__).resolve().parents)[:5]  # up to PREFIX of PREFIX/lib/python3/dist-packages/gpumemprof


def find(name: str) -> Optional[pathlib.Path]:
    """The path of a library in those trees, or None."""
    for prefix in prefixes():
        for folder in _folders(prefix):
            if (folder / name).is_file():
                return folder / name
    return None


def _other_version(name: str) -> Optional[pathlib.Path]:
    """A library of another major version in those trees."""
    of_any = name.removesuffix(_MAJOR) + "[0-9]*"
    return next((path for prefix in prefixes() for folder in _folders(prefix) for path in sorted(folder.glob(of_any))), None)


def _not_found(name: str, reason: str) -> Error:
    given = os.environ.get("GPUMEMPROF_PREFIX")
    other = _other_version(name)
    if other:
        return Error(f"{other} is of another version than this Python package, {version}, which needs {name}: install the same "
                     "version of both, or set GPUMEMPROF_PREFIX to the folder that has it")
    if given:
        return Error(f"{name} is not in GPUMEMPROF_PREFIX={given}: set it to the folder that has bin/gpumemprof and "
                     "lib/, or remove it from the environment")
    return Error(f"{name} is neither beside this package nor known to the system ({reason}): install gpumemprof, and set "
                 "GPUMEMPROF_PREFIX to the folder that has bin/gpumemprof")


def _open(name: str) -> ctypes.CDLL:
    path = find(name)
    if path is None and os.environ.get("GPUMEMPROF_PREFIX"):
        raise _not_found(name, "")
    try:
        return ctypes.CDLL(str(path or name), mode=ctypes.RTLD_GLOBAL if name == RUNTIME else ctypes.DEFAULT_MODE)
    except OSError as error:
        raise _not_found(name, str(error)) from None


def _check_version(library: str, found: str) -> None:
    if _number(found) < _number(version):
        raise Error(f"{library} is version {found}, which is older than this Python package, {version}: install the same "
                    "version of both, or set GPUMEMPROF_PREFIX to the newer one")


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def reader() -> ctypes.CDLL:
    """libgpumemprof-read, as it is loaded once."""
    if READER not in _loaded:
        library = _open(READER)
        library.gpumemprof_read_version.restype = ctypes.c_char_p
        _check_version(READER, library.gpumemprof_read_version().decode())
        _loaded[READER] = library
    return _loaded[READER]


def _mapped() -> Optional[str]:
    """The file of a runtime that CUDA or somebody else loaded into this process without showing it to all."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").split(maxsplit=5)[5:]
            if path and os.path.basename(path[0]).startswith(RUNTIME):
                return path[0]
    return None


def _of_process() -> Optional[ctypes.CDLL]:
    """The runtime that is in the process, or that CUDA will load when it begins (`gpumemprof run`); None: there is none."""
    process = ctypes.CDLL(None)
    if hasattr(process, "__gpumemprof_scope_open"):
        return process
    injected = os.environ.get("CUDA_INJECTION64_PATH", "")
    path = _mapped() or (injected if os.path.basename(injected).startswith(RUNTIME) else None)
    return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL) if path else None


def runtime() -> ctypes.CDLL:
    """The runtime: that of the process, else it is loaded now."""
    if RUNTIME not in _loaded:
        library = _of_process() or _open(RUNTIME)
        if not hasattr(library, "__gpumemprof_interpreter"):
            raise Error(f"{RUNTIME} is older than this Python package, {version}: install the same version of both, or set "
                        "GPUMEMPROF_PREFIX to the newer one")
        _loaded[RUNTIME] = library
    return _loaded[RUNTIME]


def path_of_runtime() -> str:
    """The file of the runtime, for libraries that load it themselves."""
    runtime()
    return _mapped() or str(find(RUNTIME) or RUNTIME)


def tool() -> str:
    """The program gpumemprof."""
    for prefix in prefixes():
        if os.access(prefix / "bin/gpumemprof", os.X_OK):
            return str(prefix / "bin/gpumemprof")
    found = shutil.which("gpumemprof")
    if not found:
        raise Error("the program gpumemprof is neither beside this package nor in PATH: set GPUMEMPROF_PREFIX to the folder "
                    "that has bin/gpumemprof")
    return found
