"""Taking figures: interleaved rounds, medians, instruction counts.

A variant is a command with an environment. All variants of a row run once per round, in turn, so that
a busy machine disturbs all of them alike; what is compared are medians over the rounds.
"""
import math
import os
import pathlib
import re
import statistics

from .tools import Trouble, find_program, run


class Variant:
    """One program of a row. command: without the arguments of a measurement."""

    def __init__(self, name, command, env=None, prefix=(), smc=False, countable=True):
        self.name = name
        self.command = list(command)
        self.env = dict(env or {})
        self.prefix = list(prefix)  # heaptrack -o FILE: not used for instruction counts
        self.smc = smc              # changes its own code: valgrind has to know
        self.countable = countable  # False: valgrind can not run it


class Samples:
    """Figures of one variant, one per round."""

    def __init__(self, values):
        self.values = list(values)

    @property
    def median(self):
        return statistics.median(self.values)

    def as_json(self):
        return {"median": self.median, "min": min(self.values), "max": max(self.values), "rounds": self.values}

    def __str__(self):
        return f"{self.median:.2f} [{min(self.values):.2f}-{max(self.values):.2f}]"


def processor(options):
    """Where timed programs pin themselves: the last one, away from interrupts of the first."""
    if options.cpu is not None:
        return str(options.cpu)
    return str(max(os.sched_getaffinity(0)))


def note_fifo(options, digit):
    if digit != "2":  # asked for
        options.fifo_seen.add(digit == "1")


def time_once(variant, arguments, options, cwd):
    """Nanoseconds per operation, as the program itself measured."""
    env = dict(variant.env, BENCH_CPU=processor(options))
    done = run(variant.prefix + variant.command + arguments, env=env, cwd=cwd)
    found = re.search(r"^bench (\d+) (\d+) fifo=(\d)", done.stdout, re.M)
    if not found:
        raise Trouble(f"{variant.command[0]} printed no result line")
    note_fifo(options, found.group(3))
    return int(found.group(1)) / int(found.group(2))


def time_rounds(variants, arguments, options, cwd):
    """Samples by variant name: ns per operation. arguments: a list, or a function of the variant's name."""
    values = {variant.name: [] for variant in variants}
    for _ in range(options.rounds):
        for variant in variants:
            mine = arguments(variant.name) if callable(arguments) else arguments
            values[variant.name].append(time_once(variant, mine, options, cwd))
    return {name: Samples(samples) for name, samples in values.items()}


def figures_inside(command, options, cwd, env=None):
    """Samples by name of a program that takes several figures in turns by itself: ns per operation."""
    done = run(command, env=dict(env or {}, BENCH_CPU=processor(options)), cwd=cwd)
    values = {}
    for name, ns, operations, fifo in re.findall(r"^bench (\S+) (\d+) (\d+) fifo=(\d)", done.stdout, re.M):
        note_fifo(options, fifo)
        values.setdefault(name, []).append(int(ns) / int(operations))
    if not values:
        raise Trouble(f"{command[0]} printed no result line")
    return {name: Samples(samples) for name, samples in values.items()}


def exponent(points):
    """Slope of the values over the sizes in a log-log diagram, over the three largest sizes."""
    largest = sorted(points)[-3:]
    x = [math.log(size) for size in largest]
    y = [math.log(max(points[size], 1e-6)) for size in largest]
    return statistics.linear_regression(x, y).slope


def padded(command, env):
    """The environment with two more variables. One is so long that what the program's stack begins with (arguments,
    environment, its own path) fills whole pages: functions for strings take another way where a text on the stack lies
    across two pages, and with the environment of a shell or of a test runner that made one program take 0.8 % more than the
    other. Nobody asks for a name that begins like it, so it is never compared, wherever its own pages begin. The other one,
    which has its place behind it, tells the program that it is counted."""
    full = {**os.environ, **(env or {}), "ZZ_PAD": "", "BENCH_COUNTED": "1"}
    texts = [command[0], *command, *(f"{key}={value}" for key, value in full.items())]
    taken = sum(len(os.fsencode(text)) + 1 for text in texts) + 8 * (len(command) + len(full))
    return {**(env or {}), "ZZ_PAD": "x" * (-taken % 4096), "BENCH_COUNTED": "1"}


def callgrind(command, env, cwd, smc=False):
    """Instructions of one run, and what it printed. Its capture is a new file in each run, for to replace one takes more."""
    output = re.search(r"output=([^:]+)", env.get("GPUMEMPROF_OPTIONS", ""))
    if output:
        pathlib.Path(cwd, output[1]).unlink(missing_ok=True)
    valgrind = [find_program("valgrind", package="valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    if smc:
        valgrind.append("--smc-check=all")
    done = run(valgrind + command, env=padded(command, env), cwd=cwd)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise Trouble(f"callgrind counted nothing in {command[0]}:\n    " + done.stderr[-400:])
    return int(found.group(1)), done.stdout


def instructions_of(command, cwd, env=None):
    """Instructions of a whole command."""
    return callgrind(command, env or {}, cwd)[0]


def instructions(variant, arguments, cwd):
    """Instructions and operations of one run of a benchmark program."""
    total, text = callgrind(variant.command + arguments, variant.env, cwd, variant.smc)
    return total, int(re.search(r"^bench (?:\S+ )?\d+ (\d+) fifo", text, re.M).group(1))


def instruction_slope(variant, small, large, cwd, digits=1):
    """Instructions per operation, from two sizes: what start and end cost falls out, but for the few
    instructions that printing a longer number takes; hence one decimal. Who divides two of them asks for
    more digits and rounds the quotient: else a few instructions that move one of them across the border
    between two tenths are a tenth of an instruction, which is 0.7 % of a short operation."""
    first, first_operations = instructions(variant, small, cwd)
    second, second_operations = instructions(variant, large, cwd)
    return round((second - first) / (second_operations - first_operations), digits)


def launch(launcher, command, options, cwd, env=None):
    """What a whole command took: dict with cpu_s, wall_s, rss_mib; and what it printed."""
    result = os.path.join(cwd, "launch.result")
    full = dict(env or {})
    full["BENCH_CPU"] = processor(options)
    done = run([launcher, result] + command, cwd=cwd, env=full)
    with open(result, encoding="ascii") as file:
        wall, user, system, rss, _ = (int(word) for word in file.read().split())
    return {"wall_s": wall / 1e9, "cpu_s": (user + system) / 1e6, "rss_mib": rss / 1024,
            "output": done.stdout}
