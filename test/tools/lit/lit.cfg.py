# Tests of the tool: a text of events (see ../mkcapture.py) becomes a capture, FileCheck reads the report.
import os

import lit.formats

config.name = "gpumemprof tools"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
# CTest runs several folders at once, and lit writes a file of times there: an output folder for each.
config.test_exec_root = os.path.join(lit_config.params["output"], lit_config.params.get("work", ""))
here = os.path.dirname(config.test_source_root)
source, tool = lit_config.params["source"], lit_config.params["tool"]
python = lit_config.params["python"]
config.environment["PATH"] = lit_config.params["llvm_tools"] + os.pathsep + config.environment.get("PATH", "")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["LC_ALL"] = "C.UTF-8"
for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if key in os.environ:
        config.environment[key] = os.environ[key]
config.substitutions += [
    ("%mk", f"{python} {here}/mkcapture.py {source}"),
    ("%status", f"{python} {config.test_source_root}/Inputs/status.py"),
    ("%python", python),
    ("%source", source),
    ("%inputs", f"{config.test_source_root}/Inputs"),
    ("%tools", here),
    ("%worked", f"{config.test_source_root}/Inputs/worked_example.txt"),
    ("gpumemprof_tool", tool),
]
