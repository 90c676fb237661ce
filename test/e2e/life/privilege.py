"""A program that has more rights than the user who started it (AT_SECURE) takes nothing from the environment: it runs as
with GPUMEMPROF=0."""
import os
import pathlib
import shutil

from harness import Skip

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
OPEN = "secure 0, enabled 1, dumped 1, tool 1, cupti "  # which is loaded where there is a toolkit
CLOSED = "secure 1, enabled 0, dumped 0, tool 0, cupti 0\n"


def _needs(t):
    t.need_root()
    if os.statvfs(t.work).f_flag & os.ST_NOSUID:
        raise Skip("the file system is mounted with nosuid")
    if "NoNewPrivs:\t1" in pathlib.Path("/proc/self/status").read_text():
        raise Skip("no process here may gain rights (no_new_privs)")
    for folder in [t.stage, *t.stage.parents, *t.work.parents]:
        if not folder.stat().st_mode & 1:
            raise Skip(f"{folder} is closed to others")
    for tool in ("setpriv", "setcap"):
        if not shutil.which(tool):
            raise Skip(f"needs {tool}")


def _program(t):
    t.command("gcc", "-shared", "-fPIC", t.programs / "common/nvtx_tool.c", "-o", t.work / "libtool.so")
    return t.build("privileged", "life/privileged.c")


def run(t, built, *caller):
    """What the program says, and every file that the environment or it names, as left behind."""
    folder = t.work / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o777 if caller else 0o755)
    victim = folder / "victim.gmprof"
    shutil.copy(t.work / "old.gmprof", victim)  # a finished capture, which a program of this user may replace
    before = victim.read_bytes()
    options = f"output={victim}:nvtx_emit=scopes,bytes:cupti=on:monitor=1ms:dump=every:10ms:warn=1B"
    result = t.command(*caller, built, folder / "dump.gmprof", cwd=folder, env={
        "GPUMEMPROF_OPTIONS": options + ":nonsense=1", "NVTX_INJECTION64_PATH": str(t.work / "libtool.so"),
        "NVTX_TOOL_LOG": str(folder / "tool.log"), "GPUMEMPROF_RUN": "1", "RANK": "1"})
    return result, victim.read_bytes() == before, sorted(path.name for path in folder.iterdir())


def makes_a_capture(t, built):
    t.command(built, t.work / "any.gmprof", env={"GPUMEMPROF_OPTIONS": f"output={t.work / 'old.gmprof'}:quiet=1"})


def setuid_program_does_not_touch_files(t):
    _needs(t)
    built = _program(t)
    makes_a_capture(t, built)
    result, kept, files = run(t, built)
    assert result.out.startswith(OPEN) and not kept and {"tool.log", "dump.gmprof"} <= set(files), (result.out, kept, files)
    built.chmod(0o4755)
    result, kept, files = run(t, built, *NOBODY)
    assert (result.out, result.err) == (CLOSED, ""), result.out + result.err
    assert kept and files == ["victim.gmprof"], (kept, files)


def program_with_capabilities_does_not_touch_files(t):
    _needs(t)
    built = _program(t)
    makes_a_capture(t, built)
    t.command("setcap", "cap_dac_override,cap_fowner=ep", built)
    result, kept, files = run(t, built, *NOBODY)
    assert (result.out, result.err) == (CLOSED, ""), result.out + result.err
    assert kept and files == ["victim.gmprof"], (kept, files)
