"""Captures are read while several threads of their program make new call paths and blocks as fast as they can:
every opening gives a report that adds up or says what moved. The same when the program is killed while it grows."""
import json
import os
import random
import subprocess
import time

MIB = 1 << 20
COMMANDS = (["report", "--limit", "3"], ["tree", "--limit", "9"], ["leaks"], ["info"], ["report", "--by", "path", "--format", "json", "--limit", "5"],
            ["info", "--format", "json"], ["report", "--by", "function", "--bytes"], ["tree", "--format", "json", "--limit", "9"])


class Growing:
    def __init__(self, t, program, fast, most):
        self.path = t.work / "run.gmprof"
        self.path.unlink(missing_ok=True)
        self.process = subprocess.Popen([program, str(fast), str(most)], cwd=t.work,
                                        env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={self.path}:quiet=1"})

    def wait_for(self, size):
        while not self.path.exists() or self.path.stat().st_size < size:
            assert self.process.poll() is None
            time.sleep(0.001)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def consistent_report(t, path, command):
    """True: the report adds up. False: it says that something moved."""
    verbose = [] if "json" in command or command[0] == "info" else ["--verbose"]
    done = subprocess.run([t.tool, command[0], path, *command[1:], *verbose], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stderr, (command, done.returncode, done.stderr)
    text = done.stdout
    if command[0] == "info":
        assert "running" in text or "ended" in text, text
        return True
    if "json" in command:
        sums = json.loads(text)["conservation"]
        return sums["ok"]
    assert ("balanced on every device" in text) != ("NOT BALANCED (was the program killed in the middle" in text), text[:2000]
    return "balanced on every device" in text


def _openings(t, fast, most, size, count):
    """Opens the capture so often while it grows on from a size."""
    program = t.build("growing", "timed/growing.cpp", flags=["-O1"])
    with Growing(t, program, fast, most) as growing:
        growing.wait_for(size)
        while b"GMPROF" not in growing.path.read_bytes()[:8]:
            pass
        consistent, sizes, start = 0, set(), time.monotonic()
        for i in range(count):
            consistent += consistent_report(t, growing.path, COMMANDS[i % len(COMMANDS)])
            with growing.path.open("rb") as file:  # the file itself grows in larger steps
                sizes.add(int.from_bytes(file.read(32)[24:], "little"))
            time.sleep(0.005)
        print(f"{count} openings in {time.monotonic() - start:.1f} s, {consistent} add up, the others say what moved; "
              f"{len(sizes)} sizes from {min(sizes) / MIB:.1f} to {max(sizes) / MIB:.1f} MiB")
        assert len(sizes) > 1, sizes


def small_capture_opens_at_every_moment_of_its_growth(t):
    _openings(t, 0, 2000, 1, 104)


def large_capture_opens_at_every_moment_of_its_growth(t):
    _openings(t, 16000, 20000, 66 * MIB, 8)


def capture_of_a_program_killed_while_it_grows_opens(t):
    program = t.build("growing", "timed/growing.cpp", flags=["-O1"])
    rng, consistent = random.Random(1), 0
    for turn in range(24):
        with Growing(t, program, 30000, 60000) as growing:
            growing.wait_for(1)
            time.sleep(rng.random() * 0.15)
        while b"GMPROF" not in growing.path.read_bytes()[:8]:
            break
        else:
            consistent += consistent_report(t, growing.path, COMMANDS[turn % 3])
    print(f"24 openings, {consistent} add up")
