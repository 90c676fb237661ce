"""Programs that were not rebuilt, under `gpumemprof dryrun`: which functions on a machine stack are the program's."""
import re
import shutil

from harness import Skip, check

CALLBACKS = """#include <cuda_runtime.h>
#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <stdlib.h>
#include <thread>
#include <vector>
#define NOINLINE __attribute__((noinline))
struct Buffer {
  void *p;
  explicit Buffer(size_t n) { cudaMalloc(&p, n); }
  ~Buffer() { cudaFree(p); }
};
NOINLINE static void take(size_t n) { void *p; cudaMalloc(&p, n); __asm__ volatile(""); }
NOINLINE static void work(int n) { take(1000 * n); __asm__ volatile(""); }
static int compare(const void *a, const void *b) { take(64000); return *(const int *)a - *(const int *)b; }
int main() {
  std::thread(work, 1).join(); // THREAD
  std::async(std::launch::async, [] { take(2000); }).get(); // ASYNC
  std::function<void(int)> function = [](int n) { take(n * 4000); }; // FUNCTION
  function(1); // CALLED
  auto shared = std::make_shared<Buffer>(8000); // SHARED
  std::vector<int> v{1, 2};
  std::for_each(v.begin(), v.end(), [](int n) { take(n * 16000); }); // EACH
  std::async(std::launch::deferred, work, 32).get(); // DEFERRED
  int values[] = {2, 1};
  qsort(values, 2, sizeof *values, compare); // SORTED
  return 0;
}
"""
TOTAL = 1000 + 2000 + 4000 + 8000 + 48000 + 32000 + 64000


def gxx(t, name, *flags, sources, link=()):
    """Each source is (name, text)."""
    if not shutil.which("g++"):
        raise Skip("needs g++")
    for file, text in sources:
        (t.work / file).write_text(text)
    units = [t.work / file for file, _ in sources if file.endswith(".cpp")]
    t.command("g++", *flags, *t.include_flags(), *units, "-o", t.work / name, "-pthread", "-L", t.sim, "-l:libcudart.so.13", *link)
    return t.work / name


def dryrun(t, program):
    path = t.work / "run.gmprof"
    path.unlink(missing_ok=True)
    t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": f"output={path}:quiet=1:history=all"})
    report = t.report(path)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    assert "every figure agrees" in t.gpumemprof("events", "--replay", path).out
    return path


def line_of(text, mark):
    return next(i for i, line in enumerate(text.splitlines(), 1) if mark in line)


def library_rows(rows):
    """Those that are not the program's."""
    return [row for row in rows if (row["file"] or "").startswith("/usr/") or "nptl" in (row["file"] or "") or row["function"].startswith("0x")
            or row["function"].startswith(("std::", "__gnu_cxx::", "void std::")) or "libstdc++" in row["function"]]


def functions_of_the_cxx_library_are_no_part_of_a_path(t):
    """What they allocate is of the line that called them, and callbacks hang below that line."""
    for flags in (["-O0", "-g"], ["-O1", "-g1"], ["-O2", "-g"]):
        program = gxx(t, "callbacks", *flags, sources=[("callbacks.cpp", CALLBACKS)])
        capture = dryrun(t, program)
        for by in "line", "function":
            rows = t.report(capture, by)["rows"]
            assert not library_rows(rows), library_rows(rows)
        lines = {row["line"]: row for row in t.report(capture)["rows"] if row["incl_alloc"]}
        for mark, bytes_ in dict(CALLED=4000, SHARED=8000, EACH=48000, DEFERRED=32000, SORTED=64000, ASYNC=2000).items():
            check(lines[line_of(CALLBACKS, "// " + mark)], (flags, mark), incl_alloc=bytes_)
        paths, in_thread = t.report(capture, "path")["rows"], f"{{lambda at callbacks.cpp:{line_of(CALLBACKS, '// ASYNC')}}}"
        check(t.rows(capture, "function")["take"], "take", self_alloc=TOTAL - 8000)
        assert all(row["path"][0]["function"].split("::")[0] in ("main", "work", "take", in_thread) for row in paths), paths


def without_debug_information_names_decide(t):
    """Also those of a C++ library that is in the program."""
    for link in ([], ["-static-libstdc++", "-static-libgcc"]):
        program = gxx(t, "callbacks", "-O0", sources=[("callbacks.cpp", CALLBACKS)], link=link)
        rows = t.report(dryrun(t, program), "function")["rows"]
        assert not library_rows(rows), library_rows(rows)
        names = {row["function"] for row in rows}
        assert {"main", "work", "take", "compare", "Buffer::Buffer"} <= names, names
        assert all(name.startswith(("main", "work", "take", "compare", "Buffer::")) for name in names), names


def a_rebuilt_program_has_the_rows_of_a_run_by_itself(t):
    """The library's functions below and above its own are code that was not rebuilt."""
    (t.work / "callbacks.cpp").write_text(CALLBACKS)
    program = t.work / "rebuilt"
    t.command(t.compiler("c++"), *t.plugin_flags(), *t.include_flags(), "-g", "-O1", t.work / "callbacks.cpp", "-o", program, "-pthread", *t.link_flags())
    capture = dryrun(t, program)
    report = t.report(capture)
    assert not library_rows(report["rows"]), library_rows(report["rows"])
    said = t.gpumemprof("report", capture)
    assert "not rebuilt" not in said.out + said.err, said.out + said.err
    direct = t.work / "direct.gmprof"
    t.command(program, env={"GPUMEMPROF_OPTIONS": f"output={direct}:quiet=1", "LD_LIBRARY_PATH": str(t.sim)})
    want = {(row["line"], row["function"]) for row in t.report(direct)["rows"]}
    got = {(row["line"], row["function"]) for row in report["rows"]}
    assert got - want <= {(line_of(CALLBACKS, "~Buffer"), "Buffer::~Buffer"), (line_of(CALLBACKS, "return 0"), "main")}, got - want
    assert want <= got, want - got


def a_path_is_never_empty(t):
    """Of a thread whose functions are all the library's the one stays of which most is known."""
    source = """#include <cuda_runtime.h>
#include <thread>
int main() {
  void *p;
  cudaError_t (*function)(void **, size_t) = cudaMalloc;
  std::thread(function, &p, 4096).join();
}
"""
    for flags, file in ((["-O0", "-g"], "/invoke.h"), (["-O0"], None)):
        capture = dryrun(t, gxx(t, "thread", *flags, sources=[("thread.cpp", source)]))
        (row,) = t.report(capture, "function")["rows"]
        assert row["self_alloc"] == 4096 and "__invoke_impl" in row["function"], row
        (row,) = t.report(capture)["rows"]
        assert row["self_alloc"] == 4096 and (not file or row["file"].endswith(file)), row


def lambdas_of_different_lines_are_different_functions(t):
    """Of those that gcc inlines there is neither a linkage name nor a declaration."""
    for flags in (["-O1", "-g1"], ["-O2", "-g"]):
        capture = dryrun(t, gxx(t, "callbacks", *flags, sources=[("callbacks.cpp", CALLBACKS)]))
        rows = {row["function"].removeprefix("main::"): row for row in t.report(capture, "function")["rows"]}
        for mark, bytes_ in dict(FUNCTION=4000, EACH=48000).items():
            check(rows[f"{{lambda at callbacks.cpp:{line_of(CALLBACKS, '// ' + mark)}}}::operator()"], (flags, mark), incl_alloc=bytes_)


HELPERS = """#include "cuda_utils.h"
void *cudaAllocOrDie(size_t n) { void *p; if (cudaMalloc(&p, n)) __builtin_trap(); return p; }
__attribute__((noinline)) void user() { cudaFree(cudaAllocOrDie(1000)); cudaFree(cudaZeros(2000)); }
int main() { user(); __asm__ volatile(""); }
"""
UTILITIES = """#include <cuda_runtime.h>
__attribute__((noinline)) inline void *cudaZeros(size_t n) { void *p; cudaMalloc(&p, n); return p; }
void *cudaAllocOrDie(size_t n);
"""


def helpers_whose_names_sound_like_cuda_are_the_programs(t):
    """In files whose names do, too, with debug information and without."""
    for flags in (["-O0", "-g"], ["-O0"]):
        program = gxx(t, "helpers", *flags, sources=[("cuda_helpers.cpp", HELPERS), ("cuda_utils.h", UTILITIES)])
        rows = t.rows(dryrun(t, program), "function")
        assert set(rows) == {"main", "user", "cudaAllocOrDie", "cudaZeros"}, rows.keys()
        check(rows["cudaAllocOrDie"], "cudaAllocOrDie", self_alloc=1000)
        check(rows["cudaZeros"], "cudaZeros", self_alloc=2000)


UNNAMED = """#include <cuda_runtime.h>
#define NOINLINE __attribute__((noinline))
NOINLINE void *mylib_alloc(size_t n) { void *p; cudaMalloc(&p, n); __asm__ volatile(""); return p; }
NOINLINE void one() { mylib_alloc(1000); __asm__ volatile(""); }
NOINLINE void two() { mylib_alloc(2000); mylib_alloc(size_t(1) << 42); __asm__ volatile(""); }
int main() { one(); two(); __asm__ volatile(""); }
"""


def an_allocator_without_lines_is_charged_to_its_callers(t):
    """The command that the report offers works; of addresses none is offered."""
    program = gxx(t, "unnamed", "-O0", sources=[("unnamed.cpp", UNNAMED.replace(" mylib_alloc(size_t(1) << 42);", ""))])
    capture = dryrun(t, program)
    said = t.gpumemprof("report", capture).out
    assert "report --wrapper mylib_alloc " in said, said
    rows = {row["function"]: row for row in t.report(capture, "line", "--wrapper", "mylib_alloc")["rows"]}
    check(rows["one"], "one", self_alloc=1000)
    check(rows["two"], "two", self_alloc=2000)
    t.command("strip", program)
    said = t.gpumemprof("report", dryrun(t, program)).out
    assert "--wrapper" not in said and "Next: " in said, said


def an_address_is_said_once_with_its_module(t):
    program = gxx(t, "unnamed", "-O0", sources=[("unnamed.cpp", UNNAMED)])
    t.command("strip", program)
    capture = dryrun(t, program)
    for words in (["report"], ["report", "--by", "path"], ["report", "--by", "function"], ["peak"], ["leaks"], ["oom"], ["tree"]):
        said = t.gpumemprof(*words, capture, status=None).out
        assert re.search(r"0x[0-9a-f]+ in unnamed\b", said), (words, said)
        assert "via unnamed" not in said and "unnamed 0x" not in said and "unknown line" not in said, (words, said)
        assert not re.search(r"  [0-9a-f]{4}$", said, re.M), (words, said)


def advice_needs_rebuilt_code(t):
    """It is neither offered nor does it ask for options that the run had."""
    program = gxx(t, "unnamed", "-O0", "-g", sources=[("unnamed.cpp", UNNAMED)])
    path = t.work / "uses.gmprof"
    t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": f"output={path}:quiet=1:history=all:uses=on"})
    said = t.gpumemprof("advise", path, status=2).err
    assert "which are recorded in rebuilt code only; rebuild it with the plugin" in said, said
    assert "advise" not in t.gpumemprof(cwd=t.work).out
