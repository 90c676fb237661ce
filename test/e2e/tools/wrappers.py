"""Wrappers of allocations are seen through: their callers' lines have the memory (programs/tools/wrappers.cpp)."""
import json

LEVELS = ("-O0", "-O2")


def _capture(t, level, llvm=22, **options):
    program = t.build("program" + level, "tools/wrappers.cpp", flags=[level], llvm=llvm)
    return t.run(program, options="history=all", **options)[1]


def _hidden(t, capture, by="line", *options):
    return t.rows(capture, by, "--wrappers", "hide", *options)


def _bytes(row):
    return row["self_alloc"]


def _callers_have_the_memory(t, capture):
    rows = _hidden(t, capture)
    of_main = {row["line"]: _bytes(row) for name, row in rows.items() if name.startswith("main:") and _bytes(row)}
    assert of_main == {43: 4096, 44: 8192, 45: 16384, 46: 2048}, of_main
    of_train = {row["line"]: _bytes(row) for name, row in rows.items() if name.startswith("train:") and _bytes(row)}
    assert of_train == {36: 32768, 37: 65536}, of_train
    assert not any(name.startswith(("zeros:", "make_vector:", "down:")) and _bytes(row) for name, row in rows.items()), rows
    assert any(name.startswith("cached:") and _bytes(row) == 1024 for name, row in rows.items()), rows


def callers_have_the_memory(t):
    for level in LEVELS:
        _callers_have_the_memory(t, _capture(t, level))


def callers_have_the_memory_by_clang_19(t):
    _callers_have_the_memory(t, _capture(t, "-O2", llvm=19))


def both_forms_add_up(t):
    capture = _capture(t, "-O2")
    for by in ("line", "function", "file", "path", "kind"):
        forms = [t.report(capture, by, "--wrappers", form) for form in ("show", "hide")]
        for figure in ("self_alloc", "self_net", "leaked", "blocks", "leaked_blocks"):
            sums = [sum(row[figure] or 0 for row in form["rows"]) for form in forms]
            assert sums[0] == sums[1], (by, figure, sums)
        assert forms[0]["conservation"] == forms[1]["conservation"], by
        main = [next((row for row in form["rows"] if by == "function" and row["function"] == "main"), None) for form in forms]
        if by == "function":
            for figure in ("incl_alloc", "incl_net", "at_peak", "own_peak_max", "device_peak"):
                assert main[0][figure] == main[1][figure], (figure, main)


def programs_get_what_was_recorded(t):
    capture = _capture(t, "-O2")
    as_json = t.rows(capture)
    assert any(name.startswith("zeros:") and _bytes(row) for name, row in as_json.items()), as_json
    table = t.gpumemprof("report", capture).out
    assert "via zeros" in table and "via make_vector" in table and "wrappers.cpp:8 " not in table, table
    assert "wrappers.cpp:8 zeros" in t.gpumemprof("report", capture, "--wrappers", "show").out


def other_answers_name_the_callers(t):
    capture = _capture(t, "-O0")
    leaks = t.gpumemprof("leaks", capture).out
    assert "wrappers.cpp:44 main  float *two = 2048  via zeros" in leaks and ":8 zeros" not in leaks, leaks
    peak = t.gpumemprof("peak", capture).out
    assert "wrappers.cpp:37 train  float *b = 2 * count  via zeros" in peak and ":8 zeros" not in peak, peak
    tree = t.gpumemprof("tree", capture).out
    assert "zeros" not in tree.replace("via zeros", "").replace("= zeros", ""), tree
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    scope = json.loads(t.gpumemprof("peak", capture, "--scope", "zeros", "--format", "json").out)
    assert scope, "a wrapper is a scope, too"
    filtered = t.gpumemprof("report", capture, "--filter", "function=zeros").out
    assert ":8 zeros" in filtered, filtered


def variable_and_size_are_those_of_the_caller(t):
    for level in LEVELS:
        rows = {row["line"]: row for row in _hidden(t, _capture(t, level)).values()}
        assert (rows[43]["variable"], rows[43]["type"], rows[43]["size_expr"]) == ("one", "float", "1024"), rows[43]
        assert (rows[45]["variable"], rows[45]["size_expr"]) == ("v", "4096"), rows[45]
        assert rows[49]["variable"] is None, rows[49]  # train(8192) receives nothing
    shown = {row["line"]: row for row in t.rows(_capture(t, "-O0")).values()}
    assert shown[43]["variable"] is None, "a call that is charged with nothing is no allocation"


def a_function_that_is_named_counts_as_one(t):
    capture = _capture(t, "-O0")
    rows = _hidden(t, capture, "line", "--wrapper", "train")
    train = next(row for name, row in rows.items() if name.startswith("main:") and row["line"] == 49)
    assert _bytes(train) == 32768 + 65536, train
    assert "-> train" not in t.gpumemprof("report", capture, "--wrapper", "train").out
    for name in ("nope", "main"):
        unknown = t.gpumemprof("report", capture, "--wrapper", name, status=2)
        assert f"--wrapper {name}: " in unknown.err and "has no call of such a function" in unknown.err, unknown.err
    both = t.gpumemprof("report", capture, "--wrapper", "train", "--wrappers", "show", status=2)
    assert "not both" in both.err, both.err


def captures_are_compared_with_the_same_wrappers_hidden(t):
    marked = _capture(t, "-O0")
    changed = t.run(t.work / "program-O0", "more", options="history=all", capture="other.gmprof")[1]
    diff = t.gpumemprof("diff", marked, changed, "--threshold", "0").out
    assert "via zeros" in diff and ":8 zeros" not in diff, diff
    check = t.gpumemprof("check", changed, "--max-peak", "1KiB", "--against", marked, status=1).out
    assert "train" in check and ":8 zeros" not in check, check
    assert "via zeros" in t.gpumemprof("merge", marked, changed).out
    as_json = json.loads(t.gpumemprof("diff", marked, changed, "--format", "json").out)
    assert any(row["function"] == "zeros" for row in as_json["rows"]), "programs get what was recorded"


def top_shows_callers(t):
    text = t.gpumemprof("top", _capture(t, "-O0"), "--once").out
    assert "via zeros" in text and ":8 zeros" not in text, text


def options_that_need_recorded_lines_refuse_hiding(t):
    capture = _capture(t, "-O0")
    for command in (["peak", capture, "--scope", "zeros"], ["events", capture, "--replay"]):
        refused = t.gpumemprof(*command, "--wrappers", "hide", status=2)
        assert "not with --wrappers hide" in refused.err, refused.err


def programs_learn_who_is_responsible(t):
    capture = _capture(t, "-O2")
    charged = {}
    for row in t.report(capture, "path")["rows"]:
        at = row.get("responsible") or row["path"][-1]
        key = (at["function"], at["line"])
        charged[key] = charged.get(key, 0) + row["self_alloc"]
    hidden = {(row["function"], row["line"]): row["self_alloc"] for row in t.report(capture, "line", "--wrappers", "hide")["rows"]}
    assert {key: n for key, n in charged.items() if n} == {key: n for key, n in hidden.items() if n}, (charged, hidden)
    lines = {(row["function"], row["line"]): row for row in t.report(capture, "line")["rows"]}
    assert lines["zeros", 8]["responsible"] is None, "several calls"
    assert lines["make_vector", 20]["self_alloc"] == 0 and "responsible" not in lines["make_vector", 20]
    leaks = json.loads(t.gpumemprof("leaks", capture, "--format", "json").out)["leaks"]
    assert {(leak["function"], leak.get("responsible", {}).get("line")) for leak in leaks} == {("zeros", 44), ("cached", None)}, leaks


def calls_through_which_no_memory_passes_keep_their_peaks(t):
    program = t.build("several", "tools/several_buffers.cpp")
    capture = t.run(program, options="history=all")[1]
    rows = {row["function"]: row for row in _hidden(t, capture).values() if row["function"] in ("init", "vars", "take")}
    assert rows["init"]["own_peak_max"] == 4 << 20, rows
    table = t.gpumemprof("report", capture).out
    assert "via take" in table and " init  -> vars" in table, table
