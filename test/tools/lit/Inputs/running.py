#!/usr/bin/env python3
"""running.py TOOL MKCAPTURE SOURCE FIXTURE CAPTURE - the capture of a program that is running, then killed.

PID in the fixture becomes the process id of a program started here.
"""
import subprocess
import sys

tool, mkcapture, source, fixture, capture = sys.argv[1:]
program = subprocess.Popen(["sleep", "60"])
try:
    text = open(fixture, encoding="utf-8").read().replace("running PID", f"running {program.pid}")
    open(capture + ".txt", "w", encoding="utf-8").write(text)
    subprocess.run([sys.executable, mkcapture, source, capture + ".txt", capture], check=True)
    print(subprocess.run([tool, "report", capture], check=True, capture_output=True, text=True).stdout)
    leaks = subprocess.run([tool, "leaks", "--fail", capture], check=False, capture_output=True, text=True)
    print(leaks.stdout, "leaks status", leaks.returncode)
    print(subprocess.run([tool, "report", capture, "--format", "json"], check=True, capture_output=True, text=True).stdout)
finally:
    program.kill()
    program.wait()
print("killed:", subprocess.run([tool, "report", capture], check=True, capture_output=True, text=True).stdout)
