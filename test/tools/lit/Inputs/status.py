#!/usr/bin/env python3
"""status.py N COMMAND... - runs a command that has to end with exit status N: `not` knows only zero or not."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], check=False)
if done.returncode != int(sys.argv[1]):
    sys.exit(f"exit status {done.returncode}, not {sys.argv[1]}: {' '.join(sys.argv[2:])}")
