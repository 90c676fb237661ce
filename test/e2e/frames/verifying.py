"""verify=paths: the lines of each call path are compared with the machine stack, which knows nothing of frames and
sites. The debug information of the program tells which lines its return addresses are."""
import json
import os
import pathlib
import subprocess
import sys
import time

from harness import check

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import page_reader  # noqa: E402


def _promised(t):
    promised = t.work / "promised"
    promised.write_text("harmless:other_make\nharmless:other_ignored\nharmless:other_free\n")
    return promised


def _compared(t, source, *flags, llvm=22):
    compiler, objects = t.compiler("c", llvm), []
    for name, file, more in (("main.o", source, {"filter": _promised(t)}), ("other.o", "frames/stale_lines_other.c", {})):
        objects.append(t.work / name)
        t.command(compiler, *flags, *t.plugin_flags(llvm, False, **more), *t.include_flags(), "-c", t.programs / file,
                  "-o", objects[-1])
    program = t.work / "program"
    t.command(compiler, *flags, *objects, "-o", program, *t.link_flags())
    _, capture = t.run(program, options="verify=paths", verify=False)  # the difference is what is to be found
    result = t.gpumemprof("info", "--paths", "--format", "json", capture, status=None)
    return result.status, json.loads(result.out), capture


def line_that_the_machine_is_not_at_is_found(t):
    for level in ("-O0", "-O1", "-O2", "-O3"):
        status, found, capture = _compared(t, "frames/stale_unjudged.c", level, "-g1")
        assert status == 1 and found["compared"] == found["recorded"] and found["different"] == 1, (level, found)
        wrong = found["differences"][0]
        assert wrong["line"] == "stale_unjudged.c:16 main", (level, wrong)
        assert wrong["recorded"] == "stale_unjudged.c:16 main > stale_lines_other.c:12 other_make", (level, wrong)
        assert "stale_unjudged.c:17 main > stale_lines_other.c:12 other_make" in wrong["machine"], (level, wrong)
    assert "stale_unjudged.c:16 main is not where the machine was\n" in t.gpumemprof("info", "--paths", capture, status=1).out


def line_that_the_machine_is_not_at_is_found_by_clang_19(t):
    status, found, _ = _compared(t, "frames/stale_unjudged.c", "-O2", "-g1", llvm=19)
    assert status == 1 and found["different"] == 1, found


def _losses(t, capture):
    """What the report says of the comparison with the machine stack, as JSON, and each line of the table that says it."""
    report = t.report(capture)
    said = [line for line in t.gpumemprof("report", capture).out.splitlines()
            if line.startswith(("lost: ", "not checked: ", "limit reached: "))]
    return report["losses"]["different_paths"], report["not_checked"]["unverified_paths"], said


def difference_is_a_loss_of_every_report(t):
    _, found, capture = _compared(t, "frames/stale_unjudged.c", "-O2", "-g1")
    different, unverified, said = _losses(t, capture)
    assert (different, unverified) == (1, 0), (different, unverified, found)
    assert [line for line in said if "1 call path with a line where the machine was not" in line and "info --paths" in line], said
    for command in ("tree", "leaks", "info", "merge"):
        assert "1 call path with a line where the machine was not" in t.gpumemprof(command, capture, status=None).out, command
    page = t.work / "page.html"
    t.gpumemprof("html", capture, "-o", page)
    sentences = [one["text"] for one in page_reader.profile(page_reader.sections(page))["sentences"]]
    assert [one for one in sentences if one.startswith("Figures are incomplete: 1 call path with a line where")], sentences
    diff = t.gpumemprof("diff", capture, capture, status=None).out
    assert "A lost: 1 call path with a line" in diff and "B lost: 1 call path with a line" in diff, diff


def right_lines_are_no_loss(t):
    program = t.build("right", "frames/callbacks.c", flags=["-O2"], link=[t.build_oracle(), "-lstdc++"])
    _, capture = t.run(program, sim="devices=2")
    assert json.loads(t.gpumemprof("info", "--paths", "--format", "json", capture).out)["compared"]
    assert _losses(t, capture) == (0, 0, [])


def program_without_debug_information_is_not_compared(t):
    status, found, capture = _compared(t, "frames/stale_unjudged.c", "-O1")
    assert status == 0 and found["recorded"] == found["unverified"] == 3 and not found["compared"], found
    assert "stale_unjudged.c has no debug information; compile it with -g" in t.gpumemprof("info", "--paths", capture).out
    different, unverified, said = _losses(t, capture)
    assert (different, unverified) == (0, 3), (different, unverified)
    assert len([line for line in said if line.startswith("not checked: 3 call paths that verify=paths could not compare")]) == 1, said
    assert "not checked: 3 call paths" in t.gpumemprof("merge", capture).out


def program_that_was_rebuilt_or_is_gone_is_not_compared(t):
    """Another program's lines would be a difference that there is not."""
    other = t.work / "another.c"
    other.write_text("int main(void) { return 0; }\n")
    for build_id in ("-Wl,--build-id", "-Wl,--build-id=none"):
        _, before, capture = _compared(t, "frames/stale_unjudged.c", "-O1", "-g1", build_id)
        assert (before["different"], before["unverified"]) == (1, 0), before
        time.sleep(1.1)  # without a build-id a younger file is another one
        t.command(t.compiler("c"), "-g1", build_id, other, "-o", t.work / "program")
        found = json.loads(t.gpumemprof("info", "--paths", "--format", "json", capture).out)
        assert (found["different"], found["unverified"]) == (0, 3), found
        assert [reason.partition(" is ")[2] for reason in found["reasons"]] == ["not the file any more that was loaded in the run"], found
        (t.work / "program").unlink()
        assert "is not on this machine" in t.gpumemprof("info", "--paths", capture).out
        assert _losses(t, capture)[:2] == (0, 3)


def damaged_debug_information_ends_no_command(t):
    """The build-id is still that of the run, so it is read."""
    _, before, capture = _compared(t, "frames/stale_unjudged.c", "-O2", "-g1")
    good = t.work / "good"
    (t.work / "program").rename(good)
    for section in ("info", "line", "abbrev"):
        t.command("objcopy", "-O", "binary", f"--only-section=.debug_{section}", "--set-section-flags", f".debug_{section}=alloc",
                  good, t.work / "bytes")
        sound = (t.work / "bytes").read_bytes()
        for damaged in (b"\xff" * len(sound), sound[:len(sound) // 2] + b"\xff" * (len(sound) - len(sound) // 2)):
            (t.work / "bytes").write_bytes(damaged)
            t.command("objcopy", f"--update-section=.debug_{section}={t.work}/bytes", good, t.work / "program")
            result = t.gpumemprof("report", capture)
            assert "abort" not in result.out + result.err, (section, damaged[:4], result.out)
    good.rename(t.work / "program")
    assert json.loads(t.gpumemprof("info", "--paths", "--format", "json", capture, status=1).out) == before


def line_of_a_file_without_debug_information_is_not_checked(t):
    """One file has it, the other has not: lines of the first are compared, and the path is said not to be in full."""
    compiler = t.compiler("c")
    for name, file, lines, more in (("main.o", "frames/stale_unjudged.c", False, {"filter": _promised(t)}), ("other.o", "frames/stale_lines_other.c", True, {})):
        t.command(compiler, *t.plugin_flags(22, lines, **more), *t.include_flags(), "-c", t.programs / file, "-o", t.work / name)
    t.command(compiler, t.work / "main.o", t.work / "other.o", "-o", t.work / "program", *t.link_flags())
    _, capture = t.run(t.work / "program", verify="part")  # that it is only a part is what the test is about
    found = json.loads(t.gpumemprof("info", "--paths", "--format", "json", capture).out)
    assert found["compared"] == 1 and found["unverified"] == 3, found


def capture_without_machine_stacks_says_how_to_get_them(t):
    program = t.build("plain", "frames/callbacks.c", link=[t.build_oracle(), "-lstdc++"])
    _, capture = t.run(program, sim="devices=2", verify=False)  # what is said without it
    assert "verify=paths" in t.gpumemprof("info", "--paths", capture).out


def capture_without_lines_says_that_there_is_nothing_to_compare(t):
    source = t.work / "nothing.c"
    source.write_text("#include <cuda_runtime.h>\nint main(void) { return cudaFree(0); }\n")
    _, capture = t.run(t.build("nothing", source), verify=False, options="verify=paths")
    assert "nothing to compare" in t.gpumemprof("info", "--paths", capture).out


def many_paths_are_compared_in_little_memory(t):
    """Each address is looked up once, however many paths it is on, and a line is listed once."""
    lines = 40
    source = t.work / "many.c"
    source.write_text("#include <cuda_runtime.h>\nvoid *other_make(void);\nstatic void drop(void *p) { cudaFree(p); }\n"
                      "static void (*volatile way)(void *) = drop;\nstatic int down(int n, int k) {\n  void *p = 0;\n"
                      "  if (n) return down(n - 1, k) + 1;\n  switch (k) {\n"
                      + "".join(f"  case {k}: cudaMalloc(&p, 1000); break;\n" for k in range(lines))
                      + "  }\n  way(p);\n  void *q = other_make();\n  return q != 0;\n}\n"
                      "int main(void) {\n  int sum = 0;\n"
                      f"  for (int n = 0; n < 200; n++) for (int k = 0; k < {lines}; k++) sum += down(n, k);\n"
                      "  return sum == 0;\n}\n")
    other = t.work / "made.c"
    other.write_text("#include <cuda_runtime.h>\nvoid *other_make(void) { void *p = 0; cudaMalloc(&p, 10); return p; }\n")
    objects = []
    for file, more in ((source, {"filter": _promised(t)}), (other, {})):
        objects.append(file.with_suffix(".o"))
        t.command(t.compiler("c"), "-O0", "-g1", *t.plugin_flags(**more), *t.include_flags(), "-c", file, "-o", objects[-1])
    program = t.work / "many"
    t.command(t.compiler("c"), *objects, "-o", program, *t.link_flags())
    _, capture = t.run(program, verify=False, options="verify=paths")  # the differences are what is to be found
    with open(t.work / "many.json", "w") as out:
        asked = subprocess.Popen([t.tool, "info", "--paths", "--format", "json", capture], stdout=out)
        _, status, used = os.wait4(asked.pid, 0)
    found = json.loads((t.work / "many.json").read_text())
    assert os.waitstatus_to_exitcode(status) == 1 and found["compared"] >= 200 * lines, (status, found["compared"])
    assert used.ru_maxrss < 192 << 10, f"{used.ru_maxrss} KiB"
    wrong = found["differences"]
    assert len({d["line"] for d in wrong}) == len(wrong) and sum(d["paths"] for d in wrong) == found["different"], (len(wrong), found["different"])


def included_source_has_its_own_file(t):
    """A sequence of lines begins in file 1, which is not the file that was compiled where another is included first."""
    part, unity = t.work / "part.c", t.work / "unity.c"
    part.write_text("#include <cuda_runtime.h>\n\nvoid *part_make(void) {\n  void *p = 0;\n  cudaMalloc(&p, 10);\n  return p;\n}\n")
    unity.write_text('#include "part.c"\nvoid *unity_make(void) { return part_make(); }\n#define part_make part_again\n#include "part.c"\n'
                     "int main(void) {\n  return cudaFree(unity_make()) + cudaFree(part_again());\n}\n")
    for flags in (["-g1"], ["-g"], ["-g1", "-gdwarf-4"], ["-g1", "-ffunction-sections"], ["-g1", "-O2"]):
        program = t.work / "unity"
        t.command(t.compiler("c"), *flags, *t.plugin_flags(lines=False), *t.include_flags(), unity, "-o", program, *t.link_flags())
        _, capture = t.run(program)
        found = json.loads(t.gpumemprof("info", "--paths", "--format", "json", capture, status=None).out)
        assert found["compared"] and not found["different"], (flags, found)


def stack_below_code_of_no_file_is_not_compared(t):
    """The unwinder finds no way through such code, and nobody knows how much of the stack is below it."""
    program = t.build("program", "frames/made_code.c", flags=["-g1"])
    result, capture = t.run(program, options="verify=paths", verify=False)
    assert result.out == "made\n", result
    check(t.report(capture)["conservation"], "conservation", ok=True, allocated=4096, live=0)
    different, unverified, _ = _losses(t, capture)
    assert different == 0 and unverified, (different, unverified)
