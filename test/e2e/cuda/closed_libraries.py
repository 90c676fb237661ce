"""Libraries that are not rebuilt: with cupti=on their memory is charged to the rebuilt line that called them,
`via` the library, and what the thunks saw is counted once. Names are found after the run."""
import json
import pathlib
import re
import shutil

from harness import MIB, Skip, check

KIB = 1 << 10


def shared(t, name, source, *flags, link=()):
    built = t.work / name
    t.command(t.compiler("c"), "-std=gnu11", "-shared", "-fPIC", "-Wl,-soname," + name, *(flags or ["-O2", "-g"]),
              *t.include_flags(), t.programs / source, "-o", built, *link)
    return built


def program(t, *closed_flags, **options):
    cuda = [*t.link_flags(runtime=False), t.sim / "libcuda.so.1", "-pthread"]
    closed = shared(t, "libclosed.so", "cuda/closed.c", *closed_flags, link=cuda)
    return t.build("calls", "cuda/calls_closed.c", flags=["-O1"], link=[closed, f"-Wl,-rpath,{t.work}", *cuda], **options)


def run(t, built, *arguments, options="cupti=on", env=None, **more):
    env = {"LD_LIBRARY_PATH": str(t.sim), **(env or {})}  # its libcupti.so.13
    return t.run(built, *arguments, options=options, env=env, **more)


def sums(t, capture):
    """The rows by function; nothing was lost."""
    report = t.report(capture, "function")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report
    return {row["function"]: row for row in report["rows"]}


def memory_is_charged_to_the_line_that_called_the_library(t):
    """Also pinned and stream-ordered memory, what the library frees of the program's and the program of the
    library's, and blocks of the library's own threads, which nobody called."""
    result, capture = run(t, program(t))
    assert not result.err, result.err
    rows = sums(t, capture)
    check(rows["begin"], "begin", incl_alloc=(64 + 32 + 16) * KIB, self_alloc=0, own_peak_max=(64 + 16) * KIB, calls=1)
    check(rows["grow"], "grow", incl_alloc=32 * KIB, incl_net=32 * KIB, own_peak_max=32 * KIB)
    check(rows["take"], "take", incl_net=-128 * KIB, freed_others=128 * KIB)
    check(rows["give_back"], "give_back", freed_others=(16 + 2) * KIB)
    check(rows["use"], "use", incl_alloc=(112 + 32 + 128 + 16 + 2) * KIB, incl_net=0, leaked=0)
    check(rows["stays"], "stays", incl_net=4 * KIB, escaped=4 * KIB)
    check(rows["via libclosed.so"], "via", self_alloc=(112 + 32 + 16 + 4 + 8) * KIB,
          self_freed=(112 + 32 + 128) * KIB, leaked=12 * KIB)
    lines = {row["line"]: row for row in t.report(capture)["rows"] if row["function"] == "begin"}
    check(lines[21], "begin:21", incl_alloc=112 * KIB, callee="closed_create")


def stacks_native_has_every_function_on_the_way(t):
    """main (rebuilt) > libouter.so > libclosed.so > cuMemAlloc, switched while it runs; rebuilt lines have the same figures."""
    cuda = [*t.link_flags(runtime=False), t.sim / "libcuda.so.1", "-pthread"]
    closed = shared(t, "libclosed.so", "cuda/closed.c", link=cuda)
    outer, calls = t.work / "outer.c", t.work / "stacks.c"
    outer.write_text("""#include <stddef.h>
void *closed_give(size_t n);
static __attribute__((noinline)) void *inner(size_t n) { void *p = closed_give(n); __asm__ volatile("" : "+r"(p)); return p; }
void *outer_give(size_t n) { void *p = inner(n); __asm__ volatile("" : "+r"(p)); return p; }
""")
    library = shared(t, "libouter.so", outer, "-g", link=[closed])
    calls.write_text("""#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <stdio.h>
void *outer_give(size_t n);
static void first(void) { outer_give(1024); }
static void second(void) { outer_give(2048); }
static void third(void) { outer_give(4096); }
int main(void) {
  cudaFree(NULL); /* makes a context */
  first();
  printf("%d ", gpumemprof_stacks("native"));
  second();
  printf("%d %d %d", gpumemprof_stacks("all"), gpumemprof_stacks(NULL), gpumemprof_stacks("scopes"));
  third();
  return 0;
}
""")
    built = t.build("stacks", calls, flags=["-O1", "-g"], link=[library, closed, f"-Wl,-rpath,{t.work}", *cuda])
    for options, through in (("cupti=on", 2048), ("cupti=on:stacks=native", 1024 + 2048)):
        result, capture = run(t, built, options=options)
        assert result.out == "0 -2 -2 0" and result.err.count("use scopes or native") == 2, (result.out, result.err)
        rows = sums(t, capture)
        for name, size in (("first", 1024), ("second", 2048), ("third", 4096)):
            check(rows[name], name, incl_alloc=size, self_alloc=0, own_peak_max=size, calls=1)
        functions = {name: row for name, row in rows.items() if row["incl_alloc"] == through and name not in ("main", "second")}
        assert sum(row["self_alloc"] for row in functions.values()) == through, rows.keys()
        assert len(functions) == 3, functions.keys()  # outer_give, inner, closed_give
        if through < 7168:
            check(rows["via libclosed.so"], "closed", self_alloc=7168 - through, leaked=7168 - through)


def what_thunks_saw_is_counted_once(t):
    """Without CUPTI the program's own calls give the same figures; its functions that the library calls too. Also
    in objects that reach the runtime's stack by a distance, and with the runtime as an archive."""
    for options in ({}, {"runtime": "weak"}):
        built, with_cupti, without = program(t, **options), {}, {}
        for figures, given in ((with_cupti, "cupti=on"), (without, "")):
            _, capture = run(t, built, options=given, capture=f"{len(given)}.gmprof")
            rows = t.rows(capture, "function")
            figures.update({name: (rows[name]["self_alloc"], rows[name]["blocks"]) for name in ("ours", "called_back")})
            assert ("via libclosed.so" in rows) == bool(given), rows.keys()
        assert with_cupti == without == {"ours": (130 * KIB, 2), "called_back": (0, 0)}, (with_cupti, without)


def an_object_file_that_was_not_rebuilt_is_named_by_its_program(t):
    """The program's own code, with the runtime as an archive beside it."""
    cuda = [*t.link_flags(runtime=False), t.sim / "libcuda.so.1", "-pthread"]
    closed = t.work / "closed.o"
    t.command(t.compiler("c"), "-std=gnu11", "-O2", "-c", *t.include_flags(), t.programs / "cuda/closed.c", "-o", closed)
    for name, link in (("shared", []), ("archive", [t.stage / "lib/libgpumemprof.a", "-ldl"])):
        built = t.build(name, "cuda/calls_closed.c", flags=["-O1"], runtime=not link, link=[closed, *link, *cuda])
        _, capture = run(t, built)
        row = sums(t, capture)["via code that was not rebuilt in " + name]
        check(row, name, self_alloc=172 * KIB, leaked=12 * KIB)


def frees_that_fail_are_taken_back(t):
    built = program(t)
    result, capture = run(t, built, "unknown")
    assert result.out == "1\n", result.out
    losses = t.report(capture)["losses"]
    assert not any(losses.values()), losses
    _, capture = run(t, built, sim="fail_free=1", capture="failed.gmprof")  # closed_take's, of the program's block
    check(sums(t, capture)["ours"], "ours", self_alloc=130 * KIB, leaked=128 * KIB)
    _, capture = run(t, built, sim="fail=2", capture="oom.gmprof")  # closed_create's pinned memory
    row = next(row for row in t.report(capture)["rows"] if row["failed_calls"])
    check(row, "failed", failed_bytes=32 * KIB, oom_calls=1, self_alloc=0)


def without_cupti_one_sentence_says_what_is_missing(t):
    """And the program's own memory is recorded as always."""
    built = program(t)
    for how, words in (("taken", "another tool"), ("broken", "CUPTI_ERROR_NOT_INITIALIZED")):
        result, capture = run(t, built, sim="cupti=" + how, capture=how + ".gmprof")
        assert words in result.err and "unaccounted" in result.err and result.err.count("\n") == 1, result.err
        check(t.rows(capture, "function")["ours"], "ours", self_alloc=130 * KIB)
    # None at all, or the toolkit's, for which the simulated driver is none.
    bare = t.work / "bare"
    bare.mkdir()
    for name in "libcudart.so.13", "libcuda.so.1":
        shutil.copy(t.sim / name, bare)
    result, capture = run(t, built, env={"LD_LIBRARY_PATH": str(bare)}, capture="missing.gmprof")
    said = [line for line in result.err.splitlines() if line.startswith("gpumemprof: cupti=on")]
    assert len(said) == 1 and "unaccounted" in said[0], result.err
    check(t.rows(capture, "function")["ours"], "ours", self_alloc=130 * KIB)


def a_forked_child_has_its_libraries_too(t):
    _, _ = run(t, program(t), "fork", options="cupti=on:output=" + str(t.work / "child.%p.gmprof"))
    captures = sorted(t.work.glob("child.*.gmprof"))
    live = sorted(sums(t, capture)["via libclosed.so"]["leaked"] for capture in captures if t.report(capture)["rows"])
    assert live == [12 * KIB], (live, captures)


def places(t, capture, env=None):
    """What the rows via libclosed.so that allocate are called, by their bytes; and what the tool said."""
    done = t.gpumemprof("report", capture, "--format", "json", env=env)
    rows = [row for row in json.loads(done.out)["rows"] if (row["function"] or "").endswith("via libclosed.so")]
    return {row["self_alloc"] // KIB: row for row in rows if row["self_alloc"]}, done.err


def marked(t, mark):
    text = (t.programs / "cuda/closed.c").read_text().splitlines()
    return next(i for i, line in enumerate(text, 1) if f"/* {mark} */" in line)


def debug_information_gives_functions_inlined_ones_and_lines(t):
    for version in (4, 5):
        _, capture = run(t, program(t, "-O2", f"-gdwarf-{version}"))
        rows, said = places(t, capture)
        if "without libdw" in said:
            raise Skip("gpumemprof was built without libdw")
        row = rows[32]
        assert not said and row["function"] == "innermost via libclosed.so", (said, row)
        assert (row["line"], row["live_peak"]) == (marked(t, "INNERMOST"), 32 * KIB), row
        assert row["file"] == str(t.programs / "cuda/closed.c"), row
        outer = [f"reserve test/e2e/programs/cuda/closed.c:{marked(t, 'RESERVE')}",
                 f"closed_grow test/e2e/programs/cuda/closed.c:{marked(t, 'GROW')}"]
        text = t.gpumemprof("report", capture, "--limit", 0, cwd=t.source).out
        assert "via libclosed.so  called from " + ", ".join(outer) in text, text
        shown = [t.gpumemprof(*words, capture, cwd=t.source).out for words in (["tree"], ["leaks"])]
        assert "closed_create via libclosed.so" in shown[0] and "closed_give via libclosed.so" in shown[1], shown
    _, capture = run(t, t.work / "calls", options="cupti=on:history=all")
    events = t.gpumemprof("events", capture)
    assert "innermost via libclosed.so" in events.out, events.out
    t.gpumemprof("events", "--replay", capture)


def symbols_give_functions_and_without_them_addresses_stay(t):
    _, capture = run(t, program(t, "-O2"))
    rows, _ = places(t, capture)
    assert (rows[32]["function"], rows[32]["line"]) == ("reserve via libclosed.so", 0), rows[32]
    _, capture = run(t, program(t, "-O2", "-Wl,-s"))
    rows, said = places(t, capture)
    assert rows[32]["function"].startswith("0x") and rows[20]["function"] == "closed_give via libclosed.so", rows
    assert not said or "without libdw" in said, said


def a_cuda_runtime_that_is_linked_in_is_not_named(t):
    _, capture = run(t, program(t, "-O2", "-Dreserve=libcudart_static_12ab"))
    rows, _ = places(t, capture)
    assert rows[32]["function"] == "closed_grow via libclosed.so", rows[32]


def functions_of_cxx_are_named_as_written(t):
    """With their namespaces and template arguments; by symbols alone, too."""
    for flags, line in ((["-g"], 8), ([], 0)):
        extra = t.work / "extra.o"
        t.command(t.compiler("c++"), "-O2", "-fPIC", *flags, "-c", *t.include_flags(), t.programs / "cuda/closed_extra.cpp",
                  "-o", extra)
        _, capture = run(t, program(t, "-O2", *flags, extra))
        rows, said = places(t, capture)
        if "without libdw" not in said:
            assert (rows[1]["function"], rows[1]["line"]) == ("store::shelf<double>::grow via libclosed.so", line), rows[1]


def debug_information_in_a_file_of_its_own_is_found_by_build_id(t):
    _, capture = run(t, program(t, "-O2", "-g", "-Wl,--build-id=0xabcdef0123456789"))
    folder, library = t.work / "debug/.build-id/ab", t.work / "libclosed.so"
    folder.mkdir(parents=True)
    objcopy = shutil.which("objcopy") or shutil.which("llvm-objcopy-22")
    t.command(objcopy, "--only-keep-debug", library, folder / "cdef0123456789.debug")
    t.command(objcopy, "--strip-all", library)
    assert places(t, capture)[0][32]["function"].startswith("0x")
    rows, said = places(t, capture, env={"GPUMEMPROF_DEBUG_FOLDER": str(t.work / "debug")})
    if "without libdw" not in said:
        assert rows[32]["function"] == "innermost via libclosed.so", rows[32]


def a_library_that_changed_since_is_said(t):
    _, capture = run(t, program(t, "-O2", "-g", "-Wl,--build-id=0x0123"))
    program(t, "-O1", "-g", "-Wl,--build-id=0x4567")
    rows, said = places(t, capture)
    assert said.count("\n") == 1 and "not the file any more" in said and rows[32]["line"] == 0, (said, rows)
    (t.work / "libclosed.so").unlink()
    rows, said = places(t, capture)
    assert said.count("\n") == 1 and "not on this machine" in said, said


def without_cupti_free_memory_is_sampled_around_calls(t):
    """What the ledger recorded during a call, and what an inner call found, is not counted again."""
    names = t.work / "names.txt"
    names.write_text("library:closed_*\n")
    built = program(t, unaccounted="calls", filter=names)
    result, capture = run(t, built, "sampled", options="unaccounted=calls")
    report = t.report(capture)
    lines = (t.programs / "cuda/calls_closed.c").read_text().splitlines()
    line = {mark: next(i for i, text in enumerate(lines, 1) if f"/* {mark} */" in text) for mark in ("CONTEXT", "INSIDE")}
    found = [(c["line"], c["function"], c["callee"], c["device"], c["calls"], c["bytes"], c["largest"])
             for c in report["unaccounted_calls"]]
    assert found == [(line["CONTEXT"], "sampled", "closed_context", 0, 3, 192 * MIB, 64 * MIB),
                     (line["INSIDE"], "called_back_inside", "closed_context", 0, 1, 8 * MIB, 8 * MIB)], found
    text = t.gpumemprof("report", "-v", capture, cwd=t.source).out
    assert (f"unaccounted: +192.00 MiB via closed_context at test/e2e/programs/cuda/calls_closed.c:{line['CONTEXT']} sampled "
            "(3 calls, the largest +64.00 MiB)\n") in text, text
    check(report["conservation"], "conservation", live=20 * MIB)
    _, capture = run(t, built, "sampled", options="", capture="off.gmprof")
    assert not t.report(capture)["unaccounted_calls"]
    _, capture = run(t, built, "sampled", options="unaccounted=calls:cupti=on", capture="both.gmprof")
    assert not t.report(capture)["unaccounted_calls"]
    result, capture = run(t, program(t), "sampled", options="unaccounted=calls", capture="none.gmprof")
    assert "unaccounted=calls" in result.err and result.err.count("\n") == 1, result.err


def what_is_declared_of_cupti_is_what_the_toolkit_has(t):
    """And every allocation and free of the driver that thunks follow is listened to."""
    runtime = t.source / "runtime"
    calls = re.findall(r"^GPUMEMPROF_CUPTI_(AFTER|FREE|AROUND)\((\w+), +(\d+), (.*?)\)$",
                       (runtime / "foreign/cupti_calls.def").read_text(), re.M)
    api = "".join((t.source / "include/gpumemprof" / name).read_text() for name in ("cuda_api.def", "cuda12.def"))
    hooks = {"ALLOC": "AFTER", "POOL_ALLOC": "AFTER", "CREATE": "AFTER", "AFTER": "AFTER", "FREE": "FREE", "POOL_FREE": "FREE",
             "AROUND": "AROUND"}
    driver = {(hooks[kind], name) for kind, name in re.findall(r"^GPUMEMPROF_(\w+)\((\w+), +CUDA,", api, re.M)}
    driver.remove(("AFTER", "cuGetProcAddress_v2"))  # a library keeps the functions it finds
    assert {(kind, name) for kind, name, _, _ in calls} == driver, driver ^ {(c[0], c[1]) for c in calls}
    t.need_toolkit()
    lines = ["#include <cupti.h>", "#include <gpumemprof/cuda_types.h>",
             "#include <stddef.h>", "enum { ENTER = CUPTI_API_ENTER, EXIT = CUPTI_API_EXIT };"]
    for _, name, number, parameters in calls:
        theirs = f"CUPTI_DRIVER_TRACE_CBID_{name}" + ("_v2" if number == "271" else "")
        fields = re.findall(r"\(([^(),]+), (\w+)\)", parameters)
        struct = "struct { " + " ".join(f"{kind} {field};" for kind, field in fields) + " }"
        lines += [f'_Static_assert({theirs} == {number}, "{name}");',
                  f'_Static_assert(sizeof({struct}) == sizeof({name}_params), "{name}");']
        meta = (pathlib.Path(t.cuda) / "include/generated_cuda_meta.h").read_text()
        body = re.search(r"typedef struct %s_params_st \{(.*?)\}" % name, meta, re.S)[1]
        of_theirs = [line.strip() for line in body.split(";") if line.strip()]
        handles = ("CUarray ", "CUmipmappedArray ", "CUexternalMemory ")  # pointers to us
        assert ["*" in line or line.startswith(handles) for line in of_theirs] == ["*" in kind for kind, _ in fields], \
            (name, of_theirs, fields)
    for member, at in (("callbackSite", 0), ("functionName", 8), ("functionParams", 16), ("functionReturnValue", 24)):
        lines.append(f'_Static_assert(offsetof(CUpti_CallbackData, {member}) == {at}, "{member}");')
    lines.append('_Static_assert(CUPTI_SUCCESS == 0 && CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == 39 && '
                 'CUPTI_CB_DOMAIN_DRIVER_API == 1 && CUPTI_API_ENTER == 0 && CUPTI_API_EXIT == 1, "values");')
    source = t.work / "cupti.c"
    source.write_text("\n".join(lines) + "\n")
    t.command(t.compiler("c"), "-fsyntax-only", "-isystem", t.cuda + "/include", "-I", t.stage / "include", source)
