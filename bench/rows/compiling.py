"""Row compile: what the plugin costs the compiler and adds to the object file.

Three groups of sources of our own under programs/compile/: heavy (allocates much), quiet (allocates
nothing on a device, but calls things the compiler can not see into) and nothing (no call leaves the
file). --sources DIR adds a group of other people's files, host side only; those that plain clang does
not compile are left out by name.
"""
import glob
import os
import shlex
import statistics

from harness import elf
from harness.measure import Samples, instructions_of, launch
from harness.tools import Trouble, run

PLAIN, OURS = "plain", "gpumemprof"
ONE_CALL = (200, 1200)  # functions of one CUDA call each, in a file
GROUPS = ("heavy", "quiet", "nothing")
TEXT_LIMITED = ("heavy", "quiet")


class Source:
    def __init__(self, bench, group, path, flags):
        self.group, self.path = group, path
        self.label = f"{group}/{os.path.basename(path)}"
        name, kind = os.path.splitext(os.path.basename(path))
        self.compiler = [bench.clang] if kind == ".c" else [bench.clangxx]
        self.flags = ["-O2", *flags]
        if kind in (".cpp", ".cc", ".cxx"):
            self.flags.insert(0, "-std=c++17")
        if kind == ".cu":
            self.flags += ["--cuda-host-only", "-Wno-unknown-cuda-version"]
        self.object = bench.out("compile", group, name + kind)

    def command(self, bench, variant):
        extra = bench.ours.compile_flags() if variant == OURS else []
        return [*self.compiler, *self.flags, *extra, "-w", "-c", self.path, "-o", f"{self.object}.{variant}.o"]


def sources(bench, results):
    found = []
    for group in GROUPS:
        for path in sorted(glob.glob(bench.programs("compile", group, "*"))):
            found.append(Source(bench, group, path, ["-isystem", bench.programs("system")]))
    if bench.options.sources:
        paths = [path for kind in ("c", "cc", "cpp", "cxx", "cu")
                 for path in glob.glob(os.path.join(bench.options.sources, "**", "*." + kind), recursive=True)]
        if not paths:
            raise Trouble(f"{bench.options.sources} holds no .c, .cc, .cpp, .cxx or .cu file: name another folder with --sources")
        for path in sorted(paths):
            flags = ["-I", os.path.dirname(path), *shlex.split(bench.options.sources_flags)]
            source = Source(bench, "sources", path, flags)
            source.label = os.path.relpath(path, bench.options.sources)
            source.object = bench.out("compile", "sources", source.label.replace(os.sep, "__"))
            found.append(source)
    good = []
    for source in found:
        done = run(source.command(bench, PLAIN), quiet=True)
        if done.returncode == 0:
            good.append(source)
        elif source.group == "sources":
            results.note(f"{source.label} is left out: plain clang does not compile it")
        else:
            raise Trouble(f"{source.path} does not compile:\n    {done.stderr[-600:]}")
    return good


def sizes(bench, results, found):
    """Text and tables; the same in every run."""
    if not bench.ours.plugin:
        return
    totals, different = {}, 0
    for source in found:
        plain_object, ours_object = (f"{source.object}.{variant}.o" for variant in (PLAIN, OURS))
        run(source.command(bench, OURS))
        plain, ours = elf.measure(plain_object), elf.measure(ours_object)
        total = totals.setdefault(source.group, {PLAIN: dict.fromkeys(plain, 0), OURS: dict.fromkeys(plain, 0)})
        for purpose in plain:
            total[PLAIN][purpose] += plain[purpose]
            total[OURS][purpose] += ours[purpose]
        results.figure("text of one object", source.label, "bytes", ours["text"], delta=ours["text"] - plain["text"],
                       ratio=ours["text"] / plain["text"] if plain["text"] else None)
        if source.group == "nothing":
            different += elf.loaded(plain_object) != elf.loaded(ours_object)
    results.check("objects with nothing to instrument that differ", different, exact=True)
    for group, total in totals.items():
        for purpose in total[PLAIN]:
            plain, ours = total[PLAIN][purpose], total[OURS][purpose]
            results.figure(f"all of {group}", purpose, "bytes", ours, delta=ours - plain, ratio=ours / plain if plain else None)
        if group in TEXT_LIMITED:
            results.check(f"text of {group} / plain", total[OURS]["text"] / total[PLAIN]["text"], exact=True)


def time(bench, results):
    found = sources(bench, results)
    launcher = bench.launcher()
    variants = (PLAIN, OURS) if bench.ours.plugin else (PLAIN,)
    ratios = []
    for source in found:
        taken = {variant: [] for variant in variants}
        for _ in range(bench.options.rounds):
            for variant in variants:
                taken[variant].append(launch(launcher, source.command(bench, variant), bench.options, bench.work)["cpu_s"] * 1000)
        samples = {variant: Samples(values) for variant, values in taken.items()}
        plain = samples[PLAIN].median
        for variant in variants:
            ratio = samples[variant].median / plain if variant == OURS else None
            results.figure(f"compile {source.label}", variant, "ms", samples[variant],
                           delta=samples[variant].median - plain if variant == OURS else None, ratio=ratio)
            if ratio:
                ratios.append(ratio)
    if ratios:
        results.check("compile time / plain, median of the files", statistics.median(ratios), exact=False)
    sizes(bench, results, found)


def strip_plugin(bench):
    """From now on a copy without debug information is used: valgrind 3.19 ends at that of clang 22."""
    copy = bench.out("compile", "gpumemprof.so")
    run(["strip", "-g", "-o", copy, bench.ours.plugin])
    bench.ours.plugin = copy


def one_call(bench, results):
    """What a function with one CUDA call costs the compiler where it does least else: without optimisation."""
    paths = {}
    for functions in ONE_CALL:
        paths[functions] = bench.out("compile", "one_call", f"{functions}.c")
        with open(paths[functions], "w", encoding="utf-8") as file:
            file.write('#include "bench_cuda.h"\n')
            file.writelines(f"void f{i}(void **p) {{ cudaMalloc(p, {i + 1}); }}\n" for i in range(functions))

    def of_one(*flags):
        few, many = (instructions_of([bench.clang, "-O0", "-isystem", bench.programs("system"), *flags, "-w", "-c", path, "-o",
                                      path + ".o"], bench.work) for path in paths.values())
        return (many - few) / (ONE_CALL[1] - ONE_CALL[0])

    plain = of_one()
    results.figure("compile a function of one call at -O0", PLAIN, "instr", plain)
    for mode in ("all", "every"):
        ours = of_one(*bench.ours.compile_flags(mode))
        results.figure("compile a function of one call at -O0", f"mode {mode}", "instr", ours, delta=ours - plain, ratio=ours / plain)
        results.keep(f"function of one call at -O0, mode {mode}: compiler instructions / plain", round(ours / plain, 3))


def count(bench, results):
    """Instructions of the compiler itself take minutes: only with --compiler."""
    found = sources(bench, results)
    sizes(bench, results, found)
    if not bench.options.compiler:
        return
    if bench.ours.plugin:
        strip_plugin(bench)
        one_call(bench, results)
    ratios = []
    for source in found:
        plain = instructions_of(source.command(bench, PLAIN), bench.work)
        results.figure(f"compile {source.label}", PLAIN, "Minstr", plain / 1e6)
        if bench.ours.plugin:
            ours = instructions_of(source.command(bench, OURS), bench.work)
            results.figure(f"compile {source.label}", OURS, "Minstr", ours / 1e6, delta=(ours - plain) / 1e6, ratio=ours / plain)
            ratios.append(ours / plain)
    if ratios:
        results.check("compiler instructions / plain, median of the files", statistics.median(ratios), exact=True)
