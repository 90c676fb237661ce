"""Rows by file, variable, type, label and size, parts of rows and filters, of random programs of several files that
call each other: by what the program counts of each of its blocks (programs/oracle/blocks.h)."""
import fnmatch
import json
import random
from collections import defaultdict

import repeats

FILES = ("a.cpp", "b.cpp", "inner.h")
FUNCTIONS = {"a.cpp": ["a0", "a1", "a2"], "b.cpp": ["b0", "b1"], "inner.h": ["i0", "i1"]}
TYPES, VARIABLES = ("float", "double", "int"), ("p", "grid", "weights", "work_space")
LABELS = ("load", "forward", "io")


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def statement(self, file):
        k, one = self.random.randrange(48), self.random.choice
        variable, type_ = one(VARIABLES), one(TYPES)
        size = one(["64", "256 + n", "n * 16 + 1", str(self.random.randrange(1, 9000))])
        callee = one([name for names in FUNCTIONS.values() for name in names])
        take = (f'if (!slots[{k}].p) {{ {type_} *{variable} = nullptr; cudaMalloc(&{variable}, ({size}) * sizeof({type_})); '
                f'took({k}, {variable}, ({size}) * sizeof({type_}), "{file}", "{variable}", "{type_}"); }}')
        give = f'if (slots[{k}].p) {{ cudaFree(slots[{k}].p); gave({k}, "{file}"); }}'
        label = (f'{{ Label label("{one(LABELS)}"); ' + one([take, give, f"n += {callee}(n, depth + 1);"]) + " }")
        return "  " + one([take, f"{take} else {give[give.index('{'):]}", give, f"n += {callee}(n, depth + 1);", f"n += {callee}(n + 1, depth + 1);", label,
                           "if (!draw(6)) return n % 9;"])

    def function(self, file, name):
        static = "static " if file.endswith(".h") else ""
        lines = [f"{static}int {name}(int n, int depth) {{", f'  In in("{file}");',
                 "  if (depth > 9 || --calls_left < 0) return n;", "  n %= 50;"]
        lines += [self.statement(file) for _ in range(self.random.randrange(5, 9))]
        return "\n".join(lines + ["  return n;", "}"])

    def text(self, file):
        names = [name for names in FUNCTIONS.values() for name in names]
        declared = "".join(f"{'static ' if name[0] == 'i' else ''}int {name}(int n, int depth);\n" for name in names)
        if file.endswith(".h"):
            return "\n".join(self.function(file, name) for name in FUNCTIONS[file])
        own = "\n".join(self.function(file, name) for name in FUNCTIONS[file])
        return '#include "blocks.h"\n' + declared + '#include "inner.h"\n' + own + "\n"


def write(t, seed):
    writer = Writer(seed)
    for file in FILES:
        (t.work / file).write_text(writer.text(file))
    with open(t.work / "a.cpp", "a", encoding="utf-8") as main:
        main.write(f"""#include <thread>
int main() {{
  In in("a.cpp");
  state = {seed};
  for (int i = 0; i < 300; i++) {{
    calls_left = 40;
    thread_now = i % 100 == 99 ? i / 100 + 1 : 0;
    auto play = [i] {{
      In in("a.cpp");
      i % 2 ? a0(i, 0) : b0(i, 0);
    }};
    if (thread_now) std::thread(play).join();
    else play();
  }}
  print_blocks();
  return 0;
}}
""")
    return [t.work / "a.cpp", t.work / "b.cpp"]


def passes(path, file):
    return f",{file}," in path


def flat(blocks, key):
    rows = defaultdict(lambda: defaultdict(int))
    for b in blocks:
        row = rows[key(b)]
        for figure, amount in (("self_alloc", b["bytes"]), ("blocks", 1), ("leaked", b["bytes"] * b["live"]),
                               ("self_freed", b["bytes"] * (not b["live"])), ("at_peak", b["bytes"] * b["at_peak"])):
            row[figure] += amount
    return rows


def by_file(blocks):
    rows = defaultdict(lambda: defaultdict(int))
    for b in blocks:
        rows[b["file"]]["self_alloc"] += b["bytes"]
        rows[b["file"]]["blocks"] += 1
        if not b["live"]:
            rows[b["freed_file"]]["self_freed"] += b["bytes"]
        for file in FILES:
            there, freed = passes(b["path"], file), passes(b["freed_path"], file)
            for figure, applies in (("incl_alloc", there), ("at_peak", there and b["at_peak"]), ("incl_freed", freed),
                                    ("freed_own", there and freed), ("freed_others", freed and not there),
                                    ("escaped", there and b["live"])):
                rows[file][figure] += b["bytes"] * bool(applies)
    return rows


def compare(what, expected, rows):
    assert set(expected) == set(rows), f"{what}: rows {sorted(map(str, rows))}, counted {sorted(map(str, expected))}"
    wrong = [f"{what} {key}: {figure} is {rows[key][figure]}, the program counted {value}"
             for key, figures in expected.items() for figure, value in figures.items() if rows[key][figure] != value]
    assert not wrong, "\n".join(wrong[:20])


def size_class(b):
    return 1 << (b["bytes"].bit_length() - 1)


def name(row, by):
    return row["size_from"] if by == "size" else (row[by] or "").rsplit("/", 1)[-1] if by == "file" else row[by] or ""


def rows_of(report, by):
    rows = {}
    for row in report["rows"]:
        assert name(row, by) not in rows, f"two rows {name(row, by)}"
        rows[name(row, by)] = row
    return rows


def figures_of(rows):
    """In one order: the program does not know the numbers of its threads."""
    return sorted([row[f] for f in ("self_alloc", "self_freed", "blocks", "leaked", "at_peak")] for row in rows)


def check(t, seed):
    sources = write(t, seed)
    for level in ("-O0", "-O2"):
        program = t.build("rows" + level, *sources, flags=[level, "-I", t.programs / "oracle", "-I", t.work])
        result, capture = t.run(program, options="history=all")
        blocks = [json.loads(line) for line in result.out.splitlines()]
        assert len(blocks) > 300, f"seed {seed} takes {len(blocks)} blocks only"
        assert t.report(capture)["conservation"]["ok"]
        keys = {"variable": lambda b: b["variable"], "type": lambda b: b["type"], "label": lambda b: b["label"],
                "size": size_class}
        for by, key in keys.items():
            compare(f"{level} by {by}", flat(blocks, key), rows_of(t.report(capture, by), by))
        compare(f"{level} by file", by_file(blocks), rows_of(t.report(capture, "file"), "file"))
        threads = t.report(capture, "thread")["rows"]
        assert all(row["thread"] is not None for row in threads), threads
        # One thread after the other: the numbers of those that ended are given out again.
        assert figures_of(threads) == figures_of(flat(blocks, lambda b: b["thread"] > 0).values()), threads
        check_groups(t, level, capture, blocks, keys)
        check_filters(t, level, capture, blocks)


def check_groups(t, level, capture, blocks, keys):
    for first, second in (("label", "type"), ("size", "variable"), ("type", "size"), ("variable", "label")):
        report = json.loads(t.gpumemprof("report", capture, "--group-by", f"{first},{second}", "--format", "json").out)
        parts = {(name(row, first), name(part, second)): part for row in report["rows"] for part in row["parts"]}
        compare(f"{level} by {first},{second}", flat(blocks, lambda b, f=first, s=second: (keys[f](b), keys[s](b))), parts)
    report = json.loads(t.gpumemprof("report", capture, "--group-by", "file,type", "--format", "json").out)
    parts = {(name(row, "file"), name(part, "type")): part for row in report["rows"] for part in row["parts"]}
    expected = defaultdict(lambda: defaultdict(int))
    for b in blocks:
        expected[b["file"], b["type"]]["self_alloc"] += b["bytes"]
        expected[b["file"], b["type"]]["leaked_blocks"] += b["live"]
        if not b["live"]:
            expected[b["freed_file"], b["type"]]["self_freed"] += b["bytes"]
    compare(f"{level} by file,type", expected, parts)


def check_filters(t, level, capture, blocks):
    for words, left in ((["file=b.cpp"], lambda b: passes(b["path"], "b.cpp")),
                        (["file=!inner.h"], lambda b: not passes(b["path"], "inner.h")),
                        (["variable=w*", "label=!load*"],
                         lambda b: b["variable"][0] == "w" and not fnmatch.fnmatchcase(b["label"], "load*")),
                        (["type=~^(int|float)$", "label="], lambda b: b["type"] != "double" and not b["label"])):
        kept = [b for b in blocks if left(b)]
        options = [word for text in words for word in ("--filter", text)]
        report = t.report(capture, "variable", *options)
        compare(f"{level} {words}", flat(kept, lambda b: b["variable"]), rows_of(report, "variable"))
        files = {key: row for key, row in by_file(kept).items() if any(row.values())}
        ours = {key: row for key, row in rows_of(t.report(capture, "file", *options), "file").items() if key in files}
        compare(f"{level} {words}", files, ours)
        assert report["filter"]["allocated"] == sum(b["bytes"] for b in kept), report["filter"]
        assert report["conservation"]["allocated"] == sum(b["bytes"] for b in blocks), report["conservation"]


def rows_are_what_random_programs_count(t):
    for seed in repeats.seeds(1, 3, 1):
        check(t, seed)


def without_a_history_sizes_are_exact_or_several(t):
    program = t.build("rows", *write(t, 7), flags=["-O2", "-I", t.programs / "oracle", "-I", t.work])
    result, capture = t.run(program)
    exact = flat([json.loads(line) for line in result.out.splitlines()], size_class)
    rows = rows_of(t.report(capture, "size"), "size")
    several = rows.pop(None)
    for figure in ("self_alloc", "self_freed", "blocks", "leaked", "at_peak"):
        assert all(row[figure] <= exact[key][figure] for key, row in rows.items()), figure
        assert sum(row[figure] for row in rows.values()) + several[figure] == sum(r[figure] for r in exact.values()), figure
    text = t.gpumemprof("report", "--by", "size", capture).out
    assert "(several sizes)" in text and "history=all" in text, text


def file_compiled_by_its_relative_name_is_one_file(t):
    """Scopes name their file by __FILE__, which is as short as on the command line of the compiler; sites have the whole path."""
    folder = t.work / "sources"
    folder.mkdir()
    (folder / "part.h").write_text("#include <gpumemprof/gpumemprof.hpp>\ninline void part(void **p) {\n"
                                   "  GPUMEMPROF_SCOPE_NO_LEAK(\"part\");\n  cudaMalloc(p, 100);\n  cudaFree(*p);\n}\n")
    (folder / "one.cpp").write_text(
        "#include <cuda_runtime.h>\n#include \"part.h\"\nint main() {\n  void *p = nullptr;\n"
        "  { GPUMEMPROF_SCOPE(\"block\"); cudaMalloc(&p, 1000); }\n  gpumemprof::scope object(\"object\");\n"
        "  cudaMalloc(&p, 2000);\n  uint64_t begun = gpumemprof_scope_begin(\"begun\");\n  cudaMalloc(&p, 4000);\n"
        "  gpumemprof_scope_end(begun, nullptr);\n  gpumemprof_scope_open(\"own\", \"one.py\", \"f\", 7, -1001, 0);\n"
        "  cudaMalloc(&p, 8000);\n  part(&p);\n}\n")
    for llvm in (22, 19):
        for flag, root in (("-O0", folder), ("-O2", folder), (f"-ffile-prefix-map={t.work}=/built", "/built/sources"),
                           ("-fmacro-prefix-map=sources=elsewhere", folder)):
            program = t.work / "one"
            t.command(t.compiler("c++", llvm), "-std=c++20", flag, *t.plugin_flags(llvm), *t.include_flags(), "sources/one.cpp", "-o", program,
                      *t.link_flags(), cwd=t.work)
            _, capture = t.run(program)
            files = {row["file"]: row["self_alloc"] for row in t.report(capture, "file")["rows"]}
            assert files == {f"{root}/one.cpp": 15000, f"{root}/part.h": 100, "one.py": 0}, (llvm, flag, files)
            scopes = {row["function"]: row["file"] for row in t.report(capture, "function")["rows"] if "{" in row["function"]}
            assert scopes == {**dict.fromkeys(("main {block}", "main {object}", "main {begun}"), f"{root}/one.cpp"),
                              "part {part}": f"{root}/part.h", "f {own}": "one.py"}, scopes
