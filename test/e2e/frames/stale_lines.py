"""A call that was wrongly assumed to be harmless stores no site: memory that moves in it must not be charged to the
line that called before. There the path is shown without a line and counted as a loss."""


def _stale(t, *flags, llvm=22):
    """The paths of the report as text, `main:50>one:19>init:15` (`?`: the line is not known), with what was allocated there; and the losses."""
    promised = t.work / "promised"
    promised.write_text("harmless:other_make\nharmless:other_ignored\nharmless:other_free\n")
    compiler, objects = t.compiler("c", llvm), []
    for name, source, more in (("main.o", "frames/stale_lines.c", t.plugin_flags(llvm, filter=promised)),
                               ("other.o", "frames/stale_lines_other.c", t.plugin_flags(llvm)),
                               ("plain.o", "frames/stale_lines_other.c", ["-DPLAIN"])):
        objects.append(t.work / name)
        t.command(compiler, *flags, *more, *t.include_flags(), "-c", t.programs / source, "-o", objects[-1])
    program = t.work / "program"
    t.command(compiler, *flags, *objects, "-o", program, *t.link_flags())
    _, capture = t.run(program, options="history=all")
    t.gpumemprof("events", "--replay", capture)
    report = t.report(capture, "path")
    assert report["conservation"]["ok"], report["conservation"]
    rows = {">".join(f"{p['function']}:{p['line']}" if p["line"] else "?" for p in row["path"]): row
            for row in report["rows"]}
    return {key: row["self_alloc"] for key, row in rows.items() if row["self_alloc"]}, report["losses"], rows


def _check(t, *flags, llvm=22):
    allocated, losses, rows = _stale(t, *flags, llvm=llvm)
    assert allocated == {
        "main:50>one:19>init:15": 1000, "main:50>?>other_make:12": 2000, "main:50>one:21>init:15": 1000,
        "main:51>two:25>init:15": 1000, "main:51>?": 4000,
        "main:52>three:30>init:15": 1000,
        "main:53>four:35>other_first:21": 3000, "main:53>?>other_make:12": 8000,
        "main:54>right:45>other_back:27>hand_on:24>called_back:40": 16000,
        "main:54>right:46>called_back:40": 16000,
    }, allocated
    assert "main:52>?>other_free:18" in rows and "main:52>three:30>other_free:18" not in rows, sorted(rows)
    lost = {name: count for name, count in losses.items() if count}
    assert lost == {"assumed_wrongly": 3, "stale_lines": 4}, lost  # the broken promises, and the paths behind them


def line_of_an_earlier_call_is_not_charged(t):
    _check(t, "-O0")


def line_of_an_earlier_call_is_not_charged_when_optimised(t):
    _check(t, "-O2")


def line_of_an_earlier_call_is_not_charged_by_clang_19(t):
    _check(t, "-O1", llvm=19)


def line_of_an_earlier_call_is_not_charged_after_lto(t):
    _check(t, "-O2", "-flto=thin", "-fuse-ld=lld")
