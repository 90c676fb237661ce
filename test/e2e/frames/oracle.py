"""Every figure against a second count: the programs count for themselves (programs/oracle/oracle.h) and
print what the report has to say, for each device, line and function."""
import json
import pathlib

import repeats

ADDITIVE = ("self_alloc", "self_freed", "leaked", "leaked_blocks", "at_peak")


def lines_with(t, sources, text):
    """{"file:line"} of the lines of the programs that hold the text."""
    return {f"{pathlib.PurePath(source).name}:{number}" for source in sources
            for number, line in enumerate((t.programs / source).read_text().splitlines(), 1) if text in line}


def compare(t, *sources, llvm=22, link=(), flags=(), options="", lost={}, unless=None,
            arguments=(), status=0, runtime=True, verify=True):
    """`lost`: the counters of losses that are not 0; lines that hold `unless` are not compared. `link` may be a function
    of the level. `verify`: call paths are compared with the machine stack. Under an emulator one level has its turn
    (test/repeats.py)."""
    oracle = t.build_oracle()
    passed_over = lines_with(t, sources, unless) if unless else set()
    for level in repeats.share(("-O0", "-O2"), 2 if t.emulator else 1):
        more = link(level) if callable(link) else link
        program = t.build("program" + level, *sources, flags=[level, *flags], llvm=llvm, runtime=runtime,
                          link=[oracle, "-lstdc++", *more])
        result, capture = t.run(program, *arguments, sim="devices=2", status=status, options=options, verify=verify)
        expected = json.loads(result.out)
        wrong = []

        def differ(what, key, ours, theirs):
            if ours != theirs:
                wrong.append(f"{level} {what}: {key} is {ours}, the program counted {theirs}")

        report = t.report(capture)
        assert report["conservation"]["ok"], report["conservation"]
        for counter, number in report["losses"].items():
            differ("losses", counter, number, lost.get(counter, 0))
        devices = {str(d["device"]): d for d in report["devices"]}
        for ordinal, figures in expected["devices"].items():
            device = devices.get(ordinal) or devices["host"]
            differ(f"device {ordinal}", "peak", device["peak"], figures["peak"])
            differ(f"device {ordinal}", "live_at_exit", device["live_at_exit"], figures["live"])

        places = {}
        for row in report["rows"]:
            if row["line"]:
                places.setdefault(f"{row['file'].rsplit('/', 1)[-1]}:{row['line']}", []).append(row)
        for place, figures in expected["lines"].items():
            rows = places.get(place, [])
            if place in passed_over:
                continue
            if not rows:
                wrong.append(f"{level} no row for {place}")
                continue
            for key in ADDITIVE:  # one line of a template is a row for each instance
                if key == "at_peak" and not figures["self_alloc"]:
                    continue
                differ(place, key, sum(row[key] or 0 for row in rows), figures[key])
            if len(rows) == 1 and figures["self_alloc"]:
                differ(place, "live_peak", rows[0]["live_peak"], figures["live_peak"])

        functions = {row["function"]: row for row in t.report(capture, "function")["rows"]}
        assert expected["functions"], "the program named no scope"
        for name, figures in expected["functions"].items():
            if name not in functions:
                wrong.append(f"{level} no row for function {name}; there are {sorted(functions)}")
                continue
            for key, number in figures.items():
                differ(name, key, functions[name][key], number)
        assert not wrong, "\n".join(wrong)
    _, capture = t.run(program, sim="devices=2", options="history=all", verify=verify)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def inlined_callees(t):
    compare(t, "frames/inlining.cpp")


def templates(t):
    compare(t, "common/templates.cpp")


def lambdas(t):
    compare(t, "frames/lambdas.cpp")


def recursion(t):
    compare(t, "common/recursion.cpp")


def exceptions(t):
    compare(t, "common/exceptions.cpp")


def threads(t):
    compare(t, "common/threads.cpp")


def several_devices(t):
    compare(t, "frames/devices.cpp")


def callbacks_and_longjmp_in_c(t):
    compare(t, "frames/callbacks.c")


def threads_by_clang_19(t):
    compare(t, "common/threads.cpp", llvm=19)


def exceptions_by_clang_19(t):
    compare(t, "common/exceptions.cpp", llvm=19)
