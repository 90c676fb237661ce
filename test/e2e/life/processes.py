"""One process starts another: each has a capture of its own, nobody's is lost or shared, and a process in
which nothing happens leaves none."""
import os
import subprocess
import time

from harness import check

KIB = 1 << 10


def _program(t):
    return t.build("processes", "common/processes.c", flags=["-O1"])


def captures(t):
    """Allocated bytes and file name of each capture in the test's folder."""
    found = []
    for path in sorted(t.work.iterdir()):
        if "gmprof" in path.name:
            report = t.report(path)
            assert report["conservation"]["ok"] and not any(report["losses"].values()), report
            found.append((report["conservation"]["allocated"], path))
    return sorted(found)


def _forget_captures(t):
    for old in t.work.glob("*gmprof*"):
        old.unlink()


def parent_and_child(t, way, names=("%p.gmprof", "run.gmprof")):
    """The child's capture is NAME.PID where the name is one for both."""
    program = _program(t)
    for name in names:
        _forget_captures(t)
        t.command(program, way, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/{name}:quiet=1"})
        (child, child_path), (parent, parent_path) = captures(t)
        assert (child, parent) == (8 * KIB, 33 * KIB), (way, name, child, parent)
        if name == "run.gmprof":
            assert parent_path.name == name and child_path.name.startswith(name + "."), (parent_path, child_path)
        rows = t.rows(parent_path)
        check(rows["hold:18"], "hold:18", self_alloc=32 * KIB, leaked=0)
        check(rows["release:23"], "release:23", self_alloc=KIB, leaked=0)
        check(t.rows(parent_path, "function")["main"], "main", incl_alloc=33 * KIB, own_peak_max=33 * KIB,
              incl_net=0)
        assert t.state(parent_path) == "complete", t.state(parent_path)
        check(t.rows(child_path)["leak:30"], "leak:30", self_alloc=8 * KIB, leaked=8 * KIB)


def fork_and_exec(t):
    parent_and_child(t, "fork-exec")


def vfork_and_exec(t):
    parent_and_child(t, "vfork")


def spawn(t):
    parent_and_child(t, "spawn")


def system_and_popen(t):
    parent_and_child(t, "system", ["run.gmprof"])
    parent_and_child(t, "popen", ["run.gmprof"])


def forked_child_records_for_itself(t):
    parent_and_child(t, "fork-and-record")


def child_made_without_fork_records_for_itself(t):
    """No handler of pthread_atfork(3) runs in it."""
    parent_and_child(t, "_Fork")
    parent_and_child(t, "clone")


def parent_and_child_without_fork_record_at_the_same_time(t):
    """Thousands of paths each, so that both take room in their captures."""
    program = t.build("both", "life/clone_both.c", flags=["-O1"])
    for way in ("_Fork", "clone", "clone-inside"):
        _forget_captures(t)
        t.command(program, way, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/run.gmprof:quiet=1"})
        (one, _), (other, _) = captures(t)
        assert (one, other) == (2048 * 10, 2048 * 10 + 7), (way, one, other)


def child_that_shares_memory_leaves_no_frames(t):
    """clone(2) with CLONE_VM and CLONE_VFORK, whose child ends inside a function of its own."""
    for level in ("-O0", "-O2"):
        program = t.build("shares", "life/clone_shares.c", flags=[level])
        _, capture = t.run(program, verify=False)  # the child's machine stack ends with its first function
        report = t.report(capture)
        rows = t.rows(capture)
        check(rows["inner:16"], "inner", self_alloc=1000)
        check(rows["main:32"], "main", self_alloc=20000)
        assert not any(report["losses"].values()), report["losses"]


def daemon_writes_beside_its_parent(t):
    """The name is relative to where the program was started, though a daemon leaves for /."""
    program = _program(t)
    t.command(program, "daemon", env={"GPUMEMPROF_OPTIONS": "output=run.gmprof:quiet=1"})
    deadline = time.monotonic() + 20
    while len(captures(t)) < 2 or t.state(captures(t)[0][1]) == "running":
        assert time.monotonic() < deadline, list(t.work.iterdir())
        time.sleep(0.05)
    (child, child_path), (parent, _) = captures(t)
    assert (child, parent) == (8 * KIB, 33 * KIB) and child_path.name.startswith("run.gmprof."), child_path


def child_without_events_leaves_no_capture(t):
    program = _program(t)
    t.command(program, "fork-exit", env={"GPUMEMPROF_OPTIONS": f"output={t.work}/%p.gmprof:quiet=1"})
    assert [allocated for allocated, _ in captures(t)] == [33 * KIB], captures(t)


def capture_of_a_process_outlives_its_exec(t):
    program = _program(t)
    for name in ("%p.gmprof", "run.gmprof"):
        t.command(program, "exec", env={"GPUMEMPROF_OPTIONS": f"output={t.work}/{name}:quiet=1"})
    assert [allocated for allocated, _ in captures(t)] == [8 * KIB, 8 * KIB, 32 * KIB, 32 * KIB], captures(t)


def child_that_records_and_execs_has_two(t):
    program = _program(t)
    t.command(program, "record-fork-exec", env={"GPUMEMPROF_OPTIONS": f"output={t.work}/run.gmprof:quiet=1"})
    assert [allocated for allocated, _ in captures(t)] == [4 * KIB, 8 * KIB, 33 * KIB], captures(t)


def later_run_replaces_an_earlier_one(t):
    """Also one that was killed; only what runs keeps its name."""
    program = _program(t)
    for way in ("exec", "child"):  # the first leaves an unfinished capture
        t.command(program, way, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/run.gmprof:quiet=1"})
    check(t.report(t.work / "run.gmprof")["conservation"], "conservation", allocated=8 * KIB)


def processes_that_run_at_once_under_one_name(t):
    program = _program(t)
    t.run(program, "child", capture="run.gmprof")
    running = [subprocess.Popen([program, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={t.work}/run.gmprof:quiet=1"})
               for _ in range(6)]
    for one in running:
        assert one.stdout.readline() == "ready\n"
    for one in running:
        one.communicate("\n")
        assert one.returncode == 0, one.returncode
    assert [allocated for allocated, _ in captures(t)] == [33 * KIB] * 6, captures(t)
    assert (t.work / "run.gmprof").exists()


def output_that_is_no_regular_file_is_not_touched(t):
    program = _program(t)
    pipe = t.work / "pipe"
    os.mkfifo(pipe)
    result = t.command(program, "fork-exit", env={"GPUMEMPROF_OPTIONS": f"output={pipe}:quiet=1"})
    assert pipe.is_fifo() and str(pipe) in result.err, result.err
