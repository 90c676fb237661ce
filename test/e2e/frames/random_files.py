"""Random programs of four files: external functions, C functions, functions of a header, templates and virtual
functions that call each other across files, some of them in a shared library, some in a file that was compiled
without the plugin; and names that a prefix would take for a library's. Every figure is compared with the count of
the program (programs/oracle/oracle.h), and every path with the machine stack.

    python3 test/e2e/frames/random_files.py build FIRST LAST     runs the seeds from FIRST to LAST
"""
import json
import os
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "harness"))  # where it is run by hand
from harness import Harness  # noqa: E402
from oracle import compare  # noqa: E402
from random_programs import HEAD, MAIN, SLOTS, Writer  # noqa: E402

FUNCTIONS, UNITS = 10, 4
KINDS = ("external", "external", "c", "c", "header", "template", "virtual", "local")
PREFIXES = ("f", "mtx_", "cnd_", "sem_", "omp_", "nvtx", "cuGet", "std_")
SHARED = """#pragma once
#ifdef PLAIN
#define ORACLE_OFF
#endif
#include "{programs}/oracle/oracle.h"
extern unsigned long state;
static inline unsigned draw(unsigned n) {{
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}}
extern char *slot[{slots}];
extern long calls_left;
struct Base {{
  virtual int go(int n, int depth) = 0;
}};
"""


class Function:
    def __init__(self, number, kind, unit, prefix):
        self.number, self.kind, self.unit = number, kind, unit
        self.name = f"{prefix}{number}"

    def scope(self):
        return {"virtual": f"Type{self.number}::go", "template": f"{self.name}<{self.number}>"}.get(self.kind, self.name)

    def declaration(self):
        """In the header; "" of what is only known to its own file."""
        return {"external": f"int {self.name}(int n, int depth);", "c": f'extern "C" int {self.name}(int n, int depth);',
                "plain": f"int {self.name}(int n, int depth);", "header": f"int {self.name}(int n, int depth);",
                "template": f"template <int N> int {self.name}(int n, int depth);",
                "virtual": f"struct Type{self.number} final : Base {{ int go(int n, int depth) override; }};\n"
                           f"extern Base *const object{self.number};", "local": ""}[self.kind]

    def head(self):
        return {"external": f"int {self.name}", "c": f'extern "C" int {self.name}', "header": f"inline int {self.name}",
                "template": f"template <int N> int {self.name}", "virtual": f"int Type{self.number}::go",
                "local": f"static int {self.name}"}[self.kind]

    def callee(self):
        return {"virtual": f"object{self.number}->go", "template": f"{self.name}<{self.number}>"}.get(self.kind, self.name)


class Files(Writer):
    """Writes one file (unit) or the header (None)."""

    def __init__(self, source, functions, unit):
        self.random, self.lines, self.functions, self.unit = source, [], functions, unit

    def sees(self, callee):
        return callee.kind != "local" or callee.unit == self.unit

    def call(self, arguments):
        return f"{self.random.choice([f for f in self.functions if self.sees(f)]).callee()}({arguments})"

    def plain(self, function):
        """Of a file without the plugin: no memory and no scope of its own, only calls, some of them tail calls."""
        self.line(0, f"int {function.name}(int n, int depth) {{")
        self.line(1, "if (depth > 10) return n;")
        for _ in range(self.random.randrange(1, 3)):
            self.line(1, self.one_of(f"n += {self.call('n, depth + 1')};",
                                     f"if (draw(2)) n += {self.call('n + 1, depth + 1')};",
                                     f"for (int i = 0; i < 2; i++) n += {self.call('i, depth + 1')};",
                                     f"try {{ n += {self.call('n, depth + 1')}; }} catch (int e) {{ n -= e; }}",
                                     f"if (draw(2)) return {self.call('n, depth + 1')};"))
        self.line(1, self.one_of("return n;", f"return {self.call('n, depth + 1')};"))
        self.line(0, "}")


def guard():
    return HEAD[HEAD.index("struct Guard"):].replace("{{", "{").replace("}}", "}")


def write(seed, folder, programs):
    """Returns the paths of the files by unit, and which of them is the library's and which is plain (or None)."""
    source = random.Random(f"files {seed}")
    library, plain = source.choice((2, 2, None)), source.choice((3, 3, None))
    functions = []
    for number in range(FUNCTIONS):
        unit = source.randrange(UNITS)
        kind = "plain" if unit == plain else source.choice(KINDS)
        functions.append(Function(number, kind, unit, source.choice(PREFIXES)))
    header = Files(source, functions, None)
    header.lines += [f.declaration() for f in functions if f.kind in ("external", "c", "plain", "virtual")]
    header.line(0, "#ifndef PLAIN")
    header.lines += [f.declaration() for f in functions if f.kind in ("header", "template")]
    header.lines += guard().splitlines()
    for f in functions:
        if f.kind in ("header", "template"):
            header.body(f.head(), f.scope())
    header.line(0, "#endif")
    shared = folder / f"files_{seed}.h"
    shared.write_text(SHARED.format(programs=programs, slots=SLOTS) + "\n".join(header.lines) + "\n")
    paths = []
    for unit in range(UNITS):
        seen = [f for f in functions if unit != plain or f.kind not in ("header", "template")]
        writer = Files(source, seen, unit)
        writer.line(0, f'#include "{shared}"')
        own = [f for f in functions if f.unit == unit]
        writer.lines += [f"static int {f.name}(int n, int depth);" for f in own if f.kind == "local"]
        if unit == 0:
            writer.lines += [f"unsigned long state = {seed};", f"char *slot[{SLOTS}];", "long calls_left;"]
        for f in own:
            if f.kind == "plain":
                writer.plain(f)
            elif f.kind not in ("header", "template"):
                writer.body(f.head(), f.scope())
            if f.kind == "virtual":
                writer.lines += [f"static Type{f.number} one_object{f.number};",
                                 f"Base *const object{f.number} = &one_object{f.number};"]
            if f.kind == "local":  # so that it is never unused
                writer.line(0, f"int (*volatile pointer{f.number})(int, int) = {f.name};")
        if unit == 0:
            called = [f for f in functions if f.kind not in ("virtual", "local") or (f.kind == "local" and f.unit == 0)]
            writer.line(0, "static int (*const functions[])(int, int) = {" + ", ".join(f.callee() for f in called) + "};")
            writer.line(0, MAIN.format(functions=len(called)))
        paths.append(folder / f"files_{seed}_{unit}.cpp")
        paths[-1].write_text("\n".join(writer.lines) + "\n")
    return paths, library, plain


def check(t, seed):
    paths, library, plain = write(seed, t.work, t.programs)
    if sum(len(path.read_text()) for path in paths) < 3000:
        return 0  # all of it would be in the header
    lto = ["-flto=thin", "-fuse-ld=lld"] if seed % 4 == 3 else []

    def link(level):
        built = []
        common = [t.compiler("c++"), "-std=c++20", level, *t.include_flags()]
        if plain is not None:
            built.append(t.work / f"plain{level}.o")
            t.command(*common, "-g1", "-DPLAIN", "-c", paths[plain], "-o", built[-1])
        if library is not None:
            built += [t.work / f"libfiles{level}.so", f"-Wl,-rpath,{t.work}", "-rdynamic"]
            t.command(*common, *t.plugin_flags(), "-fPIC", "-shared", paths[library], "-o", built[-3])
        return built

    rest = [path for unit, path in enumerate(paths) if unit not in (library, plain)]
    compare(t, *rest, flags=[*lto, *(["-fPIC"] if seed % 3 == 0 else [])], link=link)
    return json.loads(t.gpumemprof("info", "--format", "json", t.work / "run.gmprof").out)["events"]


def seeds_1_to_3(t):
    events = [check(t, seed) for seed in range(1, 4)]
    assert max(events) > 500, events


def main():
    build, first, last = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
    source, failed, total = pathlib.Path(__file__).resolve().parents[3], [], 0
    for seed in range(first, last + 1):
        work = build / "test-work" / f"random_files_{first}_{last}"
        try:
            total += check(Harness({**os.environ, "GPUMEMPROF_TEST_SOURCE": str(source), "GPUMEMPROF_TEST_STAGE": str(build / "stage"),
                                    "GPUMEMPROF_TEST_WORK": str(work)}), seed)
        except (AssertionError, subprocess.SubprocessError) as wrong:
            failed.append(seed)
            print(f"seed {seed}:\n{wrong}", flush=True)
    print(f"{last - first + 1} programs, {total} events, {len(failed)} differ: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
