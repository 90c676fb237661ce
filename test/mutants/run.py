#!/usr/bin/env python3
"""run.py --check | --build DIR [--jobs N] [--only REGEX] [LIST...] - one-line mutants: applies each of a list to a copy of the sources, and says
which test notices. Exit status: 0 as the lists say, 1 not so, 2 usage.

A list (default: all *.txt beside this script) has one mutant a line: FILE | OLD | NEW | TESTS [| lives: REASON]. OLD stands
once in the file (a number in front, as 2@OLD: its second place). TESTS are words: unit tests (of test/unit, with their arguments,
as oracle:single:1), python:SCRIPT or python:SCRIPT:CASE (of test/tools), replay (of a history by the tool), lit:REGEX over the names of the
tests in test/tools/lit, or e2e:FILE.FUNCTION of test/e2e, with a copy of the build's stage. They are tried in that order until one
fails; then that one is run without the mutant, and has to pass.
Runtime and unit tests are compiled here, without optimisation and with GPM_CHECKED; of the tool the file is, and linked with the
build's other objects, so DIR has to be built. --why prints the end of what the test that failed said. Not part of CI: 132 mutants
take half an hour, limits.txt as long again. --check, which is part of CI (lint.mutants), only says whether each still applies.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
CC = shutil.which("clang-22") or "cc"
STEPS = {"oracle": "60000", "oracle:reset": "250000 reset", "oracle:single:1": "60000 single 1", "oracle:single:3": "60000 single 3",
         "oracle:single:reset": "450000 single 1 reset", "contexts": "20000", "custom": "20000", "pieces": "30000", "blocks": "1000", "second_thread": "20 200",
         "budgets": "20000", "budgets:single": "40000 single", "collisions:devices:1": "devices 1 8000",
         "collisions:devices:2": "devices 2 8000", "collisions:contexts": "contexts 3000"}
OPTIONS = {"shadow_stack": ":stack=64", "oom": ":oom_max=1000", "collisions:devices:1": ":history=all"}
local = threading.local()
sound = {}  # tests that noticed a mutant -> whether they pass without one


def run(words, timeout=300, **more):
    words = [str(w) for w in words]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                          **more) as started:
        try:
            said, _ = started.communicate(timeout=timeout)
            return subprocess.CompletedProcess(words, started.returncode, said)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)  # with what it started: a mutant may go on for ever
            return subprocess.CompletedProcess(words, 124, f"it did not end in {timeout} s")


class Place:
    """A copy of the sources and what is made of it; each worker has one."""

    def __init__(self, build, root):
        self.build, self.root = build, root
        shutil.rmtree(root, ignore_errors=True)
        for part in ("runtime", "tools", "include", "test/unit", "test/tools"):
            shutil.copytree(SOURCE / part, root / part)
        self.tool, self.objects, self.said = root / "gpumemprof", {}, ""
        self.of_runtime = self.is_mutated = False
        commands = {pathlib.Path(c["file"]): c for c in json.loads((build / "compile_commands.json").read_text())}
        self.unity = next(c for path, c in commands.items() if path.parent.parent.name == "gpumemprof_runtime_unit.dir")
        self.commands = {str(path.relative_to(SOURCE)): c for path, c in commands.items() if path.is_relative_to(SOURCE / "tools")}
        lines = run(["ninja", "-C", build, "-t", "commands", "gpumemprof_tool"]).stdout.splitlines()
        self.link = next(line for line in lines if " -o bin/gpumemprof " in line).split(" -o bin/gpumemprof ")

    def compile_runtime(self):
        unity = self.root / "unity.c"
        unity.write_text("".join(f'#include "{path}"\n' for path in sorted((self.root / "runtime").rglob("*.c"))))
        return run([CC, "-std=gnu11", "-D_GNU_SOURCE", "-DGPM_CHECKED", '-DGPM_VERSION="0"', "-O0", "-w", "-I", self.root / "include", "-I",
                    self.root / "runtime", "-c", unity, "-o", self.root / "runtime.o"])

    def unit_program(self, name):
        if name not in self.objects:  # not of the mutated file, so once
            self.objects[name] = self.root / f"{name}_test.o"
            done = run([CC, "-std=gnu11", "-D_GNU_SOURCE", "-DGPM_CHECKED", "-O0", "-w", "-I", self.root / "include", "-I", self.root / "runtime",
                        "-I", self.root / "test/unit", "-c", self.root / f"test/unit/{name}_test.c", "-o", self.objects[name]])
            assert not done.returncode, done.stdout
        program = self.root / f"unit_{name}"
        done = run([CC, "-rdynamic", self.objects[name], self.root / "runtime.o", "-o", program, "-pthread", "-ldl"])
        assert not done.returncode, done.stdout
        return program

    def compile_tool(self, file):
        command = shlex.split(self.commands[file]["command"])
        command = command[command.index(next(w for w in command if "clang" in w)):]
        at = command.index("-o")
        theirs, mine = command[at + 1], self.root / "mutant.o"
        command[at + 1] = str(mine)
        command = [word.replace(str(SOURCE / "tools"), str(self.root / "tools")) for word in command] + ["-O0", "-w", "-DGPM_CHECKED"]
        done = run(command, cwd=self.build)
        if done.returncode:
            return done
        before, after = self.link
        # POST_BUILD commands follow a '&&'; ld.lld or the default, no launcher
        words = [str(mine) if word == theirs else word for word in shlex.split(before.split("&&")[-1]) + ["-o", str(self.tool)] +
                 shlex.split(after.split("&&")[0])]
        return run(words, cwd=self.build)

    def unit(self, word):
        name = word.split(":")[0]
        options = f"output={self.root}/{name}.gmprof:quiet=1{OPTIONS.get(word, OPTIONS.get(name, ''))}"
        done = run([self.unit_program(name), *STEPS.get(word, "").split()], cwd=self.root, env={**os.environ, "GPUMEMPROF_OPTIONS": options})
        if not done.returncode and word == "collisions:devices:1":
            done = run([self.build / "bin/gpumemprof", "events", "--replay", self.root / "collisions.gmprof"])
        self.said = done.stdout
        return done.returncode

    def replay(self):
        """The build's own threads collide, and the mutated tool replays their history."""
        capture = self.root / "replay.gmprof"
        done = run([self.build / "test/unit/unit_collisions", *STEPS["collisions:devices:1"].split()],
                   env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={capture}:quiet=1:history=all"})
        assert not done.returncode, done.stdout
        done = run([self.tool, "events", "--replay", capture])
        self.said = done.stdout
        return done.returncode

    def lit(self, pattern):
        tests = sorted(p for p in (SOURCE / "test/tools/lit").rglob("*.test") if re.search(pattern, p.stem))
        assert tests, pattern
        lit = next(found for name in ("/usr/lib/llvm-22/bin/lit", "lit", "llvm-lit") if (found := shutil.which(name)))
        done = run([lit, "-v", "--max-failures=1", "-j1", "--param", f"tool={self.tool}", "--param", f"source={SOURCE}", "--param",
                    f"output={self.root}/lit", "--param", f"python={sys.executable}", "--param", "llvm_tools=/usr/lib/llvm-22/bin", *tests], timeout=600)
        self.said = done.stdout
        failed = re.search(r"FAIL: .*?([\w-]+)\.test", done.stdout) or re.search(r"TEST '.*?([\w-]+)\.test' FAILED", done.stdout)
        return failed.group(1) if failed else done.returncode and "lit"

    def make_stage(self):
        """The installed tree, of links, with what is mutated in its place."""
        stage = self.root / "stage"
        shutil.rmtree(stage, ignore_errors=True)
        done = run(["cp", "-rs", self.build / "stage", stage])
        assert not done.returncode, done.stdout
        if not self.of_runtime:
            (stage / "bin/gpumemprof").unlink()
            shutil.copy(self.tool, stage / "bin/gpumemprof")
            return stage
        words = shlex.split(self.unity["command"])
        words = [w.replace(str(SOURCE / "runtime"), str(self.root / "runtime")) for w in words[next(i for i, w in enumerate(words) if "clang" in w):]]
        words[words.index("-o") + 1] = self.root / "staged.o"
        words[words.index("-c") + 1] = self.root / "unity.c"
        link = stage / "lib/libgpumemprof.so"
        name = os.readlink(self.build / "stage/lib" / link.name)
        lib = stage / "lib" / name
        for one in (link, lib):
            one.unlink()
        link.symlink_to(name)
        for command in [*words, "-w", "-O0", "-g0"], [CC, "-shared", "-Wl,-z,nodelete", f"-Wl,-soname,{name}", "-o", lib, self.root / "staged.o"]:
            done = run(command, cwd=self.build, timeout=900)
            assert not done.returncode, done.stdout
        return stage

    def end_to_end(self, word):
        file, case = word.split(".")
        stage = self.make_stage() if self.is_mutated else self.build / "stage"
        if not (self.build / "stage").exists():
            run(["cmake", "--install", self.build, "--prefix", self.build / "stage"])
        done = run([sys.executable, "-B", SOURCE / "test/e2e/harness/run.py", *(SOURCE / "test/e2e").glob(f"*/{file}.py"), case], timeout=600, env={
            **os.environ, "GPUMEMPROF_TEST_SOURCE": str(SOURCE), "GPUMEMPROF_TEST_STAGE": str(stage),
            "GPUMEMPROF_TEST_WORK": str(self.root / "e2e")})
        self.said = done.stdout
        return done.returncode

    def script(self, word):
        """SCRIPT or SCRIPT:CASE of test/tools."""
        name, *case = word.split(":")
        done = run([sys.executable, "-B", SOURCE / f"test/tools/{name}.py", SOURCE, self.tool, self.root / word.replace(":", "/"), *case])
        self.said = done.stdout
        return done.returncode

    def try_tests(self, words):
        """The test that noticed, as a word of the list and by its name, or None."""
        for word in words:
            if word.startswith("lit:"):
                noticed = self.lit(word[4:])
                if noticed:
                    return f"lit:^{noticed}$", f"tools_{noticed}"
            elif word.startswith("python:"):
                if self.script(word[7:]):
                    return word, word
            elif word.startswith("e2e:"):
                if self.end_to_end(word[4:]):
                    return word, word.replace(":", ".")
            elif word == "replay":
                if self.replay():
                    return word, "unit.collisions_devices_1"
            elif self.unit(word):
                return word, f"unit.{word.replace(':', '_')}"
        return None

    def make(self, mutant):
        file = mutant["file"]
        self.of_runtime = file.startswith("runtime/")
        return self.compile_runtime() if self.of_runtime else self.compile_tool(file if file.endswith(".c") else mutant["of"])

    def judge(self, mutant):
        file, old, new, words = mutant["file"], mutant["old"], mutant["new"], mutant["tests"]
        path = self.root / file
        text = path.read_text()
        number, old = re.fullmatch(r"(?:(\d+)@)?(.*)", old).groups()
        places = [m.start() for m in re.finditer(re.escape(old), text)]
        if not places or (len(places) > 1 and not number) or int(number or 1) > len(places):
            return 0, f"wrong list: {len(places)} places", ""
        at = places[int(number or 1) - 1]
        line = text.count("\n", 0, at) + 1
        path.write_text(text[:at] + new + text[at + len(old):])
        try:
            self.is_mutated = True
            done = self.make(mutant)
            if done.returncode:
                return line, "wrong list: does not compile: " + done.stdout[-300:], ""
            noticed, said = self.try_tests(words), self.said
        finally:
            path.write_text(text)
            self.is_mutated = False
        if not noticed:
            return line, "lives", ""
        word, name = noticed
        if word not in sound:
            assert not self.make(mutant).returncode, file
            sound[word] = not self.try_tests([word])
        if not sound[word]:
            return line, f"wrong: {name} fails without it, too", self.said
        return line, f"killed by {name}" + (" (it did not end)" if said.startswith("it did not end") else ""), said


def mutants_of(paths, only):
    for path in paths:
        for line in path.read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            file, old, new, words, *reason = (part.strip() for part in re.split(r" \|(?= ) ?", line + " "))
            old, new = old.replace("\\|", "|"), new.replace("\\|", "|")
            if re.search(only, line):
                yield {"file": file, "old": old, "new": new, "tests": words.split(), "reason": reason[0] if reason else ""}


def is_stale(mutant):
    """What the mutant replaces is not there, or is in several places."""
    path = SOURCE / mutant["file"]
    number, old = re.fullmatch(r"(?:(\d+)@)?(.*)", mutant["old"]).groups()
    count = path.read_text().count(old) if path.is_file() else 0
    return not count or (count > 1 and not number) or int(number or 1) > count


def check_lists(mutants):
    """Exit status 0: each mutant still applies to the sources."""
    stale = [mutant for mutant in mutants if is_stale(mutant)]
    for mutant in stale:
        print(f"{mutant['file']} has no place, or several, for the mutant of `{mutant['old']}`: change the list in test/mutants/")
    return 1 if stale else 0


def main():
    parser = argparse.ArgumentParser(description="One-line mutants, and which test notices each.")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="only whether each mutant still applies; needs no build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--why", action="store_true")
    parser.add_argument("lists", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    mutants = list(mutants_of(options.lists or sorted(HERE.glob("*.txt")), options.only))
    if options.check:
        return check_lists(mutants)
    if not options.build:
        parser.error("which build? --build DIR")
    build, counter = options.build.resolve(), iter(range(10**6))

    def judge(mutant):
        if not hasattr(local, "place"):
            local.place = Place(build, build / f"mutants/{os.getpid()}-{next(counter)}")
        return local.place.judge(mutant)

    killed = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, (line, verdict, said) in zip(mutants, pool.map(judge, mutants)):
            killed += verdict.startswith("killed")
            wrong += verdict.startswith("wrong") or verdict.startswith("lives") == (not mutant["reason"])
            print(f"{mutant['file']}:{line} | {mutant['old']} -> {mutant['new'] or '(nothing)'} | {verdict} {mutant['reason']}".rstrip(), flush=True)
            if options.why and said:
                print("    " + said[-1500:].strip().replace("\n", "\n    "), flush=True)
    print(f"{killed} of {len(mutants)} mutants killed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
