"""A program's NVTX ranges are labels: what was allocated under each, by the program's own count."""
import json

from harness import check


def _nvtx(t, name="nvtx", toolkit=False, flags=(), **more):
    headers = ["-DTOOLKIT", "-idirafter", f"{t.cuda}/include"] if toolkit else []
    return t.build(name, "control/nvtx.cpp", flags=["-O2", *headers, *flags], **{"link": ["-ldl"], **more})


def _same(t, text, capture):
    counted = json.loads(text)
    rows = {row["label"]: row for row in t.report(capture, "label")["rows"]}
    assert set(rows) == set(counted), sorted(set(rows) ^ set(counted))[:10]
    for label, (allocated, live, blocks) in counted.items():
        check(rows[label], label, self_alloc=allocated, leaked=live, blocks=blocks, self_freed=allocated - live)
    return counted


def _labels(t, program, *arguments, **more):
    result, capture = t.run(program, *arguments, **more)
    assert not result.err, result.err
    counted = _same(t, result.out, capture)
    for part in ("label/", "step/", "/io:read", "ä:größe/", "ä:€"):
        assert len(counted) > 100 and any(part in label for label in counted), (part, sorted(counted)[:20])
    return capture


def ranges_are_labels(t):
    capture = _labels(t, _nvtx(t))
    _labels(t, t.work / "nvtx", "alone")
    assert t.report(capture)["conservation"]["ok"]


def ranges_of_the_toolkits_headers_are_labels(t):
    t.need_toolkit()
    for llvm in (22, 19):
        capture = _labels(t, _nvtx(t, toolkit=True, llvm=llvm))
        assert "outer/own:inner" in {row["label"] for row in t.report(capture, "label")["rows"]}


def events_replay_under_ranges(t):
    capture = _labels(t, _nvtx(t), "alone", options="history=all")
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def more_domains_than_are_followed(t):
    result, capture = t.run(_nvtx(t), "domains")
    _same(t, result.out, capture)
    assert result.err.count("\n") == 1 and "more NVTX domains than gpumemprof follows" in result.err, result.err


def nobody_hears_when_it_is_off(t):
    program = _nvtx(t)
    result, capture = t.run(program, "nobody", options="nvtx=off")
    assert set(_same(t, result.out, capture)) == {""} and not result.err, result
    result, capture = t.run(program, "nobody", env={"GPUMEMPROF": "0"})
    assert not result.err and not capture.exists(), result.err
    # The library is found, and says that it is no tool.
    named = {"NVTX_INJECTION64_PATH": str(t.runtime)}
    result, capture = t.run(program, "nobody", env={"GPUMEMPROF": "0", **named})
    assert not result.err and not capture.exists(), result.err
    t.run(program, "nobody", options="nvtx=off", env=named)


class Ways:
    """nvtx_ways.c, built and run in many ways; each has to have the labels of its first line."""

    def __init__(self, t):
        self.t = t
        self.header = ["-I", t.programs / "control"]

    def object(self, name, *flags, plugin=True, llvm=22, language="c", **options):
        """An object of the program, or of its library."""
        t, made = self.t, self.t.work / (name + ".o")
        t.command(t.compiler(language, llvm), "-x", language, "-O1", *flags, *self.header,
                  *(t.plugin_flags(llvm, **options) if plugin else []), *t.include_flags(), "-c",
                  t.programs / "control/nvtx_ways.c", "-o", made)
        return made

    def link(self, name, *words, runtime=True):
        program = self.t.work / name
        self.t.command(self.t.compiler("c++"), *words, "-o", program, "-ldl", "-pthread",
                       *self.t.link_flags(runtime=runtime))
        return program

    def labels(self, program, *before, env=None, **expected):
        capture = self.t.work / "ways.gmprof"
        capture.unlink(missing_ok=True)
        result = self.t.command(*before, program, env={"GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1", **(env or {})})
        assert before or not result.err, result.err
        found = {row["label"]: row["self_alloc"] for row in self.t.report(capture, "label")["rows"]}
        assert found == {"": 1024, "main": 2048, "main/part:library": 4096, **expected}, (program, found)


def every_build_is_recorded(t):
    ways = Ways(t)
    archive = t.stage / "lib/libgpumemprof.a"
    own, library = ways.object("own"), ways.object("library", "-DLIBRARY")
    prebuilt = ways.object("prebuilt", "-DLIBRARY", plugin=False)
    ways.labels(ways.link("c", own, library))
    ways.labels(ways.link("prebuilt", prebuilt, own))  # its variable is the one that is taken
    for name, *flags in (("bfd", "-no-pie"), ("gold", "-Wl,--gc-sections"), ("lld", "-Wl,--gc-sections", "-s")):
        ways.labels(ways.link(name, f"-fuse-ld={name}", *flags, prebuilt, own))
        ways.labels(ways.link(f"archive-{name}", f"-fuse-ld={name}", *flags, prebuilt, own, archive, runtime=False))
    for lto in ("full", "thin"):
        ways.labels(ways.link(lto, "-fuse-ld=lld", f"-flto={lto}", "-O2", ways.object(f"{lto}1", f"-flto={lto}"),
                              ways.object(f"{lto}2", f"-flto={lto}", "-DLIBRARY")))
    for language, llvm in (("c", 19), ("c++", 22), ("c++", 19)):
        ways.labels(ways.link(language + str(llvm), ways.object("a", language=language, llvm=llvm),
                              ways.object("b", "-DLIBRARY", language=language, llvm=llvm)))


def libraries_have_a_copy_of_their_own(t):
    ways = Ways(t)
    own = ways.object("own")
    shared = ways.link("libshared.so", "-shared", ways.object("shared", "-fPIC", "-DLIBRARY", "-DITSELF"))
    ways.labels(ways.link("program", own, shared, f"-Wl,-rpath,{t.work}"), **{"main": 2048 + 16384})
    # The ranges of one that was not rebuilt are recorded where the environment names a tool, as `gpumemprof run` does.
    ways.link("libprebuilt.so", "-shared", ways.object("prebuilt", "-fPIC", "-DLIBRARY", plugin=False), runtime=False)
    words = [own, t.work / "libprebuilt.so", f"-Wl,-rpath,{t.work}"]
    program, tool = ways.link("outer", *words), [t.tool, "run", "--no-report", "--"]
    result, capture = t.run(program)
    assert {row["label"] for row in t.report(capture, "label")["rows"]} == {"", "main"}, result
    ways.labels(program, *tool)
    ways.labels(program, *tool, "/usr/bin/env")
    ways.labels(program, env={"NVTX_INJECTION64_PATH": str(t.runtime)})
    archived = ways.link("archived", *words, t.stage / "lib/libgpumemprof.a", runtime=False)
    capture = t.work / "archived.gmprof"
    t.command(*tool, archived, env={"GPUMEMPROF_OPTIONS": f"output={capture}"})
    assert {row["label"] for row in t.report(capture, "label")["rows"]} == {"", "main"}


EARLY = """#include "nvtx_client.h"
#include <cuda_runtime.h>
static void *p;
struct Early { // constructed and destroyed around main
  Early() { nvtxRangePushA("early"); cudaMalloc(&p, 1000); }
  ~Early() { nvtxRangePop(); cudaMalloc(&p, 400); }
};
static Early early;
int main(int, char **argv) {
  for (int i = 0; i < 3; i++) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return 3;
    ((void (*)())dlsym(library, "work"))();
    if (dlclose(library)) return 4;
  }
  cudaMalloc(&p, 20);
}
"""
CLOSED = """#include "nvtx_client.h"
#include <cuda_runtime.h>
extern "C" void work() {
  void *p;
  nvtxRangePushA("closed");
  cudaMalloc(&p, 100);
  nvtxRangePop();
}
"""


def constructors_and_closed_libraries_are_received(t):
    common = ["-x", "c++", "-O1", "-I", t.programs / "control", *t.include_flags()]
    link = ["-x", "none", *t.link_flags(), "-ldl", "-pthread"]
    (t.work / "early.cpp").write_text(EARLY)
    (t.work / "closed.cpp").write_text(CLOSED)
    program, library = t.work / "early", t.work / "closed.so"
    t.command(t.compiler("c++"), *t.plugin_flags(), *common, t.work / "early.cpp", "-o", program, *link)
    t.command(t.compiler("c++"), *t.plugin_flags(), "-fPIC", "-shared", *common, t.work / "closed.cpp", "-o", library, *link)
    _, capture = t.run(program, library)
    found = {row["label"]: row["self_alloc"] for row in t.report(capture, "label")["rows"]}
    assert found == {"early": 1020, "early/closed": 300, "": 400}, found


def program_that_was_not_rebuilt_has_its_ranges(t):
    ways = Ways(t)
    program = ways.link("plain", ways.object("a", plugin=False), ways.object("b", "-DLIBRARY", plugin=False),
                        runtime=False)
    capture = t.work / "plain.gmprof"
    t.gpumemprof("run", "-o", capture, program)
    found = {row["label"]: row["self_alloc"] for row in t.report(capture, "label")["rows"]}
    assert found == {"": 1024 + 2048, "part:library": 4096}, found  # "main" began before the first call of CUDA


def weak_objects_are_recorded_when_the_runtime_is_there(t):
    ways = Ways(t)
    program = ways.link("weak", ways.object("a", runtime="weak"), ways.object("b", "-DLIBRARY", runtime="weak"),
                        runtime=False)
    t.command(program)
    preload = {"LD_PRELOAD": str(t.runtime)}
    ways.labels(program, env=preload)
    ways.labels(program, t.tool, "run", "--no-report", "--", "/usr/bin/env", f"LD_PRELOAD={preload['LD_PRELOAD']}")


def cuda_sources_are_received(t):
    t.need_toolkit()
    flags = ["-O1", "-DTOOLKIT", "-I", t.programs / "control"]
    sources = []
    for name, first in (("a.cu", ""), ("b.cu", "#define LIBRARY\n")):
        sources.append(t.work / name)
        sources[-1].write_text(first + '#include "nvtx_ways.c"\n')
    ways, programs = Ways(t), [t.work / "clang", t.work / "nvcc"]
    t.command(t.compiler("c++"), *t.plugin_flags(22), *flags, f"--cuda-path={t.cuda}", "--cuda-gpu-arch=sm_90",
              "-Wno-unknown-cuda-version", *sources, "-o", programs[0], *t.link_flags(), "-ldl", "-pthread")
    t.command(f"{t.cuda}/bin/nvcc", "-ccbin", t.compiler("c++", 19), "-arch=sm_90", *t.nvcc_flags(19),
              "-cudart", "shared", *flags, *sources, "-o", programs[1], "-L",
              t.stage / "lib", "-lgpumemprof", "-Xlinker", f"-rpath={t.stage}/lib")
    for program in programs:
        ways.labels(program, env={"LD_LIBRARY_PATH": str(t.sim)})


def _tool(t):
    built = t.work / "nvtx_tool.so"
    t.command(t.compiler("c"), "-std=gnu11", "-O1", "-shared", "-fPIC", t.programs / "common/nvtx_tool.c",
              "-o", built)
    return built, t.work / "nvtx.log"


def another_tool_goes_first(t):
    ways, (tool, log) = Ways(t), _tool(t)
    program = ways.link("program", ways.object("own"), ways.object("library", "-DLIBRARY"))
    environment = {"NVTX_INJECTION64_PATH": str(tool), "NVTX_TOOL_LOG": str(log)}
    for before in ([], [t.tool, "run", "--no-report", "--"]):
        log.unlink(missing_ok=True)
        capture = t.work / "tool.gmprof"
        t.command(*before, program, env={"GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1", **environment})
        lines = [line.split() for line in log.read_text().splitlines()]
        assert [[line[0], *line[2:]] for line in lines] == [["push", "-", "main"], ["push", "part", "library"],
                                                            ["pop", "part"], ["pop", "-"]], lines
        assert {row["label"] for row in t.report(capture, "label")["rows"]} == {""}


def interface_is_the_toolkits(t):
    """runtime/foreign/nvtx.h, compared with the toolkit's headers by a compiler."""
    t.need_toolkit()
    names = ["RangeStartEx", "RangeStartA", "RangeStartW", "RangePushEx", "RangePushA", "RangePushW", "RangePop"]
    core2 = ["DomainRangeStartEx", "DomainRangePushEx", "DomainRangePop", "DomainRegisterStringA",
             "DomainRegisterStringW", "DomainCreateA", "DomainCreateW"]
    same = [f"GPM_NVTX_{name} == NVTX_CBID_CORE_{name}" for name in names]
    same += [f"GPM_NVTX_{name} == NVTX_CBID_CORE2_{name}" for name in core2]
    same += ["GPM_NVTX_CORE == NVTX_CB_MODULE_CORE", "GPM_NVTX_CORE2 == NVTX_CB_MODULE_CORE2",
             "GPM_NVTX_TABLE_CALLBACKS == NVTX_ETID_CALLBACKS", "GPM_NVTX_TABLE_VERSION == NVTX_ETID_VERSIONINFO",
             "GPM_NVTX_VERSION == NVTX_VERSION", "GPM_NVTX_NO_TRACKING == NVTX_NO_PUSH_POP_TRACKING",
             "GPM_NVTX_COUNTERS == NVTX_EXT_COUNTERS_MODULEID", "GPM_NVTX_INT64 == NVTX_PAYLOAD_ENTRY_TYPE_INT64",
             "GPM_NVTX_COUNTERS_COMPATIBLE == NVTX_EXT_COUNTERS_COMPATID",
             "GPM_NVTX_COUNTERS_SLOTS == NVTX_EXT_COUNTERS_SLOT_COUNT",
             "GPM_NVTX_CounterRegister == NVTX3EXT_CBID_nvtxCounterRegister",
             "GPM_NVTX_CounterSampleInt64 == NVTX3EXT_CBID_nvtxCounterSampleInt64",
             "GPM_NVTX_OF_PROCESS == NVTX_SCOPE_CURRENT_SW_PROCESS",
             "GPM_NVTX_OF_COUNTERS == NVTX_SEMANTIC_ID_COUNTERS_V1",
             "GPM_NVTX_OF_COUNTERS_VERSION == NVTX_COUNTER_SEMANTIC_VERSION",
             "GPM_NVTX_ABSOLUTE == NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE",
             "GPM_NVTX_UNTIL_NEXT == NVTX_COUNTER_FLAG_INTERPOLATION_UNTIL_NEXT",
             "GPM_NVTX_TEXT == NVTX_MESSAGE_TYPE_ASCII", "GPM_NVTX_WIDE_TEXT == NVTX_MESSAGE_TYPE_UNICODE",
             "GPM_NVTX_REGISTERED == NVTX_MESSAGE_TYPE_REGISTERED"]
    for ours, theirs, fields in (
            ("gpm_nvtx_callbacks", "NvtxExportTableCallbacks", {"module": "GetModuleFunctionTable"}),
            ("gpm_nvtx_version", "NvtxExportTableVersionInfo", {"set_tool": "SetInjectionNvtxVersion"}),
            ("gpm_nvtx_segment", "nvtxExtModuleSegment_t", {"functions": "functionSlots", "count": "slotCount"}),
            ("gpm_nvtx_extension", "nvtxExtModuleInfo_t", {"module": "moduleId", "compatible": "compatId",
                                                           "segments": "segments"}),
            ("gpm_nvtx_semantics", "nvtxSemanticsCounter_t", {"flags": "flags", "unit": "unit", "least": "min",
                                                              "limit_type": "limitType"}),
            ("gpm_nvtx_counter", "nvtxCounterAttr_t", {"schema": "schemaId", "name": "name", "scope": "scopeId",
                                                       "semantics": "semantics", "id": "counterId"}),
            ("gpm_nvtx_event", "nvtxEventAttributes_t", {"message_type": "messageType", "message": "message",
                                                         "payload": "payload", "size": "size"})):
        same += [f"sizeof(struct {ours}) == sizeof({theirs})"]
        same += [f"offsetof(struct {ours}, {a}) == offsetof({theirs}, {b})" for a, b in fields.items()]
    source = t.work / "same.c"
    source.write_text('#include <nvtx3/nvToolsExt.h>\n#include <nvtx3/nvToolsExtCounters.h>\n'
                      '#include <nvtx3/nvToolsExtSemanticsCounters.h>\n#include "foreign/nvtx.h"\n' +
                      "".join(f"_Static_assert({what}, \"\");\n" for what in same))
    t.command(t.compiler("c"), "-std=gnu11", "-fsyntax-only", "-I", f"{t.cuda}/include", "-I", t.source / "runtime", source)


def forked_child_goes_on_with_open_ranges(t):
    program = _nvtx(t)
    result, _ = t.run(program, "forks", capture="%p.gmprof")
    captures = sorted(t.work.glob("*.gmprof"), key=lambda path: path.stat().st_mtime)
    assert len(captures) == 2 and not result.err, (captures, result.err)
    for line in result.out.splitlines():
        assert any(_agrees(t, line, capture) for capture in captures), line[:200]


def _agrees(t, line, capture):
    try:
        return bool(_same(t, line, capture))
    except AssertionError:
        return False


def _emit(t, *arguments, options="nvtx_emit=scopes", status=0, **variables):
    """What the tool received, what the program counted, and the capture."""
    program = t.work / "emit"
    if not program.exists():
        t.build("emit", "control/nvtx_emit.cpp", flags=["-O1"], link=["-ldl"])
    tool, log = _tool(t)
    log.unlink(missing_ok=True)
    result, capture = t.run(program, *arguments, options=options, status=status,
                            env={"NVTX_INJECTION64_PATH": str(tool), "NVTX_TOOL_LOG": str(log), **variables})
    return [line.split(" ", 3) for line in log.read_text().splitlines()], result, capture


def _own_ranges(lines):
    """How often each was pushed in our domain; every pop has to have its push, thread by thread."""
    pushed, open_on = {}, {}
    for what, thread, domain, *text in (line for line in lines if line[0] in ("push", "pop")):
        if domain != "gpumemprof":
            continue
        stack = open_on.setdefault(thread, [])
        if what == "push":
            stack.append(text[0])
            pushed[text[0]] = pushed.get(text[0], 0) + 1
        else:
            assert stack, lines
            stack.pop()
    assert not any(open_on.values()), open_on
    return pushed


def scopes_are_ranges_of_another_tool(t):
    lines, result, capture = _emit(t)
    assert _own_ranges(lines) == json.loads(result.out), (result.out, _own_ranges(lines))
    assert not result.err, result.err
    # The program's own ranges reach the tool, and nothing is a label.
    assert [line[3] for line in lines if line[0] == "push" and line[2] == "-"] == ["own"] * 3, lines
    assert {row["label"] for row in t.report(capture, "label")["rows"]} == {""}
    order = [line[3] for line in lines if line[0] == "push"]
    assert order.index("early block") < order.index("own") < order.index("takes"), order  # before memory moves in it
    figures = t.report(capture, "path")
    _, _, off = _emit(t, options="")
    keys = ("function", "line", "calls", "self_alloc", "own_peak_max", "leaked")
    rows = [sorted([row[key] for key in keys] for row in report["rows"]) for report in (figures, t.report(off, "path"))]
    assert rows[0] == rows[1], rows


def live_bytes_are_counters_of_another_tool(t):
    lines, result, _ = _emit(t, "plateaus", options="nvtx_emit=bytes")
    assert not [line for line in lines if line[0] == "push" and line[2] == "gpumemprof"], lines
    counters = [line for line in lines if line[0] == "counter"]
    assert counters == [["counter", "gpumemprof", "17", "B GPU 0 live bytes"]], counters
    samples = [int(line[3]) for line in lines if line[0] == "sample"]
    plateaus = json.loads(result.out)
    at = 0
    for value in samples:  # between two plateaus there may be one on the way
        at += at < len(plateaus) and value == plateaus[at]
    assert at == len(plateaus) and len(samples) <= 3 * len(plateaus), (samples, plateaus)
    assert all(a != b for a, b in zip(samples, samples[1:])), samples


def emitting_ends_where_there_is_no_tool(t):
    lines, result, capture = _emit(t, options="nvtx_emit=scopes,bytes", NVTX_TOOL_OLD="1")
    assert result.err.count("\n") == 1 and "the tool takes no counters" in result.err, result.err
    assert _own_ranges(lines) == json.loads(result.out), result.out
    for path, said in ((str(t.runtime), "no other tool listens to NVTX"),
                       (str(t.work / "missing.so"), f"cannot be used: {t.work}/missing.so")):
        result, _ = t.run(t.work / "emit", options="nvtx_emit=bytes,scopes", env={"NVTX_INJECTION64_PATH": path})
        assert result.err.count("\n") == 1 and said in result.err, result.err
    result, capture = t.run(t.work / "emit", options="nvtx_emit=scopes")
    assert "no other tool listens to NVTX" in result.err and result.err.count("\n") == 1, result.err
    assert {row["label"] for row in t.report(capture, "label")["rows"]} == {"", "own"}
    result, _ = t.run(t.work / "emit", options="nvtx_emit=ranges")
    assert "bad value 'ranges' for nvtx_emit" in result.err, result.err


def forked_child_tells_no_tool(t):
    lines, result, _ = _emit(t, "forks")
    assert _own_ranges(lines) == json.loads(result.out), (lines, result.out)
