"""Budgets in the source: which are kept and which broken, how often, by how much and on which path, however
scopes end and whatever thread frees; the program's own output and exit status stay what they were."""
import json
import re
import signal

KIB = 1 << 10
OVER = 64 * KIB


def _check(t, capture, status=1):
    """{"function" or "function {block}" and budget: what check says}"""
    found = json.loads(t.gpumemprof("check", capture, "--format", "json", status=status).out)
    assert found["conservation"]["ok"] and not any(found["losses"].values()), found
    budgets = {}
    for b in found["budgets"]:
        key = b["function"] + (f" {{{b['block']}}}" if b["block"] else "") + " " + b["budget"]
        assert key not in budgets, key
        budgets[key] = b
    return budgets


def _expect(budgets, broken, kept, undecided=()):
    """broken: key -> (bytes, times, paths, blocks)"""
    found = {key: (b["bytes"], b["times"], b["paths"], b["blocks"])
             for key, b in budgets.items() if b["verdict"] == "broken"}
    assert found == broken, f"broken: {found}\nnot:    {broken}"
    rest = {key: b["verdict"] for key, b in budgets.items() if b["verdict"] != "broken"}
    assert rest == {**{k: "kept" for k in kept}, **{k: "undecided" for k in undecided}}, rest
    for key, b in budgets.items():
        none = b["bytes"] is None and b["times"] == 0 and b["paths"] == 0 and b["path"] is None
        assert none or b["verdict"] == "broken", (key, b)


def _program(t, name="budgets", **options):
    if (t.work / name).exists():
        return t.work / name
    return t.build(name, "limits/budgets.cpp", flags=options.pop("flags", ["-O2", "-Wall", "-Wextra", "-Werror"]), **options)


def _part(t, *arguments, status=7, found=1, **options):
    result, capture = t.run(_program(t, **options), *arguments, status=status)
    assert result.out == arguments[0] + "\n", result.out
    lines = result.err.splitlines()
    assert all(line.startswith("gpumemprof: ") for line in lines), result.err
    return _check(t, capture, found), lines


# ---- each kind ------------------------------------------------------------------------------------

SINGLE = {
    "over budget": (OVER + 1, 2, 2, None),
    "allocates no_alloc": (3 * 12 * KIB, 6, 1, None),
    "hides no_leak": (32 * KIB, 1, 1, 1),
    "leaves no_leak": ((4 + 5 + 6) * KIB, 3, 1, 3),
    "leaves_pinned no_leak": (3 * KIB, 1, 1, 1),
    "failed_free_leaves_it no_leak": (5 * KIB, 1, 1, 1),
}
SINGLE_KEPT = ["exact budget", "shrinks budget", "pinned_is_not_on_the_device budget", "only_frees no_alloc",
               "fails no_alloc", "takes_pieces no_alloc", "tidy no_leak"]


def each_kind_kept_and_broken(t):
    budgets, lines = _part(t, "single")
    _expect(budgets, SINGLE, SINGLE_KEPT)
    limits = {key: b["limit"] for key, b in budgets.items()}
    assert limits["over budget"] == OVER and limits["shrinks budget"] == 0 and limits["tidy no_leak"] is None, limits
    # Once for each call path: `over` is called on two lines. What `fails` asks for has a message of its own.
    assert sum("out of memory" in line for line in lines) == 1 and len(lines) == 8, "\n".join(lines)


def messages_name_the_line_and_the_path(t):
    source = (t.programs / "limits/budgets.cpp").read_text(encoding="utf-8").splitlines()
    first = {name: next(n for n, text in enumerate(source, 1) if name in text)
             for name in ("static void over(", "over(true);", "single();", "static void hides(", "return cudaMalloc(&p")}
    path = str(t.programs / "limits/budgets.cpp")
    main = next(n for n, text in enumerate(source, 1) if '"single")) single();' in text)
    _, lines = _part(t, "single")
    assert lines[0] == (
        f"gpumemprof: budget of 64.00 KiB exceeded by 1 B in over ({path}:{first['static void over(']}): 64.00 KiB needed on "
        f"top of what was there; called from {path}:{main} main > {path}:{first['over(true);']} single"), lines[0]
    allocates = [text for text in lines if "NO_ALLOC" in text]
    assert len(allocates) == 1 and re.search(r"NO_ALLOC broken in allocates \(\S+:\d+\): allocated at \S+:\d+ allocates; "
                                             r"called from \S+:\d+ main > \S+:\d+ single$", allocates[0]), allocates
    hides = next(text for text in lines if "hides" in text)
    assert f"NO_LEAK broken in hides ({path}:{first['static void hides(']}): 32.00 KiB in 1 block left, allocated at " \
           f"{path}:{first['return cudaMalloc(&p']} take; called from " in hides, hides


def more_than_eight_are_said_to_be_more(t):
    _, lines = _part(t, "recursion")
    assert len(lines) == 9 and lines[8].endswith("more budgets were broken; 'gpumemprof check' lists them all"), lines


def blocks_and_scopes_in_scopes(t):
    budgets, _ = _part(t, "blocks")
    _expect(budgets, {
        "outer_kept budget": (OVER, 1, 1, None),
        "leaves no_leak": (4 * KIB, 1, 1, 1),
        "blocks {clean} no_leak": (KIB, 1, 1, 1),
        "blocks {loud} no_alloc": (13 * KIB, 2, 1, None),
        "blocks {loud inside} no_alloc": (6 * KIB, 1, 1, None),
    }, ["outer_kept no_leak", "over budget", "blocks {room} budget", "blocks {quiet} no_alloc"])


def each_level_of_a_recursion_is_judged(t):
    budgets, _ = _part(t, "recursion")
    needs = [16 * KIB * n for n in (5, 4, 3, 2, 1, 2, 1)]  # by level of deeper(5) and deeper(2)
    too_much = [n for n in needs if n > 48 * KIB]
    _expect(budgets, {
        "deeper budget": (max(too_much), len(too_much), 2, None),
        "deeper no_alloc": (7 * 16 * KIB, 7, 7, None),
        "leaves_at no_leak": (2 * KIB, 3, 3, 1),  # levels 2, 3 and 4
    }, ["hand_down no_leak"])


def block_costs_the_same_in_a_deep_nest(t):
    # Not verified: the nest is deeper than the part of the machine stack that is recorded, and the times are compared.
    result, capture = t.run(_program(t), "deep", status=7, verify=False)
    shallow, deep = map(int, re.fullmatch(r"deep\npairs (\d+) (\d+)\n", result.out).groups())
    assert deep < 5 * shallow, (shallow, deep)
    _expect(_check(t, capture), {"nest no_leak": (3 * KIB, 9, 9, 1)}, [])


# ---- threads --------------------------------------------------------------------------------------

THREADS, ROUNDS = 6, 40


def threads_in_one_function_at_once(t):
    rounds = [(i, r) for i in range(THREADS) for r in range(ROUNDS)]
    peaks = [(i + 1 + r % 8 + 1) * KIB for i, r in rounds]
    left = [(r % 8 + 1) * KIB for i, r in rounds if (i * 7 + r) % 5 == 0]
    for _ in range(3):
        budgets, _ = _part(t, "threads")
        _expect(budgets, {
            "work budget": (max(peaks), sum(p > 9 * KIB for p in peaks), 1, None),
            "work no_leak": (max(left), len(left), 1, 1),
        }, [])


def blocks_that_another_thread_frees(t):
    budgets, _ = _part(t, "freed elsewhere")
    _expect(budgets, {"others_free no_leak": (9 * KIB, 1, 1, 1)}, [])


def work_handed_over(t):
    leak, later = (12 * KIB, 1, 1, 1), 1
    budgets, _ = _part(t, "delegated")
    assert budgets["hand_over budget"]["verdict"] == "kept", budgets  # 12 + 12 KiB of two threads
    found = budgets["hand_over no_alloc"]
    assert (found["bytes"], found["times"]) == ((12 + 12 + 1) * KIB, 2 + later), found
    assert tuple(budgets["hand_over no_leak"][k] for k in ("bytes", "times", "paths", "blocks")) == leak, budgets
    budgets, _ = _part(t, "delegated", "own")
    found = budgets["hand_over budget"]
    assert (found["bytes"], found["times"], found["limit"]) == (26 * KIB, 1, 24 * KIB), found
    assert budgets["hand_over no_alloc"]["times"] == 3 + later, budgets


def graphs_allocate_where_they_are_launched(t):
    budgets, _ = _part(t, "graphs")
    _expect(budgets, {"launch no_leak": (10 * KIB, 1, 1, 1), "launch no_alloc": (4 * 10 * KIB, 4, 2, None)}, [])


def fibers_in_one_function_by_turns(t):
    budgets, _ = _part(t, "fibers")
    _expect(budgets, {"turns budget": (31 * KIB, 1, 1, None), "turns no_leak": (KIB, 1, 1, 1)}, [])


# ---- ends -----------------------------------------------------------------------------------------

def every_way_out_of_a_scope(t):
    budgets, _ = _part(t, "ways out")
    expected = {"jumps {jumped over} no_alloc": (9 * KIB, 2, 1, None)}
    for name in ("throws", "jumps", "thread_ends"):
        expected[f"{name} budget"] = (5 * KIB, 1, 1, None)
        expected[f"{name} no_leak"] = (5 * KIB, 2, 1, 1)
    _expect(budgets, expected, [])


def scopes_that_are_open_at_the_end(t):
    for part, status in (("killed", -signal.SIGKILL), ("exit", 3)):
        allocated = {"ends_inside no_alloc": (KIB, 1, 1, None)}
        budgets, _ = _part(t, part, status=status)
        _expect(budgets, allocated, ["ends_inside budget"], ["ends_inside no_leak"])
        budgets, _ = _part(t, part, "more", status=status)
        _expect(budgets, {"ends_inside no_alloc": (11 * KIB, 1, 1, None), "ends_inside budget": (11 * KIB, 1, 1, None)},
                [], ["ends_inside no_leak"])


def a_forked_child_is_judged_by_itself(t):
    program = _program(t)
    _, capture = t.run(program, "fork", status=7)
    _expect(_check(t, capture), {"over budget": (OVER + 1, 1, 1, None)}, ["forks_inside no_leak"])
    children = sorted(t.work.glob("run.gmprof.*"), key=lambda path: int(path.suffix[1:]))
    assert len(children) == 2, children
    _expect(_check(t, children[0]), {"forks_inside no_leak": (2 * KIB, 1, 1, 1)}, [])
    _expect(_check(t, children[1]), {"leaves no_leak": (9 * KIB, 1, 1, 2)}, ["exact budget"])


# ---- compilers ------------------------------------------------------------------------------------

def _alike(t, part, *builds):
    found = []
    for name, options in builds:
        budgets, _ = _part(t, part, name=name, **options)
        for b in budgets.values():
            del b["first_ns"]
        found.append(json.dumps(budgets, sort_keys=True))
    assert len(set(found)) == 1, "\n".join(found)


def the_same_at_every_level(t):
    for part in ("single", "blocks", "recursion", "ways out"):
        _alike(t, part, ("o0", {"flags": ["-O0"]}), ("o2", {"flags": ["-O2"]}), ("o3", {"flags": ["-O3"]}))


def the_same_by_clang_19(t):
    for part in ("single", "recursion"):
        _alike(t, part, ("by22", {}), ("by19", {"llvm": 19}))


def the_same_with_lto(t):
    _alike(t, "single", ("plain", {}), ("thin", {"flags": ["-O2", "-flto=thin", "-fuse-ld=lld"]}))


def annotated_mode_has_budgets(t):
    budgets, _ = _part(t, "single", mode="annotated")
    for key, figures in SINGLE.items():
        b = budgets[key]
        assert (b["bytes"], b["times"]) == figures[:2], (key, b)


# ---- nothing of it changes the program ------------------------------------------------------------

def nothing_is_said_or_done_without_the_profiler(t):
    plain = t.command(_program(t, "plain", plugin=False, runtime=False), "single", status=7)
    assert (plain.out, plain.err) == ("single\n", ""), plain.err
    off = t.command(_program(t), "single", status=7, env={"GPUMEMPROF": "0"})
    assert (off.out, off.err) == ("single\n", ""), off.err
    gcc = t.work / "gcc"
    t.command("g++", "-std=c++20", "-pthread", "-Wall", "-Wextra", "-Werror", "-Wno-attributes", *t.include_flags(),
              t.programs / "limits/budgets.cpp", "-o", gcc, *t.link_flags(runtime=False))
    result = t.command(gcc, "blocks", status=7)
    assert (result.out, result.err) == ("blocks\n", ""), result.err


def a_bad_size_is_refused(t):
    source = t.work / "bad.c"
    source.write_text('#include <cuda_runtime.h>\n#include <gpumemprof/gpumemprof.h>\nint main(void) {\n'
                      '  GPUMEMPROF_SCOPE_BUDGET("all", "12 parsecs");\n  void *p;\n  return cudaMalloc(&p, 100);\n}\n')
    result = t.build("refused", source, status=1)
    assert "GPUMEMPROF_SCOPE_BUDGET wants a whole number with a unit, such as 512MiB or 24GiB, not '12 parsecs' (" \
        in result.err and "bad.c:4" in result.err, result.err
    # Another compiler lets it pass: its block, around calls of rebuilt code, is no budget.
    caller = t.work / "caller.c"
    caller.write_text(source.read_text().replace("int main(void)", "int called(void)").replace("cudaMalloc(&p, 100)",
                                                                                              "take(&p)")
                      .replace("void *p;", "void *p; int take(void **);"))
    rebuilt = t.work / "rebuilt.c"
    rebuilt.write_text("#include <cuda_runtime.h>\nint called(void);\nint take(void **p) { return cudaMalloc(p, 100); }\n"
                       "int main(void) { return called(); }\n")
    t.command("gcc", *t.include_flags(), "-c", caller, "-o", t.work / "caller.o")
    program = t.build("passed", rebuilt, link=[t.work / "caller.o"])
    result, capture = t.run(program)
    assert result.err.count("\n") == 1 and 'caller.c:4: the budget "12 parsecs" is no size and is ignored; write a ' \
        "whole number with a unit" in result.err, result.err
    assert not _check(t, capture, status=0)


def report_names_what_is_broken(t):
    _, capture = t.run(_program(t), "single", status=7)
    text = t.gpumemprof("report", capture).out
    named = [line for line in text.splitlines() if line.startswith("budgets:")]
    assert len(named) == 1 and named[0].startswith("budgets: 6 broken (") and "over" in named[0] \
        and named[0].endswith("`gpumemprof check` tells how"), named
    _, capture = t.run(_program(t), "nothing", status=7)
    assert "budgets:" not in t.gpumemprof("report", capture).out
    assert t.gpumemprof("check", capture, "--allow-incomplete").out.splitlines()[-1].startswith("nothing to check: ")
    assert "nothing was recorded" in t.gpumemprof("check", capture, status=2).out


def run_that_was_paused_or_aborted_is_not_kept(t):
    """Nothing broke a limit, as nothing was recorded, or not all that would have been done."""
    program = t.build("early", "limits/early_ends.c")
    for way, options, status, why in (("ends", "", 0, None), ("ends", "paused=1", 0, "recording was paused all the time"),
                                      ("scoped", "", 0, None), ("scoped", "paused=1", 0, "recording was paused all the time"),
                                      ("aborts", "", -6, "was killed or aborted"), ("leaves", "", 3, "called _exit")):
        _, capture = t.run(program, way, status=status, options=options)
        text = t.gpumemprof("check", capture, "--max-peak", "1GiB", status=2 if why else 0).out
        assert (why or "passed: 1 of 1 limit met") in text, (way, text)
        assert "passed: 1 of 1 limit met\n" in t.gpumemprof("check", capture, "--max-peak", "1GiB", "--allow-incomplete").out


def the_history_makes_the_same_figures(t):
    for part in ("single", "threads", "delegated"):
        _, capture = t.run(_program(t), part, status=7, options="history=all")
        t.gpumemprof("events", "--replay", capture)
        t.gpumemprof("check", capture, status=1)


def what_a_reset_forgets_stays_broken_and_a_pause_breaks_nothing(t):
    budgets, lines = _part(t, "reset")
    _expect(budgets, {"over_once budget": (96 * KIB, 1, 1, None), "allocates_once no_alloc": (0, 1, 1, None),
                      "resets_inside no_leak": (5 * KIB, 1, 1, 1)}, ["while_paused budget", "while_paused no_leak"])
    assert len(lines) == 3, lines
