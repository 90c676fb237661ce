"""Every system call of the profiler may fail, and the places a capture can go to are of every sort: the program's
output and exit status stay, at most one sentence says what happened, and what is left opens or is refused."""
import errno
import os
import shutil
import signal
import socket
import stat
import subprocess

import repeats
from capture_file import one_sentence
from harness import Skip

KIB = 1 << 10


def _program(t):
    """Its capture grows twice: the profiler's calls come at the start, on the way and at the end."""
    t.command(t.compiler("c"), "-O1", "-shared", "-fPIC", t.programs / "common/faults.c", "-o", t.work / "faults.so", "-ldl")
    return t.build("many_paths", "life/many_paths.cpp", flags=["-O1"])


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
    found = subprocess.run([t.tool, "report", "--verbose", "--bytes", "--limit", "1", path], capture_output=True, text=True, check=False)
    text = found.stdout + found.stderr
    if found.returncode:
        assert said and found.returncode == 2 and one_sentence(found.stderr) and not found.stdout, (said, text)
        return text
    assert "balanced on every device" in text and ("stopped" in text or "complete" in text), (said, text)
    if not said:
        assert "complete" in text and ("lost: " in text or f"\n{(1 << bits) * 512} allocated" in text), text
    return text


def each_call_fails_once_and_from_then_on(t):
    """Each of the profiler's system calls, one after the other, until there is none left. Also where disk space can
    only be had by writing, and where files cannot be mapped. A third of the ways to fail, other ones after each commit."""
    program, path = _program(t), t.work / "run.gmprof"
    path.unlink(missing_ok=True)
    causes = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EMFILE, errno.ENOMEM, errno.ESTALE]
    ways = [(before, count, code) for before in ("", f"fallocate,1,999,{errno.EOPNOTSUPP};", f"map_shared,1,999,{errno.ENODEV};")
            for code in causes if not before or code in (errno.ENOSPC, errno.EIO)
            for count in ((1, 1 << 30) if code in (errno.ENOSPC, errno.ENOMEM, errno.EMFILE) else (1,))]
    runs = 0
    for before, count, code in repeats.share(ways, 3):
        first = 1
        while True:
            said = attempt(t, program, path, f"{before}any,{first},{count},{code}", sentences=3 if before.startswith("map") else 1)
            fired = (t.work / "faults.log").read_text().split() if (t.work / "faults.log").exists() else []
            judge(t, path, said)
            path.unlink(missing_ok=True)
            runs += 1
            if len(fired) <= before.count("map") and first > 12 or first > 200:
                break
            first += 1
    print(f"{runs} runs")


def places_that_hold_no_capture(t):
    """What is no capture is left as it is: a profiler that runs as root must not replace /dev/null, nor a letter."""
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
    place.write_text("a letter")
    refused("letter", place, "the file there is not a capture, and is kept")
    assert place.read_text() == "a letter"
    refused("itself", program, "the file there is not a capture, and is kept")
    place.write_text("")  # nothing is lost with it; mktemp makes such files
    assert not attempt(t, program, place)
    judge(t, place, "")
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
    mine = b"GMPROF\r\n" + bytes(12) + b"\1" + bytes(4075)  # a finished capture, which could be replaced otherwise
    path.write_bytes(mine)
    for parent in [t.work, *t.work.parents]:
        if not parent.stat().st_mode & 1:
            print(f"skipped: {parent} is closed to others")
            return
    said = attempt(t, program, path, prepare=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
                   words=("not profiled",))
    assert "not permitted" in said or "permission denied" in said, said
    assert path.read_bytes() == mine and [one.name for one in folder.iterdir()] == ["run.gmprof"]
    os.chmod(folder, 0o755)
    attempt(t, program, folder / "new.gmprof", prepare=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            words=("permission denied",))


def where_files_cannot_be_mapped_exit_keeps_the_capture(t):
    """It is in memory then: an end that runs no destructors loses it, and both the run and the file say so."""
    _program(t)
    program, path = t.build("ending", "common/ending.c", link=["-ldl", "-pthread"]), t.work / "run.gmprof"
    env = {"LD_PRELOAD": str(t.work / "faults.so"), "FAULTS": f"map_shared,1,9,{errno.ENODEV}", "FAULTS_LOG": os.devnull}
    for way, status, kept in (("return", 7, True), ("exit", 3, True), ("_exit", 4, False), ("kill", -signal.SIGKILL, False)):
        result, path = t.run(program, way, status=status, env=env, verify=False)  # some leave a file that cannot be read
        assert "written when the program ends by exit" in one_sentence(result.err), result.err
        found = t.gpumemprof("report", "-v", path, status=0 if kept else 2)
        assert ("256.00 KiB allocated" in found.out) == kept, found.out
        assert kept or "has no header yet" in one_sentence(found.err), found.err


def limits_of_the_shell(t):
    program, path = _program(t), t.work / "run.gmprof"
    for blocks in (0, 1, 255, 256, 300):
        said = attempt(t, program, path, bits=9, prepare=("bash", "-c", f'ulimit -f {blocks}; exec "$@"', "sh"),
                       words=("the file size limit (ulimit -f) is reached",))
        assert path.exists() == (blocks >= 256), blocks
        judge(t, path, said, bits=9) if path.exists() else None
    for descriptors in range(4):  # the program's own do not count for the profiler, which needs one at a time
        said = attempt(t, program, path, bits=(9, descriptors),
                       words=() if descriptors else ("no file descriptor left (ulimit -n)",))
        assert bool(said) == (not descriptors), said
        judge(t, path, said, bits=9)
    for closed in ("<&-", "<&- 2>&-", "<&- >&- 2>&-"):
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


def full_disk_that_copies_on_write(t):
    """Somebody else fills a btrfs while the program runs. Linux overwrites the capture in place there since 6.17; before
    that, and where the mark that it needs is refused, the capture is in memory, and a sentence says so."""
    t.need_root()
    _program(t)
    program, place = t.build("dumps", "common/dumps.c", flags=["-O1"], link=["-pthread"]), t.work / "btrfs"
    if not shutil.which("mkfs.btrfs"):
        raise Skip("needs mkfs.btrfs")
    place.mkdir()
    image = t.work / "image"
    t.command("truncate", "-s", "128M", image)
    t.command("mkfs.btrfs", "-q", image)
    if t.command("mount", "-o", "loop", image, place, status=None).status:
        raise Skip("needs a loop device and btrfs in the kernel")
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    faults = {"LD_PRELOAD": str(t.work / "faults.so"), "FAULTS_LOG": os.devnull}
    overlay = t.work / "overlay"
    try:
        for folder in (overlay, place / "upper", place / "work"):
            folder.mkdir()
        stacked = not t.command("mount", "-t", "overlay", "-o", f"lowerdir={t.programs},upperdir={place}/upper,workdir={place}/work",
                                "none", overlay, status=None).status
        for name, folder, env, mapped in (("plain", place, {}, release >= (6, 17)),
                                          ("overlay", overlay, {}, release >= (6, 17)),
                                          ("old", place, {**faults, "FAULTS": f"uname,1,9,{errno.EFAULT}"}, False),
                                          ("refused", place, {**faults, "FAULTS": f"ioctl,1,9,{errno.EOPNOTSUPP}"}, False)):
            if name == "overlay" and not stacked:
                continue
            _fill_while_it_runs(t, program, folder / f"{name}.gmprof", place, env, mapped)
    finally:
        subprocess.run(["umount", overlay], check=False, capture_output=True)
        subprocess.run(["umount", place], check=True)


def _fill_while_it_runs(t, program, path, disk, env, mapped):
    running = subprocess.Popen([program, "lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**os.environ, **env, "GPUMEMPROF_OPTIONS": f"output={path}:quiet=1"})

    def send():
        running.stdin.write("x")
        running.stdin.flush()
        assert running.stdout.readline().startswith("took"), (path, running.wait(), running.stderr.read())
    assert running.stdout.readline() == "ready\n"
    send()
    os.sync()  # from here on a page of the capture is asked for again
    filler = disk / "filler"
    with open(filler, "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError as full:
                assert full.errno == errno.ENOSPC, full
    os.sync()
    for _ in range(3):
        send()
        os.sync()
    filler.unlink()
    os.sync()
    _, said = running.communicate()
    assert running.returncode == 0, (path, running.returncode, said)
    if mapped:
        assert not said, said
    else:
        assert "a disk that gets full would end the program; it is kept in memory" in one_sentence(said), said
    assert t.report(path)["conservation"]["live"] == 4 << 20 and t.state(path) == "complete"
