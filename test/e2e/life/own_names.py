"""A program may use names of CUDA functions for things of its own: the runtime takes CUDA's functions from CUDA's
libraries, and the program stays as it is."""
import re

from harness import MIB, check

WORDS = "".join(f"device {n} {n} of 2 2, some memory, a name, its own variable is found\n" for n in (1, 0))


def right(t, way, *sources, words=WORDS, **how):
    program = t.build(way, *sources, **how)
    result, capture = t.run(program, sim="devices=2", capture=way + ".gmprof")
    assert (result.out, result.err) == (words, ""), (way, result.out, result.err)
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), (way, report["losses"])
    found = {d["device"]: (d["peak"], d["live_at_exit"], d["memory_total"] > 0, d["name"]) for d in report["devices"]
             if d["peak"]}
    name = "gpumemprof simulated device"
    assert found == {0: (MIB, MIB, True, name), 1: (2 * MIB, 0, True, name)}, (way, found)
    assert {row["line"]: row["self_alloc"] for row in report["rows"] if row["self_alloc"]} == \
        {16: 2 * MIB, 19: MIB}, (way, report["rows"])


def variables_of_the_same_file(t):
    for llvm in (22, 19):
        for way, *flags in (("own", "-DTOGETHER"), ("static", "-DTOGETHER", "-DLINKAGE=static"),
                            ("no-pie", "-DTOGETHER", "-O2", "-fno-pic", "-no-pie")):
            words = WORDS.replace("its own variable", "another") if way == "static" else WORDS
            right(t, f"{way}{llvm}", "life/own_names.c", flags=["-rdynamic", *flags], llvm=llvm, words=words)


def variables_of_another_file(t):
    for llvm in (22, 19):
        right(t, f"other{llvm}", "life/own_names.c", "life/own_names_table.c", flags=["-rdynamic"], llvm=llvm)
    right(t, "weak", "life/own_names.c", "life/own_names_table.c", flags=["-rdynamic"], runtime="weak",
          link=["-Wl,--no-as-needed", "-L", t.stage / "lib", "-lgpumemprof", f"-Wl,-rpath,{t.stage}/lib"])


def not_rebuilt(t, *flags):
    compiled = t.work / "table.o"
    t.command("gcc", "-fPIC", *flags, "-c", t.programs / "life/own_names_table.c", "-o", compiled)
    return compiled


def variables_of_an_object_that_was_not_rebuilt(t):
    table = not_rebuilt(t)
    for llvm in (22, 19):
        right(t, f"object{llvm}", "life/own_names.c", flags=["-rdynamic"], link=[table, "-ldl"], llvm=llvm)
    right(t, "archive", "life/own_names.c", flags=["-rdynamic"], runtime=False,
          link=[table, t.stage / "lib/libgpumemprof.a", "-ldl", "-pthread"])


def variables_of_a_library_that_was_not_rebuilt(t):
    """It comes before CUDA's library in the link, or its own references would mean the functions there."""
    t.command("gcc", "-shared", not_rebuilt(t), "-o", t.work / "libtable.so")
    for llvm in (22, 19):
        right(t, f"library{llvm}", "life/own_names.c", flags=[t.work / "libtable.so", f"-Wl,-rpath,{t.work}"], llvm=llvm)


def functions_of_the_program_are_not_called(t):
    for llvm in (22, 19):
        right(t, f"functions{llvm}", "life/own_names.c", flags=["-rdynamic"], link=[not_rebuilt(t, "-DFUNCTIONS")], llvm=llvm,
              words="")
        right(t, f"rebuilt{llvm}", "life/own_names.c", "life/own_names_table.c", flags=["-rdynamic", "-DFUNCTIONS"], llvm=llvm,
              words="")


def functions_with_names_of_posix_are_the_programs(t):
    for way, flags in (("optimized", ["-O2"]), ("plain", []), ("exported", ["-rdynamic"])):
        program = t.build(way, "life/posix_names.c", flags=["-fno-builtin", *flags])
        result, capture = t.run(program, capture=f"{way}.gmprof", options="dump=signal:USR2")
        assert result.out == "its own\n", (way, result.out, result.err)
        report = t.report(capture)
        assert not any(report["losses"].values()), report["losses"]
        check(report["conservation"], "conservation", ok=True, allocated=1500, freed=1000)


def names_that_the_library_takes_from_others_are_reserved(t):
    """A program may define every other name for itself, and the library would call that. Reserved by ISO C: mem* and
    str* with a small letter behind, and what its headers declare; by the implementation: two underscores, or one and
    a capital letter; of POSIX, whose prefix no program takes for its own: pthread_ and dl. The linker adds the two other
    names of __environ, to which nothing refers."""
    reserved = re.compile(r"(mem|str)[a-z]+|getenv|rename|_[_A-Z].*|pthread_.*|dl[a-z_]+|environ|_environ")
    needed = t.command("nm", "-D", "--undefined-only", t.stage / "lib/libgpumemprof.so").out.split("\n")
    names = [line.split()[-1].split("@")[0] for line in needed if line]
    assert len(names) > 20 and not [name for name in names if not reserved.fullmatch(name)], \
        [name for name in names if not reserved.fullmatch(name)]
