"""Dumps: copies of the capture while the program runs. Each is a file that every command reads, or none."""
import errno
import json
import os
import resource
import signal
import subprocess
import time

import repeats
from harness import MIB, check

KIB = 1 << 10


def _program(t):
    return t.build("dumps", "common/dumps.c", flags=["-O1"], link=["-pthread"])


def _errors(result):
    """0, or the errno that a dump set; one that is made leaves the program's, 77."""
    results = [tuple(map(int, line.split()[1:])) for line in result.out.splitlines() if line.startswith("dump ")]
    assert all(what == -5 or (what, number) == (0, 77) for what, number in results), results
    return [what and number for what, number in results]


def _no_leftovers(folder):
    left = [path for path in folder.rglob("*") if path.name.endswith(".tmp")]
    assert not left, left


def _reads(t, dump, history=False):
    """Every command reads it; returns its report."""
    report = t.report(dump)
    assert report["state"] == "a copy made while it ran", report["state"]
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report
    t.gpumemprof("tree", dump)
    t.gpumemprof("leaks", dump, "--fail")
    t.gpumemprof("pools", dump)
    t.gpumemprof("info", "--samples", dump)
    for more in ((), ("--replay",)):
        t.gpumemprof("events", dump, *more, status=0 if history else 2)
    return report


def _live(t, dump):
    return t.report(dump)["conservation"]["live"]


def dumps_are_what_was_then(t):
    for history in (False, True):
        names = [f"at{i}.gmprof" for i in range(5)]
        result, capture = t.run(_program(t), "calls", *names, options="history=all" if history else "", cwd=t.work)
        assert result.out == "dump 0 77\n" * 5 and not result.err, result.out + result.err
        for i, name in enumerate(names):
            report = _reads(t, t.work / name, history)
            blocks = [(k + 1) * KIB for k in range(i + 1)]
            gone = blocks[1::2]
            check(report["conservation"], name, allocated=sum(blocks), freed=sum(gone), allocated_blocks=i + 1,
                  freed_blocks=len(gone), live=sum(blocks) - sum(gone))
            rows = t.rows(t.work / name, "function")
            check(rows["main"], "main", incl_alloc=sum(blocks), incl_net=sum(blocks) - sum(gone))
            if history:  # allocations, ends of the scope that made them, frees
                said = t.gpumemprof("events", "--replay", t.work / name).out
                assert said == f"{2 * (i + 1) + len(gone)} events replayed: every figure agrees\n", said
        assert "gpumemprof_dump" in t.gpumemprof("report", t.work / names[0]).out
        info = json.loads(t.gpumemprof("info", "--format", "json", t.work / names[0]).out)
        assert info["dump_reason"] == "gpumemprof_dump" and info["state"].startswith("a copy"), info
        assert t.state(capture) == "complete" and _live(t, capture) == 9 * KIB
        assert "live then" in t.gpumemprof("leaks", t.work / names[4]).out


def dump_without_a_name_stands_beside_the_capture(t):
    program, folder = _program(t), t.work / "own"
    folder.mkdir()
    for output, first in (("run.gmprof", "run.dump1.gmprof"), ("run", "run.dump1.gmprof")):
        for old in folder.iterdir():
            old.unlink()
        result = t.command(program, "calls", "-", "-", cwd=folder, env={"GPUMEMPROF_OPTIONS": f"output={output}"})
        assert _errors(result) == [0, 0] and f"{output}, dumps of it: 2; " in result.err, result.err
        assert sorted(p.name for p in folder.iterdir()) == sorted([output, first, first.replace("1", "2")])
        assert _live(t, folder / first) == KIB
    # The capture is the newest, whatever the time; a copy is where there is nothing else.
    os.rename(folder / "run", folder / "run.gmprof")
    os.utime(folder / "run.gmprof", (1, 1))
    assert json.loads(t.gpumemprof("info", "--format", "json", cwd=folder).out)["state"] == "complete"
    (folder / "run.gmprof").unlink()
    os.utime(folder / "run.dump1.gmprof", (1, 1))
    assert json.loads(t.gpumemprof("info", "--format", "json", cwd=folder).out)["capture"] == "run.dump2.gmprof"


def only_a_capture_is_replaced(t):
    program, folder = _program(t), t.work / "targets"
    folder.mkdir()
    t.command(program, "calls", "-", cwd=folder, env={"GPUMEMPROF_OPTIONS": "output=old.gmprof:quiet=1"})
    (folder / "old.dump1.gmprof").unlink()
    (folder / "letter").write_text("a letter")
    (folder / "empty").touch()
    own = folder / "program"
    own.write_bytes(program.read_bytes())
    own.chmod(0o755)
    size = own.stat().st_size
    (folder / "kept").write_text("kept")
    (folder / "link").symlink_to("kept")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    paths = ["old.gmprof", "link", "pipe", "folder", "none/x.gmprof", "", "run.gmprof", "/dev/null", "n" * 300,
             "letter", "program", "empty"]
    result = t.command(own, "calls", *paths, cwd=folder, env={"GPUMEMPROF_OPTIONS": "output=run.gmprof:quiet=1"})
    assert _errors(result) == [0, 40, 6, 21, 2, 2, 16, 6, 36, 17, 17, 0], result.out
    lines = result.err.splitlines()  # a folder and a name that are missing are one cause
    assert len(lines) == 8 and all(line.startswith("gpumemprof: cannot write ") for line in lines), result.err
    assert "letter: the file there is not a capture, and is kept; this dump is not made" in result.err, result.err
    assert (folder / "letter").read_text() == "a letter" and own.stat().st_size == size
    assert "link: it is a symbolic link; this dump is not made" in lines[0], lines
    assert "run.gmprof: a running program's capture is written there; this dump is not made" in result.err, result.err
    assert (folder / "kept").read_text() == "kept" and (folder / "link").is_symlink() and (folder / "pipe").is_fifo()
    assert _live(t, folder / "old.gmprof") == KIB and t.state(folder / "run.gmprof") == "complete"
    assert _live(t, folder / "empty") > 0
    _no_leftovers(folder)
    # The next run replaces a dump like any finished capture; a dump is nobody's capture under way.
    result = t.command(program, "calls", "x.gmprof", "x.gmprof", cwd=folder,
                       env={"GPUMEMPROF_OPTIONS": "output=old.gmprof:quiet=1"})
    assert _errors(result) == [0, 0] and t.state(folder / "old.gmprof") == "complete"


def dump_killed_in_the_middle_leaves_nothing(t):
    """Where the file system has files without names. A fault makes the program kill itself in the middle of a dump."""
    program = _program(t)
    t.command(t.compiler("c"), "-O1", "-shared", "-fPIC", t.programs / "common/faults.c", "-o", t.work / "faults.so", "-ldl")
    for first in (2, 4, 7):
        folder = t.work / f"middle{first}"
        folder.mkdir()
        t.command(program, "calls", folder / "dump.gmprof", status=-signal.SIGKILL, cwd=folder,
                  env={"GPUMEMPROF_OPTIONS": "output=run.gmprof:quiet=1", "LD_PRELOAD": str(t.work / "faults.so"),
                       "FAULTS": f"pwrite,{first},1,-9", "FAULTS_LOG": os.devnull})
        assert [path.name for path in folder.iterdir()] == ["run.gmprof"], list(folder.iterdir())


def next_dump_removes_what_a_killed_one_left(t):
    """Where files must have names: it is written beside its place, and the next dump finds it there."""
    program = _program(t)
    t.command(t.compiler("c"), "-O1", "-shared", "-fPIC", t.programs / "common/faults.c", "-o", t.work / "faults.so", "-ldl")
    faults = {"GPUMEMPROF_OPTIONS": "output=run.gmprof:quiet=1", "LD_PRELOAD": str(t.work / "faults.so"),
              "FAULTS_LOG": os.devnull}
    folder = t.work / "named"
    folder.mkdir()
    for path in (folder / "dump.gmprof", folder / "dump"):
        nameless = f"nameless,1,99,{errno.EOPNOTSUPP}"
        t.command(program, "calls", path, status=-signal.SIGKILL, cwd=folder, env={**faults, "FAULTS": f"{nameless};pwrite,4,1,-9"})
        left = [one.name for one in folder.glob("dump*.tmp")]
        assert len(left) == 1 and left[0].startswith(f"{path.name}."), left
        (folder / "letter.4194303.2.tmp").write_text("not a dump's")
        running = folder / f"{path.name}.{os.getpid()}.1.tmp"  # of a process that runs
        running.touch()
        t.command(program, "calls", path, cwd=folder, env={**faults, "FAULTS": nameless})
        assert sorted(one.name for one in folder.glob("*.tmp")) == sorted(["letter.4194303.2.tmp", running.name]), list(folder.iterdir())
        running.unlink()
        _reads(t, path)


def file_that_comes_in_between_is_kept(t):
    """Somebody puts a letter where a capture was, after the profiler looked: the exchange brings it back."""
    program = _program(t)
    t.command(t.compiler("c"), "-O1", "-shared", "-fPIC", t.programs / "common/faults.c", "-o", t.work / "faults.so", "-ldl")
    target = t.work / "target.gmprof"
    t.command(program, "calls", "-", cwd=t.work, env={"GPUMEMPROF_OPTIONS": f"output={target}:quiet=1"})
    letter = t.work / "letter"
    letter.write_text("a letter")
    result = t.command(program, "calls", target, cwd=t.work,
                       env={"GPUMEMPROF_OPTIONS": "output=run.gmprof:quiet=1", "LD_PRELOAD": str(t.work / "faults.so"),
                            "FAULTS": "exchange,1,1,-1", "FAULTS_LOG": f"{letter}>{target}"})
    assert _errors(result) == [17], result.out + result.err
    assert target.read_text() == "a letter", target.read_bytes()[:20]
    assert not list(t.work.glob("*.tmp")), list(t.work.iterdir())


def file_size_limit_leaves_no_half_file(t):
    one = Lines(t, "dump=signal:USR2")
    one.send()
    resource.prlimit(one.running.pid, resource.RLIMIT_FSIZE, (30000, 30000))  # the capture itself is larger by now
    os.kill(one.running.pid, signal.SIGUSR2)
    time.sleep(0.5)
    said = one.end()
    assert said.endswith("run.dump1.gmprof: the file size limit (ulimit -f) is reached; this dump is not made\n"), said
    assert said.count("\n") == 1 and [p.name for p in t.work.glob("run*")] == ["run.gmprof"], list(t.work.iterdir())
    assert t.state(t.work / "run.gmprof") == "complete"


def full_disk_leaves_no_half_file(t):
    t.need_root()
    program, mount = _program(t), t.work / "disk"
    mount.mkdir()
    t.command("mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", mount)
    try:
        result, capture = t.run(program, "calls", mount / "a.gmprof", mount / "b.gmprof", mount / "c.gmprof")
        errors = _errors(result)
        assert errors[0] == 0 and errors[-1] == 28, errors
        assert result.err.count("\n") == 1 and "no space left on the device" in result.err, result.err
        left = sorted(path.name for path in mount.iterdir())
        assert left == ["a.gmprof", "b.gmprof", "c.gmprof"][:errors.count(0)], left
        for name in left:
            _reads(t, mount / name)
        assert t.state(capture) == "complete"
    finally:
        t.command("umount", mount)


def dumps_of_threads_at_work_add_up(t):
    program = _program(t)
    for threads, history in (("4", False), ("4", True), ("1", True)):
        folder = t.work / f"churn{threads}{history}"
        folder.mkdir()
        result, capture = t.run(program, "churns", threads, "30", folder, options="history=all" if history else "")
        assert result.out == "ready\n", result.out
        dumps = sorted(folder.glob("*.gmprof"))
        assert len(dumps) == 10, dumps
        allocated = [t.report(dump)["conservation"]["allocated_blocks"] for dump in dumps]
        for dump in repeats.share(dumps, 3):
            _reads(t, dump, history)
        assert allocated == sorted(allocated) and allocated[0] < allocated[-1], allocated
        assert t.report(capture)["conservation"]["live"] == 0
        _no_leftovers(folder)


def dumps_of_a_killed_program_stay(t):
    program = _program(t)
    seen = 0
    for i in range(12):
        folder = t.work / f"killed{i}"
        folder.mkdir()
        running = subprocess.Popen([program, "churns", "2", "-1", folder], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={folder}/run:quiet=1"})
        assert running.stdout.readline() == "ready\n"
        time.sleep(0.02 + 0.013 * i)
        running.kill()
        running.wait()
        running.stdout.close()
        for dump in folder.glob("*.gmprof"):
            _reads(t, dump)
            seen += 1
    assert seen > 20, seen


# ---- the option -----------------------------------------------------------------------------------


class Lines:
    """The program in its way `lines`: takes a block for each line it is sent."""

    def __init__(self, t, options, way="lines", capture="run.gmprof"):
        settings = f"output={t.work}/{capture}:quiet=1:{options}"
        self.running = subprocess.Popen([_program(t), way], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "GPUMEMPROF_OPTIONS": settings})
        assert self.running.stdout.readline() == "ready\n"

    def send(self, text="x"):
        self.running.stdin.write(text)
        self.running.stdin.flush()
        return self.running.stdout.readline()

    def end(self, status=0):
        _, err = self.running.communicate()
        assert self.running.returncode == status, (self.running.returncode, err)
        return err


def _await(path):
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.01)
    return path


def a_signal_makes_a_dump(t):
    for name in ("USR2", "SIGUSR2", "12"):
        for old in t.work.glob("*.gmprof"):
            old.unlink()
        one = Lines(t, f"dump=signal:{name}")
        for i in (1, 2, 3):
            assert one.send() == "took 0\n"
            os.kill(one.running.pid, signal.SIGUSR2)
            dump = _await(t.work / f"run.dump{i}.gmprof")
            check(_reads(t, dump)["conservation"], "conservation", live=i * MIB)
            assert "(the signal)" in t.gpumemprof("report", dump).out
        assert not one.end()
    # One that comes before a device was seen does no harm, and its dump is made then.
    one = Lines(t, "dump=signal:USR2", capture="early.gmprof")
    os.kill(one.running.pid, signal.SIGUSR2)
    time.sleep(0.2)
    assert not (t.work / "early.dump1.gmprof").exists()
    one.send()
    _reads(t, _await(t.work / "early.dump1.gmprof"))
    assert not one.end()


EARLY = """#include <cuda_runtime.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  void *p;
  raise(SIGUSR2);
  cudaMalloc(&p, 512);
  for (int i = 0; argc > 1 && i < 2000 && access(argv[1], F_OK); i++) usleep(10000);
  return 9;
}
"""


def _early(t):
    source = t.work / "early.c"
    source.write_text(EARLY)
    library = t.work / "early_library.c"
    library.write_text("""#include <signal.h>
#include <stdlib.h>
__attribute__((constructor)) static void early(void) { if (getenv("EARLY")) raise(SIGUSR2); }
""")
    built = t.work / "libearly.so"
    t.command(t.compiler("c"), "-shared", "-fPIC", library, "-o", built, "-Wl,--no-as-needed", *t.link_flags())
    return t.build("early", source, link=["-Wl,--no-as-needed", built, f"-Wl,-rpath,{t.work}"])


def a_signal_that_comes_early_does_not_end_the_program(t):
    """While libraries are initialised, before the first instrumented object has begun the profiler. Its dump is made when a device is seen."""
    program, dump = _early(t), t.work / "run.dump1.gmprof"
    result, capture = t.run(program, dump, status=9, options="dump=signal:USR2", env={"EARLY": "1"})
    assert not result.err and t.state(capture) == "complete", result.err
    _reads(t, dump)


def a_signal_does_not_end_a_program_that_is_not_recorded(t):
    """A whole job gets the signal for dumps, though only a part of it is profiled: the rest must survive it. With the profiler
    switched off, the signal ends the program as it would without the profiler."""
    program = _early(t)
    for options, env in (("ranks=1", {"RANK": "0"}), (f"output={t.work}/none/x.gmprof", {})):
        result = t.command(program, status=9, env={"GPUMEMPROF_OPTIONS": f"quiet=1:dump=signal:USR2:{options}", "EARLY": "1", **env})
        assert "rank" not in result.err and result.err.count("\n") == ("none" in options), result.err
    for options, env in (("", {"GPUMEMPROF": "0"}), ("enabled=0", {})):
        t.command(program, status=-signal.SIGUSR2, env={"GPUMEMPROF_OPTIONS": f"dump=signal:USR2:{options}", **env})


def a_signal_of_the_program_stays_its_own(t):
    # As the monitor finds, or at the end where no device was seen, and so no monitor began; or when the program begins.
    for way, words in (("handles", ()), ("handles", ("sh", "-c", 'exec "$0" handles </dev/null', _program(t))),
                       ("lines", ("env", "--ignore-signal=USR2", _program(t), "short", "100"))):
        if words:
            said = t.command(*words, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/own.gmprof:quiet=1:dump=signal:USR2"}).err
        else:
            one = Lines(t, "dump=signal:USR2", way=way)
            one.send()
            os.kill(one.running.pid, signal.SIGUSR2)
            assert one.running.stdout.readline() == "handled\n"
            assert one.send() == "took 1\n"
            said = one.end()
        assert said == ("gpumemprof: dump=signal:USR2: the program handles or ignores that signal itself, which makes no "
                        "dumps then\n"), said
    assert not list(t.work.glob("*.dump*"))
    one = Lines(t, "history=off")  # without the option it is not taken
    os.kill(one.running.pid, signal.SIGUSR2)
    one.end(status=-signal.SIGUSR2)


def dumps_at_times(t):
    _, capture = t.run(_program(t), "grows", options="dump=every:200ms")
    dumps = [t.work / f"run.dump{i}.gmprof" for i in range(1, 40) if (t.work / f"run.dump{i}.gmprof").exists()]
    assert 4 <= len(dumps) <= 2.4 / 0.2 + 8, dumps
    infos = [json.loads(t.gpumemprof("info", "--format", "json", dump).out) for dump in dumps]
    times = [info["duration_ns"] / 1e9 for info in infos]
    assert all(abs(time_ - 0.2 * (i + 1)) < 0.15 for i, time_ in enumerate(times[:2])), times
    assert times == sorted(times) and {info["dump_reason"] for info in infos} == {"time"}, times
    assert t.report(capture)["conservation"]["allocated"] == 40 * MIB


def dumps_at_bytes_and_at_peaks(t):
    program = _program(t)
    t.run(program, "grows", options="dump=bytes:10MiB")
    allocated = [t.report(t.work / f"run.dump{i}.gmprof")["conservation"]["allocated"] // MIB for i in (1, 2, 3)]
    assert all(10 * (i + 1) <= a <= 10 * (i + 1) + 3 for i, a in enumerate(allocated)), allocated
    assert len(list(t.work.glob("run.dump*"))) in (3, 4), list(t.work.iterdir())
    t.run(program, "grows", options="dump=peak", capture="peak.gmprof")
    dumps = sorted(t.work.glob("peak.dump*.gmprof"))
    infos = [json.loads(t.gpumemprof("info", "--format", "json", dump).out) for dump in dumps]
    times = [info["duration_ns"] / 1e9 for info in infos]
    # 21 blocks at most, reached after 1.2 s: one at once, then one a second while it grows
    assert len(dumps) in (2, 3) and all(b - a > 0.95 for a, b in zip(times, times[1:])), times
    assert {info["dump_reason"] for info in infos} == {"a new peak"}
    peaks = [t.report(dump)["devices"][0]["peak"] // MIB for dump in dumps]
    assert peaks == sorted(set(peaks)) and peaks[0] < 4, peaks


def number_of_dumps_is_bounded(t):
    result, _ = t.run(_program(t), "grows", options="dump=every:50ms,peak:dump_max=3")
    assert sorted(p.name for p in t.work.glob("run.dump*")) == [f"run.dump{i}.gmprof" for i in (1, 2, 3)]
    assert result.err == ("gpumemprof: dump=every:50ms,peak: as many dumps as dump_max= allows were made; no more "
                          "follow\n"), result.err


def bad_triggers_are_said_and_ignored(t):
    program = _program(t)
    for bad in ("", "peak,", "signal:KILL", "signal:SEGV", "signal:9", "signal:99", "signal:,peak", "every:1ms", "every",
                "bytes:0", "bytes:1XiB", "bytes:-1", "never", "signal:USR2;peak", "every:10s,bytes", "x" * 200):
        result, _ = t.run(program, "short", options=f"dump={bad}")
        assert result.err == (f"gpumemprof: GPUMEMPROF_OPTIONS: bad value '{bad}' for dump is ignored; "
                              "'gpumemprof info --options' lists what it takes\n"), result.err
    result, _ = t.run(program, "short", options="dump_max=many")
    assert "bad value 'many' for dump_max" in result.err, result.err
    for good in ("off", "peak", "signal:HUP,signal:WINCH,every:0.5min,bytes:1.5G,peak", "signal:40"):
        result, _ = t.run(program, "short", options=f"dump={good}")
        assert not result.err, (good, result.err)


def forked_child_makes_dumps_of_its_own(t):
    one = Lines(t, "dump=every:100ms")
    one.send()
    assert one.send("f") == "child\n"
    one.running.stdout.readline()
    one.end()
    parent = _await(t.work / "run.dump1.gmprof")
    children = list(t.work.glob("run.gmprof.*.dump1.gmprof"))
    assert len(children) == 1, list(t.work.iterdir())
    assert _live(t, parent) == MIB and _live(t, children[0]) == 3 * MIB


def an_exit_does_not_wait_for_a_dump(t):
    program = _program(t)
    for i in range(20):
        result, capture = t.run(program, "short", str(i), options="dump=every:10ms,peak", capture=f"exit{i}.gmprof")
        assert t.state(capture) == "complete" and not result.err, result.err
    for dump in t.work.glob("*.dump*.gmprof"):
        assert t.state(dump) == "a copy made while it ran"
    _no_leftovers(t.work)


def calls_without_the_runtime_say_so(t):
    bare = t.build("bare", "common/dumps.c", plugin=False, runtime=False, link=["-pthread"])
    for program, env in ((bare, {}), (_program(t), {"GPUMEMPROF": "0"})):
        assert t.command(program, "calls", "x.gmprof", env=env).out == "dump -1 77\n"
    assert not list(t.work.glob("*.gmprof"))
