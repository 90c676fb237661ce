"""built_once.py - a program that several tests build with the same command line is built by the first of them, and copied for the others.

Half of the programs of the end-to-end tests are such, and a compilation takes a second. What a compilation reads is what is installed,
the programs' sources and the machine's compilers; a program is kept only as long as the former are the same files. Programs whose command
line names another file of the test's own folder, or that leave another file there, are built each time, and so are those that
say something. GPUMEMPROF_TEST_KEEP_PROGRAMS=0 builds all of them.
"""
import fcntl
import functools
import hashlib
import os
import shutil
import time


@functools.lru_cache(maxsize=None)
def _state(stage, source):
    """A name for what is installed and for the sources, by their names, sizes and times."""
    files = []
    for folder in (stage / "lib", stage / "include", source / "test/e2e/programs", source / "examples"):
        files += [(str(path), found.st_size, found.st_mtime_ns) for path in folder.rglob("*") for found in [path.stat()] if path.is_file()]
    return hashlib.sha256(repr(sorted(files)).encode()).hexdigest()[:16]


def _folder(t):
    """Where programs of this state are kept. Those of states that nobody tests any more are removed."""
    kept = t.work.parent / "built-once"
    folder = kept / _state(t.stage, t.source)
    if not folder.exists():
        for other in kept.iterdir() if kept.exists() else ():
            if time.time() - other.stat().st_mtime > 3600:
                shutil.rmtree(other, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def build(t, program, words):
    """Builds `program` by the command `words`, or copies it."""
    others = [word for word in words if word != str(program)]
    if os.environ.get("GPUMEMPROF_TEST_KEEP_PROGRAMS") == "0" or any(str(t.work) in word for word in others):
        t.command(*words)
        return
    environment = sorted(item for item in os.environ.items() if item[0] != "GPUMEMPROF_TEST_WORK")
    key = hashlib.sha256(repr((t.target, others, environment)).encode()).hexdigest()[:32]
    kept = _folder(t) / key
    with open(f"{kept}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until another test has built it
        if kept.exists():
            program.unlink(missing_ok=True)  # as the linker does: it may be running
            shutil.copy(kept, program)
            return
        before = set(os.listdir(t.work))
        said = t.command(*words)
        if not said.out + said.err and set(os.listdir(t.work)) <= before | {program.name}:
            shutil.copy(program, f"{kept}.new")
            os.rename(f"{kept}.new", kept)
