"""Names and handles that are new each time: their cost does not grow with their number. A limit says how many
are kept separate; beyond it everything but the name is exact, by the program's own count."""
import json
import resource

LABELS, STREAMS, SCOPES, POOLS = 65536, 16384, 16384, 65536
PATHS, SPLITS, ALWAYS = 64, 131072, 1024  # paths of each name in a mode ..._of_paths; how often names split paths; names that they may all the same


def _program(t):
    built = t.work / "many_names"
    return built if built.exists() else t.build("many_names", "control/many_names.cpp", flags=["-O2"])


def _seconds(t, mode, count):
    """Processor time of a run; the least of three, since others use the machine."""
    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        t.run(_program(t), mode, count)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return min(once() for _ in range(3))


def _grows_linearly(t, mode, few, many):
    less, more = _seconds(t, mode, few), _seconds(t, mode, many)
    assert more < less * (many / few) * 2.5 + 0.05, f"{mode}: {less:.3f} s with {few}, {more:.3f} s with {many}"


def label_costs_the_same_however_many_there_were(t):
    _grows_linearly(t, "labels", 4000, 40000)


def stream_costs_the_same_however_many_there_were(t):
    _grows_linearly(t, "streams", 1600, 16000)


def scope_costs_the_same_however_many_there_were(t):
    _grows_linearly(t, "scopes", 1600, 16000)


def pool_costs_the_same_however_many_there_were(t):
    _grows_linearly(t, "pools", 6000, 60000)


def _named(t, mode, count, by, **more):
    """Rows by their label or stream, after the whole was compared with what the program counted."""
    result, capture = t.run(_program(t), mode, count, **more)
    counted = json.loads(result.out)
    report = t.report(capture, by)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    rows = {row[by]: row for row in report["rows"]}
    for figure, column in (("allocated", "self_alloc"), ("live", "leaked"), ("blocks", "blocks")):
        total = sum(row[column] for row in rows.values())
        assert total == counted[figure], (figure, total, counted)
    return capture, rows, report, result


def labels_beyond_the_limit_are_one_exact_row(t):
    count = LABELS + 5000
    capture, rows, report, result = _named(t, "labels", count, "label")
    assert len(rows) == LABELS + 1, len(rows)
    other = rows["(other labels)"]
    assert (other["blocks"], other["leaked"]) == (5000, 50 * 512), other
    assert rows["iteration 7"]["blocks"] == 2 and rows["iteration 65535"]["blocks"] == 1
    assert report["limits_reached"]["labels_lumped"] == 5000, report["limits_reached"]
    assert result.err.count("(other labels)") == 1, result.err
    text = t.gpumemprof("report", "--by", "label", "--limit", "3", capture).out
    assert "limit reached: 5000 times a label was pushed" in text, text
    assert "5000 times a label was pushed" in t.gpumemprof("info", capture).out


def label_inside_one_beyond_the_limit_is_in_its_row(t):
    count = LABELS // 2 + 100  # two names for each
    _, rows, report, _ = _named(t, "nested", count, "label")
    assert rows["(other labels)"]["blocks"] == 100, rows["(other labels)"]
    assert rows["iteration 5/forward"]["blocks"] == 1
    assert report["limits_reached"]["labels_lumped"] == 200, report["limits_reached"]


def streams_beyond_the_limit_are_one_exact_row(t):
    count = STREAMS + 2000
    capture, rows, report, result = _named(t, "streams", count, "stream")
    assert len(rows) == STREAMS + 1, len(rows)
    other = rows[-1]
    assert (other["blocks"], other["leaked"]) == (2000, 20 * 512), other
    assert report["limits_reached"]["streams_lumped"] == 2000, report["limits_reached"]
    assert result.err.count("(other streams)") == 1, result.err
    assert "(other streams) of GPU 0" in t.gpumemprof("report", "--by", "stream", capture, "--limit", "0").out


def pools_beyond_the_limit_are_one_exact_row(t):
    result, capture = t.run(_program(t), "pools", POOLS + 3000)
    counted = json.loads(result.out)
    rows = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)["pools"]
    assert len(rows) == POOLS + 1, len(rows)
    other = next(row for row in rows if row["name"] == "(other pools)")
    assert (other["pieces_ever"], other["pieces"], other["used"], other["used_peak"]) == (6000, 0, 0, 64), other
    assert other["largest_hole"] is None, other
    report = t.report(capture, "line", "--kind", "custom")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    assert sum(row["self_alloc"] for row in report["rows"]) == counted["allocated"]
    assert sum(row["leaked"] for row in report["rows"]) == counted["live"]
    assert report["limits_reached"]["pools_lumped"] == 3000, report["limits_reached"]


def _scopes(t, mode, kept, more):
    """The rows of measured scopes, `more` of them beyond the limit, after the whole was compared with what the program counted."""
    result, capture = t.run(_program(t), mode, kept + more)
    counted = json.loads(result.out)
    report = t.report(capture, "function")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    scopes = [row for row in report["rows"] if "{" in row["function"]]
    assert len(scopes) == kept + 1, len(scopes)
    assert sum(row["incl_alloc"] for row in scopes) == counted["allocated"]
    assert report["limits_reached"]["scopes_lumped"] == more, report["limits_reached"]
    return scopes, result


def scopes_beyond_the_limit_have_exact_results_and_one_row(t):
    scopes, result = _scopes(t, "scopes", SCOPES, 3000)
    other = next(row for row in scopes if "(other scopes)" in row["function"])
    assert (other["calls"], other["incl_alloc"], other["own_peak_max"]) == (3000, 3000 * 512, 512), other
    assert result.err.count("(other scopes)") == 1, result.err


def names_that_split_many_paths_have_a_limit_of_their_own(t):
    kept = SPLITS // PATHS
    for mode, by, counter in ("labels", "label", "labels_lumped"), ("streams", "stream", "streams_lumped"):
        _, rows, report, _ = _named(t, f"{mode}_of_paths", kept + 300, by)
        assert len(rows) == kept + 1, (mode, len(rows))
        other = next(row for row in report["rows"] if row[by] in ("(other labels)", -1))
        assert other["blocks"] == 300 * PATHS, (mode, other)
        assert report["limits_reached"][counter] == 300 * (1 if by == "label" else PATHS), report["limits_reached"]


def scopes_of_many_paths_have_a_limit_of_their_own(t):
    _scopes(t, "scopes_of_paths", ALWAYS, 200)


def cuda_pools_beyond_the_limit_are_one_row(t):
    result, capture = t.run(_program(t), "cuda_pools", POOLS + 1000)
    counted = json.loads(result.out)
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    assert sum(row["self_alloc"] for row in report["rows"]) == counted["allocated"]
    assert report["limits_reached"]["pools_lumped"] == 1001, report["limits_reached"]  # the device's own pool is one
    rows = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)["pools"]
    assert len(rows) == POOLS, len(rows)
    other = [row for row in rows if row["name"] == "(other pools)"]
    assert len(other) == 1 and other[0]["used_peak"] == 512, other


def results_that_nobody_asks_for_do_not_pile_up(t):
    def ends(count):
        result = t.command("/usr/bin/env", "bash", "-c", f"ulimit -v 3000000; exec {_program(t)} unended {count}",
                           env={"GPUMEMPROF_OPTIONS": f"output={t.work / 'left.gmprof'}:quiet=1:stack=64"})
        return json.loads(result.out)
    assert ends(4000) == {"first": 1, "latest": 1}
    assert ends(1200000) == {"first": 0, "latest": 1}


def history_replays_beyond_the_limit(t):
    for mode, count in (("labels", LABELS + 100), ("streams", STREAMS + 100)):
        _, capture = t.run(_program(t), mode, count, options="history=all")
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def readers_take_the_limit(t):
    _, capture = t.run(_program(t), "labels", LABELS + 300)
    t.run(_program(t), "labels", LABELS + 200, capture="before.gmprof")
    merged = t.gpumemprof("merge", capture, t.work / "before.gmprof").out
    assert "limit reached: 500 times a label was pushed" in merged, merged
    changed = t.gpumemprof("diff", t.work / "before.gmprof", capture).out
    assert "A limit reached: 200 times" in changed and "B limit reached: 300 times" in changed, changed
    t.gpumemprof("html", "-o", t.work / "page.html", capture)
    leaks = t.gpumemprof("leaks", capture).out
    assert "limit reached: 300 times" in leaks, leaks


def killed_program_has_the_row_and_the_count(t):
    result, capture = t.run(_program(t), "labels", LABELS + 400, "die", status=-9)
    counted = json.loads(result.out)
    report = t.report(capture, "label")
    assert sum(row["self_alloc"] for row in report["rows"]) == counted["allocated"]
    assert next(row for row in report["rows"] if row["label"] == "(other labels)")["blocks"] == 400
    assert report["limits_reached"]["labels_lumped"] == 400
