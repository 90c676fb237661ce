"""Finding and running the programs the benchmark needs.

Trouble(sentence) is what every part raises for bad input or a missing program; run.py prints the
sentence and ends with status 2. Ours holds the three things under test, found in a build directory
or an installed prefix alike.
"""
import atexit
import os
import shutil
import subprocess
import tempfile


class Trouble(Exception):
    """One clear sentence: what is wrong and the remedy."""


class Missing(Trouble):
    """A program that is not installed."""


def find_program(*names, package=None):
    """Path of the first program of this list that is installed."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    remedy = f"install the package {package}" if package else "install it"
    raise Missing(f"{names[0]} is not installed: {remedy}")


def have_program(name):
    return shutil.which(name) is not None


def run(command, cwd=None, env=None, quiet=False):
    """Run a command; its standard output and error as text. Any failure is Trouble with its last lines."""
    full = dict(os.environ)
    full.update(env or {})
    try:
        done = subprocess.run(command, cwd=cwd, env=full, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace")
    except OSError as error:
        raise Trouble(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0 and not quiet:
        last = "\n    ".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise Trouble(f"'{' '.join(command)}' ended with status {done.returncode}:\n    {last}")
    return done


class Ours:
    """plugin, runtime and tool of one build; None where that build does not have it (yet)."""

    def __init__(self, directory, llvm):
        self.directory = directory
        self.plugin = self.runtime = self.tool = self.simulator = None
        if not directory:
            return
        if not os.path.isdir(directory):
            raise Trouble(f"{directory} is no directory: name a build directory or an installed prefix with --build")
        for folder, folders, files in os.walk(os.path.abspath(directory)):
            folders[:] = [f for f in folders if f not in ("CMakeFiles", ".git") and not f.startswith("bench-work")]
            for name in files:
                path = os.path.join(folder, name)
                if name == "gpumemprof.so" and os.path.basename(folder) == f"llvm-{llvm}":
                    self.plugin = path
                elif name == "libgpumemprof.so":
                    self.runtime = path
                elif name == "libcudart.so.13" and os.path.basename(folder) == "sim":
                    self.simulator = folder
                elif name == "gpumemprof" and os.access(path, os.X_OK) and os.path.basename(folder) in ("bin", "tools"):
                    self.tool = path

    def missing(self):
        """Names of what this build does not hold."""
        parts = (("the plugin", self.plugin), ("libgpumemprof.so", self.runtime), ("bin/gpumemprof", self.tool))
        return [name for name, path in parts if not path]

    def link_flags(self):
        folder = os.path.dirname(self.runtime)
        return [f"-L{folder}", "-lgpumemprof", f"-Wl,-rpath,{folder}"]

    def simulator_flags(self):
        return [f"-L{self.simulator}", "-l:libcudart.so.13", f"-Wl,-rpath,{self.simulator}"]

    def compile_flags(self, mode="all"):
        return [f"-fplugin={self.plugin}", f"-fplugin-arg-gpumemprof-mode={mode}"]


class Bench:
    """What every row gets: where to build, with what, and how much."""

    def __init__(self, source, work, clang_version, ours, options):
        self.source = source
        self.work = work
        self.options = options
        self.ours = ours
        os.makedirs(work, exist_ok=True)
        self.clang = find_program(f"clang-{clang_version}", package=f"clang-{clang_version}")
        self.clangxx = find_program(f"clang++-{clang_version}", package=f"clang-{clang_version}")
        self.has_program_ours = bool(ours.plugin and ours.runtime)

    def counts(self, limited):
        """Whether instructions are counted of what a limit is held against, or not."""
        return limited or not self.options.in_turns

    def programs(self, *parts):
        return os.path.join(self.source, "programs", *parts)

    def peers(self, *parts):
        return os.path.join(self.source, "peers", *parts)

    def out(self, *parts):
        path = os.path.join(self.work, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def scratch(self, name):
        """A path for large files that are measured while they are written: in memory, where there is room."""
        folder = tempfile.mkdtemp(prefix="gpumemprof-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else self.work)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return os.path.join(folder, name)

    def core_flags(self):
        """Flags of programs that contain sources of the runtime: its real code, no copy of it."""
        root = os.path.dirname(self.source)
        return ["-O2", "-I" + os.path.join(root, "runtime"), "-I" + os.path.join(root, "include"),
                "-I" + self.programs(), "-I" + self.peers()]

    def timer(self):
        """The object with clock and pinning: always plain."""
        path = self.out("timer.o")
        run([self.clang, "-O2", "-c", self.programs("timer.c"), "-o", path])
        return path

    def launcher(self):
        path = self.out("launch")
        run([self.clang, "-O2", self.programs("launch.c"), self.timer(), "-o", path])
        return path

    def stub_cuda(self, *flags, folder="stub"):
        """Flags that link the CUDA runtime that costs nothing."""
        library = self.out(folder, "libcuda.so.1")
        run([self.clang, "-O2", "-fPIC", "-shared", *flags, self.programs("stub_cuda.c"), "-o", library,
             "-Wl,-soname,libcuda.so.1"])
        return [library, f"-Wl,-rpath,{os.path.dirname(library)}"]

    def capture_env(self, name):
        """Environment of a program of ours: its capture goes to name in the work directory."""
        return {"GPUMEMPROF_OPTIONS": f"output={self.out(name)}:quiet=1"}
