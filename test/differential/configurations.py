"""configurations.py - how a random program is compiled and run: compiler, level, link-time optimisation, mode, options.

The whole matrix is compilers x levels x modes. CI gives each seed two of them, sometimes with other flags and options;
over the seeds every one is met.
"""
import dataclasses
import shutil

LEVELS = [("-O0",), ("-O1",), ("-O2",), ("-O3",), ("-O2", "-flto=full"), ("-O2", "-flto=thin")]
MODES = ["all", "every"]
FLAGS = [(), (), (), ("-g",), ("-fno-pie", "-no-pie"), ("-fPIC",), ("-fno-omit-frame-pointer",), ("-march=x86-64-v3",),
         ("-Os",), ("-fno-plt",), ("-fno-inline",), ("-fstack-protector-all",), ("-fno-strict-aliasing",), ("-fcf-protection=full",)]
PLUGIN = [(), (), (), ("operands=off",), ("source-text=off",), ("unaccounted=calls",), ("runtime=weak",)]
OPTIONS = ["", "", "", ":history=all", ":stack=64", ":paused=1", ":unaccounted=off", ":nvtx=off", ":history=ring:ring=100",
           ":verify=paths", ":verify=paths"]


@dataclasses.dataclass(frozen=True)
class Configuration:
    llvm: int
    flags: tuple
    plugin_options: tuple
    options: str = ""
    off: bool = True

    def __str__(self):
        return f"clang {self.llvm} {' '.join(self.flags)} {' '.join(self.plugin_options)}{' with ' + self.options[1:] if self.options else ''}"

    def runs(self, folder):
        """Of each: a name, and the environment."""
        yield "recorded", {"GPUMEMPROF_OPTIONS": f"output={folder}/capture.gmprof:quiet=1{self.options}"}
        if self.off:
            yield "off", {"GPUMEMPROF": "0"}


def present(plugin):
    """The compilers of this machine for which there is a plugin."""
    versions = sorted((int(path.parent.name.removeprefix("llvm-")) for path in plugin.glob("llvm-*/gpumemprof.so")), reverse=True)
    return [version for version in versions if shutil.which(f"clang-{version}")]


def levels(llvm):
    return [level for level in LEVELS if len(level) == 1 or shutil.which(f"ld.lld-{llvm}")]


def every(compilers):
    return [Configuration(llvm, level, (f"mode={mode}",)) for llvm in compilers for level in levels(llvm) for mode in MODES]


def chosen(random, compilers):
    """Two, of both modes."""
    made = []
    for mode in random.sample(MODES, 2):
        llvm = random.choice(compilers)
        flags = random.choice(levels(llvm)) + random.choice(FLAGS)
        made.append(Configuration(llvm, flags, (f"mode={mode}",) + random.choice(PLUGIN), random.choice(OPTIONS), random.random() < 0.3))
    return made
