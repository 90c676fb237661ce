"""Killed at any moment, a program's capture opens, its figures add up, and they are what its recorded events
make (`gpumemprof events --replay`), but for at most one event a thread that was under way.

GPUMEMPROF_TEST_KILLS=1000 makes more of them than a run of all tests has time for.
"""
import concurrent.futures
import os
import random
import subprocess
import time

import repeats
from harness import Skip, check

KILLS = int(os.environ.get("GPUMEMPROF_TEST_KILLS", "40"))


def _killed(t, program, arguments, options, after):
    capture = t.work / "run.gmprof"
    capture.unlink(missing_ok=True)
    running = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "GPUMEMPROF_SIM_OPTIONS": "devices=4",
                                    "GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1{options}"})
    try:
        assert running.stdout.readline() == "ready\n"
        time.sleep(after)
    finally:
        running.kill()
        running.wait()
        running.stdout.close()
    return capture


def _kill_often(t, kills, options, judge):
    program = t.build("churn", "common/churn.cpp", flags=["-O2"])
    draw = random.Random(4711)
    for _ in range(kills):
        threads, devices = draw.choice([(1, 1), (4, 1), (8, 4)])
        capture = _killed(t, program, [str(threads), str(devices), "0"], options, draw.uniform(0, 0.03))
        report = t.report(capture)
        assert report["conservation"]["ok"], report["conservation"]
        assert not any(report["losses"].values()), report["losses"]
        judge(capture, report)


def figures_are_those_of_the_events_until_the_kill(t):
    under_way = []

    def judge(capture, report):
        if not report["conservation"]["allocated"]:
            return  # killed before its first event
        said = t.gpumemprof("events", "--replay", capture).out
        under_way.append("under way" in said)

    _kill_often(t, KILLS, ":history=all", judge)
    print(f"{KILLS} kills, {sum(under_way)} in the middle of an event")


def what_was_live_at_the_peak_adds_up_to_it(t):
    def judge(capture, report):
        at_peak = sum(row["at_peak"] or 0 for row in t.report(capture, "kind")["rows"])
        assert at_peak == sum(device["peak"] for device in report["devices"]), (at_peak, report["devices"])

    _kill_often(t, KILLS // 4, "", judge)


def ring_of_a_killed_program_opens(t):
    def judge(capture, _):
        events = t.gpumemprof("events", capture).out.splitlines()
        assert len(events) > 100, events
        assert t.gpumemprof("events", "--replay", capture, status=None).status in (0, 2)

    _kill_often(t, max(KILLS // 10, 2), ":history=ring:ring=5000", judge)


def _kill_at_every_instruction(t, options, judge):
    """Between two instructions of one thread nothing is left out: each state of the file is kept. A sixth of them is judged,
    other ones after each commit (test/repeats.py)."""
    stepper = t.build("stepper", "life/stepper.c", flags=["-O2"], plugin=False, runtime=False)
    program = t.build("stepped", "life/stepped.c", flags=["-O1"])
    files = t.work / "files"
    files.mkdir()
    capture = t.work / "run.gmprof"
    done = t.command(stepper, capture, files, program, status=None, env={
        "GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1{options}", "GPUMEMPROF_SIM_OPTIONS": "devices=1"})
    if done.status == 77:
        raise Skip("needs ptrace")
    assert done.status == 0, done
    kept = sorted(files.iterdir())
    assert len(kept) > 1000, done.out
    wrong, chosen = [], repeats.share(kept, 6)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, said in zip(chosen, pool.map(judge, chosen)):
            wrong += [f"{file.name}: {said}"] * bool(said)
    assert not wrong, f"{len(wrong)} of {len(chosen)} files\n" + "\n".join(wrong[:20])
    print(done.out.strip())


def killed_at_any_instruction_figures_are_those_of_the_events(t):
    def judge(capture):
        done = t.gpumemprof("events", "--replay", capture, status=None)
        return done.err + done.out if done.status else ""

    _kill_at_every_instruction(t, ":history=all", judge)


def killed_at_any_instruction_figures_add_up(t):
    def judge(capture):
        report = t.report(capture, "kind")
        at_peak = sum(row["at_peak"] or 0 for row in report["rows"])
        lost = sum(report["losses"].values()) - (report["losses"]["unknown_frees"] == 1)  # that has not failed yet
        if not report["conservation"]["ok"] or lost:
            return f"{report['conservation']} {report['losses']}"
        return "" if at_peak == sum(device["peak"] for device in report["devices"]) else f"{at_peak} {report['devices']}"

    _kill_at_every_instruction(t, "", judge)


def ring_keeps_the_latest_events_in_a_bounded_file(t):
    program = t.build("churn", "common/churn.cpp", flags=["-O2"])
    _, capture = t.run(program, "4", "1", "2", options="history=ring:ring=20000", sim="devices=1")
    size = capture.stat().st_size
    assert size < 4 << 20, size
    lines = t.gpumemprof("events", capture).out.splitlines()
    assert "before them are gone" in lines[0], lines[0]
    clocks = [int(line.split()[0]) for line in lines[2:]]
    assert clocks == sorted(clocks) and len(clocks) >= 20000, len(clocks)
    total = t.report(capture)["conservation"]
    assert clocks[-1] == total["allocated_blocks"] + total["freed_blocks"], (clocks[-1], total)


def events_of_a_capture_without_history_say_the_remedy(t):
    program = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    _, capture = t.run(program, status=7)
    for arguments in ((), ("--replay",)):
        said = t.gpumemprof("events", *arguments, capture, status=2).err
        assert "history=all" in said and len(said.splitlines()) == 1, said
    check({"n": said.count("history=ring")}, "remedy", n=1)
