"""Operations that use memory (uses=on), from the plugin to `events`; and `advise`, whose predictions are the peaks of edited programs.

Kernels have PTX in the program where there is a toolkit. Elsewhere `flags sim` compiles them without device code, and clang makes the
PTX from the same kernels."""
import json
import os

import kernels_ptx
from kernels_ptx import ARCH

MARKS = ("upload", "fill", "scale", "add", "float", "double", "direct", "typed", "extended", "symbol", "between", "rows", "fill_async",
         "begin", "end", "ends")


def _with_toolkit(t, name, *flags):
    t.need_toolkit()
    program = t.work / name
    t.command(t.compiler("c++"), "-O2", f"--cuda-path={t.cuda}", f"--cuda-gpu-arch={ARCH}",
              "-Wno-unknown-cuda-version", *flags, t.programs / "cuda/uses.cu", *t.gpumemprof("flags", "clang").out.split(),
              *t.link_flags(runtime=False), "-o", program)
    return program, []


def _by_nvcc(t, name, *flags):
    t.need_toolkit()
    program = t.work / name
    t.command(f"{t.cuda}/bin/nvcc", "-O2", f"-gencode=arch=compute_{ARCH[3:]},code=[{ARCH},compute_{ARCH[3:]}]", *flags,
              t.programs / "cuda/uses.cu", *t.gpumemprof("flags", "nvcc").out.split(), "-cudart", "shared", "-o", program)
    return program, []


def _without_toolkit(t, name, *flags):
    return kernels_ptx.build(t, name, "cuda/uses.cu", *flags)


def _run(t, program, way, name):
    capture = t.work / f"{name}.gmprof"
    done = t.gpumemprof("dryrun", "--device-memory", "1GiB", program, way,
                        env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    addresses = {name: int(value, 16) for name, value in map(str.split, done.out.splitlines())}
    return capture, addresses


def _lines(t):
    text = (t.programs / "cuda/uses.cu").read_text().splitlines()
    lines = {mark: [number for number, line in enumerate(text, 1) if line.endswith(f"// @{mark}")] for mark in MARKS}
    assert all(len(numbers) == 1 for numbers in lines.values()), lines
    return {mark: numbers[0] for mark, numbers in lines.items()}


def _operations(t, build, names):
    """names: whether the parameters of kernels have them."""
    program, _ = build(t, "uses")
    capture, at = _run(t, program, "operations", "operations")
    lines, listed = _lines(t), json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    uses = [e for e in listed if "values" in e]
    a, b = at["a"], at["b"]

    def launched(mark, kernel, **values):
        return "launched", lines[mark], kernel, list(values.values())
    expected = [("copied", lines["upload"], None, [a, 4 << 16, None, 4 << 16]), ("filled", lines["fill"], None, [b + 16, 400]),
                *[launched("scale", "scale", x=a)] * 3,
                launched("add", "add", data=b, bias=a + 32, seed=7, x=a + 64), launched("float", "move<float>", to=a, source=b),
                launched("double", "move<double>", to=b, source=a), launched("direct", "scale", x=b),
                launched("typed", "scale", x=b), launched("extended", "scale", x=a), ("copied", lines["symbol"], None, [None, 4, None, 4]),
                ("copied", lines["between"], None, [b, 512, a, 512]), ("copied", lines["rows"], None, [None, 9 * 64 + 32, a, 9 * 128 + 32]),
                ("filled", lines["fill_async"], None, [a, 256]), ("stream destroyed", lines["ends"], None, [])]
    found = [(e["event"], e["line"], e.get("kernel"), [int(v["value"])
                                                      for v in e["values"]]) for e in uses]
    found = [(event, line, kernel, [None if v > 1 << 40 and event == "copied" and not any(0 <= v - p < 1 << 20 for p in (a, b)) else v
                                    for v in values]) for event, line, kernel, values in found]
    assert found == expected, "\n".join(map(str, (*found, "", *expected)))
    if names:
        struct = next(e for e in uses if e.get("kernel") == "add")
        assert [v["name"] for v in struct["values"]] == ["out.data", "out.more.bias", "out.more.seed", "x"], struct
    assert len({e["stream"] for e in uses if e["line"] in (lines["add"], lines["float"], lines["between"], lines["ends"])}) == 1, uses
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def operations_by_clang(t):
    _operations(t, _with_toolkit, names=True)


def operations_by_nvcc(t):
    _operations(t, _by_nvcc, names=False)


def operations_without_toolkit(t):
    _operations(t, _without_toolkit, names=True)


def _peak(t, capture):
    return t.report(capture)["devices"][0]["peak"]


def _predictions(t, build):
    """The peak that a finding predicts is that of the program with the edit, to the byte, which has nothing left to advise."""
    (before, facts), (after, _) = build(t, "uses"), build(t, "edited", "-DEDITED")
    for rule in ("late-free", "early-alloc", "unused", "never-freed"):
        capture, _ = _run(t, before, rule, rule)
        edited, _ = _run(t, after, rule, f"{rule}.edited")
        answer = json.loads(t.gpumemprof("advise", *facts, "--format", "json", "--min", "0", capture).out)
        single = [f for f in answer["findings"] if f["rule"] == rule and len(f["steps"]) == 1]
        assert len(single) == 1, answer
        assert single[0]["peak_before"] == _peak(t, capture) and single[0]["peak_after"] == _peak(t, edited), (single, _peak(t, edited))
        left = json.loads(t.gpumemprof("advise", *facts, "--format", "json", "--min", "0", edited).out)
        assert not left["findings"] and not left["not_judged"], left


def predictions_by_clang(t):
    _predictions(t, _with_toolkit)


def predictions_by_nvcc(t):
    _predictions(t, _by_nvcc)


def predictions_without_toolkit(t):
    _predictions(t, _without_toolkit)


def a_captured_use_is_from_its_begin_to_its_end(t):
    """CUDA refuses allocations and frees between them, so the lines of the advice are these two."""
    build, lines = _with_toolkit if t.cuda else _without_toolkit, _lines(t)
    (before, facts), (after, _) = build(t, "uses"), build(t, "edited", "-DEDITED")
    capture, _ = _run(t, before, "captured", "captured")
    edited, _ = _run(t, after, "captured", "captured.edited")
    answer = json.loads(t.gpumemprof("advise", *facts, "--format", "json", "--min", "0", capture).out)
    assert [(step["action"], step["to"]["line"]) for f in answer["findings"] for step in f["steps"]] == [
        ("alloc", lines["begin"]), ("free", lines["end"])], answer
    assert answer["findings"][0]["peak_after"] == _peak(t, edited), answer
    left = json.loads(t.gpumemprof("advise", *facts, "--format", "json", "--min", "0", edited).out)
    assert not left["findings"] and not left["not_judged"], left


def _followed(t, build):
    """A kernel that loads an address may use every block whose address the host may have copied there."""
    program, facts = build(t, "uses")
    capture, _ = _run(t, program, "followed", "followed")
    answer = json.loads(t.gpumemprof("advise", *facts, "--min", "0", "--format", "json", capture).out)
    assert not any(step["variable"] in ("a", "list") for f in answer["findings"] for step in f["steps"]), answer
    assert answer["not_judged"] and all("follows addresses that it loads" in u["reason"] for u in answer["not_judged"]), answer


def followed_addresses_are_not_judged(t):
    _followed(t, _with_toolkit if t.cuda else _without_toolkit)


def graph_uses_what_its_nodes_use(t):
    """What a graph uses is not known where it is launched, so the launch may use any memory; nodes need their blocks when they are made."""
    program, facts = (_with_toolkit if t.cuda else _without_toolkit)(t, "uses")
    capture, _ = _run(t, program, "graph", "graph")
    said = t.gpumemprof("advise", *facts, "--min", "0", "--rule", "late-free", "--rule", "early-alloc", "--rule", "unused", capture).out
    assert " saves " not in said and "may use any memory" in said, said


def program_that_was_rebuilt_is_not_what_ran(t):
    """Where the program has device code, it says which build ran. Its folder, its name and its age do not matter."""
    t.need_toolkit()
    program, _ = _with_toolkit(t, "uses")
    capture, _ = _run(t, program, "late-free", "late-free")
    right = t.gpumemprof("advise", capture).out
    assert " saves " in right, right
    os.utime(program, (program.stat().st_mtime + 10,) * 2)
    kept, elsewhere = program.rename(t.work / "kept"), t.work / "elsewhere"
    elsewhere.mkdir()
    other, _ = _with_toolkit(t, "uses", "-O0")
    os.utime(other, (1e9,) * 2)
    assert " saves " in t.gpumemprof("advise", "--facts", kept, capture).out
    for words in (), ("--facts", other):
        done = t.gpumemprof("advise", *words, capture)
        assert done.err.count(f"{other} is another build than the one that was recorded, so ") == 1 + len(words) // 2, done.err
        assert "has code that is not known" in done.out and " saves " not in done.out, done.out
    assert f"{other} is another build" in t.gpumemprof("advise", "--facts", kept, "--facts", other, capture).err
    kept.rename(program)
    done = t.gpumemprof("advise", capture, cwd=elsewhere)
    assert done.out == right and not done.err, done


def program_that_was_started_by_a_relative_path_is_found(t):
    t.need_toolkit()
    program, _ = _with_toolkit(t, "uses")
    capture = t.work / "relative.gmprof"
    t.command("./uses", "late-free", cwd=t.work, env={
        "LD_LIBRARY_PATH": str(t.sim), "GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    elsewhere = t.work / "elsewhere"
    elsewhere.mkdir()
    assert " saves " in t.gpumemprof("advise", capture, cwd=elsewhere).out
