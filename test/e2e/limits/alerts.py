"""What the program is notified of, and what the runtime prints by itself: steps that leave more than the one before
(gpumemprof_on_growth, growth=), and limits of what is live, set without touching the source (warn=, critical=). The program
counts itself which of them are due."""
import json
import re

KIB = 1 << 10


def _program(t):
    return t.build("alerts", "limits/alerts.c", flags=["-O1"])


def _lines(text):
    return [json.loads(line) for line in text.splitlines()]


def _expected(steps, most, first=1):
    """The steps that grew by more than `most`, by the program's own count; `first`: index of the first that can be reported."""
    found = []
    for i, step in enumerate(steps):
        before = steps[i - 1]["live"] if i else 0
        if i >= first and step["live"] - before > most:
            found.append((step["step"], before, step["live"], step["kept"]))
    return found


def program_is_notified_of_each_step_that_left_more(t):
    result, _ = t.run(_program(t), "asks", "200")
    lines = _lines(result.out)
    assert lines[0] == {"set": 0}
    reported = [(one["reported"], one["before"], one["live"], one["left"]) for one in lines if "reported" in one]
    assert reported == _expected([one for one in lines if "step" in one], 20 * KIB) and 20 < len(reported) < 180, reported
    assert {(one["data"], one["size"]) for one in lines if "reported" in one} == {("data", 1)}


def nobody_is_notified_any_more_after_it_is_taken_back(t):
    lines = _lines(t.run(_program(t), "stops", "60")[0].out)
    reported = [one["reported"] for one in lines if "reported" in one]
    assert reported == [one[0] for one in _expected([one for one in lines if "step" in one], 20 * KIB) if one[0] <= 30] and reported


def option_says_the_step_and_a_line_without_touching_the_source(t):
    for mode, options, first in (("calls", "growth=20KiB", 1), ("function", "growth=20KiB:step=iteration", 0)):
        result, _ = t.run(_program(t), mode, "12", options=options)
        said = [re.fullmatch(r"gpumemprof: step (\d+) left [\d.]+ [KM]iB more than the step before \([\d.]+ [KM]iB live\)"
                             r"(: [\d.]+ [KM]iB allocated at \S+alerts\.c:\d+ cache)?", line) for line in result.err.splitlines()]
        assert all(said), result.err
        expected = _expected(_lines(result.out), 20 * KIB, first)
        if mode == "function":  # a step ends where the next begins, so the last one does not
            expected = [one for one in expected if one[0] < 12]
        assert [int(one[1]) for one in said] == [one[0] for one in expected] and said, (result.err, expected)
        assert all(one[2] for one in said), result.err


def child_compares_with_its_own_steps(t):
    captures = t.work / "captures"
    captures.mkdir()
    result = t.command(_program(t), "fork", "40", env={"GPUMEMPROF_OPTIONS": f"output={captures}/%p.gmprof:quiet=1"})
    parent, child = result.out.split('{"fork": 1}\n')
    lines = _lines(child)
    reported = [one["reported"] for one in lines if "reported" in one]
    steps = [one for one in lines if "step" in one]
    # Figures of a child begin with 0; what it frees of its parent's is not known to it. What it takes is.
    assert reported and min(reported) >= 2 and {(one["data"], one["size"]) for one in lines if "reported" in one} == {("data", 1)}
    assert all(one["left"] == steps[one["reported"] - 1]["kept"] for one in lines if "reported" in one), child


def limits_are_said_without_touching_the_source(t):
    """Live: 500, 800, 950, 650, 500, 1100 KiB of 8 MiB. 950 and 1100 are above 900 KiB, and it fell below 855 between them."""
    cases = {"warn=900KiB": ["warn=900KiB", "warn=900KiB"], "critical=1000KiB": ["critical=1000KiB"],
             "warn=10%:critical=13%": ["warn=10%", "warn=10%", "critical=13%"], "warn=3MiB": []}
    source = (t.programs / "limits/alerts.c").read_text().splitlines()
    line = next(n for n, text in enumerate(source, 1) if "if (cudaMalloc(&p, (size_t)bytes))" in text)
    for options, words in cases.items():
        said = t.run(_program(t), "levels", options=options, sim="memory=8MiB")[0].err.splitlines()
        found = [re.fullmatch(rf"gpumemprof: GPU 0 has ([\d.]+ [KM]iB) live, more than (\S+): ([\d.]+ [KM]iB) allocated at \S+alerts\.c:{line} take",
                              one) for one in said]
        assert all(found) and [one[2] for one in found] == words, (options, said)


def bad_limits_are_said_and_ignored(t):
    for option in ("warn=101%", "warn=0", "critical=lots", "growth=-1", "growth=5%"):
        result, _ = t.run(_program(t), "levels", options=option)
        key, value = option.split("=")
        assert f"bad value '{value}' for {key} is ignored" in result.err and len(result.err.splitlines()) == 1, result.err
    result, _ = t.run(_program(t), "asks", "3", env={"GPUMEMPROF": "0"})
    assert _lines(result.out)[0] == {"set": -1} and not result.err


def what_the_callback_frees_is_freed_below_the_line_of_the_step(t):
    for level in ("-O0", "-O2"):
        program = t.build("step_callback", "limits/step_callback.c", flags=[level])
        result, capture = t.run(program)
        report = t.report(capture, "path")
        paths = {tuple((place["function"], place["line"]) for place in row["path"]): (row["self_alloc"], row["self_freed"]) for row in report["rows"]}
        frees = {path: freed for path, (_, freed) in paths.items() if freed}
        assert frees == {(("main", 25), ("drop", 16)): 2 * 4096} and not any(report["losses"].values()), (paths, report["losses"])
