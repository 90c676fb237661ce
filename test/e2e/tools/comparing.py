"""gpumemprof diff and check: random programs are edited (lines inserted and taken out, functions reordered, a variable renamed,
sizes changed) and moved to another folder; every line is found again, with the figures that the programs themselves count."""
import json
import random
import sys

import repeats

HEAD = """#include <cuda_runtime.h>
#include <stdio.h>
static struct { size_t allocated, live, at_peak, blocks, live_blocks; } own[200];
static size_t total, peak;
static void took(int id, size_t bytes) {
  own[id].allocated += bytes, own[id].live += bytes, own[id].blocks++, own[id].live_blocks++;
  total += bytes;
  if (total <= peak) return;
  peak = total;
  for (int i = 0; i < 200; i++) own[i].at_peak = own[i].live;
}
static void gave(int id, size_t bytes) {
  own[id].live -= bytes, own[id].live_blocks--;
  total -= bytes;
}
"""
TAIL = """  printf("{\\"peak\\": %zu", peak);
  for (int i = 0; i < 200; i++)
    printf(", \\"%d\\": {\\"self_at_peak\\": %zu, \\"self_alloc\\": %zu, \\"leaked\\": %zu, \\"blocks\\": %zu, \\"leaked_blocks\\": %zu}",
           i, own[i].at_peak, own[i].allocated, own[i].live, own[i].blocks, own[i].live_blocks);
  printf("}\\n");
  return 0;
}
"""
FIGURES = ("self_at_peak", "self_alloc", "leaked", "blocks", "leaked_blocks")


class Program:
    """Functions of allocations; `alike` ones have the same variable and size, and differ only by the text of their line."""

    def __init__(self, rng):
        self.rng, self.last = rng, 0
        self.functions = {f"f{i}": {"calls": rng.randrange(1, 4), "parts": []} for i in range(rng.randrange(3, 7))}
        for name in self.functions:
            for _ in range(rng.randrange(1, 6)):
                self.insert(name)
        self.order, self.remarks = list(self.functions), 0

    def insert(self, name):
        self.last += 1
        alike = self.rng.random() < 0.4
        parts = self.functions[name]["parts"]
        parts.insert(self.rng.randrange(len(parts) + 1),
                     {"id": self.last, "variable": "p" if alike else f"v{self.last}", "count": self.rng.randrange(1, 1 << 20),
                      "freed": self.rng.random() < 0.6})

    def edit(self):
        """What was done, by id: new, gone, renamed."""
        done, rng = {}, self.rng
        names = list(self.functions)
        renamed = rng.choice(names)  # nothing else changes there: what is left over must be no question
        for name in names:
            parts = self.functions[name]["parts"]
            for part in parts:
                if rng.random() < 0.3:
                    part["count"] = rng.randrange(1, 1 << 20)
            if name == renamed:
                unique = [p for p in parts if p["variable"] != "p"]
                if unique:
                    part = rng.choice(unique)
                    part["variable"] += "_called_otherwise"
                    done[part["id"]] = "renamed"
                continue
            if rng.random() < 0.5:  # one of both, as they would be one renamed line
                self.insert(name)
                done[self.last] = "new"
            elif len(parts) > 1 and rng.random() < 0.5:
                done[parts.pop(rng.randrange(len(parts)))["id"]] = "gone"
        rng.shuffle(self.order)
        self.remarks = rng.randrange(1, 4)
        return done

    def write(self, path):
        """Returns {id: (function, line)} and {function: line of its call}."""
        lines, at, calls = HEAD.splitlines(), {}, {}
        for name in self.order:
            lines += [f"static void {name}(int round) {{", "  (void)round;"]
            for part in self.functions[name]["parts"]:
                lines += ["  // a remark"] * self.rng.randrange(self.remarks + 1)
                variable, bytes_ = part["variable"], "count * sizeof(float)"
                lines += ["  {", f"    size_t count = {part['count']};", f"    float *{variable};"]
                blank = "" if self.rng.random() < 0.5 else " "  # the size is written otherwise, and still the same
                lines += [f"    cudaMalloc((void **)&{variable}, {bytes_.replace(' ', blank)}); took({part['id']}, {bytes_});"]
                at[part["id"]] = (name, len(lines))
                if part["freed"]:
                    lines += [f"    cudaFree({variable}); gave({part['id']}, {bytes_});"]
                lines += ["  }"]
            lines += ["}"]
        lines += ["int main(void) {"]
        for name in sorted(self.functions):
            lines += ["  // a remark"] * self.rng.randrange(self.remarks + 1)
            lines += [f"  for (int i = 0; i < {self.functions[name]['calls']}; i++)", f"    {name}(i);"]
            calls[name] = len(lines)
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n" + TAIL)
        return at, calls


def _run(t, program, version):
    source = t.work / version / "edited.c"
    places = program.write(source)
    result, capture = t.run(t.build(version + "_built", source, flags=["-O2"]), capture=f"{version}.gmprof")
    return capture, json.loads(result.out), *places


def _expected_status(old, new):
    if old is None or new is None:
        return "new" if old is None else "gone"
    for figure in FIGURES:
        if old[figure] != new[figure]:
            return "grown" if new[figure] > old[figure] else "shrunk"
    return "same"


def _check(t, seed):
    program = Program(random.Random(seed))
    before, old, old_at, old_calls = _run(t, program, "before")
    done = program.edit()
    after, new, new_at, new_calls = _run(t, program, "after")
    changes = json.loads(t.gpumemprof("diff", before, after, "--sort", "self_at_peak", "--columns", ",".join(FIGURES),
                                      "--format", "json").out)
    rows = {(row["function"], row["line_a"], row["line_b"]): row for row in changes["rows"]}
    assert len(rows) == len(changes["rows"]), "two rows of one place"
    for part in old_at.keys() | new_at.keys():
        function = (new_at.get(part) or old_at[part])[0]
        key = (function, old_at[part][1] if part in old_at else None, new_at[part][1] if part in new_at else None)
        assert key in rows, f"seed {seed}: {part} ({done.get(part)}) is not {key}; that function has " \
            f"{[k for k in rows if k[0] == function]}"
        row = rows[key]
        counted = [own[str(part)] if part in at else None for own, at in ((old, old_at), (new, new_at))]
        assert [row["a"], row["b"]] == counted, (seed, part, row, counted)
        for figure in FIGURES:
            by = (counted[1] or {}).get(figure, 0) - (counted[0] or {}).get(figure, 0)
            assert row["difference"][figure] == by, (seed, part, figure, row, by)
        assert row["status"] == _expected_status(*counted), (seed, part, row["status"], counted)
        assert row["renamed"] == (done.get(part) == "renamed"), (seed, part, row)
    for function, line in new_calls.items():
        row = rows["main", old_calls[function], line]
        assert row["callee"] == function and row["status"] == "same", row
    # Nothing else came or went: an allocation that did may have its free with it.
    frees = [row for row in changes["rows"] if row["callee"] == "cudaFree" and row["status"] in ("new", "gone")]
    others = [row for row in changes["rows"] if row["status"] in ("new", "gone") and row not in frees]
    assert len(others) == sum(how != "renamed" for how in done.values()) and len(frees) <= len(others), (seed, others, frees)
    _check_totals(changes, old, new)
    _check_functions(t, before, after, (old, old_at), (new, new_at))
    return done


def _check_totals(changes, old, new):
    totals = changes["totals"]
    assert totals.pop("ok")
    for figure, total in totals.items():
        counted = [sum(part[figure] for key, part in own.items() if key != "peak") for own in (old, new)]
        if figure == "self_at_peak":
            assert counted == [old["peak"], new["peak"]]
        assert [total["a"], total["b"]] == counted, (figure, total, counted)
        assert total["difference"] == total["of_rows"] == counted[1] - counted[0] == \
            sum(row["difference"][figure] for row in changes["rows"]), (figure, total)


def _check_functions(t, before, after, *versions):
    changes = json.loads(t.gpumemprof("diff", before, after, "--by", "function", "--format", "json").out)
    assert all(row["status"] not in ("new", "gone") for row in changes["rows"]) and changes["totals"]["ok"]
    for row in changes["rows"]:
        for side, (own, at) in zip("ab", versions):
            for figure in FIGURES:
                counted = sum(own[str(part)][figure] for part, (function, _) in at.items() if function == row["function"])
                assert row[side][figure] == counted, (row["function"], side, figure, row[side][figure], counted)


def edited_programs_1_to_8(t):
    done = [how for seed in range(1, 9) for how in _check(t, seed).values()]
    assert {"new", "gone", "renamed"} <= set(done), done


def edited_programs_9_to_16(t):
    for seed in repeats.seeds(9, 8, 4):
        _check(t, seed)


# ---- check ------------------------------------------------------------------------------------------

def _judge(t, capture, *options, status):
    verdict = json.loads(t.gpumemprof("check", capture, *options, "--format", "json", status=status).out)
    return {limit["name"]: limit for limit in verdict["limits"]}


def _in_other_formats(t, capture, *options):
    """What CI reads, checked: lines of `ci_formats.py`."""
    for kind in ("sarif", "junit"):
        path = t.work / f"checked.{kind}"
        path.write_text(t.gpumemprof("check", capture, *options, "--format", kind, status=None).out)
        yield t.command(sys.executable, t.source / "test/tools/lit/Inputs/ci_formats.py", kind, path).out.splitlines()


def _grown(old, new, percent, size):
    """{rule: {line: (value, base)}} of what grew by more than the larger of both."""
    (old, old_at, old_calls), (new, new_at, new_calls) = old, new
    rows = []  # rule, line, before, after
    for part, (_, line) in new_at.items():
        for rule, figure in (("at-peak-grew", "self_at_peak"), ("allocated-grew", "self_alloc")):
            rows.append((rule, line, old[str(part)][figure] if part in old_at else 0, new[str(part)][figure]))
    for function, line in new_calls.items():  # a caller holds what its functions allocated
        held = [sum(own[str(part)]["self_at_peak"] for part, (name, _) in at.items() if name == function)
                for own, at in ((old, old_at), (new, new_at))]
        rows.append(("at-peak-grew", line, *held))
    found = {"at-peak-grew": {}, "allocated-grew": {}}
    for rule, line, before, after in rows:
        if after - before > max(before * percent // 100, size):
            found[rule][line] = (after, before)
    return found


def _check_limits(t, seed):
    rng = random.Random(seed)
    program = Program(rng)
    before, *old = _run(t, program, "before")
    program.edit()
    after, *new = _run(t, program, "after")
    counted = new[0]
    leaked, blocks = (sum(part[figure] for key, part in counted.items() if key != "peak") for figure in ("leaked", "leaked_blocks"))
    exact = (f"--max-peak={counted['peak']}", f"--max-leaks={leaked}", f"--max-leaks={blocks} blocks")
    assert all(limit["verdict"] == "kept" for limit in _judge(t, after, *exact, status=0).values())
    assert leaked and blocks, "nothing leaks"
    less = (f"--max-peak=0:{counted['peak'] - 1}", f"--max-leaks={leaked - 1}", f"--max-leaks={blocks - 1} blocks")
    found = [(limit["limit"], one["value"], one["allowed"]) for limit in _judge(t, after, *less, status=1).values()
             for one in limit["findings"]]
    assert found == [("max-peak", counted["peak"], counted["peak"] - 1), ("max-leaks", leaked, leaked - 1),
                     ("max-leaks", blocks, blocks - 1)], found

    percent, size = rng.choice([(0, 0), (10, 0), (0, 300000), (20, 100000)])
    options = ("--against", before, "--tolerance", f"{percent}%,{size}")
    expected = _grown(old, new, percent, size)
    status = int(bool(any(expected.values())))
    for rule, figure, value in (("peak-grew", old[0]["peak"], counted["peak"]),
                                ("leaks-grew", sum(p["leaked"] for k, p in old[0].items() if k != "peak"), leaked)):
        expected[rule] = [(value, figure)] if value - figure > max(figure * percent // 100, size) else []
        status |= bool(expected[rule])
    found = {limit["limit"]: limit for limit in _judge(t, after, *options, status=status).values()}
    for rule in ("at-peak-grew", "allocated-grew"):
        lines = {one["line"]: (one["value"], one["allowed"]) for one in found[rule]["findings"]}
        assert lines == expected[rule] and len(lines) == len(found[rule]["findings"]), (seed, rule, lines, expected[rule])
    for rule in ("peak-grew", "leaks-grew"):
        assert [(one["value"], one["allowed"]) for one in found[rule]["findings"]] == expected[rule], (seed, rule, found[rule])
    sarif, junit = _in_other_formats(t, after, *options)
    for rule, found in expected.items():
        places = [int(line.split(":")[1].split()[0]) for line in sarif if line.startswith(rule)]
        assert sorted(places) == sorted(found) if isinstance(found, dict) else len(places) == len(found), (rule, places, found)
        verdicts = [line.split()[1] for line in junit if line.startswith(f"gpumemprof.{rule} ")]
        assert verdicts == ["failure:" if found else "passed:"], (rule, verdicts)
    return sum(len(rows) for rows in expected.values())


def limits_of_edited_programs(t):
    seeds = repeats.seeds(21, 8, 4)
    assert sum(_check_limits(t, seed) for seed in seeds) > 2 * len(seeds)


# ---- more of diff -----------------------------------------------------------------------------------

def figures_are_those_of_both_reports(t):
    """Every column, of a C++ program at two levels: as `report` has them."""
    captures = []
    for level, seed in (("-O0", 1), ("-O2", 2)):
        _, capture = t.run(t.build("summary" + level, "common/summary_random.cpp", flags=[level]), seed, 1, capture=f"{level}.gmprof")
        captures.append(capture)
    for by in ("line", "function"):
        changes = json.loads(t.gpumemprof("diff", *captures, "--by", by, "--format", "json").out)
        assert changes["totals"]["ok"]
        for side, capture in zip("ab", captures):
            rows = {(row["file"], row["line"], row["function"]): row for row in t.report(capture, by)["rows"]}
            seen = [row for row in changes["rows"] if row[side]]
            assert len(seen) == len(rows) > 10, (by, side, len(seen), len(rows))
            for row in seen:
                expected = rows.pop((row["file"], row["line_" + side], row["function"]))
                wrong = {key: (value, expected[key]) for key, value in row[side].items() if value != expected[key]}
                assert not wrong, (by, side, row["function"], wrong)
            assert not rows, rows
        for row in changes["rows"]:
            assert row["line_a"] == row["line_b"] or not (row["a"] and row["b"]), row
            for figure, by_ in row["difference"].items():
                values = [(row[side] or {}).get(figure) for side in "ab"]
                assert by_ is None and values == [None, None] or \
                    abs(by_ - ((values[1] or 0) - (values[0] or 0))) < 1e-6, (figure, by_, values)


def lambdas_and_files_of_one_name(t):
    """A lambda before another changes the other's name; two files have a function of one name."""
    text = """#include <cuda_runtime.h>
static void take(size_t n) {{ void *p; cudaMalloc(&p, n); }}
void {other}(void);
int main() {{
{more}  auto last = [](size_t n) {{ void *q; cudaMalloc(&q, n); }};
  last(300);
  take(500);
  {other}();
}}
"""
    captures = []
    for version, more in (("one", ""), ("two", "  auto first = [](size_t n) { void *first_block; cudaMalloc(&first_block, n); };\n"
                                               "  first(40);\n")):
        folder = t.work / version
        folder.mkdir()
        (folder / "main.cpp").write_text(text.format(other="elsewhere", more=more))
        (folder / "other.cpp").write_text("#include <cuda_runtime.h>\n\nstatic void take(size_t n) { void *p; cudaMalloc(&p, n); }\n"
                                          "void elsewhere(void) { take(7000); }\n")
        captures.append(t.run(t.build(version + "_built", folder / "main.cpp", folder / "other.cpp"),
                              capture=version + ".gmprof")[1])
    changes = json.loads(t.gpumemprof("diff", *captures, "--columns", "self_alloc", "--format", "json").out)
    found = {row["variable"] + " " + row["file"].rsplit("/", 1)[1]: (row["status"], (row["a"] or {}).get("self_alloc"),
                                                                    row["b"]["self_alloc"])
             for row in changes["rows"] if row["variable"]}
    assert found == {"first_block main.cpp": ("new", None, 40), "q main.cpp": ("same", 300, 300),
                     "p main.cpp": ("same", 500, 500), "p other.cpp": ("same", 7000, 7000)}, found
