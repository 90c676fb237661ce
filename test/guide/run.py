#!/usr/bin/env python3
"""run.py - runs the commands that pages show, and compares what they print with what the pages say.

    python3 test/guide/run.py [--build build] [PAGE...]            the README and docs/guide/, or those named
    python3 test/guide/run.py [--build build] --update [PAGE...]   writes what the commands print into the pages

page.py says how a page is written. Its commands run in one bash, in a folder that has nothing but a copy of examples/, with the tree
that the build installed (build/stage) in PATH and in $P, and on the simulated device. A command that fails is an error of the
page, unless `echo $?` follows. What differs from run to run is compared by the rules of `settled` and `alike`.
Exit status: 0 as shown, 1 not, 77 nothing could be run here.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page as pages  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDER, INSTALLED, CAPTURE = "/home/you/gpumemprof", "/opt/gpumemprof", "gpumemprof.host.12345.gmprof"
VARIES = re.compile(r"(?<![\w.])\d+(?:\.\d+)? (?:ns|us|ms|s|min)\b|\b0x[0-9a-f]{6,}\b")
COMPILER = "clang++-22"


def settled(text, work, stage):
    """Names of folders, of Python, of the host and of processes, as a page shows them."""
    for path, shown in ((work, FOLDER), (stage, INSTALLED)):
        text = text.replace(str(path), shown)
    text = re.sub(r"/[^\s:]*/bin/python3[.\d]*", "python3", text)
    return re.sub(r"gpumemprof\.[\w-]+\.\d+\.gmprof", CAPTURE, text)


def alike(lines):
    """Lines for comparison: times are equal, addresses are, and so is the room that they take in a table."""
    return [re.sub(r" +", " ", VARIES.sub("VARIES", line)) if VARIES.search(line) else line.rstrip() for line in lines]


def missing(block, cuda):
    """Why the commands of a block cannot run here, or nothing."""
    for said in block.directives:
        if said.startswith("not run: "):
            return said.removeprefix("not run: ")
        lacking = [name for name in said.split()[1:] if not (cuda if name == "nvcc" else shutil.which(name))]
        if lacking:
            return f"needs {' '.join(lacking)}"
    return ""


def wrong_blocks(name, found):
    """Sentences about blocks that are neither run nor marked as such, and about comments that say something else."""
    for block in found:
        for said in block.directives:
            if not re.fullmatch(r"first|needs [\w+.-]+( [\w+.-]+)*|not run: .+", said):
                yield f"{name}:{block.line}: `guide: {said}` is none of first, needs PROGRAM..., not run: REASON"
        if not block.commands and not any(said.startswith("not run: ") for said in block.directives):
            yield f"{name}:{block.line}: this block has no `$ ` and does not say `<!-- guide: not run: REASON -->`"


def execute(commands, work, stage, cuda):
    """Runs the commands in one bash; (output, status) of each."""
    shutil.rmtree(work, ignore_errors=True)
    folder, kept = work / "page", work / "kept"  # outputs are not where the commands look
    kept.mkdir(parents=True)
    shutil.copytree(SOURCE / "examples", folder / "examples")
    script = [f"cd {folder}", "status=0"]
    for number, command in enumerate(commands):
        (kept / f"{number}.sh").write_text(command.text + "\n")
        script.append(f'text=$(<{kept}/{number}.sh); (exit $status); eval "$text" >{kept}/{number}.out 2>&1 </dev/null; status=$?; '
                      f"echo $status >{kept}/{number}.status")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GPUMEMPROF", "COLUMNS"))}
    path = [f"{stage}/bin"] + ([f"{cuda}/bin"] if cuda else []) + [environment["PATH"]]
    environment |= {"PATH": ":".join(path), "P": str(stage), "LC_ALL": "C.UTF-8", "TERM": "dumb", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                    "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_plm_rsh_agent": "sh"}
    subprocess.run(["bash", "-c", "\n".join(script)], env=environment, check=False, timeout=1200)
    return [(settled((kept / f"{number}.out").read_text(errors="replace"), folder, stage).splitlines(),
             int((kept / f"{number}.status").read_text())) for number in range(len(commands))]


def run(path, stage, work, cuda, update):
    """Runs a page; the sentences about what is not as shown."""
    lines = path.read_text().splitlines()
    name, found = os.path.relpath(path, SOURCE), pages.blocks(lines)
    wrong = list(wrong_blocks(name, found))
    if wrong:
        return wrong
    left_out = [(block, missing(block, cuda)) for block in found if missing(block, cuda)]
    here = sorted((block for block in found if not missing(block, cuda)), key=lambda block: "first" not in block.directives)
    commands = [command for block in here for command in block.commands]
    results = execute(commands, work, stage, cuda)

    changed = []
    for number, (command, (output, status)) in enumerate(zip(commands, results)):
        following = commands[number + 1].text if number + 1 < len(commands) else ""
        if status and not following.startswith("echo $?"):
            wrong.append(f"{name}:{command.line}: `{command.text}` failed with status {status}, which `$ echo $?` does not follow:\n" + "\n".join(output))
        while output and not output[-1].strip():
            output.pop()
        if alike(output) != alike(command.output):
            changed.append((command, output))
            if not update:
                shown = difflib.unified_diff(alike(command.output), alike(output), "the page", "the command", lineterm="")
                wrong.append(f"{name}:{command.line}: `{command.text}` does not print what the page shows:\n" + "\n".join(shown))
    if update and not wrong:
        for command, output in sorted(changed, key=lambda each: -each[0].first):
            lines[command.first:command.last] = [f"    {line}".rstrip() for line in output]
        path.write_text("\n".join(lines) + "\n")
        print(f"{name}: {len(changed)} of {len(commands)} outputs written")
    wrong += [f"{name}:{line}: no block of the page shows {figure}" for line, figure in pages.misquoted(lines)]
    print(f"{name}: {len(commands)} commands ran, {len(left_out)} blocks did not")
    for block, reason in left_out:
        print(f"  not run: {name}:{block.line}: {reason}")
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--build", default=SOURCE / "build", type=pathlib.Path, help="the build folder, whose stage/ is used")
    options.add_argument("--cuda", default=os.environ.get("GPUMEMPROF_TEST_CUDA", "/usr/local/cuda"), help="the CUDA toolkit, if there is one")
    options.add_argument("--work", type=pathlib.Path, help="the folder to work in (default: guide-work in the build folder)")
    options.add_argument("--update", action="store_true", help="write what the commands print into the pages")
    options.add_argument("pages", nargs="*", type=pathlib.Path, help="default: README.md and docs/guide/*.md")
    given = options.parse_args()
    if not shutil.which(COMPILER):
        print(f"skipped: needs {COMPILER}")
        return 77
    cuda = given.cuda if given.cuda and os.access(f"{given.cuda}/bin/nvcc", os.X_OK) else ""
    build = given.build.resolve()
    wrong = []
    for path in given.pages or [SOURCE / "README.md", *sorted((SOURCE / "docs/guide").glob("*.md"))]:
        work = given.work or build / "guide-work"
        wrong += run(path.resolve(), build / "stage", work.resolve(), cuda, given.update)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
