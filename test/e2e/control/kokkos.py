"""The runtime as a tool of Kokkos: what was allocated under which view, region and kernel, by the program's own count. The
program plays Kokkos' part (programs/control/kokkos_client.h)."""
import json

from harness import check


def _tool(t):
    return {"KOKKOS_TOOLS_LIBS": str(t.runtime)}


def _same(t, text, capture, at_peak=True):
    counted = json.loads(text)
    rows = {row["label"]: row for row in t.report(capture, "label")["rows"]}
    assert set(rows) == set(counted), sorted(set(rows) ^ set(counted))[:10]
    for label, (allocated, live, blocks, peak) in counted.items():
        more = {"at_peak": peak} if at_peak else {}
        check(rows[label], label, self_alloc=allocated, leaked=live, blocks=blocks, self_freed=allocated - live, **more)
    assert t.report(capture)["conservation"]["ok"]
    return counted


def _plain(t):
    """Built by gcc, without anything of gpumemprof."""
    program = t.work / "plain"
    if not program.exists():
        t.command("g++", "-std=c++20", "-O1", "-g1", "-pthread", *t.include_flags(), t.programs / "control/kokkos.cpp",
                  "-o", program, "-ldl", *t.link_flags(runtime=False))
    return program


def views_regions_and_kernels_are_labels(t):
    program = t.build("kokkos", "control/kokkos.cpp", flags=["-O2"], link=["-ldl"])
    for options in ("", "history=all"):
        result, capture = t.run(program, env=_tool(t), options=options)
        counted = _same(t, result.out, capture)
        assert not result.err, result.err
        for part in ("step/fill/x", "solve: λ/", "deep_copy/", "/(unnamed)", 'ä € "q"', "fill/A/values"):
            assert len(counted) > 100 and any(part in label for label in counted), (part, sorted(counted)[:20])
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    lines = [row for row in t.report(capture)["rows"] if row["self_alloc"]]
    assert len(lines) == 1, lines  # a line stays one line


def library_is_found_by_its_name(t):
    program = t.build("kokkos", "control/kokkos.cpp", flags=["-O2"], link=["-ldl"])
    result, capture = t.run(program, env={"KOKKOS_TOOLS_LIBS": "libgpumemprof.so"})
    assert not result.err, result.err
    _same(t, result.out, capture)


def threads_have_labels_of_their_own(t):
    program = t.build("kokkos", "control/kokkos.cpp", flags=["-O2"], link=["-ldl"])
    for options in ("", "history=all"):
        result, capture = t.run(program, "threads", env=_tool(t), options=options)
        assert len(_same(t, result.out, capture, at_peak=False)) > 100
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def events_explain_blocks_that_got_their_names_later(t):
    """Where others of the same call path have none, the capture may have sizes of blocks that left. A block keeps its first name."""
    result, capture = t.run(t.build("kokkos_some", "control/kokkos_some.cpp", link=["-ldl"]), env=_tool(t), options="history=all")
    rows = {row["label"]: (row["self_alloc"], row["blocks"]) for row in t.report(capture, "label")["rows"]}
    assert rows == {"": (300, 2), "one": (550, 2), "two": (900, 1), "three": (50, 1)}, rows
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def nothing_has_a_label_without_the_variable(t):
    program = t.build("kokkos", "control/kokkos.cpp", flags=["-O2"], link=["-ldl"])
    for libraries in ({}, {"KOKKOS_TOOLS_LIBS": ""}):
        result, capture = t.run(program, "plain", env=libraries)
        assert set(_same(t, result.out, capture)) == {""} and not result.err, result


def tool_that_is_off_costs_no_fences(t):
    result, capture = t.run(t.build("kokkos", "control/kokkos.cpp", link=["-ldl"]), env={"GPUMEMPROF": "0", **_tool(t)})
    assert not result.err and not capture.exists(), result.err
    result, capture = t.run(_plain(t), env={"GPUMEMPROF": "0", **_tool(t)}, verify=False)
    assert not result.err and not capture.exists(), result.err


def filter_passes_calls_on_to_the_second_library(t):
    program = t.build("kokkos", "control/kokkos.cpp", flags=["-O2"], link=["-ldl"])
    library = t.work / "filter.so"
    t.command("g++", "-std=c++20", "-shared", "-fPIC", *t.include_flags(), t.programs / "control/kokkos_filter.cpp", "-o", library, "-ldl")
    own = _tool(t)["KOKKOS_TOOLS_LIBS"]
    result, capture = t.run(program, env={"KOKKOS_TOOLS_LIBS": f"{library};{own}"})
    labels = {row["label"] for row in t.report(capture, "label")["rows"]}
    assert labels == {label.rsplit("/", 1)[-1] if "A/values" not in label else "A/values" for label in json.loads(result.out)}, labels
    # Kokkos itself loads the first one only.
    result, capture = t.run(program, env={"KOKKOS_TOOLS_LIBS": f"{own};{library}"})
    _same(t, result.out, capture)


def program_that_was_not_rebuilt(t):
    """By `run`, which sets the variable, and by the variable alone: then Kokkos loads the runtime."""
    capture = t.work / "plain.gmprof"
    result = t.gpumemprof("dryrun", "--no-report", "-o", capture, _plain(t))
    _same(t, result.out, capture)
    for options in ("", "history=all"):
        result, capture = t.run(_plain(t), env=_tool(t), options=options, verify=False)
        assert not result.err, result.err
        _same(t, result.out, capture)
        assert {"kokkos::allocate"} <= {row["function"].split("(")[0] for row in t.report(capture)["rows"] if row["self_alloc"]}
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def variable_of_the_user_stays(t):
    for before in ({"KOKKOS_TOOLS_LIBS": ""}, {"KOKKOS_PROFILE_LIBRARY": "/other.so"}):
        capture = t.work / "own.gmprof"
        result = t.gpumemprof("dryrun", "--no-report", "-o", capture, _plain(t), "plain", env=before)
        assert set(_same(t, result.out, capture)) == {""}, before


def kokkos_without_cuda_writes_no_capture(t):
    (t.work / "serial.cpp").write_text('#include <cstdlib>\n#include <dlfcn.h>\nint main() {\n'
                                       '  void *h = dlopen(getenv("KOKKOS_TOOLS_LIBS"), RTLD_NOW | RTLD_GLOBAL);\n'
                                       '  auto init = (void (*)(int, unsigned long, unsigned, void *))dlsym(h, "kokkosp_init_library");\n'
                                       '  auto push = (void (*)(const char *))dlsym(h, "kokkosp_push_profile_region");\n'
                                       '  init(0, 20240906, 0, nullptr), push("step");\n}\n')
    t.command("g++", t.work / "serial.cpp", "-o", t.work / "serial", "-ldl")
    result, capture = t.run(t.work / "serial", env=_tool(t), verify=False)
    assert not result.err and not capture.exists(), result.err
