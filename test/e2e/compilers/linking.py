"""One program (programs/common/modes.cpp), linked in every way: the report is that of a plain link."""
import concurrent.futures
import pathlib
import re
import shutil

from compiler_modes import same_report, views
from harness import Skip, check

LINKERS = ("bfd", "gold", "lld")
SECTIONS = ["-ffunction-sections", "-fdata-sections"]


class Links:
    """Compiles an object for each set of flags once, links and runs it in many ways, compares at the end."""

    def __init__(self, t):
        self.t = t
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.objects, self.ways, self.stripped = {}, {}, False
        self.plain("plain", self.compile())

    def compile(self, *flags, llvm=22, **options):
        key = repr([flags, llvm, options])
        if key not in self.objects:
            self.objects[key] = self.t.work / f"object{len(self.objects)}.o"
            self.t.command(self.t.compiler("c++", llvm), "-std=c++20", "-O1", "-pthread", *flags,
                           *self.t.plugin_flags(llvm, "-g" not in flags, **options), *self.t.include_flags(), "-c",
                           self.t.programs / "common/modes.cpp", "-o", self.objects[key])
        return self.objects[key]

    def run(self, way, words, env=None):
        program = self.t.work / way
        self.t.command(self.t.compiler("c++"), "-pthread", *words, "-o", program)
        # -s, strip and --strip-debug take the line tables away; what -gsplit-dwarf moves to a file of its own is not read.
        whole = not ({"-s", "-Wl,-s", "-S"} & set(map(str, words)) or self.stripped)
        result, capture = self.t.run(program, capture=way + ".gmprof", env=env, verify=True if whole else "part")
        assert (result.out, result.err) == ("done 1\n", ""), result.out + result.err
        return views(self.t, capture)

    def plain(self, way, *words, env=None):
        """The words in this order, then the runtime and the simulated device."""
        self.ways[way] = self.pool.submit(self.run, way, [*words, *self.t.link_flags()], env)

    def without_runtime(self, way, *words, env=None):
        """Only these words and the simulated device."""
        self.ways[way] = self.pool.submit(self.run, way, [*words, *self.t.link_flags(runtime=False)], env)

    def check(self):
        expected, wrong = self.ways.pop("plain").result(), []
        for way, found in self.ways.items():
            try:
                same_report(expected, found.result(), way)
            except AssertionError as error:
                wrong.append(f"{way}: {error}")
        assert self.ways and not wrong, "\n".join(wrong)


def linkers_drop_and_fold_sections(t):
    links = Links(t)
    archive = t.stage / "lib/libgpumemprof.a"
    for linker in LINKERS:
        if not shutil.which(f"ld.{linker}"):
            raise Skip(f"needs ld.{linker}")
        least = [f"-fuse-ld={linker}", "-Wl,--gc-sections", "-s", "-Wl,-z,now"]
        least += [] if linker == "bfd" else ["-Wl,--icf=all"]
        least += [] if linker == "gold" else ["-Wl,-z,start-stop-gc"]
        links.plain(f"pie-{linker}", *least, "-pie", links.compile(*SECTIONS))
        links.plain(f"no-pie-{linker}", *least, "-no-pie", links.compile("-fno-pic", *SECTIONS))
        links.without_runtime(f"archive-{linker}", *least, links.compile(*SECTIONS), archive)
        links.plain(f"as-needed-{linker}", f"-fuse-ld={linker}", links.compile(), "-Wl,--as-needed")
    links.plain("clang-19", links.compile(llvm=19))
    links.plain("thin-lto", "-fuse-ld=lld", "-flto=thin", "-Wl,--gc-sections", links.compile("-flto=thin"))
    links.check()


def objects_that_were_processed(t):
    links = Links(t)
    links.stripped = True
    built = links.compile("-g", "-gsplit-dwarf")
    for way, *words in (("relinked-bfd", "ld.bfd", "-r", built, "-o"), ("relinked-lld", "ld.lld", "-r", built, "-o"),
                        ("thin", "ar", "rcT"), ("no-debug", "objcopy", "--strip-debug", built),
                        ("unneeded", "strip", "--strip-unneeded", built, "-o"),
                        ("localized", "objcopy", "--localize-hidden", built),
                        ("compressed", "objcopy", "--compress-debug-sections", built)):
        made = t.work / (way + (".a" if way == "thin" else ".o"))
        t.command(*words, made, *([built] if way == "thin" else []))
        links.plain(way, made)
    links.check()
    t.command("strip", "--strip-all", t.work / "thin")
    _, capture = t.run(t.work / "thin", verify="part")  # its line tables are stripped
    assert views(t, capture) == views(t, t.work / "plain.gmprof")


def preloaded_runtime_records_all(t):
    """Objects built with runtime=weak know no libgpumemprof; preloaded, it sees their frames."""
    links = Links(t)
    preload = {"LD_PRELOAD": str(t.runtime)}
    for linker in LINKERS:
        for kind, flags in (("-pie", ["-fPIE"]), ("-no-pie", ["-fno-pic"])):
            links.without_runtime(f"weak{kind}-{linker}", f"-fuse-ld={linker}", kind, links.compile(*flags, runtime="weak"),
                        env=preload)
    links.without_runtime("weak19", links.compile(runtime="weak", llvm=19), env=preload)
    links.plain("weak-linked", links.compile(runtime="weak"), "-Wl,--no-as-needed")
    links.check()
    unwanted = t.work / "unwanted.gmprof"
    t.command(t.work / "weak-pie-lld", env={"GPUMEMPROF_OPTIONS": f"output={unwanted}"})
    assert not unwanted.exists()


def static_program(t):
    """Nothing shared at all: the stand-in for CUDA is an object too, and there is no driver to ask for the device."""
    t.command(t.compiler("c"), *t.include_flags(), "-I", t.source / "include", "-c",
              t.source / "test/plugin/Inputs/fake_cuda.c", "-o", t.work / "cuda.o")
    links = Links(t)
    words = [links.compile(), t.work / "cuda.o", t.stage / "lib/libgpumemprof.a"]
    rows = {}
    for way, *flags in (("dynamic",), ("static", "-static"), ("static-pie", "-static-pie"),
                        ("static-lld", "-static", "-fuse-ld=lld", "-Wl,--gc-sections", "-s")):
        program = t.work / way
        t.command(t.compiler("c++"), "-pthread", *flags, *words, "-o", program)
        result, capture = t.run(program, verify="-static" not in str(flags))  # a static program has no unwinder to load
        assert result.out == "done 1\n" and not result.err, result.err
        rows[way] = views(t, capture, lost=["unknown_device"])["path"]["rows"]
        assert rows[way] and rows[way] == rows["dynamic"], way
    check(t.rows(capture, "function")["main"], "main", escaped=64 << 10, incl_alloc=553 << 10)


def static_runtime_of_the_toolkit_finds_no_driver(t):
    t.need_toolkit()
    cudart = f"{t.cuda}/lib64/libcudart_static.a"
    program = t.build("failing", "common/failing.c", runtime=False, status=0, flags=["-c"])
    linked = t.work / "linked"
    t.command("gcc", *t.include_flags(), "-c", t.programs / "common/elsewhere.c", "-o", t.work / "elsewhere.o")
    t.command(t.compiler("c++"), "-static", program, t.work / "elsewhere.o", t.stage / "lib/libgpumemprof.a", cudart,
              "-lpthread", "-ldl", "-lrt", "-o", linked)
    result, capture = t.run(linked, "attempts", verify=False)  # a static program has no unwinder to load
    assert result.out.startswith("status ") and not result.err, result.out + result.err
    check(t.report(capture)["conservation"], "conservation", allocated=0, freed=0, ok=True)
    check(t.rows(capture)["attempts:12"], "attempts:12", failed_calls=1, failed_bytes=1000, self_alloc=0)


def objects_of_two_plugin_versions_in_one_program(t):
    oracle = t.build_oracle()
    found = {}
    for ours, others in ((22, 22), (22, 19), (19, 22)):
        objects = []
        for source, llvm in (("common/two_files.cpp", ours), ("common/two_files_other.cpp", others)):
            objects.append(t.work / f"{pathlib.PurePath(source).name}.{llvm}.o")
            t.command(t.compiler("c++", llvm), "-std=c++20", "-O1", "-DORACLE_OFF", *t.plugin_flags(llvm),
                      *t.include_flags(), "-c", t.programs / source, "-o", objects[-1])
        program = t.work / f"program{ours}{others}"
        t.command(t.compiler("c++"), *objects, oracle, "-o", program, *t.link_flags(), "-pthread")
        _, capture = t.run(program, capture=program.name + ".gmprof")
        found[ours, others] = views(t, capture)
        assert found[ours, others]["path"]["rows"]
        same_report(found[22, 22], found[ours, others], f"{ours} and {others}")


def other_abi_version_does_not_link_or_load(t):
    """The version is part of a symbol's name, which each message then says."""
    other = t.work / "other.o"
    t.command(t.compiler("c"), "-fPIC", *t.plugin_flags(), *t.include_flags(), "-c", t.programs / "common/library.c", "-o", other)
    hooks = (t.stage / "include/gpumemprof/hooks.h").read_text()
    version = int(re.search(r"#define GPUMEMPROF_ABI_VERSION (\d+)", hooks)[1])
    names = [f"__gpumemprof_{name}_v{version}" for name in ("abi", "module", "module_ctor", "module_dtor")]
    t.command("objcopy", *[f"--redefine-sym={name}={name[:-len(str(version))]}{version + 1}" for name in names],
              other)
    for linker in LINKERS:
        done = t.build("ending", "common/ending.c", flags=[f"-fuse-ld={linker}"], link=[other, "-ldl", "-pthread"], status=1)
        assert f"__gpumemprof_abi_v{version + 1}" in done.err, done.err
    shared = t.work / "other.so"
    t.command(t.compiler("c"), "-shared", other, "-o", shared, *t.link_flags())
    program = t.build("loads", "common/loads.c", link=["-ldl", "-pthread"])
    for way in ("closed-below", "lazily"):
        # In part: nothing is allocated, and what paths there are, are made when the program ends.
        result, capture = t.run(program, way, shared, status=2, verify="part")
        assert f"undefined symbol: __gpumemprof_abi_v{version + 1}" in result.err, result.err
        assert t.report(capture)["conservation"]["ok"]


def addresses_of_cuda_functions_are_one_within_an_object(t):
    """Of another object they are others (docs/decisions/08), and lead to the same figures."""
    library = t.build("libaddresses.so", "compilers/addresses.cpp", flags=["-shared", "-fPIC", "-DLIBRARY"])
    other = t.build("other.o", "compilers/addresses.cpp", flags=["-c", "-DOTHER_FILE"])
    for way, flags in (("pie", ["-O1"]), ("unoptimised", ["-O0"]), ("no-pie", ["-O2", "-fno-pic", "-no-pie"])):
        link = [other, library, f"-Wl,-rpath,{t.work}"]
        program = t.build(way, "compilers/addresses.cpp", flags=flags, link=link)
        result, capture = t.run(program)
        assert result.out == "equal\n", (way, result.out)
        rows = t.rows(capture)
        check(rows["main:57"], way, self_alloc=5000, self_net=5000)
        check(rows["main:58"], way, self_alloc=0, self_net=-5000)
        check(rows["main:59"], way, self_alloc=600, self_net=600)
        check(rows["main:60"], way, self_alloc=0, self_net=-600)
