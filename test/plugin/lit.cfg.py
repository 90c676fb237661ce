# lit.cfg.py - tests of the plugin, for the LLVM version of the site configuration.
#
#   %clang %clangxx %opt    the compiler and opt of this LLVM, without the plugin; the compiler for another processor,
#                           if the build is for one, and then an emulator runs %t
#   %plugin                 the plugin, one file for every clang
#   %module %pass           the module that it loads, the passes for opt
#   %version                the version of this LLVM: 22
#   %gmp                    -fplugin=%plugin; before clang 18 with -gline-tables-only, which that needs for any line
#   %ir                     options that show the IR as the plugin left it, before any optimisation
#   %fake                   the fake runtime and the fake CUDA runtime, to link with
#   %lines                  -gline-tables-only where %gmp has it, for nvcc
#   %inputs                 the folder of files that several tests use
#   %inc                    -I of the contracts
#   %python                 the Python that runs the tests
#   %other-module           the module for another LLVM (feature other-llvm)
#
# Features: llvm-22 and so on, lines-without-g, device-code, other-llvm, lld, asan, cuda-toolkit, gcc, and the processor: x86_64 or aarch64.
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import lit.formats

config.name = "gpumemprof plugin, LLVM " + config.llvm_version
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".cu", ".ll", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
if not config.cuda_home:
    lit_config.note("unsupported without the CUDA toolkit: *.cu")
config.test_source_root = os.path.dirname(__file__)
# CTest runs several folders at once, and lit writes a file of times there: an output folder for each.
config.test_exec_root = os.path.join(config.output_root, lit_config.params.get("work", ""))
config.environment["PATH"] = config.llvm_tools + os.pathsep + os.environ["PATH"]
config.environment["TERM"] = "dumb"

clang = os.path.join(config.llvm_tools, "clang")
target = [config.target_flags] if config.target_flags else []
emulator = config.emulator.split()


stub = os.path.join(config.plugin_directory, "gpumemprof.so")


def module(version, name="gpumemprof.so"):
    return os.path.join(config.plugin_directory, "llvm-" + version, name)


def builds(source, *flags):
    """True when clang compiles, links and runs the program with these flags."""
    with tempfile.TemporaryDirectory() as folder:  # of its own: CTest runs several of us at once
        program = os.path.join(folder, "probe")
        command = [clang, *target, "-x", "c", "-", "-o", program, *flags]
        done = subprocess.run(command, input=source.encode(), capture_output=True)
        return done.returncode == 0 and subprocess.run([*emulator, program]).returncode == 0


others = [v for v in config.llvm_found if v != config.llvm_version]
features = {
    "llvm-" + config.llvm_version: True,
    "other-llvm": bool(others),
    "lld": os.path.exists(os.path.join(config.llvm_tools, "ld.lld")),
    "asan": builds("int main(void) { return 0; }", "-fsanitize=address"),
    "cuda-toolkit": bool(config.cuda_home),
    "gcc": bool(shutil.which("gcc") and shutil.which("g++")),
    config.processor or platform.machine(): True,
}
for name, present in features.items():
    if present:
        config.available_features.add(name)

if int(config.llvm_version) >= 18:
    config.available_features.add("lines-without-g")
if int(config.llvm_version) >= 19:
    config.available_features.add("device-code")
lines = "" if "lines-without-g" in config.available_features else "-gline-tables-only"
verified = "-fverify-intermediate-code" if not lines else ""
include = "-I" + os.path.join(config.project_source, "include")
for name, value in [
    ("%clangxx", " ".join([clang + "++", *target])),
    ("%clang", " ".join([clang, *target])),
    ("%opt", os.path.join(config.llvm_tools, "opt")),
    ("%version", config.llvm_version),
    ("%other-module", module(others[0]) if others else "none"),
    ("%plugin", stub),
    ("%module", module(config.llvm_version)),
    ("%pass", module(config.llvm_version, "gpumemprof-pass.so")),
    ("%gmp", f"{verified}{lines} -fplugin={stub}"),
    ("%lines", lines or "-g0"),
    ("%ir", "-O1 -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm -o -"),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%fake", config.fake_runtime + " -lpthread"),
    ("%inc", include),
    ("%python", sys.executable),
    ("%cuda-home", config.cuda_home),
    ("%nvcc", os.path.join(config.cuda_home, "bin", "nvcc")),
]:
    config.substitutions.append((name, value))
if emulator:  # %t where a command begins, also behind `env NAME=1`
    config.substitutions.insert(0, (r"(?:(?<=&& )|(?<==[01] )|(?<=\)  ))(?=%t)", config.emulator + " "))
