"""verify=paths: the lines of each call path are compared with the machine stack, which knows nothing of frames and
sites. The debug information of the program tells which lines its return addresses are."""
import json
import os
import subprocess


def _promised(t):
    promised = t.work / "promised"
    promised.write_text("harmless:other_make\nharmless:other_ignored\nharmless:other_free\n")
    return promised


def _compared(t, source, *flags, llvm=22):
    compiler, objects = t.compiler("c", llvm), []
    for name, file, more in (("main.o", source, {"filter": _promised(t)}), ("other.o", "stale_lines_other.c", {})):
        objects.append(t.work / name)
        t.command(compiler, *flags, *t.plugin_flags(llvm, **more), *t.include_flags(), "-c", t.programs / file,
                  "-o", objects[-1])
    program = t.work / "program"
    t.command(compiler, *flags, *objects, "-o", program, *t.link_flags())
    _, capture = t.run(program, options="verify=paths")
    result = t.gpumemprof("info", "--paths", "--format", "json", capture, status=None)
    return result.status, json.loads(result.out), capture


def line_that_the_machine_is_not_at_is_found(t):
    for level in ("-O0", "-O1", "-O2", "-O3"):
        status, found, capture = _compared(t, "stale_unjudged.c", level, "-g1")
        assert status == 1 and found["compared"] == found["recorded"] and found["different"] == 1, (level, found)
        wrong = found["differences"][0]
        assert wrong["line"] == "stale_unjudged.c:16 main", (level, wrong)
        assert wrong["recorded"] == "stale_unjudged.c:16 main > stale_lines_other.c:12 other_make", (level, wrong)
        assert "stale_unjudged.c:17 main > stale_lines_other.c:12 other_make" in wrong["machine"], (level, wrong)
    assert "stale_unjudged.c:16 main is not where the machine was\n" in t.gpumemprof("info", "--paths", capture, status=1).out


def line_that_the_machine_is_not_at_is_found_by_clang_19(t):
    status, found, _ = _compared(t, "stale_unjudged.c", "-O2", "-g1", llvm=19)
    assert status == 1 and found["different"] == 1, found


def program_without_debug_information_is_not_compared(t):
    status, found, capture = _compared(t, "stale_unjudged.c", "-O1")
    assert status == 0 and found["recorded"] and not found["compared"], found
    assert "compile it with -g" in t.gpumemprof("info", "--paths", capture).out


def capture_without_machine_stacks_says_how_to_get_them(t):
    program = t.build("plain", "callbacks.c", link=[t.build_oracle(), "-lstdc++"])
    _, capture = t.run(program, sim="devices=2")
    assert "verify=paths" in t.gpumemprof("info", "--paths", capture).out


def many_paths_are_compared_in_little_memory(t):
    """Each address is looked up once, however many paths it is on, and a line is listed once."""
    lines = 40
    source = t.work / "many.c"
    source.write_text("#include <cuda_runtime.h>\nvoid *other_make(void);\nstatic int down(int n, int k) {\n  void *p = 0;\n"
                      "  if (n) return down(n - 1, k) + 1;\n  switch (k) {\n"
                      + "".join(f"  case {k}: cudaMalloc(&p, 1000); break;\n" for k in range(lines))
                      + "  }\n  cudaFree(p);\n  void *q = other_make();\n  return q != 0;\n}\n"
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
    _, capture = t.run(program, options="verify=paths")
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
        t.command(t.compiler("c"), *flags, *t.plugin_flags(), *t.include_flags(), unity, "-o", program, *t.link_flags())
        _, capture = t.run(program, options="verify=paths")
        found = json.loads(t.gpumemprof("info", "--paths", "--format", "json", capture, status=None).out)
        assert found["compared"] and not found["different"], (flags, found)
