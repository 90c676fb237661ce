"""What a program says by gpumemprof.h: profiled functions and blocks count every call, ignored functions
leave their callers' lines, and without plugin or runtime nothing of it changes anything."""
import json
import re

from harness import check

KIB = 1 << 10


def _rows(t, **options):
    program = t.build("annotations", "frames/annotations.cpp", flags=["-O2"], **options)
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
    text = (t.programs / "frames/counted_scopes.c").read_text()
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "called here" in line]
    for language in ("c", "cpp"):
        source = t.work / f"counted_scopes.{language}"
        source.write_text(text)
        for level in ("-O0", "-O2"):
            program = t.build(f"counted_{language}{level}", source, flags=[level])
            _, capture = t.run(program)
            tree = t.gpumemprof("tree", capture, "--min", "0", "--limit", "0").out
            missing = [line for line in lines if f"{source.name}:{line} main" not in tree]
            assert not missing, (language, level, missing, tree)
            # The line that calls what has no figures of its own, but for a scope below it, has only zeros.
            report, whole = (t.gpumemprof("report", capture, *more).out for more in ((), ("--limit", "0")))
            assert re.search(r"\n\d+ rows? .* 0 in every column (?:is|are) left out \(--limit 0 shows (?:it|them)\)\n", report), report
            hidden = re.findall(r"^(?:\.\.\. and )?(\d+) (?:more )?(?:row|line)s? .*\(--limit 0 shows", report, re.M)
            assert len(whole.splitlines()) == len(report.splitlines()) - len(hidden) + sum(map(int, hidden)), (report, whole)


def block_stays_open_where_control_comes_back_to_its_function(t):
    """A caught exception, a clean-up on the way of one, setjmp and getcontext end no block; a longjmp out of one does."""
    for level, mode in (("-O0", "all"), ("-O2", "all"), ("-O2", "every"), ("-O0", "annotated")):
        program = t.build("stay", "frames/blocks_stay_open.cpp", flags=[level], mode=mode)
        result, capture = t.run(program, verify=mode != "annotated")  # there functions without a mark have no lines
        assert result.out == f"{3 << 20}\n", result.out
        mib = {row["function"].split("{")[1][:-1]: (row["incl_alloc"] >> 20, row["own_peak_max"] >> 20, row["calls"])
               for row in t.report(capture, "function")["rows"] if "{" in row["function"]}
        mib.pop("attached", None)
        assert mib == {"3 caught": (3, 3, 1), "6 outer": (6, 6, 1), "2 inner": (2, 2, 1), "0 cleaned up": (7, 7, 1),
                       "2 over": (2, 2, 1), "5 jumps back": (5, 5, 1), "1 jumped out of": (1, 1, 1), "4 comes once": (4, 4, 1),
                       "3 class": (3, 3, 1), "3 measured": (3, 3, 1)}, (level, mode, mib)
        if mode != "annotated":
            handed = t.rows(capture, "function")["hands_over"]
            assert handed["incl_alloc"] == 2 << 20, (level, mode, handed)
        limits = json.loads(t.gpumemprof("check", capture, "--format", "json", status=1).out)["budgets"]
        assert {(b["block"], b["verdict"]) for b in limits} == {("2 over", "broken"), ("0 cleaned up", "kept")}, limits


def block_of_a_coroutine_ends_where_it_is_suspended(t):
    for llvm, level in ((22, "-O0"), (22, "-O2"), (19, "-O1")):
        _, capture = t.run(t.build("blocks", "frames/blocks_of_coroutines.cpp", flags=[level], llvm=llvm))
        report = t.report(capture, "function")
        assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
        mib = {row["function"].split("{")[-1].rstrip("}"): (row["incl_alloc"] >> 20, row["own_peak_max"] >> 20, row["calls"])
               for row in report["rows"]}
        expected = {"1 of a coroutine": (3, 1, 3), "5 during a block": (5, 5, 1), "6 in its place": (6, 6, 1),
                    "7 of a thread": (7, 7, 1), "resume_below": (5, 5, 1), "in_between": (7, 7, 1), "resume_in_its_place": (6, 6, 1)}
        assert {name: mib.get(name) for name in expected} == expected, (llvm, level, mib)


def scope_of_a_header_is_the_same_in_every_file(t):
    """The linker keeps one record of an inline function's scope, and the files open different numbers of scopes before it."""
    (t.work / "shared.h").write_text("""#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
template <class T> inline __attribute__((always_inline)) void work(T **p, T **q, size_t n) {
  { GPUMEMPROF_SCOPE_BUDGET("first", "1MiB"); cudaMalloc((void **)p, n); }
  { GPUMEMPROF_SCOPE("second"); cudaMalloc((void **)q, 3 * n); }
}
""")
    (t.work / "a.cpp").write_text("""#include "shared.h"
void other();
int main() { int *p, *q; work(&p, &q, 1 << 20); other(); }
""")
    (t.work / "b.cpp").write_text("""#include <gpumemprof/gpumemprof.h>
static void nothing() { GPUMEMPROF_SCOPE("nothing"); }
#include "shared.h"
void other() { int *p, *q; work(&p, &q, 2 << 20); nothing(); }
""")
    for order in (("a.cpp", "b.cpp"), ("b.cpp", "a.cpp")):
        for compiler in ("clang", "gcc"):  # gcc's objects have no lines of calls, but scopes
            program = t.work / f"shared_{compiler}"
            compile = [t.compiler("c++"), *t.plugin_flags()] if compiler == "clang" else ["g++"]
            for name in order:
                t.command(*compile, "-std=c++20", "-O1", *t.include_flags(), "-c", t.work / name, "-o", t.work / f"{name}.o")
            t.command(t.compiler("c++"), *t.plugin_flags(), *(t.work / f"{name}.o" for name in order), "-o", program,
                      *t.link_flags())
            if compiler == "gcc":
                assert "_ZZ4workIiEvPPT_S2_mE16gpumemprof_site_" in t.command("nm", program).out
                continue
            _, capture = t.run(program)
            figures = {row["function"]: (row["incl_alloc"] >> 20, row["own_peak_max"] >> 20)
                       for row in t.report(capture, "function")["rows"] if "{" in row["function"]}
            assert figures == {"work {first}": (3, 2), "work {second}": (9, 6), "nothing {nothing}": (0, 0)}, figures
            broken = [line for line in t.gpumemprof("check", capture, status=1).out.splitlines() if "broken" in line]
            assert len(broken) == 2 and broken[0].startswith("failed: 1 of ") and "{first}: budget broken: 2.00 MiB" in broken[1], broken


def annotated_mode_follows_only_marked_functions(t):
    functions, _ = _rows(t, mode="annotated")
    names = {row["function"] for row in functions}
    assert "profiled" in names, names
    row = next(row for row in functions if row["function"] == "profiled")
    check(row, "profiled", calls=6, self_alloc=6 * KIB)


def annotated_program_needs_neither_plugin_nor_runtime(t):
    t.command(t.build("plain", "frames/annotations.cpp", plugin=False, runtime=False))
    gcc = t.work / "gcc"
    t.command("g++", "-Wall", "-Wextra", "-Werror", *t.include_flags(), t.programs / "frames/annotations.cpp", "-o", gcc,
              *t.link_flags(runtime=False))
    t.command(gcc)


def headers_bring_no_warning_into_the_programs_own_code(t):
    """The macros expand in the program. __COUNTER__ is an extension of the language, and so was a variable of a thread before C11."""
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    source = t.programs / "frames/every_header.c"
    for compiler in t.compiler("c"), t.compiler("c", 19), "gcc":
        for standard in "c99", "c11", "c17", "gnu2x":
            t.command(compiler, "-x", "c", f"-std={standard}", *warnings, *t.include_flags(), "-c", source, "-o", t.work / "c.o")
    for compiler in t.compiler("c++"), t.compiler("c++", 19), "g++":
        for standard in "c++11", "c++17", "c++20":
            t.command(compiler, "-x", "c++", f"-std={standard}", *warnings, *t.include_flags(), "-c", source, "-o", t.work / "cpp.o")


def each_header_compiles_on_its_own(t):
    """A program includes what it uses, in any order."""
    for header in "callbacks", "control", "errors", "gpumemprof", "labels", "marks", "measure", "read", "recording", "steps", "torch":
        for language, standard in ("c", "c99"), ("c++", "c++11"):
            source = t.work / f"{header}.{language}"
            source.write_text(f"#include <gpumemprof/{header}.h>\nint nothing;\n")
            for compiler in t.compiler(language), "gcc" if language == "c" else "g++":
                t.command(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *t.include_flags(), "-c", source,
                          "-o", t.work / "alone.o")


def exported_function_of_a_module_has_scopes(t):
    headers = "".join(f'#include "{name}"\n' for name in ("cuda_runtime.h", "gpumemprof/control.h", "gpumemprof/gpumemprof.h",
                                                          "gpumemprof/measure.h"))
    (t.work / "unit.cppm").write_text(f'module;\n{headers}export module unit;\n#define NO_MAIN\n#define FUNCTION export inline\n'
                                      f'#include "{t.programs}/frames/every_header.c"\n')
    (t.work / "main.cpp").write_text("import unit;\nint main() { return pieces() == 2; }\n")
    base = [t.compiler("c++"), "-std=c++20", "-Werror", *t.plugin_flags(), *t.include_flags()]
    unit = t.work / "unit.pcm"
    t.command(*base, "-Wno-include-angled-in-module-purview", "--precompile", t.work / "unit.cppm", "-o", unit)
    t.command(*base, f"-fmodule-file=unit={unit}", unit, t.work / "main.cpp", "-o", t.work / "program", *t.link_flags())
    _, capture = t.run(t.work / "program")
    functions = {row["function"] for row in t.report(capture, "function")["rows"]}
    assert {"pieces", "pieces {one}", "pieces {two}"} <= functions, functions
