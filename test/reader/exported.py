#!/usr/bin/env python3
"""exported.py HEADER SHARED STATIC "OBJECT;..." - what libgpumemprof-read is made of: it exports the functions of read.h and
nothing else, under a version; it does not print, exit or free behind the back of memory.c; and no object has memory
that all threads share."""
import pathlib
import re
import subprocess
import sys

FORBIDDEN = {"exit", "_exit", "_Exit", "quick_exit", "atexit", "abort", "__assert_fail", "kill", "raise",
             "printf", "puts", "putchar", "putc", "fputs", "fputc", "fwrite", "fprintf", "vprintf", "vfprintf", "dprintf", "perror",
             "__printf_chk", "__fprintf_chk", "__vfprintf_chk", "write", "syslog", "err", "errx", "warn", "warnx", "stdout", "stderr",
             "signal", "sigaction", "setlocale", "chdir", "fchdir", "umask", "setenv", "unsetenv", "putenv"}
RAW = {"free": ("memory.c.o", "recovery.c.o", "call.c.o")}  # else through memory.h
OF_EACH_THREAD = {"recovery.c.o": {"current"}, "readable.c.o": {"gpm_symbols_readable.asked", "gpm_symbols_readable.demangle"}}


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def defined(library, *flags):
    return {line.split()[-1] for line in lines("nm", *flags, "--defined-only", "--extern-only", library)
            if len(line.split()) == 3 and line.split()[1] in "TDBR"}


def by_object(command, paths):
    """The lines that a tool prints of each object."""
    found, path = {path: [] for path in paths}, None
    for line in lines(*command, *paths):
        name = line[6:] if line.startswith("File: ") else line[:-1]  # readelf and nm head each file so
        if name in found:
            path = name
        elif path:
            found[path].append(line)
    return found


def undefined(symbols):
    return {line.split()[-1].split("@")[0] for line in symbols if line.strip()}


def writable(text):
    """Objects in .data, .bss and .tbss: not those that are constant once the library is loaded."""
    sections = {}
    for line in text:
        found = re.match(r"\s*\[\s*(\d+)\]\s+(\S+)", line)
        if found:
            sections[found.group(1)] = found.group(2)
        word = line.split()
        if len(word) == 8 and word[3] in ("OBJECT", "TLS", "COMMON") and re.match(r"\.(t?data|t?bss)(\.(?!rel\.ro)|$)",
                                                                             sections.get(word[6], "")):
            yield word[7]


def main(header, shared, static, objects):
    objects = objects.split(";")
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(encoding="utf-8"), flags=re.S)
    declared = set(re.findall(r"\b(gpumemprof_read_\w+)\(", text)) | {"gpumemprof_read_new"}
    types = set(re.findall(r"\b(?:struct|enum) (gpumemprof_read\w*)", text))
    wrong = [f"{name} is a type and a function, so that C++ needs more than its name" for name in sorted(types & declared)]
    for library, flags in ((shared, ["-D"]), (static, [])):
        found = {name.split("@")[0] for name in defined(library, *flags)} - {"GPUMEMPROF_READ_0"}
        if found != declared:
            wrong.append(f"{library}: exports {sorted(found ^ declared)} otherwise than {header}")
    versions = [name for name in defined(shared, "-D") if "@" in name and "GPUMEMPROF_READ_0" not in name]
    wrong += [f"{name} has no version of this library" for name in versions]
    needs, contents = by_object(["nm", "--undefined-only"], objects), by_object(["readelf", "-SsW"], objects)
    for path in objects:
        name, used = pathlib.Path(path).name, undefined(needs[path])
        wrong += [f"{path} uses {symbol}" for symbol in sorted(used & FORBIDDEN)]
        wrong += [f"{path} uses {symbol} itself" for symbol, allowed in RAW.items()
                  if symbol in used and name not in allowed]
        wrong += [f"{path} has the variable {symbol}" for symbol in writable(contents[path])
                  if symbol not in OF_EACH_THREAD.get(name, ())]
    for line in wrong:
        print(line)
    print(f"{len(declared)} functions, {len(objects)} objects")
    return 1 if wrong or not declared or len(objects) < 20 else 0


sys.exit(main(*sys.argv[1:]))
