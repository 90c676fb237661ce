"""Functions that return one after the other end without a call of the runtime, but with the figures of that moment:
programs/frames/ends_together.c."""
OTHER = 8 << 20  # what another thread has for a moment
FUNCTIONS = ("f0", "f1", "f2", "f3", "allocate")


def _rows(t, program, *arguments, status=0, **options):
    _, capture = t.run(program, *arguments, status=status, **options)
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    return t.rows(capture, "function")


def _check(rows, at, calls):
    for number, name in enumerate(FUNCTIONS):
        row = rows[name]
        assert row["own_peak_max"] == 1000, row
        assert (row["device_peak"] >= OTHER) == (number <= at < 4), (name, at, row)
        assert row["calls"] in (None, calls), row


def _check_ended(rows, at):
    for number, name in enumerate(FUNCTIONS):
        assert number <= at or rows[name]["device_peak"] == 1000 + 512, (at, name, rows[name])


def another_thread_counts_only_while_they_last(t):
    for level in ("-O0", "-O1", "-O2"):
        program = t.build("program" + level, "frames/ends_together.c", flags=[level, "-pthread"])
        for at in range(5):
            _check(_rows(t, program, str(at)), at, 3)


def the_same_with_a_history(t):
    program = t.build("program", "frames/ends_together.c", flags=["-O2", "-pthread"])
    for at in range(5):
        _check(_rows(t, program, str(at), options="history=all"), at, 3)


def the_same_by_clang_19(t):
    program = t.build("program", "frames/ends_together.c", flags=["-O2", "-pthread"], llvm=19)
    for at in range(5):
        _check(_rows(t, program, str(at)), at, 3)


def what_ended_before_counts_as_before(t):
    """At the end of the program, at a reset, in a dump and for the history."""
    program = t.build("program", "frames/ends_together.c", flags=["-O2", "-pthread"])
    for at in range(4):
        _check(_rows(t, program, str(at), "exit"), at, 1)
        rows = _rows(t, program, str(at), "reset")
        for number, name in enumerate(FUNCTIONS):
            row = rows.get(name)
            assert (row["calls"] if row else 0) == (number <= at), (at, name, row)
        file = t.work / "dump.gmprof"
        t.run(program, str(at), "dump", str(file))
        _check_ended(t.rows(file, "function"), at)
        _, capture = t.run(program, str(at), "history")
        ended = [line.split()[-1] for line in t.gpumemprof("events", capture).out.splitlines() if "scope ended" in line]
        assert [name for name in ended if name != "other_thread"] == [*reversed(FUNCTIONS[:at + 1]), "main"], (at, ended)


def of_a_killed_program(t):
    """What the innermost function that has ended needed is known; those around it count as if they had not ended."""
    program = t.build("program", "frames/ends_together.c", flags=["-O2", "-pthread"])
    for at in range(4):
        rows = _rows(t, program, str(at), "kill", status=-9)
        assert all(rows[name]["own_peak_max"] == 1000 for name in FUNCTIONS), rows
        assert rows["allocate"]["device_peak"] == 1000 + 512, rows["allocate"]
        assert all(rows[name]["device_peak"] >= OTHER for name in FUNCTIONS[:at + 1]), rows
