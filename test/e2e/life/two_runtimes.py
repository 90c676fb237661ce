"""libgpumemprof.a and libgpumemprof.so in one process: one of them records all, or the other says why it does not
and the loss is counted."""
from harness import MIB, check

SENTENCE = "two copies of the profiler's runtime are in this process"
REMEDY = "link the program and its libraries with libgpumemprof.so (-lgpumemprof), none with libgpumemprof.a"


def program(t, kind, *flags):
    archive = kind == "archive"
    link = [*flags, "-ldl", "-pthread"]
    return t.build(f"with-{kind}", "common/two_runtimes.c", runtime=not archive,
                   link=[t.stage / "lib/libgpumemprof.a", *link] if archive else link)


def library(t, kind, *flags):
    built = t.work / f"lib{kind}.so"
    runtime = [t.stage / "lib/libgpumemprof.a", "-pthread"] if kind == "archive" else []
    t.command(t.compiler("c"), "-shared", "-fPIC", *t.plugin_flags(), *t.include_flags(),
              t.programs / "common/two_runtimes_library.c", "-o", built, *runtime, *t.link_flags(runtime=not runtime), *flags)
    return built


def allocated(report):
    return {row["function"]: row["self_alloc"] for row in report["rows"] if row["self_alloc"]}


def one_records(t, built, opened):
    result, capture = t.run(built, opened)
    report = t.report(capture)
    assert not result.err and report["conservation"]["ok"] and not any(report["losses"].values()), \
        (result.err, report["losses"])
    assert allocated(report) == {"main": MIB, "work": 2 * MIB}, report["rows"]
    check(t.rows(capture, "function")["main"], "main", incl_alloc=3 * MIB, own_peak_max=3 * MIB)
    assert len(list(t.work.glob("*gmprof*"))) == 1, list(t.work.glob("*gmprof*"))


def other_is_named(t, built, opened, here, there):
    result, capture = t.run(built, opened, "fork")
    captures = sorted(t.work.glob("*gmprof*"))
    assert len(captures) == 2 and captures[0] == capture, captures  # the second is the child's
    assert result.err.count("\n") == 1 and SENTENCE in result.err and REMEDY in result.err, result.err
    assert f"the one in {here} records" in result.err and f"the one in {there} is not" in result.err, result.err
    for path, bytes_of_main in zip(captures, (MIB, 3 * MIB)):
        report = t.report(path)
        assert report["conservation"]["ok"] and allocated(report) == {"main": bytes_of_main}, report["rows"]
        assert {name for name, count in report["losses"].items() if count} == {"other_runtimes"}, report["losses"]
        assert report["losses"]["other_runtimes"] == 1, report["losses"]


def archive_in_the_program_whose_symbols_are_exported(t):
    one_records(t, program(t, "archive", "-rdynamic"), library(t, "shared"))


def archive_in_the_program_and_the_shared_one_in_a_library(t):
    other_is_named(t, program(t, "archive"), library(t, "shared"), "the program", t.loaded_runtime())


def archive_in_a_library_of_a_program_with_the_shared_one(t):
    one_records(t, program(t, "shared"), library(t, "archive"))


def archive_in_a_library_that_keeps_to_its_own_symbols(t):
    opened = library(t, "archive", "-Wl,-Bsymbolic")
    other_is_named(t, program(t, "shared"), opened, t.loaded_runtime(), opened)


def library_in_a_namespace_of_its_own_is_counted(t):
    """dlmopen gives it copies of all libraries, which the loader lists nowhere else."""
    for kind in ("shared", "archive"):
        built, opened, capture = program(t, "shared"), library(t, kind), t.work / "run.gmprof"
        capture.unlink(missing_ok=True)
        result, capture = t.run(built, opened, "namespace")
        second = opened if kind == "archive" else t.loaded_runtime()
        assert result.err.count("\n") == 1 and SENTENCE in result.err and "dlmopen" in result.err, result.err
        assert f"the one in {t.loaded_runtime()} records" in result.err and f"the one in {second} is not" in result.err, result.err
        report = t.report(capture)
        assert report["conservation"]["ok"] and allocated(report) == {"main": MIB}, report["rows"]
        assert {name: count for name, count in report["losses"].items() if count} == {"other_runtimes": 1}, report["losses"]
        assert list(t.work.glob("*gmprof*")) == [capture], list(t.work.glob("*gmprof*"))


def switched_off_nobody_says_anything(t):
    result = t.command(program(t, "archive"), library(t, "shared"), env={"GPUMEMPROF": "0"})
    assert not result.err and not list(t.work.glob("*gmprof*")), result.err
