"""`gpumemprof run`: the program runs as without it, its options are set, and five lines say what became of its memory."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import check

KIB = 1 << 10


def _dumps(t):
    return t.build("dumps", "common/dumps.c", flags=["-O1"], link=["-pthread"])


def _ending(t):
    return t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])


def _run(t, *words, status=0, env=None, cwd=None):
    return t.gpumemprof("run", *words, status=status, cwd=cwd, env={"GPUMEMPROF_OPTIONS": "", **(env or {})})


def _captures(folder):
    return sorted(path.name for path in folder.iterdir() if "gmprof" in path.name)


def answer_follows_and_the_output_stays_the_programs(t):
    program, folder = _ending(t), t.work / "own"
    folder.mkdir()
    plain = t.command(program, status=7, env={"GPUMEMPROF": "0"})
    result = _run(t, "--", program, status=7, cwd=folder)
    (name,) = _captures(folder)
    assert re.fullmatch(r"gpumemprof\..*\.[0-9]+\.gmprof", name) and result.out == plain.out, (name, result.out)
    lines = result.err.splitlines()
    assert lines[0] == f"gpumemprof run: wrote {folder}/{name}" and len(lines) == 5, result.err
    shown = t.gpumemprof(cwd=folder).out.splitlines()
    assert shown[0] == f"ending: the capture is complete ({name}, the newest here)" and shown[1:5] == lines[1:], (shown, lines)
    result = _run(t, "--report", "-o", "r.gmprof", program, status=7, cwd=folder)
    lines = result.err.splitlines()
    assert lines[0] == f"gpumemprof run: wrote {folder}/r.gmprof" and lines[1].startswith("GPU 0: peak "), result.err
    assert t.gpumemprof("report", "--limit", "10", folder / "r.gmprof", cwd=folder).out == "\n".join(lines[1:]) + "\n", result.err
    assert result.out == plain.out
    result = _run(t, "--no-report", "-o", "x.gmprof", program, status=7, cwd=folder)
    assert result.err == f"gpumemprof run: wrote {folder}/x.gmprof\n" and result.out == plain.out, result.err
    check(t.report(folder / "x.gmprof")["conservation"], "conservation", allocated=256 * KIB)


def answer_names_the_callers_of_wrappers_and_what_failed(t):
    """Figures are those of the report, and a program that is killed is said to be."""
    program, path = t.build("answers", "common/answers.c", flags=["-O1"]), t.work / "answers.gmprof"
    end = _run(t, "-o", path, program, env={"GPUMEMPROF_SIM_OPTIONS": "memory=64M"}, cwd=t.work).err.splitlines()[-5:]
    source = r"answers\.c"
    assert end[0] == f"gpumemprof run: wrote {path}", end
    for line, said in zip(end[1:], (rf"  peak    24\.00 MiB of 64\.00 MiB, 16\.00 MiB at {source}:13 main",
                                    rf"  leaks   8\.00 MiB in 1 block at {source}:14 main",
                                    rf"  failed  out of memory: 1 allocation of 64\.00 MiB at {source}:15 main",
                                    r"  next    gpumemprof oom  # what held the memory"), strict=True):
        assert re.fullmatch(said, line), (said, line)
    rows = {row["line"]: row for row in t.report(path, "line", "--wrappers", "hide")["rows"]}
    assert rows[13]["self_at_peak"] == 16 << 20 and rows[14]["leaked"] == 8 << 20, rows
    # A path that a command has to name is relative, and as a shell reads it.
    (t.work / "it's here").mkdir()
    named = _run(t, "-o", "it's here/a.gmprof", program, env={"GPUMEMPROF_SIM_OPTIONS": "memory=64M"}, cwd=t.work).err
    assert named.endswith("  next    gpumemprof oom 'it'\\''s here/a.gmprof'  # what held the memory\n"), named
    failed = _run(t, "-o", path, program, "abort", status=128 + signal.SIGABRT, cwd=t.work).err
    assert "  live    24.00 MiB in 2 blocks, 16.00 MiB at " in failed, failed
    assert "  failed  the program was ended by signal 6 (Aborted) (on a simulated device kernels compute nothing, so results that the program relies on may have been missing)\n" in failed, failed


def signal_that_makes_dumps_ends_nothing_on_the_way(t):
    """Neither the shell that starts the program, nor the program before the profiler begins."""
    path = t.work / "run.gmprof"
    words = ("-o", path, "--no-report", "--dump", "every:1h,signal:USR2")
    script = f'kill -USR2 $$; exec "{_dumps(t)}" short 300'
    result = _run(t, *words, "--", "sh", "-c", script)
    assert t.state(path) == "complete" and "ignores" not in result.err, result.err
    # What the user ignores stays ignored, and is said.
    result = t.command("env", "--ignore-signal=USR2", t.tool, "run", *words, _dumps(t), "short", "300")
    assert "handles or ignores that signal itself" in result.err, result.err


def options_reach_the_program(t):
    program = t.build("monitor", "common/monitor.c", flags=["-O1"], link=["-pthread"])
    path = t.work / "all.gmprof"
    _run(t, "-o", path, "--history", "all", "--monitor", "2ms", "--option", "stack=64", "--dump", "every:20ms", program,
         "plateaus", "10")
    assert t.gpumemprof("events", "--replay", path).out and (t.work / "all.dump1.gmprof").exists()
    info = json.loads(t.gpumemprof("info", "--format", "json", path).out)
    assert info["monitor"]["interval_ns"] == 2000000, info["monitor"]
    _run(t, "-o", path, "--history=ring", "--ring=1000", program, "churns", "0")
    assert json.loads(t.gpumemprof("info", "--format", "json", path).out)["counters"]["events_overwritten"] > 0
    shown = _run(t, "-o", path, "--cupti", "--option", "cupti=off", "--ranks", "0-3", "/usr/bin/env").out
    assert re.search(rf"^GPUMEMPROF_OPTIONS=quiet=1:cupti=1:cupti=off:ranks=0-3:output={path}$", shown, re.M), shown


def command_line_wins_over_the_environment(t):
    program, folder = _ending(t), t.work / "100%done"
    folder.mkdir()
    env = {"GPUMEMPROF_OPTIONS": "history=all:output=env-%p.gmprof:quiet=0"}
    _run(t, program, status=7, env=env, cwd=folder)
    (name,) = _captures(folder)
    assert re.fullmatch(r"env-[0-9]+\.gmprof", name), name
    assert t.gpumemprof("events", folder / name).out
    _run(t, "--history=off", "-o", "own-%r.gmprof", program, status=7, env={**env, "PMI_RANK": "6"}, cwd=folder)
    assert _captures(folder) == [name, "own-6.gmprof"]
    t.gpumemprof("events", folder / "own-6.gmprof", status=2)
    # A name that holds what looks like an option cannot be passed to the runtime.
    result = _run(t, "-o", "a:quiet=1.gmprof", program, status=2, cwd=folder)
    assert "it contains an option of the runtime" in result.err and result.err.count("\n") == 1, result.err


def exit_status_is_the_programs(t):
    program, script = _dumps(t), t.work / "script"
    for status in (0, 1, 2, 77, 255):
        assert not _run(t, "sh", "-c", f"exit {status}", status=status).out
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
        _run(t, "sh", "-c", f"kill -{int(number)} $$", status=128 + number)
    one = subprocess.Popen([t.tool, "run", "-o", t.work / "killed.gmprof", program, "lines"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert one.stdout.readline() == "ready\n"
    one.stdin.write("xx")  # the program has the tool's input
    one.stdin.flush()
    assert one.stdout.readline() + one.stdout.readline() == "took 0\n" * 2
    os.kill(_child_of(one.pid), signal.SIGKILL)
    _, err = one.communicate()
    assert one.returncode == 137 and "failed  the program was ended by signal 9 (Killed)" in err, err
    assert "live    2.00 MiB in " in err, err
    for name, said in (("./nowhere", "./nowhere: there is no such program"),
                       ("no-such-program-anywhere", "in PATH; one of this folder is called ./NAME")):
        result = _run(t, name, status=2)
        assert said in result.err and result.err.count("\n") == 1, result.err
    script.write_text("echo no interpreter is named\n")
    script.chmod(0o755)
    assert "could not be started: Exec format error" in _run(t, script, status=2).err
    assert "which program? gpumemprof run -- ./app" in _run(t, status=2).err
    # Closed outputs change nothing either.
    done = t.command("bash", "-c", f'"{t.tool}" run -o "{t.work}/closed.gmprof" "{_ending(t)}" >&- 2>&-', status=None)
    assert done.status == t.command("bash", "-c", f'GPUMEMPROF=0 "{_ending(t)}" >&- 2>&-', status=None).status, done.status


def _child_of(pid):
    return int(open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8").read().split()[0])


def bad_options_are_refused(t):
    for words, said in ((("--option", "quiet"), "--option wants KEY=VALUE, not `quiet`"),
                        (("--option", "histroy=all"), "there is no option of the runtime `histroy`; did you mean `history`?"),
                        (("--ring", "many"), "`many` is no value for ring, which is of type UINT"),
                        (("--monitor", "soon"), "`soon` is no value for monitor, which is of type DURATION"),
                        (("--option", "cupti=perhaps"), "`perhaps` is no value for cupti, which is of type BOOL"),
                        (("--option", "uses=verified"), "`verified` is no value for uses, which is of type BOOL"),
                        (("--history", "yes"), "`yes` is no value for history, which takes off, ring or all"),
                        (("--ranks", "x"), "`x` is no value for ranks, which takes ranks as 0,3,8-11, or all"),
                        (("--option", "ranks=1,"), "`1,` is no value for ranks"), (("--ranks", "3-1"), "`3-1` is no value for ranks"),
                        (("--dump=never",), "`never` is no value for dump, which takes signal:USR2, every:10s, bytes:1GiB and peak"),
                        (("--dump=signal:KILL",), "`signal:KILL` is no value for dump"), (("--dump=peak,every:10",), "`peak,every:10` is no value for dump"),
                        (("--option", "verify=on"), "`on` is no value for verify, which takes off or paths"),
                        (("--output", ""), "`` is no value for output"), (("--report", "--no-report"), "--report or --no-report, not both"),
                        (("--nonsense",), "unrecognized option")):
        result = _run(t, *words, _ending(t), status=2)
        assert said in result.err and not result.out and not list(t.work.glob("*.gmprof")), result.err
    _run(t, "--option", "uses=verify", "-o", t.work / "uses.gmprof", _ending(t), status=7)
    for value in ("off", "peak", "signal:SIGUSR1,every:1.5s", "bytes:1G,signal:40"):
        assert "is ignored" not in _run(t, "--no-report", "--dump", value, "-o", t.work / "uses.gmprof", _ending(t), status=7).err
    for value in ("all", "0", "1,3-5"):
        assert "bad value" not in _run(t, "--ranks", value, "-o", t.work / "uses.gmprof", _ending(t), status=7).err


def missing_capture_is_explained(t):
    program = _ending(t)
    weak = t.work / "weak"  # objects that also run where there is no libgpumemprof
    t.command(t.compiler("c"), "-std=gnu11", *t.plugin_flags(runtime="weak"), *t.include_flags(), t.programs / "common/ending.c",
              "-o", weak, *t.link_flags(runtime=False), "-ldl", "-pthread")
    driver = {"LD_LIBRARY_PATH": str(t.sim)}  # the simulated one: this machine may have none
    for words, env, said in (
            (("sh", "-c", "/bin/true; exit 7"), driver, "no capture was written: neither sh nor anything that it started used CUDA"),
            ((weak,), {}, f"no capture was written: {weak} was built with the plugin, but libgpumemprof was not there"),
            (("sh", "-c", "exit 7"), {"CUDA_INJECTION64_PATH": "/x/other.so"}, "no capture was written: CUDA_INJECTION64_PATH names another tool (/x/other.so)"),
            ((program,), {"GPUMEMPROF": "0"}, "nothing was recorded: GPUMEMPROF=0 in the environment switches it off"),
            (("--ranks=3", program), {"RANK": "2"}, "no capture was written: ranks=3 leaves out each process that used CUDA"),
            (("--option", "enabled=0", program), {}, "nothing was recorded: the option enabled=0 switches it off"),
            (("env", "-i", program), {**driver, "GPUMEMPROF_OPTIONS": "quiet=1"}, None)):
        result = _run(t, *words, status=7, env=env)
        if said:
            assert result.err.startswith(f"gpumemprof run: {said}") and result.err.count("\n") == 1, result.err
        else:  # it writes a capture with no name of ours, and says so itself
            assert "or it did so without the environment that the tool sets" in result.err and "gpumemprof: wrote" in result.err, result.err
    script = t.work / "script"
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    assert "neither ./script nor anything that it started used CUDA" in _run(t, "./script", status=3, env=driver).err


def programs_with_more_rights_than_the_user_are_not_recorded(t):
    """The loader ignores its variables for them, and so does CUDA."""
    t.need_root()
    program = t.work / "owned"
    t.command("gcc", *t.include_flags(), t.programs / "common/ending.c", "-o", program, *t.link_flags(runtime=False), "-pthread",
              f"-Wl,-rpath,{t.sim}")
    os.chown(program, 65534, -1)
    program.chmod(0o4755)
    result = _run(t, program, status=7)
    assert result.err.startswith(f"gpumemprof run: no capture was written: {program} runs with more rights than you have (setuid or setgid)"), result.err


def without_proc_the_tool_says_so_and_the_runtime_records(t):
    t.need_root()
    program, capture = t.work / "plain", t.work / "plain.gmprof"
    t.command("gcc", "-g", *t.include_flags(), t.programs / "common/ending.c", "-o", program, *t.link_flags(runtime=False), "-pthread",
              f"-Wl,-rpath,{t.sim}")
    hidden = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh")
    said = t.command(*hidden, t.tool, "run", program, status=2).err
    assert "gpumemprof run: cannot find its own installation: /proc/self/exe is not readable" in said, said
    t.command(*hidden, f"./{program.name}", status=7, cwd=t.work, env={"CUDA_INJECTION64_PATH": str(t.runtime),
                                               "GPUMEMPROF_OPTIONS": f"output={capture}"})
    report = t.report(capture)
    assert report["conservation"]["ok"] and any(row["self_alloc"] and row["file"].endswith("ending.c") for row in report["rows"]), report["rows"]


def failure_to_write_the_capture_is_said_once(t):
    """By the runtime, which names the option that the user gave; also of a program that was not rebuilt."""
    rebuilt, plain, folder = _ending(t), t.build("plain", "common/ending.c", plugin=False, runtime=False, link=["-ldl", "-pthread"]), t.work / "folder"
    folder.mkdir()
    for command, program in (("run", rebuilt), ("dryrun", rebuilt), ("dryrun", plain)):
        for output, why in (("/nowhere/x.gmprof", "no such folder"), (f"{folder}/", "it is a folder"), ("/dev/null", "it is a device, pipe or socket")):
            failed = t.gpumemprof(command, "-o", output, program, status=7)
            lines = [line for line in failed.err.splitlines() if "simulated devices" not in line]
            assert lines == [f"gpumemprof: cannot write {output}: {why}; this run is not profiled (-o PATH names another place)"], failed.err
    limited = t.command("sh", "-c", f'ulimit -f 8; exec "{t.tool}" run -o "{t.work}/full.gmprof" "{rebuilt}"', status=7)
    assert limited.err.count("\n") == 1 and "the file size limit (ulimit -f) is reached" in limited.err, limited.err
    direct = t.command(rebuilt, status=7, env={"GPUMEMPROF_OPTIONS": "output=/nowhere/x.gmprof"})
    assert direct.err.endswith("(GPUMEMPROF_OPTIONS=output=PATH names another place)\n"), direct.err


def machine_without_a_driver_is_said(t):
    (t.work / "libcuda.so.1").write_text("A file that cannot be loaded stands for none.\n" * 100)
    env = {"LD_LIBRARY_PATH": str(t.work)}
    said = _run(t, "sh", "-c", "exit 3", status=3, env=env).err
    assert said == ("gpumemprof run: no capture was written: this machine has no CUDA driver (libcuda.so.1), so sh could not use CUDA; "
                    "`gpumemprof dryrun sh` runs it on a simulated device\n"), said
    assert "neither sh nor" in t.gpumemprof("dryrun", "sh", "-c", "exit 3", status=3, env=env).err
    assert "no CUDA driver" not in _run(t, _ending(t), status=7, cwd=t.work).err  # that brings its own
    # A toolkit without a driver: each call fails.
    (t.work / "cudart.c").write_text("int cudaMalloc(void **p, unsigned long n) { return 35; }\nint cudaFree(void *p) { return 35; }\n")
    (t.work / "version").write_text("libcudart.so.13 { cudaMalloc; cudaFree; };\n")
    t.command("cc", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13", f"-Wl,--version-script={t.work}/version", t.work / "cudart.c", "-o", t.work / "libcudart.so.13")
    said = _run(t, _ending(t), status=7, cwd=t.work, env=env).err
    assert "ending  # a simulated device, as this machine has no CUDA driver\n" in said and "next    gpumemprof dryrun " in said, said


def programs_of_one_run_that_share_a_name_keep_their_captures(t):
    program, folder = _ending(t), t.work / "shared"
    folder.mkdir()
    for _ in range(2):  # an earlier run's capture is replaced
        said = _run(t, "-o", "one.gmprof", "sh", "-c", f'"{program}"; "{program}"; "{program}"', status=7, cwd=folder).err
        assert said.startswith("gpumemprof run: wrote 3 captures; `gpumemprof merge --run one.gmprof` shows them as one report\n"), said
        names = _captures(folder)
        assert "one.gmprof" in names and all(re.fullmatch(r"one\.gmprof(\.[0-9]+)?", name) for name in names), names
    assert len(names) == 5, names  # those of processes stay
    # Without `run`, programs replace one another's captures, as before.
    separate = t.work / "separate"
    separate.mkdir()
    t.command("sh", "-c", f'"{program}"; "{program}"', status=7, cwd=separate, env={"GPUMEMPROF_OPTIONS": "output=one.gmprof:quiet=1"})
    assert _captures(separate) == ["one.gmprof"]


def capture_that_another_run_replaced_is_said(t):
    program, folder = _ending(t), t.work / "replaced"
    folder.mkdir()
    for then in ("rm one.gmprof", ": > one.gmprof", f'GPUMEMPROF_RUN=5 "{program}"'):
        said = _run(t, "-o", "one.gmprof", "sh", "-c", f'"{program}"; {then}; exit 3', status=3, cwd=folder).err
        assert said.startswith(f"gpumemprof run: a capture was written to {folder}/one.gmprof, and then removed or replaced, perhaps by another run") and said.count("\n") == 1, said


def dryrun_says_what_run_says(t):
    """On a simulated device, with the options of `run` and its lines at the end."""
    program, folder = t.build("plain", "common/ending.c", flags=["-g1"], plugin=False, runtime=False, link=["-ldl", "-pthread"]), t.work / "dry"
    folder.mkdir()

    def dryrun(*words, status=7, **env):
        first, *rest = t.gpumemprof("dryrun", *words, status=status, cwd=folder, env={"GPUMEMPROF_OPTIONS": "", **env}).err.splitlines()
        assert first.startswith("gpumemprof dryrun: simulated devices: "), first
        return rest

    lines = dryrun("-o", "a.gmprof", "--history=all", program)
    assert lines[0] == f"gpumemprof dryrun: wrote {folder}/a.gmprof" and len(lines) == 5 and lines[1].startswith("  peak    "), lines
    assert t.gpumemprof("events", folder / "a.gmprof").out
    lines = dryrun("--report", "-o", "a.gmprof", program)
    assert lines[1:] == t.gpumemprof("report", "--limit", "10", "a.gmprof", cwd=folder).out.splitlines(), lines
    assert dryrun("--no-report", "-o", "a.gmprof", program) == [f"gpumemprof dryrun: wrote {folder}/a.gmprof"]
    assert not dryrun(program, GPUMEMPROF_OPTIONS="output=b.gmprof:quiet=1") and (folder / "b.gmprof").exists()
    for words, env, said in ((("sh", "-c", "exit 7"), {}, "no capture was written: neither sh nor anything"),
                             ((program,), {"GPUMEMPROF": "0"}, "nothing was recorded: GPUMEMPROF=0"),
                             ((program,), {"CUDA_INJECTION64_PATH": "/x.so"}, "no capture was written: CUDA_INJECTION64_PATH names another tool (/x.so)"),
                             (("--ranks", "3", program), {"RANK": "2"}, "no capture was written: ranks=3 leaves out each process that used CUDA")):
        (line,) = dryrun(*words, **env)
        assert line.startswith(f"gpumemprof dryrun: {said}"), line
    lines = dryrun("sh", "-c", "kill -9 $$", status=137)
    assert len(lines) == 1, lines


def option_that_left_everything_out_is_named(t):
    program = t.build("plain", "common/ending.c", plugin=False, runtime=False, link=["-ldl", "-pthread"])
    lines = t.gpumemprof("dryrun", "-o", "x.gmprof", "--option", "cupti=off", program, status=7, cwd=t.work).err.splitlines()
    assert lines[-1] == "  next    run it without cupti=off, which leaves out all code that was not built with the plugin", lines


def program_without_a_driver_is_sent_to_info(t):
    """Calls failed, and nothing was live at any peak."""
    program = t.build("answers", "common/answers.c", flags=["-O1"])
    t.command(program, env={"GPUMEMPROF_OPTIONS": "output=none.gmprof:quiet=1", "GPUMEMPROF_SIM_OPTIONS": "devices=0"}, cwd=t.work, status=None)
    shown = t.gpumemprof("report", "none.gmprof", cwd=t.work).out
    assert "Next: gpumemprof info none.gmprof" in shown, shown


def captures_of_all_processes_are_named(t):
    program, folder = t.build("processes", "common/processes.c", flags=["-O1"]), t.work / "several"
    folder.mkdir()
    other = t.command(program, "child", cwd=folder, env={"GPUMEMPROF_OPTIONS": "output=run.gmprof.1:quiet=1"})
    assert not other.err
    for way, output in (("fork-and-record", "run.gmprof"), ("system", "run.gmprof"), ("spawn", "%p.gmprof")):
        result = _run(t, "--report", "-o", output, program, way, cwd=folder)
        lines = result.err.splitlines()
        assert re.fullmatch(rf"gpumemprof run: wrote {folder}/(run|[0-9]+)\.gmprof; other processes of the run wrote:", lines[0]), lines
        assert re.fullmatch(rf"  {folder}/(run.gmprof.[0-9]+|[0-9]+.gmprof)", lines[1]) and lines[2].startswith("GPU 0: peak 33.00 KiB "), lines
        assert "run.gmprof.1\n" not in result.err, result.err  # of no run
        all_of_it = re.fullmatch(r"gpumemprof run: `gpumemprof merge --run (.*)` shows all 2 processes as one report", lines[-1])
        merged = json.loads(t.gpumemprof("merge", "--run", all_of_it[1], "--format", "json").out)
        assert {p["capture"] for p in merged["processes"]} == {lines[0].split()[3].rstrip(";"), lines[1].strip()}, merged
        # In five lines: of all of them together.
        lines = _run(t, "-o", output, program, way, cwd=folder).err.splitlines()
        briefly = re.fullmatch(r"gpumemprof run: wrote 2 captures; `gpumemprof merge --run (.*)` shows them as one report", lines[0])
        assert briefly and len(lines) == 5, lines
        merged = json.loads(t.gpumemprof("merge", "--run", briefly[1], "--format", "json", cwd=folder).out)
        assert len(merged["processes"]) == 2 and f"{merged['conservation']['live_blocks']} block" in lines[2], (lines, merged)
    # Wherever the program goes.
    inner = t.work / "inner"
    inner.mkdir()
    result = _run(t, "-o", "moved.gmprof", "sh", "-c", f'cd "{inner}"; exec "{program}" child', cwd=folder)
    assert f"wrote {folder}/moved.gmprof\n" in result.err and not list(inner.iterdir()), result.err


def signals_reach_the_program_once(t):
    program = _dumps(t)

    def start(way):
        one = subprocess.Popen([t.tool, "run", "-o", t.work / f"{way}.gmprof", "--dump=signal:USR1", program, way],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
        assert one.stdout.readline() == "ready\n"
        one.stdin.write("x")
        one.stdin.flush()
        one.stdout.readline()
        return one

    def end_of(one):
        """Its input stays open until it has ended, or the program might read the end before the signal comes."""
        err = one.stderr.read()
        one.wait()
        one.communicate()
        return err

    one = start("handles")
    for _ in range(3):
        one.send_signal(signal.SIGUSR2)
        assert one.stdout.readline() == "handled\n"
    one.send_signal(signal.SIGUSR1)  # a dump, by the runtime in the program
    deadline = time.monotonic() + 20
    while not (t.work / "handles.dump1.gmprof").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    one.stdin.write("x")
    one.stdin.flush()
    assert one.stdout.readline() == "took 3\n"
    one.send_signal(signal.SIGTERM)
    err = end_of(one)
    assert one.returncode == 128 + signal.SIGTERM and "live    2.00 MiB in " in err, err
    one = start("lines")  # Ctrl-C: the terminal sends it to all of them
    os.killpg(one.pid, signal.SIGINT)
    err = end_of(one)
    assert one.returncode == 128 + signal.SIGINT and "live    1.00 MiB in " in err, err


def signals_are_as_without_it(t):
    program = t.build("monitor", "common/monitor.c", flags=["-O1"], link=["-pthread"])
    masks = "import signal, subprocess, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); sys.exit(subprocess.call(sys.argv[1:]))"
    shown = []
    for words in ((program, "tasks"), (t.tool, "run", "-o", t.work / "x.gmprof", program, "tasks")):
        result = t.command("python3", "-c", masks, *words, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/y.gmprof:quiet=1"})
        shown.append([line for line in result.out.splitlines() if line.startswith("task ")])
    assert shown[0] == shown[1] and len(shown[0]) == 1, shown
    ignored = []
    for before in ((), (t.tool, "run")):
        said = t.command("python3", "-c", masks, *before, "grep", "SigIgn", "/proc/self/status").out
        ignored.append(int(said.split()[1], 16) & ~(3 << 31))  # glibc's own two: posix_spawn ignores them
    assert ignored[0] == ignored[1] == 1 << signal.SIGHUP - 1, ignored


def _on_a_terminal(t, *words, rows=24, env=None):
    """Runs the tool on a terminal; returns what appeared there, and the exit status."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update({"TERM": "xterm", **(env or {})})
        os.execv(t.tool, [str(word) for word in (t.tool, "run", *words)])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    shown = b""
    while select.select([fd], [], [], 60)[0]:
        try:
            part = os.read(fd, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(fd)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def a_terminal_shows_progress_separate_from_the_output(t):
    program = _dumps(t)
    half = f'printf "half a line"; "{program}" grows; echo " and the rest"; exit 5'
    shown, status = _on_a_terminal(t, "-o", t.work / "a.gmprof", "sh", "-c", half)
    assert status == 5, (status, shown)
    progress = re.findall(r"\x1b7\x1b\[24;1H\x1b\[Kgpumemprof: 0:00:0[0-9]  ([0-9.]+) MiB live, peak ([0-9.]+) MiB, ([0-9]+) alloc[a-z]*\x1b8",
                          shown)
    assert len(progress) >= 5, shown
    live, counts = [float(p[0]) for p in progress], [int(p[2]) for p in progress]
    assert counts == sorted(counts) and counts[0] < counts[-1] <= 40 and max(live) <= 21, progress
    assert all(float(peak) >= float(now) for now, peak, _ in progress), progress
    # Without what was written to the last row, it is the program's own output, and then the answer.
    rest = re.sub(r"\x1bD\x1b\[1A\x1b7\x1b\[1;23r\x1b8|\x1b7\x1b\[24;1H\x1b\[K[^\x1b]*\x1b8|\x1b7\x1b\[r\x1b\[24;1H\x1b\[K\x1b8", "", shown)
    assert rest.startswith("half a line and the rest\r\ngpumemprof run: wrote "), rest[:300]
    assert shown.rindex("\x1b[r") < shown.index("gpumemprof run: wrote"), shown
    for words, env, rows in ((("-q",), {}, 24), ((), {"TERM": "dumb"}, 24), ((), {}, 2)):
        shown, status = _on_a_terminal(t, *words, "-o", t.work / "b.gmprof", program, "short", "600", env=env, rows=rows)
        assert status == 0 and "gpumemprof: " not in shown and "\x1b7" not in shown, shown
    assert "\x1b" not in _run(t, "-o", t.work / "c.gmprof", program, "short", "600").err
