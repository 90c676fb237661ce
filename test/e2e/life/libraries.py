"""Instrumented libraries that come and go: paths, memory and capture stay as if they had been there all the
time, and what they left open or live does no harm."""
import json
import time

from harness import check

KIB = 1 << 10


def library(t, name, *flags, llvm=22, link=None, **options):
    built = t.work / name
    t.command(t.compiler("c", llvm), "-std=gnu11", "-O1", "-shared", "-fPIC", *t.plugin_flags(llvm, **options),
              *t.include_flags(), *flags, t.programs / "life/loaded.c", "-o", built,
              *(t.link_flags() if link is None else link))
    return built


def loads(t, *link, **options):
    return t.build("loads", "common/loads.c", flags=["-O1"], **options,
                   link=["-ldl", "-pthread", "-Wl,--export-dynamic-symbol=loads_in_constructor", *link])


def records(t, capture):
    """How much a capture holds, apart from figures."""
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    return info["records"], len(info["modules"])


def clean(t, capture):
    report = t.report(capture, "path")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report
    return report


def nothing_grows_with_2000_rounds(t):
    program, one, other = loads(t), library(t, "one.so"), library(t, "other.so", "-DOTHER")
    few, many = ({}, {})
    for count, seen in ((200, few), (2000, many)):
        result, capture = t.run(program, "rounds", one, other, count)
        grew = int(result.out.split()[2])
        assert grew <= 256, result.out
        seen["records"] = records(t, capture)
        seen["rows"] = {json.dumps([r["path"], r["line"], r["function"]]) for r in clean(t, capture)["rows"]}
    assert few == many, (few, many)
    rows = t.rows(capture)
    for name in ("inside", "other_inside"):
        check(rows[f"{name}:17"], name, self_alloc=1000 * 4 * KIB, leaked=0)
        check(rows[f"{name}:18"], name, self_alloc=1000 * 8 * KIB, leaked=0)
    freed = sum(row["self_freed"] for row in t.report(capture)["rows"] if row["function"] == "work")
    assert freed == 1600 * 4 * KIB, freed
    check(next(row for row in rows.values() if row["function"] == "release"), "release", self_freed=400 * 4 * KIB)
    functions = [row["function"] for row in t.report(capture, "function")["rows"]]
    assert "inside {block}" in functions and "other_inside {other block}" in functions, functions
    assert len(functions) == len(set(functions)), functions


def library_closed_below_its_own_frame(t):
    program, one = loads(t), library(t, "one.so")
    _, capture = t.run(program, "closed-below", one, verify="part")  # code on the machine stack is not there any more
    clean(t, capture)
    rows = t.report(capture, "path")["rows"]
    row = next(row for row in rows if row["function"] == "close_and_go_on" and row["self_alloc"])
    check(row, "close_and_go_on", self_alloc=2 * KIB, leaked=0)
    assert [place["function"] for place in row["path"]] == ["main", "closed_below", "call", "close_and_go_on"], row["path"]


def thread_beside_a_thread_that_loads(t):
    program, one, other = loads(t), library(t, "one.so"), library(t, "other.so", "-DOTHER")
    for options in ("", "devices=2"):
        _, capture = t.run(program, "thread", one, other, sim=options)
        clean(t, capture)
        check(t.rows(capture)["inside:17"], "inside", self_alloc=100 * 4 * KIB, leaked=0)


def first_event_during_a_constructor_of_a_library(t):
    """The constructor has the loader's lock, and the other thread must not wait for it inside."""
    program, one = loads(t), library(t, "one.so")
    start = time.monotonic()
    result, capture = t.run(program, "constructor", one)
    assert time.monotonic() - start < 3 and not result.err, result.err
    clean(t, capture)
    check(t.report(capture)["conservation"], "conservation", allocated=3 * KIB)


def library_of_a_program_that_is_not_instrumented(t):
    """The runtime stays loaded, with one capture. As an archive in the library it cannot stay: a capture each
    time it is loaded, none lost, and threads end as they did before."""
    program = loads(t, plugin=False, runtime=False)
    archive = [t.stage / "lib/libgpumemprof.a", *t.link_flags(runtime=False), "-Wl,-Bsymbolic", "-pthread"]
    for name, link, expected in (("shared.so", None, [12 * KIB]), ("archive.so", archive, [4 * KIB] * 3)):
        _, capture = t.run(program, "outlives", library(t, name, link=link), capture=name + ".gmprof")
        found = sorted(t.work.glob(name + ".gmprof*"))
        live = [clean(t, path)["conservation"]["live"] for path in found]
        assert live == expected, (found, live)


def driver_that_the_program_closes_is_asked_to_the_end(t):
    program = t.work / "closes"
    t.command(t.compiler("c"), *t.plugin_flags(), t.programs / "life/closes_driver.c", "-o", program, "-L", t.stage / "lib",
              "-lgpumemprof", f"-Wl,-rpath,{t.stage}/lib")
    for options in ("", "monitor=1ms"):
        result, capture = t.run(program, t.sim / "libcuda.so.1", options=options)
        assert (result.out, result.err) == ("done\n", ""), (result.out, result.err)
        check(clean(t, capture)["conservation"], options, allocated=6 << 20, freed=6 << 20)
