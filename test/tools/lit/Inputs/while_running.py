#!/usr/bin/env python3
"""while_running.py MKCAPTURE SOURCE FIXTURE CAPTURE COMMAND... - makes the capture of a program that runs, and runs commands.

PID in the fixture becomes the process id of a program started here; each COMMAND is one line of a shell.
"""
import subprocess
import sys

mkcapture, source, fixture, capture, *commands = sys.argv[1:]
program = subprocess.Popen(["sleep", "60"])
try:
    text = open(fixture, encoding="utf-8").read().replace("running PID", f"running {program.pid}")
    open(capture + ".txt", "w", encoding="utf-8").write(text)
    subprocess.run([sys.executable, mkcapture, source, capture + ".txt", capture], check=True)
    for command in commands:
        done = subprocess.run(command, shell=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout, "status", done.returncode)
finally:
    program.kill()
    program.wait()
