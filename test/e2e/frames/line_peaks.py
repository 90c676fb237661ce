"""The own peak of a line is what one call made on it needs on top of what was there before, even where the callee has no
frame of its own. programs/frames/line_peaks.cpp computes it itself."""
import json

LEVELS = ("-O0", "-O1", "-O2", "-O3")


def _peaks(t, capture):
    """{line: highest own peak} of the file's rows."""
    peaks = {}
    for row in t.report(capture)["rows"]:
        if row["file"].endswith("frames/line_peaks.cpp"):
            peaks[row["line"]] = max(peaks.get(row["line"], 0), row["own_peak_max"] or 0)
    return peaks


def _agree(t, llvm, levels=LEVELS, **options):
    for level in levels:
        program = t.build("program" + level, "frames/line_peaks.cpp", flags=[level], llvm=llvm, **options)
        result, capture = t.run(program, options="history=all")
        expected = {int(line): bytes for line, bytes in json.loads(result.out).items()}
        assert len(expected) > 35, expected
        peaks = _peaks(t, capture)
        wrong = [f"{level} line {line}: own peak {peaks.get(line, 0)}, the program needed {bytes}"
                 for line, bytes in expected.items() if peaks.get(line, 0) != bytes]
        assert not wrong, "\n".join(wrong)
        report = t.report(capture)
        assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
        _, without = t.run(program, capture="without.gmprof")
        assert _peaks(t, without) == peaks, "without a history"


def what_the_program_counts(t):
    _agree(t, 22)


def what_the_program_counts_by_clang_19(t):
    _agree(t, 19, ("-O0", "-O2"))


def in_every_mode(t):
    _agree(t, 22, ("-O0", "-O2"), mode="every")


def of_a_killed_program(t):
    """The calls that were under way count as far as they got."""
    program = t.build("program", "frames/line_peaks.cpp", flags=["-O1"])
    for at in (0, 1, 6, 11):
        _, capture = t.run(program, str(at), status=-9, options="history=all")
        needed = at // 2 * 30000 + (10000 if at % 2 == 0 else 30000)
        line = max(_peaks(t, capture).items(), key=lambda item: item[1])
        assert line[1] == needed, (at, _peaks(t, capture))
        rows = t.rows(capture, "function")
        assert rows["main"]["own_peak_max"] == needed, rows["main"]
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
