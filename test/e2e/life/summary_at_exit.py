"""`summary=1`: at its end a program prints what `gpumemprof run` prints of its capture. The two differ in one thing, which
the comparison takes out: the program names files and its capture in full, the tool without the folder that files share."""
import os
import re
import signal
import socket
import subprocess

PARTS = ("single", "blocks", "recursion", "threads", "freed elsewhere", "delegated", "reset", "fibers", "ways out")


def _answers(t):
    return t.build("answers", "common/answers.c", flags=["-O1"])


def _in_short(lines, capture):
    """The lines, with files without their folders and without the name of the capture."""
    return [re.sub(r" at (?:\S+/)?([^/\s]+\.(?:cpp|hpp|c|h))(?=[: ])", r" at \1", line).replace(f" {capture}  #", "  #") for line in lines]


def _by_both(t, program, *arguments, **more):
    """Runs it, and returns the four lines after they were found to be those of the tool."""
    options = ":".join(filter(None, ("summary=1", more.pop("options", ""))))
    result, capture = t.run(program, *arguments, options=options, **more)
    said = result.err.splitlines()[-4:]
    shown = t.gpumemprof(cwd=t.work).out.splitlines()
    assert f"({capture.name}, the newest here)" in shown[0], shown
    ours, theirs = _in_short(said, capture), _in_short(shown[1:5], capture)
    assert ours == theirs, "\n".join(["the program:", *said, "the tool:", *shown[1:5]])
    return ours


def lines_are_those_of_the_tool(t):
    program = _answers(t)
    lines = _by_both(t, program, sim="memory=64M")
    assert lines == ["  peak    24.00 MiB of 64.00 MiB, 16.00 MiB at answers.c:13 main",
                     "  leaks   8.00 MiB in 1 block at answers.c:14 main",
                     "  failed  out of memory: 1 allocation of 64.00 MiB at answers.c:15 main",
                     "  next    gpumemprof oom  # what held the memory"], lines
    lines = _by_both(t, program, sim="memory=64M", options="oom_max=0")
    assert lines[3] == "  next    gpumemprof report  # which calls failed", lines
    lines = _by_both(t, program, status=1, sim="memory=1G")
    assert lines[2:] == ["  failed  nothing", "  next    gpumemprof leaks  # with their call paths"], lines
    lines = _by_both(t, program, sim="memory=64M", options="paused=1", verify=False)  # no call path is recorded
    assert lines[3] == "  next    gpumemprof info  # what was recorded", lines
    lines = _by_both(t, t.build("ending", "common/ending.c", link=["-ldl", "-pthread"]), "exit", status=3)
    assert lines[1].startswith("  leaks   64.00 KiB in 1 block at "), lines


def memory_of_wrappers_is_the_callers(t):
    for level in ("-O0", "-O2"):
        lines = _by_both(t, t.build("wrappers" + level, "tools/wrappers.cpp", flags=[level]))
        assert ":37 train" in lines[0] and ":44 main" in lines[1], lines


def fullest_device_is_the_peak(t):
    program = t.build("devices", "frames/devices.cpp", flags=["-O1"], link=[t.build_oracle(), "-lstdc++"])
    lines = _by_both(t, program, sim="devices=2")
    assert " on GPU 1 (fullest of 2), " in lines[0], lines
    program = t.build("oom", "limits/oom.cpp", flags=["-O1"], link=[t.sim / "libcuda.so.1"])
    for words in (("devices",), ("kinds",), ("lines", "100"), ("again", "9"), ("allocator",), ("graph",), ("many",)):
        _by_both(t, program, *words, sim="devices=2:memory=180MiB", status=None, verify=False)  # oom.py compares the paths


def variables_are_at_the_peak_and_do_not_leak(t):
    source = t.work / "variable.c"
    source.write_text("#include <cuda_runtime.h>\n#include <stddef.h>\nvoid **__cudaRegisterFatBinary(void *image);\n"
                      "void __cudaRegisterVar(void **binary, char *shadow, char *address, const char *name, int ext, size_t size, int constant, "
                      "int global);\nstatic char table[1];\nint main(void) {\n  char *p;\n"
                      "  __cudaRegisterVar(__cudaRegisterFatBinary(table), table, \"table\", \"table\", 0, 3 << 20, 0, 0);\n"
                      "  cudaMalloc((void **)&p, 1 << 20);\n  cudaFree(p);\n  return 0;\n}\n")
    lines = _by_both(t, t.build("variable", source))
    assert lines[0].startswith("  peak    4.00 MiB of 80.00 GiB, 3.00 MiB at ") and lines[1] == "  leaks   none", lines


def memory_of_a_program_that_ran_out_is_live(t):
    source = t.work / "ran_out.c"
    source.write_text("#include <cuda_runtime.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  void *p, *q, *r;\n  (void)argv;\n"
                      "  cudaMalloc(&p, 20 << 20);\n  cudaMalloc(&q, 12 << 20);\n  if (!cudaMalloc(&r, 40 << 20)) return 0;\n"
                      "  if (argc > 1) cudaFree(q);\n  exit(1);\n}\n")
    program = t.build("ran_out", source, flags=["-O1"])
    live = _by_both(t, program, status=1, sim="memory=64M")[1]
    assert live == ("  live    32.00 MiB in 2 blocks, 20.00 MiB at ran_out.c:6 main, when the program ended after it ran out of memory"), live
    leaks = _by_both(t, program, "free", status=1, sim="memory=64M")[1]
    assert leaks == "  leaks   20.00 MiB in 1 block at ran_out.c:6 main", leaks


def failures_are_reported(t):
    elsewhere = t.work / "elsewhere.o"
    t.command(t.compiler("c"), *t.include_flags(), "-c", t.programs / "common/elsewhere.c", "-o", elsewhere)
    program = t.build("failing", "common/failing.c", link=[elsewhere])
    for mode, sim, failed in (("attempts", "fail=2", "out of memory: 1 allocation of 3.91 KiB at "), ("frees", "fail_free=1", "1 free"),
                              ("unknown", "", "some of it was not recorded (`gpumemprof report` says more)"),
                              ("never_freed", "", "nothing")):
        lines = _by_both(t, program, mode, sim=sim)
        assert lines[2].startswith(f"  failed  {failed}"), (mode, lines)


def broken_budgets_are_those_of_check(t):
    program = t.build("budgets", "limits/budgets.cpp", flags=["-O1"])
    for words, status in (*(((part,), 7) for part in PARTS), (("exit",), 3), (("exit", "more"), 3)):
        lines = _by_both(t, program, *words, status=status, verify=False)  # as in budgets.py, some paths cannot be compared
        if words != ("exit",):
            assert " broken" in lines[2], (words, lines)


def each_process_prints_its_own(t):
    program = t.build("processes", "common/processes.c", flags=["-O1"])
    for way in ("fork-and-record", "spawn"):
        for old in t.work.glob("*.gmprof"):
            old.unlink()
        said = t.command(program, way, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/%p.gmprof:summary=1"}).err.splitlines()
        assert len(said) == 10 and len(list(t.work.glob("*.gmprof"))) == 2, said
        for lines in (said[:5], said[5:]):
            wrote = re.fullmatch(r"gpumemprof: wrote (.*\.gmprof); 'gpumemprof report' shows it", lines[0])
            assert wrote and wrote[1] in lines[4], lines
            leaked = t.report(wrote[1])["conservation"]["live"]
            assert ("  leaks   none" in lines) == (leaked == 0), lines


def nothing_is_printed_unless_asked_for(t):
    program, capture = _answers(t), t.work / "asked.gmprof"
    for options, count in (("", 1), ("summary=0", 1), ("quiet=1", 0), ("summary=1:quiet=1", 4), ("summary=1", 5)):
        env = {"GPUMEMPROF_OPTIONS": f"output={capture}:{options}", "GPUMEMPROF_SIM_OPTIONS": "memory=1G"}
        said = t.command(program, status=1, env=env).err
        assert said.count("\n") == count, (options, said)
    env = {"GPUMEMPROF_OPTIONS": f"output={capture}:summary=1"}
    assert not t.command(program, "abort", status=-signal.SIGABRT, env=env).err


def lines_are_one_write_and_only_to_the_error_output(t):
    """Each write to a socket of this type is a packet of its own."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    env = {**os.environ, "GPUMEMPROF_OPTIONS": f"output={t.work}/one.gmprof:summary=1", "GPUMEMPROF_SIM_OPTIONS": "memory=1G"}
    with ours, theirs:
        subprocess.run([_answers(t)], stderr=theirs, env=env, check=False)
        packet = ours.recv(1 << 16).decode()
    assert packet.startswith("gpumemprof: wrote ") and packet.count("\n") == 5 and packet.endswith("\n"), packet
    # A file that the program has opened in place of its error output is the program's.
    source, file = t.work / "closes.c", t.work / "closed.txt"
    source.write_text("#include <cuda_runtime.h>\n#include <fcntl.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n  char *p;\n"
                      "  cudaMalloc((void **)&p, 1000);\n  close(2);\n  return open(argv[argc - 1], O_CREAT | O_WRONLY, 0600) != 2;\n}\n")
    result, capture = t.run(t.build("closes", source), file, options="summary=1")
    assert not result.err and not file.read_text() and t.state(capture) == "complete", (result.err, file.read_text())


def next_command_runs_in_any_folder(t):
    for name in ("here", "it's here"):
        folder = t.work / name
        folder.mkdir()
        env = {"GPUMEMPROF_OPTIONS": f"output={name}/a.gmprof:summary=1:quiet=1", "GPUMEMPROF_SIM_OPTIONS": "memory=1G"}
        last = t.command(_answers(t), status=1, env=env).err.splitlines()[-1]
        command = re.fullmatch(r"  next    (gpumemprof leaks .*)  # with their call paths", last)
        assert command, last
        shown = t.command("sh", "-c", command[1], cwd="/", env={"PATH": f"{t.tool.parent}:{os.environ['PATH']}"})
        assert "8.00" in shown.out and "answers.c:14 main" in shown.out, shown.out


def recording_that_stopped_is_reported(t):
    program = t.build("many_paths", "life/many_paths.cpp", flags=["-O1"])
    lines = _by_both(t, program, "9", "0", status=9, verify=False)  # the capture cannot grow
    assert lines[2].startswith("  failed  recording stopped: "), lines
