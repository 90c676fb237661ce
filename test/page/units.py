#!/usr/bin/env python3
"""units.py VIEWER BUILT WORK - runs the viewer's unit tests with Node, beside the packages that the build installed in BUILT."""
import os
import shutil
import subprocess
import sys

viewer, built, work = map(os.path.abspath, sys.argv[1:])
if not shutil.which("node") or not os.path.isdir(os.path.join(built, "node_modules")):
    print("skipped: needs the viewer, which needs Node.js 18, npm and npm's registry when it is built")
    sys.exit(0)
shutil.rmtree(work, ignore_errors=True)
shutil.copytree(viewer, work, ignore=shutil.ignore_patterns("node_modules", "dist"))
os.symlink(os.path.join(built, "node_modules"), os.path.join(work, "node_modules"))
tests = sorted(os.path.join("test", name) for name in os.listdir(os.path.join(work, "test")) if name.endswith(".test.mjs"))
sys.exit(subprocess.run(["node", "--test", *tests], cwd=work, check=False,
                        env={**os.environ, "GPUMEMPROF_FIGURES": os.path.join(os.path.dirname(viewer), "test", "figures.txt")}).returncode)
