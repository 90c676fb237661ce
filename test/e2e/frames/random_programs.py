"""Random programs: functions that call each other with early returns, loops, switches, gotos, exceptions and
clean-ups between their allocations and frees. Their figures are those that the programs count themselves
(programs/oracle/oracle.h), and the same at every level, where frames begin late and functions are inlined."""
import json
import random

import repeats
from oracle import compare
from same_at_every_level import VIEWS, differences, plain, same

FUNCTIONS, SLOTS = 9, 64
HEAD = """#include "{programs}/oracle/oracle.h"
static unsigned long state = {seed};
static unsigned draw(unsigned n) {{
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}}
static char *slot[{slots}];
static long calls_left;
struct Guard {{
  int k;
  explicit Guard(int k) : k(k) {{}}
  ~Guard() {{
    SCOPE("Guard::~Guard");
    if (draw(4) || !slot[k]) return;
    FREE(slot[k]);
    slot[k] = nullptr;
  }}
}};
"""
MAIN = """int main() {{
  SCOPE("main");
  int sum = 0;
  for (int i = 0; i < 90; i++) {{
    calls_left = 60;
    try {{
      sum += functions[i % {functions}](i, 0);
    }} catch (int e) {{
      sum -= e;
    }}
  }}
  if (sum == 123456789) return 1;
  SUMMARY();
  return 0;
}}
"""


class Writer:
    def __init__(self, seed):
        self.random, self.lines = random.Random(seed), []

    def line(self, depth, text):
        self.lines.append("  " * depth + text)

    def call(self, arguments):
        return f"f{self.random.randrange(FUNCTIONS)}({arguments})"

    def one_of(self, *texts):
        return self.random.choice(texts)

    def block(self, depth, left, in_loop):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, left, in_loop)

    def statement(self, depth, left, in_loop):
        k, n = self.random.randrange(SLOTS), self.random.randrange(2, 6)
        simple = [f"if (!slot[{k}]) ALLOC(slot[{k}], {self.random.randrange(1, 5000)});",
                  f"if (slot[{k}]) FREE(slot[{k}]), slot[{k}] = nullptr;",
                  f"if (slot[{k}]) FREE(slot[{k}]), slot[{k}] = nullptr; else ALLOC(slot[{k}], {100 * n});",
                  f"n += {self.call(f'n + {n}, depth + 1')};",
                  f"n += {self.call('n, depth + 1')};",
                  f"if (!draw({2 * n})) return n % 7;", f"if (!draw({4 * n})) throw n;", "if (!draw(9)) goto end;",
                  "n = n * 3 % 1000;"] + (["if (draw(2)) break;", "if (draw(2)) continue;"] if in_loop else [])
        if left == 0 or self.random.random() < 0.6:
            return self.line(depth, self.one_of(*simple))
        getattr(self, self.one_of("choice", "choice", "loop", "switch", "guarded", "clean_up"))(depth, left - 1, in_loop)

    def choice(self, depth, left, in_loop):
        self.line(depth, "if (draw(3)) {")
        self.block(depth + 1, left, in_loop)
        if self.random.random() < 0.5:
            self.line(depth, "} else {")
            self.block(depth + 1, left, in_loop)
        self.line(depth, "}")

    def loop(self, depth, left, _):
        self.line(depth, f"for (int i{depth} = 0; i{depth} < {self.random.randrange(1, 4)}; i{depth}++) {{")
        self.block(depth + 1, left, True)
        self.line(depth, "}")

    def switch(self, depth, left, _):
        self.line(depth, "switch (draw(4)) {")
        for case in range(self.random.randrange(1, 4)):
            self.line(depth, f"case {case}: {{")
            self.block(depth + 1, left, False)
            self.line(depth, self.one_of("} break;", "} break;", "} [[fallthrough]];"))
        self.line(depth, "default: break;")
        self.line(depth, "}")

    def guarded(self, depth, left, in_loop):
        self.line(depth, "try {")
        self.block(depth + 1, left, in_loop)
        self.line(depth, "} catch (int e) {")
        self.line(depth + 1, "n += e % 5;")
        self.block(depth + 1, 0, in_loop)
        self.line(depth, "}")

    def clean_up(self, depth, left, in_loop):
        self.line(depth, "{")
        self.line(depth + 1, f"Guard guard({self.random.randrange(SLOTS)});")
        self.block(depth + 1, left, in_loop)
        self.line(depth, "}")

    def function(self, number):
        self.body(self.one_of("", "inline ", "__attribute__((noinline)) ") + f"static int f{number}", f"f{number}")

    def body(self, head, name):
        self.line(0, head + "(int n, int depth) {")
        self.line(1, f'SCOPE("{name}");')
        self.line(1, self.one_of("if (depth > 10 || --calls_left < 0) return n;",
                                 "if (depth > 10) return 0; else if (--calls_left < 0) return 1;"))
        for _ in range(self.random.randrange(3, 7)):
            self.statement(1, 3, False)
        self.line(0, "end:")
        self.line(1, "return n + 1;")
        self.line(0, "}")


def program(seed, programs):
    writer = Writer(seed)
    for number in range(FUNCTIONS):
        writer.line(0, f"static int f{number}(int n, int depth);")
    for number in range(FUNCTIONS):
        writer.function(number)
    writer.line(0, "static int (*const functions[])(int, int) = {" +
                ", ".join(f"f{number}" for number in range(FUNCTIONS)) + "};")
    return (HEAD.format(seed=seed, slots=SLOTS, programs=programs) + "\n".join(writer.lines) + "\n" +
            MAIN.format(functions=FUNCTIONS))


def check(t, seed):
    source = t.work / f"random_{seed}.cpp"
    source.write_text(program(seed, t.programs))
    compare(t, source)
    events = json.loads(t.gpumemprof("info", "--format", "json", t.work / "run.gmprof").out)["events"]
    assert events > 500, f"seed {seed} makes {events} events only"
    counted = {view: plain(t.report(t.work / "run.gmprof", view)) for view in VIEWS}
    same(t, source)
    for view in VIEWS:
        uncounted = plain(t.report(t.work / "O0.gmprof", view))
        assert uncounted["rows"] == counted[view]["rows"], (
            f"seed {seed}, by {view}, without and with the program's own count:\n" +
            "\n".join(differences(uncounted, counted[view])))


def seeds_1_to_3(t):
    for seed in repeats.seeds(1, 3, 1):
        check(t, seed)


def seeds_4_to_6(t):
    for seed in repeats.seeds(4, 3, 1):
        check(t, seed)
