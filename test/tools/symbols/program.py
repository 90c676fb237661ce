"""program.py - small programs built by gcc, captures of their machine stacks, and what binutils says of their addresses.

`addr2line -i` is the second source: it reads debug information by code of its own.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from recorder import Recorder

C_SOURCE = """\
void sink(int n);
int my_choice;
static inline __attribute__((always_inline)) void my_inner(int n) { /* my_inner */
  if (n > 3)
    sink(n + 1);
  sink(n);
}
static inline __attribute__((always_inline)) void my_middle(int n) { /* my_middle */
  my_inner(n);
  sink(n * 2);
  my_inner(n + 5);
}
__attribute__((noinline)) void my_outer(int n) { /* my_outer */
  my_middle(n);
  sink(7); sink(8);
  my_inner(n + 1);
}
__attribute__((noinline, cold)) void my_rare(int n) { /* my_rare */
  sink(n);
}
__attribute__((noinline)) void my_split(int n) { /* my_split */
  sink(1);
  if (__builtin_expect(n == 77, 0)) {
    my_rare(n);
    my_rare(n + 2);
  }
  sink(2);
}
static __attribute__((noinline)) void my_copied(int a, int b) { /* my_copied */
  sink(a);
  sink(a + b);
}
void my_cxx(int n);
int main(int argc, char **argv) { /* main */
  (void)argv;
  my_outer(argc);
  my_split(argc);
  my_copied(argc, 5);
  my_copied(argc + 1, 5);
  my_cxx(argc);
  return 0;
}
"""
CXX_SOURCE = """\
extern "C" void sink(int n);
extern "C" void my_cxx(int n);
namespace ns {
template <class T> struct Box {
  __attribute__((noinline)) void my_grow(T n) { /* ns::Box<float>::my_grow */
    sink(int(n));
    asm volatile("");
  }
};
} // namespace ns
namespace {
__attribute__((noinline)) void my_hidden(int n) { /* (anonymous namespace)::my_hidden */
  sink(n);
  asm volatile("");
}
} // namespace
extern "C" void my_cxx(int n) { /* my_cxx */
  ns::Box<float> box;
  box.my_grow(float(n));
  my_hidden(n);
  sink(3);
}
"""
SINK = "int my_sum; void sink(int n) { my_sum += n; }\n"
COPIES = re.compile(r"(\.(cold|part|constprop|isra))(\.\d+)*$")


def command(*words, cwd=None, env=None, status=0):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=None if env is None else {**os.environ, **env},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"{words} -> {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def write_sources(work):
    work.mkdir(parents=True, exist_ok=True)
    for name, text in (("app.c", C_SOURCE), ("more.cpp", CXX_SOURCE), ("sink.c", SINK)):
        (work / name).write_text(text)


def build(work, *flags, link=(), name="app", compilers=("gcc", "g++")):
    """sink.c has no debug information."""
    write_sources(work)
    flags = flags or ("-g", "-O2")
    for compiler, source in zip(compilers, ("app.c", "more.cpp")):
        command(compiler, *flags, "-c", source, "-o", source + ".o", cwd=work)
    command("gcc", "-O2", "-fno-asynchronous-unwind-tables", "-c", "sink.c", "-o", "sink.o", cwd=work)
    command(compilers[1], "app.c.o", "more.cpp.o", "sink.o", "-Wl,--build-id", *link, "-o", name, cwd=work)
    return work / name


def build_id(program):
    return re.search(r"Build ID: (\w+)", command("readelf", "-n", program).stdout).group(1)


def functions(program):
    """Address -> symbol, of the functions of the sources above."""
    found = {}
    for line in command("nm", "--defined-only", program).stdout.splitlines():
        address, kind, name = line.split()
        if kind in "tTW" and (name == "main" or "my_" in name):
            found[int(address, 16)] = name
    return found


def calls(program):
    """(address at which the function begins, address of the call): all calls of these functions."""
    begins, found, begin = functions(program), [], None
    for line in command("objdump", "-d", "--no-show-raw-insn", program).stdout.splitlines():
        if match := re.match(r"([0-9a-f]+) <", line):
            address = int(match.group(1), 16)
            begin = address if address in begins else None
        elif begin and (match := re.match(r"\s+([0-9a-f]+):\s+call", line)):
            found.append((begin, int(match.group(1), 16)))
    return found


def plain(name):
    """As people write it: without parameters, and without what says that it is a part or a copy."""
    name = COPIES.sub("", name)
    if name.startswith("_Z"):
        name = command("c++filt", name).stdout.strip()
        name = re.sub(r"\((?!anonymous)[^()]*\)( const)?$", "", re.sub(r"^void ", "", name))
    return name


def by_binutils(program, addresses):
    """Address -> [(function, file, line)], the outermost first."""
    found = {}
    for address in addresses:
        lines = command("addr2line", "-i", "-f", "-e", program, hex(address), cwd=program.parent).stdout.splitlines()
        steps = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, line = re.sub(r" \(discriminator.*", "", place).rsplit(":", 1)
            steps.append((plain(name), os.path.basename(file), int(line) if line.isdigit() else 0))
        found[address] = steps[::-1]
    return found


class Capture:
    """Every call of a program in a path of its own: the one with number i allocates 2^i bytes."""

    def __init__(self, source, program, path, identity, pairs, above=(), history=False, file=None):
        self.pairs, file = pairs, str(file or program)
        r = Recorder(source)
        if history:
            r.history = {}
        r.native_modules.append((file, identity))
        for begin, call in above:
            r.native_enter(file, begin)
            r.native_call(file, call)
        for i, (begin, call) in enumerate(pairs):
            r.native_enter(file, begin)
            r.native_call(file, call)
            r.malloc(f"b{i}", 1 << i)
            r.leave()
        for _ in above:
            r.leave()
        r.header["flags"] = 1
        path.write_bytes(r.bytes())
        self.path = path


class Tool:
    def __init__(self, tool):
        self.tool, self.said = tool, ""

    def json(self, capture, *words, env=None):
        done = command(self.tool, *words, "--format", "json", "--limit", "0", capture.path, env={"DEBUGINFOD_URLS": "", **(env or {})})
        self.said = done.stderr
        return json.loads(done.stdout)

    def paths(self, capture, env=None):
        """Number of a call -> its path [(function, file, line)], and which numbers are one row."""
        found = {}
        for row in self.json(capture, "report", "--by", "path", env=env)["rows"]:
            path = [(step["function"], os.path.basename(step["file"] or "?"), step["line"]) for step in row["path"]]
            for i in range(len(capture.pairs)):
                if row["self_alloc"] >> i & 1:
                    assert i not in found, f"call {i} is in two rows"
                    found[i] = path
        return found

    def functions(self, capture, env=None):
        return {row["function"]: row for row in self.json(capture, "report", "--by", "function", env=env)["rows"]}


def declared(work):
    """Function -> (file, line) of its declaration, which a comment marks."""
    found = {}
    for name in ("app.c", "more.cpp"):
        for number, line in enumerate((work / name).read_text().splitlines(), 1):
            if match := re.search(r"\{ /\* (.*) \*/", line):
                found[match.group(1)] = name, number
    return found


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"skipped: no {program} here")
            sys.exit(0)


def main(tests):
    source, tool, work, name = sys.argv[1:]
    work = pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    needs("gcc", "g++", "objdump", "addr2line", "readelf", "nm", "c++filt")
    tests[name](source, Tool(tool), work)
