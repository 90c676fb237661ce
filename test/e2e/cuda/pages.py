"""Which pages kernels use (uses=pages of the plugin), from the device's code to `gpumemprof pages`. Kernels run on the host, in the
code that the plugin made for the device (host_kernels.py); the program computes itself which pages each of them uses."""
import json
import re

import host_kernels
from page_runs import runs_of

MARKS = "-fplugin-arg-gpumemprof-uses=pages"


def _program(t, source, name, *flags, marks=(MARKS,)):
    program = t.work / name
    t.command(t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split(), *marks, "-O2", *flags, t.programs / "cuda" / source, "-o", program)
    return program


def _build(t, name, *flags, marks=(MARKS,), device=("-O2",)):
    library = host_kernels.build(t, t.programs / "cuda/pages_kernels.h", name,
                                 flags=[*device, *([f"-fplugin={t.plugin()}", *marks] if marks else [])])
    return _program(t, "pages.cu", name, *flags, marks=marks), library


def _run(t, program, library, *words, options="history=all:uses=on"):
    capture = t.work / f"{program.name}.gmprof"
    done = t.gpumemprof("dryrun", "--device-memory", "4GiB", program, *words,
                        env={"GPUMEMPROF_OPTIONS": f"{options}:output={capture}:quiet=1", "GPUMEMPROF_SIM_OPTIONS": f"kernels={library}"})
    return capture, [line.split() for line in done.out.splitlines()]


def _pages(t, capture, status=0):
    done = t.gpumemprof("pages", "--limit", "0", "--format", "json", capture, status=status)
    return sorted(json.loads(done.out)["blocks"], key=lambda block: block["allocated"]) if not status else done.err


def _check(t, program, library):
    capture, truth = _run(t, program, library)
    blocks = {(block["address"], block["bytes"]): block for block in _pages(t, capture)}
    assert len(truth) == 21 and len(_pages(t, capture)) == 21, (truth, len(_pages(t, capture)))
    # two blocks of the same size at the same address are compared in their order
    twice = [block for block in _pages(t, capture) if block["bytes"] == 6 * 4096 * 1024]
    for name, address, size, last, *pages in truth:
        block = twice[name == "next_use"] if name in ("first_use", "next_use") else blocks[int(address, 16), int(size)]
        assert runs_of(block) == pages, (name, runs_of(block), pages)
        assert block["last_use"] == int(last) and block["judged"], (name, block["last_use"], last, block["judged"])
        counts = {state: sum(int(run[1:]) for run in pages if run[0] == state) for state in "-rwb"}
        assert (block["untouched"], block["read"], block["written"]) == (counts["-"], counts["r"] + counts["b"], counts["w"] + counts["b"]), block
    return capture


def every_page_is_right(t):
    _check(t, *_build(t, "pages"))


def every_page_is_right_without_optimisation(t):
    _check(t, *_build(t, "pages", device=("-O0",)))


def what_the_compiler_does_not_see_is_said(t):
    program, library = _build(t, "pages")
    capture, truth = _run(t, program, library, "hidden")
    hidden, later = _pages(t, capture)
    assert not hidden["judged"] and later["judged"], (hidden, later)
    assert runs_of(later) == truth[1][4:], (later, truth)
    assert "?" in t.gpumemprof("pages", capture).out


def kernels_without_marks_may_use_any_block(t):
    _, library = _build(t, "plain", marks=())
    program, _ = _build(t, "pages")
    capture, _ = _run(t, program, library, "hidden")
    assert "does not say which pages kernels used" in _pages(t, capture, status=2), "the kernels have no marks"


def off_without_the_option(t):
    program, library = _build(t, "plain", marks=())
    capture, _ = _run(t, program, library)
    assert "-fplugin-arg-gpumemprof-uses=pages" in _pages(t, capture, status=2)
    marked, its_library = _build(t, "pages")
    capture, _ = _run(t, marked, its_library, options="history=all")
    assert "does not say which pages kernels used" in _pages(t, capture, status=2)


def no_figure_has_the_memory_of_the_marks(t):
    plain, _ = _run(t, *_build(t, "plain", marks=()))
    marked, _ = _run(t, *_build(t, "pages"))
    figures = [[(d["device"], d["peak"], d["live_at_exit"]) for d in t.report(capture)["devices"]] for capture in (plain, marked)]
    assert figures[0] == figures[1], figures
    rows = [{name: {key: value for key, value in row.items() if not key.endswith("_ns")} for name, row in t.rows(capture).items()}
            for capture in (plain, marked)]
    assert rows[0] == rows[1], [name for name in rows[0] if rows[0][name] != rows[1].get(name)]
    pages = json.loads(t.gpumemprof("pages", "--format", "json", marked).out)
    assert pages["own_bytes"] == (256 << 20) + 512, pages["own_bytes"]


def threads_and_streams_mark_pages_together(t):
    program, library = _build(t, "pages", "-pthread")
    capture, truth = _run(t, program, library, "threads")
    blocks = {block["address"]: block for block in _pages(t, capture)}
    for name, address, _, last, *pages in truth:
        block = blocks[int(address, 16)]
        assert runs_of(block) == pages and block["last_use"] == int(last) and block["judged"], (name, block, pages, last)


def managed_memory_has_pages_and_is_not_judged(t):
    program, library = _build(t, "pages", "-pthread")
    capture, _ = _run(t, program, library, "managed")
    block, = _pages(t, capture)
    assert runs_of(block) == ["r1", "w1", "-2"] and not block["judged"], block


def _smaller(t, capture):
    answer = json.loads(t.gpumemprof("advise", "--min", "0", "--rule", "oversize", "--format", "json", capture).out)
    assert all(f["rule"] == "oversize" and f["sure"] for f in answer["findings"]), answer
    return answer["findings"]


def a_smaller_size_saves_what_is_predicted(t):
    """The peak that the rule `oversize` predicts is that of the program with the edit, to the byte, which has no such finding."""
    _, library = _build(t, "kernels")
    program = _program(t, "oversize.cu", "before")
    source = (t.programs / "cuda/oversize.cu").read_text().splitlines()
    for way, marks in (("one_line", ["line"]), ("two_lines", ["first", "next"]), ("pool", ["pool"])):
        capture, _ = _run(t, program, library, way)
        findings = [f for f in _smaller(t, capture) if len(f["steps"]) == len(marks)]
        assert len(findings) == 1, findings
        lines = {step["from"]["line"]: int(less) for step, less in zip(findings[0]["steps"], re.findall(r"allocate (\d+) bytes less", findings[0]["reason"]))}
        less = [lines[number] for mark in marks for number, line in enumerate(source, 1) if line.endswith(f"// @{mark}")]
        assert len(less) == len(marks) and all(less), (lines, findings)
        edited = _program(t, "oversize.cu", f"{way}.edited", *(f"-D{name}={value}" for name, value in zip(("LESS", "LESS_OF_NEXT"), less)))
        after, _ = _run(t, edited, library, way)
        peaks = [t.report(of)["devices"][0]["peak"] for of in (capture, after)]
        assert [findings[0]["peak_before"], findings[0]["peak_after"]] == peaks, (findings, peaks)
        assert not _smaller(t, after), _smaller(t, after)


def only_an_unused_end_can_be_saved(t):
    _, library = _build(t, "kernels")
    capture, _ = _run(t, _program(t, "oversize.cu", "whole"), library, "whole")
    assert not _smaller(t, capture), _smaller(t, capture)
    unmarked, _ = _run(t, _program(t, "oversize.cu", "unmarked", marks=()), library, "one_line")
    assert not _smaller(t, unmarked), _smaller(t, unmarked)
