"""harness.py - what every end-to-end test uses: it builds a program with the plugin, runs it on
the simulated device, and reads its capture with the tool.

Only the installed tree is used (`stage`), and it is used as docs/BUILDING.md says. A command that fails
raises with its full command line and output, so that a failing test can be repeated by hand.
"""
import json
import os
import pathlib
import platform
import shlex
import shutil
import subprocess

import built_once

MIB = 1 << 20


class Skip(Exception):
    """This machine cannot run the test; the text says why."""


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


class Harness:
    def __init__(self, environment):
        self.source = pathlib.Path(environment["GPUMEMPROF_TEST_SOURCE"])
        self.stage = pathlib.Path(environment["GPUMEMPROF_TEST_STAGE"])
        self.cuda = environment.get("GPUMEMPROF_TEST_CUDA", "")
        self.cmake = environment.get("GPUMEMPROF_TEST_CMAKE", "cmake")
        self.work = pathlib.Path(environment["GPUMEMPROF_TEST_WORK"])
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.programs = self.source / "test/e2e/programs"
        self.examples = self.source / "examples"
        self.runtime = self.stage / "lib/libgpumemprof.so"  # a link to the name by which programs load it
        self.sim = self.stage / "lib/gpumemprof/sim"
        self.tool = self.stage / "bin/gpumemprof"
        self.processor = environment.get("GPUMEMPROF_TEST_PROCESSOR") or platform.machine()  # of the programs
        self.target = environment.get("GPUMEMPROF_TEST_TARGET", "").split()  # options of clang for another processor
        self.target_link = environment.get("GPUMEMPROF_TEST_LINK", "").split()
        self.emulator = environment.get("GPUMEMPROF_TEST_EMULATOR", "").split()  # what then runs a program

    def loaded_runtime(self):
        """The path by which a program with the flags of the tool has loaded the runtime."""
        return self.runtime.with_name(os.readlink(self.runtime))

    # -- what the machine has ---------------------------------------------------------------------

    def need_toolkit(self):
        if not self.cuda:
            raise Skip("needs the CUDA toolkit")

    def need_root(self):
        if os.geteuid() != 0:
            raise Skip("needs root to mount a small file system")

    def compiler(self, language, llvm=22):
        name = f"clang-{llvm}" if language == "c" else f"clang++-{llvm}"
        if not shutil.which(name):
            raise Skip(f"needs {name}")
        return name

    def plugin(self, llvm=22):
        """The one file for every clang, if it has a module for this one."""
        self.module(llvm)
        return self.stage / "lib/gpumemprof/gpumemprof.so"

    def module(self, llvm):
        path = self.stage / f"lib/gpumemprof/llvm-{llvm}/gpumemprof.so"
        if not path.exists():
            raise Skip(f"gpumemprof was built without LLVM {llvm}")
        return path

    # -- commands -----------------------------------------------------------------------------------

    def command(self, *words, status=0, env=None, cwd=None, timeout=600):
        """Runs a command; its exit status has to be `status` (None: any; negative: a signal)."""
        words = self.for_target([str(word) for word in words])
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=timeout,
                              cwd=cwd or self.work, env={**os.environ, **(env or {})})
        result = Result(done.returncode, done.stdout, done.stderr)
        if status is not None and done.returncode != status:
            raise AssertionError(f"exit status {done.returncode}, not {status}\n"
                                 f"  {shlex.join(words)}\n{done.stdout}{done.stderr}")
        return result

    def for_target(self, words):
        """The words of a command, if programs are for another processor."""
        if self.target and pathlib.Path(words[0]).name.startswith("clang"):
            return [words[0], *self.target, *words[1:]]
        if self.target and words[0] in ("gcc", "g++"):
            return [f"{self.processor}-linux-gnu-{words[0]}", *words[1:]]
        for at, word in enumerate(words if self.emulator else []):  # also a program that the tool is to start
            path = pathlib.Path(word)
            if path.is_relative_to(self.work) and path.is_file() and path.read_bytes()[:4] == b"\x7fELF" and os.access(path, os.X_OK):
                return [*words[:at], *self.emulator, *words[at:]] if at == 0 or words[1] in ("run", "dryrun") else words
        return words

    def need_openmp(self):
        """Skips the test where clang 22 has no OpenMP library."""
        if self.command(self.compiler("c++"), "-fopenmp", "-xc++", "-E", "-include", "omp.h", "/dev/null", status=None).status:
            raise Skip("needs libomp-22-dev")

    def include_flags(self):
        return ["-I", self.sim / "include", "-I", self.stage / "include"]

    def link_flags(self, runtime=True):
        """The runtime and the simulated cudart; both found at run time without an environment."""
        lib = self.stage / "lib"
        flags = ["-L", lib, "-lgpumemprof", f"-Wl,-rpath,{lib}"] if runtime else []
        return [*flags, self.sim / "libcudart.so.13", f"-Wl,-rpath,{self.sim}", *self.target_link]

    def plugin_flags(self, llvm=22, lines=True, **options):
        """`lines`: with line tables, by which `run` compares the lines (False: other flags ask for -g, or for none)."""
        flags = ["-g1"] * lines + ["-fverify-intermediate-code"] * (llvm >= 18) + [f"-fplugin={self.plugin(llvm)}"]
        return flags + [f"-fplugin-arg-gpumemprof-{key.replace('_', '-')}={value}"
                        for key, value in options.items()]

    def nvcc_flags(self, llvm):
        return ["-Xcompiler", f"-g1,-fplugin={self.plugin(llvm)}"]

    def build(self, name, *sources, flags=(), llvm=22, language=None, plugin=True, runtime=True,
              link=(), status=0, **plugin_options):
        """Compiles and links host code against the simulated device; returns the program's path.

        `sources` are paths, or begin with the room of e2e/programs/ in which they lie: "life/ending.c"."""
        sources = [self.programs / source for source in sources]
        language = language or ("c" if all(s.suffix == ".c" for s in sources) else "c++")
        standard = ["-std=gnu11"] if language == "c" else ["-std=c++20", "-pthread"]
        lines = not any(str(flag).startswith("-g") for flag in flags)
        program = self.work / name
        words = [self.compiler(language, llvm), *standard, *flags,
                 *(self.plugin_flags(llvm, lines, **plugin_options) if plugin else []), *self.include_flags(),
                 "-x", language, *sources, "-x", "none", "-o", program, *self.link_flags(runtime), *link]
        if status:
            return self.command(*words, status=status)
        built_once.build(self, program, [str(word) for word in words])
        return program

    def build_oracle(self):
        """What counts in the test programs themselves (oracle/oracle.h), compiled without the plugin."""
        built = self.work / "oracle.o"
        words = [self.compiler("c++"), "-std=c++17", "-O1", *self.include_flags(), "-c", self.programs / "oracle/oracle.cpp", "-o", built]
        built_once.build(self, built, [str(word) for word in words])
        return built

    def run(self, program, *arguments, options="", capture="run.gmprof", sim="", status=0, env=None,
            verify=True, **more):
        """Runs a program on the simulated device; returns (result, path of its capture).

        Each call path is compared with the machine stack, which knows the lines too. verify=False says that the two
        cannot agree here, "part" that not all paths can be compared; a comment at the call has the reason."""
        path = self.work / capture
        path.unlink(missing_ok=True)
        settings = ("verify=paths:" if verify else "") + f"output={path}:quiet=1" + (":" + options if options else "")
        variables = {"GPUMEMPROF_OPTIONS": settings}
        if sim:
            variables["GPUMEMPROF_SIM_OPTIONS"] = sim
        result = self.command(program, *arguments, status=status, env={**variables, **(env or {})}, **more)
        if verify and path.exists():
            self.check_lines(path, whole=verify != "part")
        return result, path

    def check_lines(self, capture, whole=True):
        """The lines of every path are where the machine was; whole: of all of them that is known."""
        found = json.loads(self.gpumemprof("info", "--paths", "--format", "json", capture, status=None).out)
        wrong = [f"{d['line']} is not where the machine was\n  recorded: {d['recorded']}\n  machine:  {d['machine']}"
                 for d in found["differences"]]
        assert not wrong, "\n".join(wrong)
        assert not (whole and found["unverified"]), (found["unverified"], found["reasons"])
        return found

    # -- reading ------------------------------------------------------------------------------------

    def gpumemprof(self, *arguments, status=0, **more):
        return self.command(self.tool, *arguments, status=status, **more)

    def report(self, capture, by="line", *options):
        return json.loads(self.gpumemprof("report", capture, "--by", by, *options, "--format", "json").out)

    def state(self, capture):
        return json.loads(self.gpumemprof("info", "--format", "json", capture).out)["state"]

    def rows(self, capture, by="line", *options):
        """Rows of a report keyed `function:line` (by line) or `function`."""
        rows = {}
        for row in self.report(capture, by, *options)["rows"]:
            key = f"{row['function']}:{row['line']}" if by == "line" else row["function"]
            assert key not in rows, f"two rows {key}"
            rows[key] = row
        return rows


def check(row, name, **expected):
    """Compares figures of one row; reports every difference at once."""
    wrong = [f"{name}.{key} is {row.get(key)}, not {value}" for key, value in expected.items()
             if key not in row or row[key] != value]
    assert not wrong, "\n".join(wrong)
