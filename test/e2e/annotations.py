"""What a program says by gpumemprof.h: profiled functions and blocks count every call, ignored functions
leave their callers' lines, and without plugin or runtime nothing of it changes anything."""
from harness import check

KIB = 1 << 10


def _rows(t, **options):
    program = t.build("annotations", "annotations.cpp", flags=["-O2"], **options)
    _, capture = t.run(program)
    report = t.report(capture, "function")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report
    return report["rows"], t.rows(capture)


def profiled_function_counts_every_call(t):
    functions, _ = _rows(t)
    row = next(row for row in functions if row["function"] == "profiled")
    check(row, "profiled", calls=6, self_alloc=6 * KIB, own_peak_max=5 * KIB)
    assert row["wall_ns"] > 0, row


def ignored_function_leaves_its_callers_line(t):
    functions, lines = _rows(t)
    assert not any(row["function"] == "my_malloc" for row in functions), functions
    assert not any(key.startswith("my_malloc") for key in lines), sorted(lines)
    check(lines["profiled:16"], "profiled:16", self_alloc=6 * KIB)
    check(lines["blocks:28"], "blocks:28", self_alloc=5 * 32 * KIB, live_peak=32 * KIB)


def block_ends_on_every_way_out(t):
    functions, _ = _rows(t)
    text = {name: [row for row in functions if name in repr(row)] for name in ("round", "rest")}
    assert text["round"] and text["rest"], functions
    check(text["round"][0], "round", calls=7, incl_alloc=(5 * 32 + 6) * KIB)
    check(text["rest"][0], "rest", calls=5, incl_alloc=5 * 32 * KIB, own_peak_max=32 * KIB, incl_net=0)


def counted_scope_without_memory_stands_below_the_line_that_called_it(t):
    """No site would be stored for a call in which no memory moves, and the path would go by the call before it."""
    source = (t.programs / "counted_scopes.c").read_text().splitlines()
    lines = [number for number, line in enumerate(source, 1) if "called here" in line]
    for level in ("-O0", "-O2"):
        program = t.build("counted" + level, "counted_scopes.c", flags=[level])
        _, capture = t.run(program)
        tree = t.gpumemprof("tree", capture).out
        missing = [line for line in lines if f"counted_scopes.c:{line} main" not in tree]
        assert not missing, (level, missing, tree)


def annotated_mode_follows_only_marked_functions(t):
    functions, _ = _rows(t, mode="annotated")
    names = {row["function"] for row in functions}
    assert "profiled" in names, names
    row = next(row for row in functions if row["function"] == "profiled")
    check(row, "profiled", calls=6, self_alloc=6 * KIB)


def annotated_program_needs_neither_plugin_nor_runtime(t):
    t.command(t.build("plain", "annotations.cpp", plugin=False, runtime=False))
    gcc = t.work / "gcc"
    t.command("g++", "-Wall", "-Wextra", "-Werror", *t.include_flags(), t.programs / "annotations.cpp", "-o", gcc,
              *t.link_flags(runtime=False))
    t.command(gcc)
