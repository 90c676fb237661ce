"""Every system call of the profiler may fail, and the places a capture can go to are of every sort: the program's
output and exit status stay, at most one sentence says what happened, and what is left opens or is refused."""
import errno
import os
import signal
import socket
import stat
import subprocess

from capture_file import one_sentence

KIB = 1 << 10


def _program(t):
    """Its capture grows twice: the profiler's calls come at the start, on the way and at the end."""
    t.command(t.compiler("c"), "-O1", "-shared", "-fPIC", t.programs / "faults.c", "-o", t.work / "faults.so", "-ldl")
    return t.build("many_paths", "many_paths.cpp", flags=["-O1"])


def attempt(t, program, path, faults="", bits=7, prepare=(), sentences=1, words=()):
    """One run: what it leaves is judged. Returns what it said."""
    log = t.work / "faults.log"
    log.unlink(missing_ok=True)
    env = {**os.environ, "GPUMEMPROF_OPTIONS": f"output={path}:quiet=1"}
    if faults:
        env.update(LD_PRELOAD=str(t.work / "faults.so"), FAULTS=faults, FAULTS_LOG=str(log))
    arguments = [str(word) for word in (bits if isinstance(bits, tuple) else (bits,))]
    done = subprocess.run([*prepare, str(program), *arguments], env=env, cwd=t.work, capture_output=True, text=True, timeout=60,
                          check=False)
    said = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (9, "done\n"), (faults, done)
    assert len(said) <= sentences and all(line.startswith("gpumemprof: ") for line in said), (faults, done.stderr)
    assert "error " not in done.stderr, (faults, done.stderr)  # every cause has a name
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    return done.stderr


def judge(t, path, said, bits=7):
    """A capture that is there opens, or is refused in one sentence; nothing was said only if nothing is missing, or
    the losses are counted."""
    found = subprocess.run([t.tool, "report", "--bytes", "--limit", "1", path], capture_output=True, text=True, check=False)
    text = found.stdout + found.stderr
    if found.returncode:
        assert said and found.returncode == 2 and one_sentence(found.stderr) and not found.stdout, (said, text)
        return text
    assert "holds for every device" in text and ("stopped" in text or "complete" in text), (said, text)
    if not said:
        assert "complete" in text and ("lost: " in text or f"\n{(1 << bits) * 512} allocated" in text), text
    return text


def each_call_fails_once_and_from_then_on(t):
    """Each of the profiler's system calls, one after the other, until there is none left. Also where disk space can
    only be had by writing, and where files cannot be mapped."""
    program, path = _program(t), t.work / "run.gmprof"
    causes = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EMFILE, errno.ENOMEM, errno.ESTALE]
    runs = 0
    for code in causes:
        for count in (1, 1 << 30) if code in (errno.ENOSPC, errno.ENOMEM, errno.EMFILE) else (1,):
            for before in ("", f"fallocate,1,999,{errno.EOPNOTSUPP};", f"map_shared,1,999,{errno.ENODEV};"):
                if before and code not in (errno.ENOSPC, errno.EIO):
                    continue
                first = 1
                while True:
                    said = attempt(t, program, path, f"{before}any,{first},{count},{code}",
                                   sentences=3 if before.startswith("map") else 1)
                    fired = (t.work / "faults.log").read_text().split() if (t.work / "faults.log").exists() else []
                    judge(t, path, said)
                    path.unlink(missing_ok=True)
                    runs += 1
                    if len(fired) <= before.count("map") and first > 12 or first > 200:
                        break
                    first += 1
    print(f"{runs} runs")


def places_that_hold_no_capture(t):
    """What is no regular file is left as it is: a profiler that runs as root must not replace /dev/null."""
    program = _program(t)
    place = t.work / "place"

    def refused(kind, path, *words, **more):
        before = os.lstat(path) if os.path.lexists(path) else None
        said = attempt(t, program, path, words=("not profiled", *words), **more)
        after = os.lstat(path) if os.path.lexists(path) else None
        assert (before and before.st_ino) == (after and after.st_ino), (kind, said)
    place.mkdir()
    refused("folder", place, "it is a folder")
    place.rmdir()
    os.mkfifo(place)
    refused("pipe", place, "it is a device, pipe or socket")
    place.unlink()
    with socket.socket(socket.AF_UNIX) as unix:
        os.chdir(t.work)
        unix.bind("place")
        refused("socket", place, "it is a device, pipe or socket")
    place.unlink()
    for target in ("nowhere", "/dev/null", program):
        place.symlink_to(target)
        refused("link", place, "it is a symbolic link")
        place.unlink()
    if os.geteuid() == 0:
        os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # as /dev/null
        refused("device", place, "it is a device, pipe or socket")
        place.unlink()
    refused("program", f"{program}/x", "a part of the path is not a folder")
    refused("no folder", place / "x", "no such folder")
    refused("long name", t.work / ("n" * 300), "the path is too long")
    refused("long path", "d" * (4094 - len(str(t.work))), "the path is too long")


def file_of_somebody_else(t):
    """In a folder with the sticky bit, as /tmp, another user's file can neither be removed nor written."""
    t.need_root()
    program, folder = _program(t), t.work / "sticky"
    folder.mkdir()
    os.chmod(folder, 0o1777)
    path = folder / "run.gmprof"
    path.write_text("mine")
    for parent in [t.work, *t.work.parents]:
        if not parent.stat().st_mode & 1:
            print(f"skipped: {parent} is closed to others")
            return
    said = attempt(t, program, path, prepare=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
                   words=("not profiled",))
    assert "not permitted" in said or "permission denied" in said, said
    assert path.read_text() == "mine"
    os.chmod(folder, 0o755)
    attempt(t, program, folder / "new.gmprof", prepare=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            words=("permission denied",))


def where_files_cannot_be_mapped_exit_keeps_the_capture(t):
    """It is in memory then: an end that runs no destructors loses it, and both the run and the file say so."""
    _program(t)
    program, path = t.build("ending", "ending.c", link=["-ldl", "-pthread"]), t.work / "run.gmprof"
    env = {"LD_PRELOAD": str(t.work / "faults.so"), "FAULTS": f"map_shared,1,9,{errno.ENODEV}", "FAULTS_LOG": os.devnull}
    for way, status, kept in (("return", 7, True), ("exit", 3, True), ("_exit", 4, False), ("kill", -signal.SIGKILL, False)):
        result, path = t.run(program, way, status=status, env=env)
        assert "written when the program ends by exit" in one_sentence(result.err), result.err
        found = t.gpumemprof("report", path, status=0 if kept else 2)
        assert ("256.00 KiB allocated" in found.out.replace("0.25 MiB", "256.00 KiB")) == kept, found.out
        assert kept or "has no header yet" in one_sentence(found.err), found.err


def limits_of_the_shell(t):
    program, path = _program(t), t.work / "run.gmprof"
    for blocks in (0, 1, 255, 256, 300):
        said = attempt(t, program, path, bits=9, prepare=("bash", "-c", f'ulimit -f {blocks}; exec "$@"', "sh"),
                       words=("the file size limit (ulimit -f) is reached",))
        assert path.exists() == (blocks >= 256), blocks
        judge(t, path, said, bits=9) if path.exists() else None
    for descriptors in range(4):
        said = attempt(t, program, path, bits=(9, descriptors), words=("no file descriptor left (ulimit -n)",))
        judge(t, path, said)
    for closed in ("<&-", "<&- 2>&-", "<&- >&- 2>&-"):  # a low descriptor is the profiler's, for a while
        out = t.work / "out"
        done = subprocess.run(["bash", "-c", f'"{program}" 9 {closed}; echo $?'], capture_output=True, text=True, cwd=t.work,
                              env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={path}:quiet=1"}, check=True)
        assert done.stdout.split()[-1] == "9", done
        judge(t, path, "", bits=9)
        out.unlink(missing_ok=True)
    stopped = 0
    for mib in (4096, 1024, 512, 256, 192, 160, 128, 112, 96, 80, 64):
        prepare = ("bash", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "sh")
        plain = subprocess.run([*prepare, program, "9"], capture_output=True, text=True, cwd=t.work, check=False,
                               env={**os.environ, "GPUMEMPROF": "0"})
        if plain.returncode != 9:
            break  # the program itself needs more
        path.unlink(missing_ok=True)
        said = attempt(t, program, path, bits=9, prepare=prepare)
        stopped += bool(said)
        if path.exists():
            judge(t, path, said, bits=9)
    print(f"down to {mib} MiB of address space, {stopped} times without all of it")


def limited_address_space_is_left_to_the_program(t):
    """The profiler reserves little where there is little: a program that needs most of it gets it."""
    source = t.work / "needs.c"
    source.write_text("""#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
  void *p; /* first its own memory: the simulated device takes what it can get of the rest */
  if (mmap(0, strtoul(argv[1], 0, 10) << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    return 1;
  if (!cudaMalloc(&p, 512)) cudaFree(p);
  puts("done");
  return 9;
}
""")
    program, path = t.build("needs", source), t.work / "run.gmprof"
    for mib in (1024, 2048, 4096):
        said = attempt(t, program, path, bits=mib * 3 // 4, prepare=("bash", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "sh"))
        assert not said, said


def folders_that_go_away(t):
    """The capture is removed, replaced or its folder is gone when it has to grow."""
    program = _program(t)
    for command in ("rm -r {f}", "mv {f} {f}.away", "rm {f}/run.gmprof; mkdir {f}/run.gmprof",
                    "rm {f}/run.gmprof; mkfifo {f}/run.gmprof", "cp {f}/run.gmprof {f}/x; mv {f}/x {f}/run.gmprof"):
        folder = t.work / "folder"
        subprocess.run(["rm", "-rf", folder, f"{folder}.away"], check=True)
        folder.mkdir()
        env = {**os.environ, "GPUMEMPROF_OPTIONS": f"output={folder}/run.gmprof:quiet=1"}
        running = subprocess.Popen([program, "16"], env=env, cwd=t.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (folder / "run.gmprof").exists() or (folder / "run.gmprof").stat().st_size < 1 << 20:
            assert running.poll() is None
        subprocess.run(["sh", "-c", command.format(f=folder)], check=True)
        out, err = running.communicate(timeout=60)
        assert (running.returncode, out) == (9, "done\n"), (command, running.returncode, err)
        assert "removed or replaced" in one_sentence(err), (command, err)


def file_systems(t):
    """A read-only one, one without room, one whose files have huge pages only."""
    t.need_root()
    program, place = _program(t), t.work / "mounted"
    place.mkdir()
    for options, words in (("-t tmpfs -o ro", ("read-only",)), ("-t tmpfs -o size=64k", ("no space left",)),
                           ("-t tmpfs -o size=512k", ("no space left",)), ("-t tmpfs -o nr_inodes=1", ("no space left",)),
                           ("-t hugetlbfs", ())):
        if subprocess.run(["mount", *options.split(), "none", place], check=False, capture_output=True).returncode:
            print(f"not mountable here: {options}")
            continue
        try:
            path = place / "run.gmprof"
            said = attempt(t, program, path, bits=9, words=words)
            judge(t, path, said, bits=9) if path.exists() else None
            assert said or path.exists(), options
        finally:
            subprocess.run(["umount", place], check=True)
