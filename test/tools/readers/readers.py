"""readers.py - viewers from the npm registry, by the lock file beside this (or that of another folder): installed once for a build
folder, under a lock."""
import fcntl
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# What npm says when there is no registry to be reached.
UNREACHABLE = ("ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED", "E403")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def modules(folder, lock_folder=HERE):
    """The node_modules with them; ends the test as skipped where they cannot be had."""
    if not shutil.which("node") or not shutil.which("npm"):
        skip("needs node and npm")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = "".join(open(os.path.join(lock_folder, name), encoding="utf-8").read() for name in ("package.json", "package-lock.json"))
        done = os.path.join(folder, "installed")
        if not os.path.exists(done) or open(done, encoding="utf-8").read() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(os.path.join(lock_folder, name), folder)
            npm = subprocess.run(["npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1",
                                  "--fetch-timeout=60000"], cwd=folder, capture_output=True, text=True, check=False)
            if npm.returncode and any(word in npm.stderr for word in UNREACHABLE):
                skip("the npm registry cannot be reached")
            assert npm.returncode == 0, npm.stderr
            with open(done, "w", encoding="utf-8") as out:
                out.write(wanted)
    return os.path.join(folder, "node_modules")
