"""gpumemprof_summary: every row and figure is that of `gpumemprof report` of the finished capture, for random programs."""
import json

FIGURES = ("self_alloc", "blocks", "leaked", "leaked_blocks", "self_freed", "incl_alloc", "escaped", "incl_freed",
           "self_requested", "self_at_peak", "at_peak", "live_peak", "temporary_blocks", "calls", "own_peak_max",
           "own_peak_mean", "device_peak", "failed_calls", "failed_bytes", "oom_calls")


def _of_report(by, row):
    if by == "label":
        return row["label"]
    if by == "device":
        return row["device"]
    return row["function"] or "", row["file"] or "", row["line"]


def _of_program(by, row):
    if by == "label":
        return row["name"] or ""
    if by == "device":
        return "host" if row["device"] == -1 else row["device"]
    name = f"{row['name']} {{{row['block']}}}" if row["block"] else row["name"] or ""
    return name, row["file"] or "", row["line"]


def compare(t, capture, summary):
    """All rows that a program printed as its last act against the reports of its capture."""
    for by, rows in summary.items():
        expected = {_of_report(by, row): row for row in t.report(capture, by)["rows"]}
        found = {_of_program(by, row): row for row in rows}
        assert len(found) == len(rows), f"two rows of one {by}"
        assert set(found) == set(expected), (by, sorted(set(found) ^ set(expected), key=str))
        assert [row["leaked"] for row in rows] == sorted((row["leaked"] for row in rows), reverse=True), by
        wrong = [(by, key, figure, row[figure], expected[key][figure]) for key, row in found.items()
                 for figure in FIGURES if row[figure] != (expected[key][figure] or 0)]
        assert not wrong, wrong[:10]
        for row in rows:
            assert row["freed"] == row["self_alloc"] - row["leaked"], row
            assert row["freed_blocks"] == row["blocks"] - row["leaked_blocks"], row


def _build(t, **more):
    return t.build("summary", "common/summary_random.cpp", **{"flags": ["-O2"], **more})


def _play(t, program, *arguments):
    result, capture = t.run(program, *arguments)
    summary = json.loads(result.out)
    compare(t, capture, summary)
    return summary, capture


def rows_are_those_of_the_report(t):
    program = _build(t)
    for seed in range(1, 9):
        summary, _ = _play(t, program, seed, 1)
        assert len(summary["function"]) == 11 and len(summary["label"]) > 5, [row["name"] for row in summary["function"]]
        assert any(row["failed_calls"] for row in summary["line"]) and any(row["block"] for row in summary["function"])
        total = sum(row["leaked"] for row in summary["device"])
        assert total == sum(row["leaked"] for row in summary["line"]) == sum(row["leaked"] for row in summary["function"])


def rows_are_those_of_the_report_with_threads(t):
    program = _build(t)
    for seed in range(9, 15):
        _play(t, program, seed, 3)


def rows_are_the_same_at_every_level_and_by_clang_19(t):
    _play(t, _build(t, flags=["-O0"]), 6, 1)
    _play(t, _build(t, flags=["-O3"], llvm=19), 7, 2)


def profiled_time_is_that_of_the_report(t):
    summary, capture = _play(t, _build(t), 8, 1)
    row = next(row for row in summary["function"] if row["name"].endswith("profiled"))
    expected = t.rows(capture, "function")[row["name"]]["wall_ns"]
    assert expected and abs(row["wall_ns"] - expected) <= expected * 0.02, (row["wall_ns"], expected)


def nothing_is_reported_when_switched_off_or_absent(t):
    program = _build(t)
    none = {"line": [], "function": [], "label": [], "device": []}
    assert json.loads(t.run(program, 1, 1, options="enabled=0")[0].out) == none
    plain = t.build("plain", "common/summary_random.cpp", plugin=False, runtime=False)
    assert json.loads(t.command(plain, 1, 1).out) == none


def device_that_holds_less_than_is_recorded_says_why(t):
    """A file was forgotten: it frees what others allocated."""
    rebuilt, forgotten = t.work / "rebuilt.c", t.work / "forgotten.c"
    rebuilt.write_text("#include <cuda_runtime.h>\nvoid drop(void *p);\nint main(void) {\n  void *p;\n  cudaMalloc(&p, 64 << 20);\n"
                       "  drop(p);\n  return 0;\n}\n")
    forgotten.write_text("#include <cuda_runtime.h>\nvoid drop(void *p) { cudaFree(p); }\n")
    t.command(t.compiler("c"), *t.include_flags(), "-c", forgotten, "-o", t.work / "forgotten.o")
    _, capture = t.run(t.build("program", rebuilt, link=[t.work / "forgotten.o"]))
    assert "= 64.00 MiB recorded - 64.00 MiB that the device does not hold (code that was not rebuilt freed it" in \
        t.gpumemprof("report", capture).out, t.gpumemprof("report", capture).out
