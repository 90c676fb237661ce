"""`gpumemprof matrix`: its entries add up, from one end and from the other, to what the report says of each place."""
import json
import pathlib

PROGRAMS = (("common/templates.cpp", ()), ("common/exceptions.cpp", ()), ("common/threads.cpp", ()))


def _sums(entries, end, key):
    sums = {}
    for one in entries:
        place = one[end]
        if place:
            name = key(place)
            sums[name] = sums.get(name, 0) + one["bytes"]
    return sums


def entries_add_up_to_the_report(t):
    for source, more in PROGRAMS:
        name = pathlib.PurePath(source).stem
        program = t.build(name, source, "oracle/oracle.cpp", *more, flags=["-O2", "-I", t.programs / "oracle"])
        _, capture = t.run(program, capture=f"{name}.gmprof")
        for by, key in (("function", lambda p: p["function"]), ("line", lambda p: (p["file"], p["line"], p["function"]))):
            entries = json.loads(t.gpumemprof("matrix", "--by", by, "--format", "json", capture).out)["matrix"]
            assert len(entries) > 3
            report = t.report(capture, by)
            took, gave, left = {}, {}, {}
            for row in report["rows"]:
                if by == "function" and "{" in row["function"]:
                    continue
                for sums, figure in ((took, "self_alloc"), (gave, "self_freed"), (left, "leaked")):
                    if row[figure]:
                        sums[key(row)] = sums.get(key(row), 0) + row[figure]
            assert _sums(entries, "allocated_in", key) == took, (name, by)
            assert _sums(entries, "freed_in", key) == gave, (name, by)
            assert _sums([e for e in entries if not e["freed_in"]], "allocated_in", key) == left, (name, by)
            assert sorted((e["bytes"] for e in entries), reverse=True) == [e["bytes"] for e in entries]
