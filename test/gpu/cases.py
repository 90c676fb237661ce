#!/usr/bin/env python3
"""cases.py - end-to-end tests of test/e2e on a real GPU, where there is no compiler: the same functions, the same checks.

    test/gpu/cases.py build FOLDER [MODULE...]   here: compiles what they run, against the toolkit's cudart (BUILD: the build folder)
    test/gpu/cases.py run FOLDER [MODULE...]     there, in a checkout: runs them; exit status 1 where one failed

FOLDER as test/gpu/build.sh makes it, with the tool in FOLDER/tool; cases/ is added. What needs a failure that only the simulated device
makes, or a second compiler, is left out and counted, with the reason. Captures name the sources where they were compiled: where the
checkout lies elsewhere, SOURCE is a path like the one here that leads to it.
"""
import concurrent.futures
import hashlib
import importlib.util
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("SOURCE", HERE.parents[1]))
E2E = SOURCE / "test/e2e"
sys.path[:0] = [str(E2E / "harness"), *sorted(str(room) for room in E2E.iterdir() if room.is_dir())]
import harness  # noqa: E402

MODULES = ["hooks", "thresholds", "alerts", "marks", "pause", "history", "steps", "dumps", "monitor", "budgets", "objects", "operands",
           "nvtx", "labels", "streams", "measuring"]  # summaries and beginnings take ten minutes each there
# What holds on the simulated device alone, by the beginning of the case's name.
OTHERWISE = {
    "monitor.samples_are_what": "others use the device, too",
    "monitor.killed_program_shows": "others use the device, too",
    "monitor.started_and_stopped": "CUDA has threads of its own",
    "monitor.calls_without": "CUDA has threads of its own",
    "monitor.off_there_is": "CUDA has threads of its own",
    "monitor.thread_has_a_name": "CUDA has threads of its own",
    "monitor.program_whose_last_thread": "CUDA's threads keep the process, with and without the profiler",
    "measuring.wrong_numbers": "CUDA cannot be used in a forked child",
    "budgets.block_costs": "compares times of calls that take a thousand times as long",
    "operands.code_can_be": "looks into programs that are stripped here",
    "dumps.dumps_at_times": "a context takes longer to make than a dump waits for",
}
CUDA = pathlib.Path(os.environ.get("CUDA", "/usr/local/cuda"))


class Built(Exception):
    """The case is about to run what it built."""


class Paths(harness.Harness):
    """What both sides have: where a program of these sources and flags lies."""

    def __init__(self, folder, work):
        self.source, self.work, self.folder = SOURCE, work, folder
        self.cuda, self.cmake = str(CUDA), "cmake"
        self.programs, self.examples = SOURCE / "test/e2e/programs", SOURCE / "examples"
        self.sim, self.stage = pathlib.Path("SIM"), pathlib.Path("STAGE")
        self.tool = folder / "tool/gpumemprof"

    def compiler(self, language, llvm=22):
        return f"clang-{llvm}" if language == "c" else f"clang++-{llvm}"

    def place(self, name, sources, flags, llvm, language, plugin, runtime, link, options):
        key = repr((sources, [str(f) for f in flags], llvm, language, plugin, runtime, [str(f) for f in link], sorted(options.items())))
        return self.folder / "cases" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


class Builder(Paths):
    def plugin(self, llvm=22):
        return pathlib.Path(os.environ.get("BUILD", "build")).resolve() / f"lib/gpumemprof/llvm-{llvm}/gpumemprof.so"

    def include_flags(self):
        return ["-I", SOURCE / "include", "-isystem", CUDA / "include"]

    def link_flags(self, runtime=True):
        flags = ["-L", self.folder / "lib", "-lgpumemprof"] if runtime else []
        return [*flags, "-L", CUDA / "lib64", "-L", CUDA / "lib64/stubs", "-lcudart", "-Wl,-rpath,$ORIGIN/../lib"]

    def build(self, name, *sources, flags=(), llvm=22, language=None, plugin=True, runtime=True, link=(), status=0, **options):
        if status or any(str(word).startswith(str(self.work)) for word in (*link, *flags)):
            raise harness.Skip("builds more than a program")
        program = self.place(name, sources, flags, llvm, language, plugin, runtime, link, options)
        if program.exists():
            return program
        files = [self.programs / source for source in sources]
        language = language or ("c" if all(f.suffix == ".c" for f in files) else "c++")
        words = [self.compiler(language, llvm), *(["-std=gnu11"] if language == "c" else ["-std=c++20", "-pthread"]), *flags,
                 *(self.plugin_flags(llvm, **options) if plugin else []), *self.include_flags(), "-x", language, *files,
                 "-s", "-o", self.work / "program", *self.link_flags(runtime),
                 *("-lcuda" if str(word) == str(self.sim / "libcuda.so.1") else word for word in link)]
        subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, cwd=self.work)
        partial = program.with_name(f"{program.name}.{self.work.name}")  # another case may build the same
        shutil.copy(self.work / "program", partial)
        partial.rename(program)
        return program

    def command(self, *words, **more):
        raise Built


class Runner(Paths):
    def build(self, name, *sources, flags=(), llvm=22, language=None, plugin=True, runtime=True, link=(), status=0, **options):
        program = self.place(name, sources, flags, llvm, language, plugin, runtime, link, options)
        if status or not program.exists():
            raise harness.Skip("a program that was not built")
        return program

    def run(self, program, *arguments, sim="", **more):
        if sim:
            raise harness.Skip(f"needs the simulated device ({sim.split('=')[0]})")
        return super().run(program, *arguments, **{**more, "verify": False})  # they are stripped; verify.py has others

    def command(self, *words, env=None, **more):
        if "GPUMEMPROF_SIM_OPTIONS" in (env or {}):
            raise harness.Skip("needs the simulated device")
        if pathlib.Path(str(words[0])).name.startswith(("clang", "gcc", "g++")):
            raise harness.Skip("needs a compiler")
        return super().command(*words, env=env, **more)


def cases(modules):
    for name in modules:
        spec = importlib.util.spec_from_file_location("e2e_" + name, next(E2E.glob(f"*/{name}.py")))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for case, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not case.startswith("_") and list(inspect.signature(function).parameters) == ["t"]:
                yield f"{name}.{case}", function


def attempt(kind, folder, name, function):
    """(name, outcome, why)"""
    module, case = name.split(".")
    reason = next((why for begin, why in OTHERWISE.items() if name.startswith(begin)), "")
    if kind is Runner and (reason or "fork" in case or "child" in case):
        return name, "left out", reason or "CUDA cannot be used in a forked child"
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"gmp-{module}-"))
    try:
        function(kind(folder, work))
        return name, "passed", ""
    except Built:
        return name, "built", ""
    except harness.Skip as reason:
        return name, "left out", str(reason)
    except subprocess.CalledProcessError as error:
        return name, "failed", str(error.stderr)[-600:]
    except Exception as error:  # noqa: BLE001 - whatever a test meets
        text = traceback.format_exc()
        if "SIM/" in text or "STAGE/" in text or isinstance(error, FileNotFoundError):
            return name, "left out", "needs the simulated device or the installed tree"
        return name, "failed", text[-1500:]
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("build", "run"):
        sys.exit(__doc__)
    kind, folder = Builder if sys.argv[1] == "build" else Runner, pathlib.Path(sys.argv[2]).resolve()
    if kind is Builder:
        shutil.rmtree(folder / "cases", ignore_errors=True)
        (folder / "cases").mkdir()
    else:
        os.environ["LD_LIBRARY_PATH"] = f"{folder}/lib:{CUDA}/lib64:{folder}/tool:" + os.environ.get("LD_LIBRARY_PATH", "")
    counts, failed = {}, []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        jobs = [pool.submit(attempt, kind, folder, name, function) for name, function in cases(sys.argv[3:] or MODULES)]
        for job in jobs:
            name, outcome, why = job.result()
            counts[outcome] = counts.get(outcome, 0) + 1
            if outcome == "failed":
                failed.append(name)
            if outcome == "failed" or (outcome == "left out" and kind is Runner):
                print(f"{outcome}: {name}: {why}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
