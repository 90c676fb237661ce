"""Which functions are levels of a path, and which line is above them, where the language hides it: handlers, variants of
constructors, copies of functions, returns that come twice, error handlers that somebody catches (programs/frames/levels/)."""

from harness import Skip, check

WAYS = ((22, "-O0"), (22, "-O2"), (19, "-O1"))


def _paths(t, *sources, flags=(), llvm=22, **options):
    """Of each path, as `main:50>one:19`: its row; and of the report: its losses."""
    program = t.build("program", *(f"frames/levels/{source}" for source in sources), flags=flags, llvm=llvm, **options)
    _, capture = t.run(program, options="history=all")
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    report = t.report(capture, "path")
    assert report["conservation"]["ok"], report["conservation"]
    rows = {">".join(f"{p['function']}:{p['line']}" if p["line"] else "?" for p in row["path"]): row for row in report["rows"]}
    return rows, {name: count for name, count in report["losses"].items() if count}


def _moved(rows, figure="self_alloc"):
    return {path: row[figure] for path, row in rows.items() if row[figure]}


def exit_handlers_are_not_below_the_function_that_threw(t):
    for llvm, level in WAYS:
        rows, losses = _paths(t, "catch_exits.cpp", flags=[level], llvm=llvm)
        assert not losses, losses
        assert _moved(rows) == {"main:25>work:18>Load::run:11": 1000, "main:27>at_end:15": 3000}, (level, _moved(rows))


def constructor_that_does_more_than_hand_on_is_a_level(t):
    for llvm, level in WAYS:
        rows, losses = _paths(t, "structors.cpp", flags=[level], llvm=llvm)
        assert not losses, losses
        moved = _moved(rows)
        assert sum(moved.values()) == 2000 + 1500 + 70 + 8, moved
        inside = {path: size for path, size in moved.items() if path.endswith("Node::Node:15")}
        assert sorted(inside.values()) == [1000, 1000] and any(path.endswith("Node::Node:14>Node::Node:15") for path in inside), moved
        freed = {path: row for path, row in rows.items() if row["freed_own"] or row["freed_others"]}
        assert any("Node::~Node:18>Node::~Node:19" in path for path in freed), sorted(freed)


def profiled_destructor_that_only_destroys_a_member_counts_its_calls(t):
    for llvm, level in WAYS:
        program = t.build("program", "frames/levels/structors.cpp", flags=[level], llvm=llvm)
        _, capture = t.run(program)
        functions = t.rows(capture, "function")
        check(functions["Plain::~Plain"], "Plain::~Plain", calls=3)
        assert "Owner::~Owner" in functions and "Derived::~Derived" not in functions, sorted(functions)


def copy_of_a_variadic_function_is_a_level(t):
    for llvm, level in WAYS:
        rows, losses = _paths(t, "variadic.cpp", flags=[level], llvm=llvm)
        assert not losses, losses
        assert _moved(rows) == {"main:32>call:28>D::make:24": 1000}, _moved(rows)


def function_that_returns_twice_by_an_invoke_takes_its_frame_back(t):
    if t.processor != "x86_64":
        raise Skip("its setjmp is written for x86-64")
    for llvm, level in WAYS:
        rows, losses = _paths(t, "own_setjmp.cpp", flags=[level], llvm=llvm)
        assert not losses, losses
        assert _moved(rows) == {"main:42>jumper:27": 1000, "main:39>big:33": 500}, _moved(rows)
        assert not any("jumper" in path for path, row in rows.items() if row["freed_own"] or row["freed_others"]), sorted(rows)


def error_handler_that_somebody_caught_is_above_nothing(t):
    for llvm, level in WAYS:
        for others in ([], ["error_notes.cpp"]):
            more = {} if others else {"link": [_notes(t)]}
            rows, losses = _paths(t, "error_caught.cpp", *others, flags=[level], llvm=llvm, **more)
            assert not losses, losses
            assert _moved(rows) == {"main:31>make:26": 1000}, _moved(rows)


def _notes(t):
    built = t.work / "notes.o"
    t.command(t.compiler("c++"), "-O1", "-c", t.programs / "frames/levels/error_notes.cpp", "-o", built)
    return built


def exception_of_another_file_is_destroyed_below_its_handler(t):
    """What the remedy of the sentence names has to help."""
    said = t.work / "said"
    said.write_text("allocates:Held::~Held\n")
    for llvm, level in WAYS:
        rows, losses = _paths(t, "held.cpp", "held_thrown.cpp", flags=[level], llvm=llvm, filter=said)
        assert not losses, losses
        freed = {path for path, row in rows.items() if row["freed_own"] or row["freed_others"]}
        assert freed and not any(">two" in path or ">one" in path for path in freed), freed


def line_that_resumes_a_coroutine_needs_what_all_that_ran_keep(t):
    for llvm, level in WAYS:
        program = t.build("program", "frames/levels/symmetric.cpp", flags=[level], llvm=llvm)
        _, capture = t.run(program, options="history=all")
        check(t.rows(capture)["main:44"], "main:44", own_peak_max=3000, incl_alloc=3000)
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
