#!/usr/bin/env python3
"""run.py - random programs, compiled plain and with the plugin: they must print the same and exit the same.

    python3 test/differential/run.py --build build --programs 10000     before a release
    python3 test/differential/run.py --build build --seed 17 --matrix   one program, every configuration

A seed is a program and two configurations of all (configurations.py), each with a capture that `gpumemprof report`
must accept; with verify=paths no call path may differ from the machine stack. A program that differs is kept under
--keep with the commands that repeat it. Exit status: 0 no difference, 1 a difference or a program that does not
compile, 2 usage.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).resolve().parents[1])]
import repeats  # noqa: E402
from configurations import chosen, every, present  # noqa: E402
from generator_c import GeneratorC  # noqa: E402
from generator_cpp import GeneratorCpp  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60  # a program needs some milliseconds


class Broken(Exception):
    """What went wrong with one program, in one line, and the commands that show it."""
    def __init__(self, what, *commands):
        super().__init__(what)
        self.commands = commands


class Case:
    def __init__(self, settings, seed, folder):
        self.settings, self.folder = settings, folder
        self.c = seed % 2 == 0
        generator = GeneratorC(seed) if self.c else GeneratorCpp(seed)
        self.source = folder / f"program_{seed}{'.c' if self.c else '.cpp'}"
        self.source.write_text(generator.program(settings.weighted))
        self.plain = {}

    def compile(self, name, configuration, plugin):
        program = self.folder / name
        tree = self.settings.source
        words = [f"clang{'' if self.c else '++'}-{configuration.llvm}", "-std=gnu11" if self.c else "-std=c++20", "-w", "-pthread",
                 *configuration.flags, *self.settings.flags, f"-I{tree}/sim/include", f"-I{tree}/include", f"-I{HERE}"]
        if plugin:
            words += ["-fverify-intermediate-code" if configuration.llvm >= 18 else "-gline-tables-only", f"-fplugin={self.settings.plugin}/llvm-{configuration.llvm}/gpumemprof.so"] + \
                [f"-fplugin-arg-gpumemprof-{option}" for option in configuration.plugin_options]
        lib, sim = self.settings.build / "lib", self.settings.build / "lib/gpumemprof/sim"
        words += [str(self.source), "-o", str(program), f"{sim}/libcudart.so.13", f"-Wl,-rpath,{sim}"]
        words += [f"-L{lib}", "-lgpumemprof", f"-Wl,-rpath,{lib}"] if plugin else []
        words += ["-fuse-ld=lld"] if shutil.which(f"ld.lld-{configuration.llvm}") else []
        done = subprocess.run(words, capture_output=True, text=True, errors="replace")
        if done.returncode:
            first = next((text for text in done.stderr.splitlines() if "error" in text or "Assertion" in text), "no message")
            raise Broken(f"does not compile {'with the plugin' if plugin else 'plain'}: {first}", shlex.join(words))
        return program, shlex.join(words)

    def run(self, program, environment):
        try:
            done = subprocess.run([str(program)], capture_output=True, timeout=SECONDS, cwd=self.folder,
                                  env={**os.environ, **environment})
        except subprocess.TimeoutExpired:
            return "timeout", b"", b""
        return done.returncode, done.stdout, done.stderr

    def plain_result(self, configuration):
        """Compiled once for each compiler and flags."""
        key = (configuration.llvm, configuration.flags)
        if key not in self.plain:
            program, command = self.compile(f"plain{len(self.plain)}", configuration, False)
            self.plain[key] = self.run(program, {})[:2] + (command,)
        return self.plain[key]

    def compare(self, configuration):
        status, out, plain_command = self.plain_result(configuration if self.settings.same_level else self.first)
        program, command = self.compile("profiled", configuration, True)
        for name, environment in configuration.runs(self.folder):
            capture = self.folder / "capture.gmprof"
            capture.unlink(missing_ok=True)
            got = self.run(program, environment)
            setting = " ".join(f"{key}={value}" for key, value in environment.items())
            shown = f"{setting} {program}"
            if got[:2] != (status, out):
                same = self.plain_result(configuration)[:2]
                if same != (status, out):
                    raise Broken(f"prints something else at another level without the plugin, a fault of the generator: {configuration}",
                                 plain_command, self.plain_result(configuration)[2])
                raise Broken(f"{self.first_difference(out, got[1])}, exit status {status} and {got[0]}: {configuration}, {name}",
                             plain_command, command, shown)
            if name == "recorded":
                self.accepted("report", capture, got[2], configuration, command, shown)
                if "verify=paths" in configuration.options:
                    self.accepted("info --paths", capture, b"", configuration, command, shown)

    def accepted(self, words, capture, said, configuration, *commands):
        """`gpumemprof report` reads the capture, and no line of a path is where the machine was not."""
        asked = [str(self.settings.build / "bin/gpumemprof"), *words.split(), str(capture)]
        done = subprocess.run(asked, capture_output=True, text=True, errors="replace")
        if done.returncode or b"gpumemprof" in said:
            message = (done.stderr + said.decode(errors="replace") + (done.stdout if words != "report" else "")).strip()[:300]
            raise Broken(f"{words} exits with {done.returncode} ({message}): {configuration}", *commands, shlex.join(asked))

    @staticmethod
    def first_difference(plain, profiled):
        ours, theirs = plain.decode().splitlines(), profiled.decode(errors="replace").splitlines()
        for a, b in zip(ours, theirs):
            if a != b:
                return f"'{a}' plain, '{b}' with the plugin"
        return "the same lines" if len(ours) == len(theirs) else f"{len(ours)} lines plain, {len(theirs)} with the plugin"

    def check(self, configurations):
        self.first = configurations[0]
        for configuration in configurations:
            self.compare(configuration)
        return len(configurations)


def one(settings, seed):
    """Returns (configurations compared, None or what differs)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"gpumemprof-differential-{seed}-"))
    count = 0
    try:
        case = Case(settings, seed, folder)
        configurations = every(settings.llvm) if settings.matrix else chosen(random.Random(seed * 7919), settings.llvm)
        count = case.check(configurations)
    except Broken as broken:
        kept = settings.keep / f"seed_{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        shutil.copy(case.source, kept)
        commands = [command.replace(str(folder), str(kept)) for command in broken.commands]
        (kept / "repeat.sh").write_text("\n".join(["# " + str(broken), *commands, ""]))
        return count, "\n".join([f"seed {seed}: {broken}", *("  " + command for command in commands)])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return count, None


def main():
    parser = argparse.ArgumentParser(description="Compares random programs, compiled plain and with the plugin.")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--plugin", type=pathlib.Path, help="the folder with llvm-22/gpumemprof.so, if it is another")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--programs", type=int, default=1, help="how many seeds")
    parser.add_argument("--few", type=int, help="only so many of the seeds, other ones after each commit (test/repeats.py)")
    parser.add_argument("--matrix", action="store_true", help="every configuration for each program")
    parser.add_argument("--same-level", action="store_true", help="compare with the plain program of the same flags, not of the first ones")
    parser.add_argument("--weighted", type=float, help="this share of the functions end in a call of themselves, such as 1.0")
    parser.add_argument("--flags", default="", help="more flags for every compilation, such as -DTRACE")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("differences"), help="where programs that differ are kept")
    parser.add_argument("--most", type=int, default=20, help="end after so many differences")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    settings = parser.parse_args()
    settings.build, settings.keep, settings.source = settings.build.resolve(), settings.keep.resolve(), HERE.parent.parent
    settings.plugin = (settings.plugin or settings.build / "lib/gpumemprof").resolve()
    settings.flags = shlex.split(settings.flags)
    settings.llvm = present(settings.plugin)
    if not settings.llvm:
        print(f"{settings.plugin} has no plugin for a compiler of this machine; build it first")
        return 2
    seeds = repeats.seeds(settings.seed, settings.programs, settings.few or settings.programs)
    compared = configurations = found = refused = 0
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        running = {pool.submit(one, settings, seed) for seed in seeds}
        for done in concurrent.futures.as_completed(running):
            count, difference = done.result()
            compared, configurations = compared + 1, configurations + count
            if difference and "does not compile plain" in difference:
                refused += 1  # the generator wrote what this compiler does not take: nothing to compare
                print(difference, flush=True)
            elif difference:
                found += 1
                print(difference, flush=True)
            if compared % 500 == 0:
                print(f"{compared} programs, {found} differ", flush=True)
            if found >= settings.most:
                for waiting in running:
                    waiting.cancel()
                break
    print(f"{compared} programs compared, in {configurations} configurations without a difference; {found} programs differ")
    if refused:
        print(f"{refused} of them were refused by the compiler without the plugin; one may be, or one in 40")
    return 1 if found or refused > max(1, len(seeds) // 40) else 0


if __name__ == "__main__":
    sys.exit(main())
