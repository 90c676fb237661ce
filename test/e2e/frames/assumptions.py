"""A call is assumed to be harmless only by the exact name of a library's function. Where that was wrong all the same, it is
a counted loss and one sentence with the remedy, and figures are right with that remedy."""
import re

from harness import check


def expected_lines(t, source):
    """Lines of main's file with the bytes their calls allocate: written behind them."""
    found = {}
    for number, text in enumerate((t.programs / source).read_text().splitlines(), 1):
        if match := re.search(r"/\* (\d+) \*/", text):
            found[number] = int(match[1])
    return found


def judge(t, capture, source):
    """Each such line has its bytes, in whatever function, and nothing is said to be lost."""
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    name = source.rsplit("/", 1)[1]
    for line, size in expected_lines(t, source).items():
        rows = [r for r in report["rows"] if r["line"] == line and r["file"].endswith("/" + name)]
        assert rows, (line, [(r["function"], r["line"]) for r in report["rows"]])
        check(rows[0], f"{name}:{line}", incl_alloc=size)


def lost(t, result, capture, word):
    """A loss that the report prints, and the sentence once, with what to write."""
    losses = t.report(capture)["losses"]
    assert losses["assumed_wrongly"] >= 1, losses
    said = [line for line in result.err.splitlines() if "GPU memory moved in" in line]
    assert said and all(line.endswith(f"allocates:{word}") for line in said), result.err
    assert "assume to be harmless" in t.gpumemprof("report", capture).out


def remedy(t, word):
    path = t.work / "filter"
    path.write_text(f"allocates:{word}\n")
    return path


def flags(t, level):
    return [level, "-isystem", t.programs / "frames/assumed/system"]


def names_of_the_program_keep_their_lines(t):
    lines = expected_lines(t, "frames/assumed/names.c")
    ends = [line for line, size in lines.items() if size == 13000]
    for llvm, level in (22, "-O0"), (22, "-O2"), (19, "-O2"):
        program = t.build("names", "frames/assumed/names.c", "frames/assumed/names_other.c", flags=flags(t, level), llvm=llvm)
        for arguments in [], ["indirect"]:
            _, capture = t.run(program, *arguments)
            report = t.report(capture)
            assert not any(report["losses"].values()), report["losses"]
            rows = t.rows(capture)
            for line in {*lines, *ends} - {ends[1 if arguments else 0]}:
                check(rows[f"main:{line}"], f"main:{line}", incl_alloc=lines[line])


def templates_over_types_of_the_program_keep_their_lines(t):
    for level in "-O0", "-O2":
        program = t.build("templates", "frames/assumed/templates.cpp", "frames/assumed/templates_other.cpp", flags=flags(t, level))
        judge(t, t.run(program)[1], "frames/assumed/templates.cpp")


def contradiction(t, name, word, *others):
    source = f"frames/assumed/{name}"
    for llvm, level in (22, "-O0"), (22, "-O2"), (19, "-O2"):
        program = t.build("wrong", source, *others, flags=flags(t, level), llvm=llvm)
        lost(t, *t.run(program), word)
        program = t.build("right", source, *others, flags=flags(t, level), llvm=llvm, filter=remedy(t, word))
        result, capture = t.run(program)
        assert "GPU memory moved" not in result.err, result.err
        judge(t, capture, source)
        program = t.build("every", source, *others, flags=flags(t, level), llvm=llvm, mode="every")
        result, capture = t.run(program)
        assert "GPU memory moved" not in result.err, result.err
        judge(t, capture, source)


def replaced_operator_new_is_noticed(t):
    contradiction(t, "memory.cpp", "_Znwm", "frames/assumed/memory_other.cpp")


def stream_buffer_that_moves_memory_is_noticed(t):
    contradiction(t, "streams.cpp", "std::basic_streambuf", "frames/assumed/streams_buffer.cpp", "frames/assumed/streams_maker.cpp")


def destructor_of_an_exception_is_noticed(t):
    contradiction(t, "exceptions.cpp", "__cxa_end_catch", "frames/assumed/exceptions_other.cpp")


def error_handler_that_moves_memory_is_noticed(t):
    contradiction(t, "ends.c", "dies", "frames/assumed/names_other.c")


def broken_promise_of_a_filter_is_noticed(t):
    promise = t.work / "promise"
    promise.write_text("harmless:quiet_one\n")
    other = t.work / "other.o"
    t.command(t.compiler("c"), *t.plugin_flags(), *t.include_flags(), "-DOTHER", "-c", t.programs / "frames/assumed/promised.c", "-o", other)
    program = t.build("promised", "frames/assumed/promised.c", link=[other], filter=promise)
    lost(t, *t.run(program), "quiet_one")


def library(t, name, source, *more, **options):
    built = t.work / name
    t.command(t.compiler("c++" if source.endswith("pp") else "c"), "-O1", "-shared", "-fPIC", *t.plugin_flags(**options),
              *t.include_flags(), *more, t.programs / source, "-o", built, *t.link_flags())
    return built


def function_of_another_library_is_compared_by_where_it_is_found(t):
    replaced = library(t, "libreplaced.so", "frames/assumed/memory_other.cpp")
    program = t.build("program", "frames/assumed/memory.cpp", link=[replaced, f"-Wl,-rpath,{t.work}"])
    lost(t, *t.run(program), "_Znwm")
    # link() of main is the C library's, whatever the library calls its own.
    own = library(t, "libanother.so", "frames/assumed/another.c", "-DLIBRARY")
    program = t.build("another", "frames/assumed/another.c", link=[own, f"-Wl,-rpath,{t.work}"])
    result, capture = t.run(program)
    assert "GPU memory moved" not in result.err, result.err
    report = t.report(capture)
    assert not any(report["losses"].values()), report["losses"]


def tables_survive_the_linker(t):
    """--gc-sections of two linkers: nothing but the ends of their sections refers to them."""
    for linker in "bfd", "lld":
        program = t.build(linker, "frames/assumed/memory.cpp", "frames/assumed/memory_other.cpp",
                          flags=["-O1", "-ffunction-sections", "-fdata-sections"],
                          link=[f"-fuse-ld={linker}", "-Wl,--gc-sections"])
        lost(t, *t.run(program), "_Znwm")


def runtime_that_is_off_says_nothing(t):
    program = t.build("off", "frames/assumed/memory.cpp", "frames/assumed/memory_other.cpp")
    result = t.command(program, env={"GPUMEMPROF": "0"})
    assert not result.err, result.err
