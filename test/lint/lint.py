#!/usr/bin/env python3
"""lint.py - rules of the house, checked over the files git knows: `lint.py RULE`, in the source folder.
`lint.py fix` formats what `lint.py format` checks.

Exit status: 0 kept, 1 broken (each place is printed), 77 cannot be checked here.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

import front_pages as pages
from rooms import MOST_FILES

SOURCE = {".c", ".h", ".cpp", ".def", ".cu"}
PARTS = ("plugin", "runtime", "sim", "tools")
FORMATTER = "clang-format-22"  # pinned: other versions format differently
DECISION = ["Context", "Decision", "What it costs", "What would change it"]  # what a page of docs/decisions/ tells
# Kept as they are: the line numbers of docs/ACCOUNTING.md, and texts that are tests of layout.
NOT_FORMATTED = re.compile(r"examples/worked_example\.|\.def$|test/plugin/|test/.*/[Ii]nputs/")


def files():
    """Tracked files and those about to be, without what git ignores."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=False)
    if listed.returncode:
        print("skipped: this is not a git checkout")
        sys.exit(77)
    paths = [pathlib.Path(name) for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def source_files():
    return [path for path in files() if path.suffix in SOURCE]


def walls():
    """plugin/, runtime/, sim/ and tools/ share only include/gpumemprof/ and never include each other."""
    broken = []
    for path in source_files():
        if path.parts[0] not in PARTS:
            continue
        part = path.parts[0]
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found or found.group(1).startswith("gpumemprof/"):
                continue
            target = found.group(1)
            if any(re.search(rf"(^|/){other}/", target) and (pathlib.Path(other) / target.split("/")[-1]).exists()
                   for other in PARTS if other != part) or not inside(part, path, target):
                broken.append(f"{path}:{number}: includes {target}, which is not of {part}/ or a contract")
    return broken


def inside(part, path, target):
    """A quoted include has to be found within its own part, or be none of this project's headers."""
    if (path.parent / target).exists() or any(pathlib.Path(part).rglob(target)):
        resolved = os.path.normpath(path.parent / target)
        return not (path.parent / target).exists() or resolved.split(os.sep)[0] == part
    return not any(list(pathlib.Path(other).rglob(target)) for other in PARTS if other != part)


def no_checkout_path():
    """No file says where it was checked out: it has to build anywhere."""
    here = str(pathlib.Path.cwd())
    return [f"{path}:{number}: names {here}" for path in files() if here != "/"
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1) if here + "/" in line]


def no_unfinished_marks():
    mark = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    return [f"{path}:{number}: {line.strip()}" for path in files() if path.suffix != ".png"
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1) if mark.search(line)]


def file_lengths():
    """80 to 350 lines are the aim. Fails only beyond 500; prints the rest for the reader."""
    broken = []
    for path in source_files():
        lines = len(path.read_text(errors="replace").splitlines())
        if lines > 500 and path.suffix != ".def":
            broken.append(f"{path}: {lines} lines; split it by idea")
        elif lines > 350:
            print(f"{path}: {lines} lines")
    return broken


def folder_sizes():
    """A folder of test/ or viewer/ holds no more files than one of the parts, whose folders rooms.py counts."""
    counts = collections.Counter(path.parent for path in files() if path.parts[0] in ("test", "viewer"))
    assert len(counts) > 50, "the folders are not found"
    return [f"{folder}: {count} files; a folder holds at most {MOST_FILES}" for folder, count in sorted(counts.items()) if count > MOST_FILES]


def losses_are_defined():
    """Each counter that a report prints as a loss, a limit or not checked has its line in ACCOUNTING.md."""
    text = pathlib.Path("docs/ACCOUNTING.md").read_text().partition("## Losses")[2].partition("\n## ")[0]
    counters = re.findall(r"^GPUMEMPROF_COUNTER\((\w+), *\w+, *([123]),", pathlib.Path("include/gpumemprof/counters.def").read_text(), re.M)
    assert counters
    return [f"docs/ACCOUNTING.md: the loss {name} is not defined" for name, _ in counters if f"`{name}`" not in text]


def one_owner_of_each_static():
    """The runtime is one translation unit: two files' static variables of one name would silently be one."""
    variable = re.compile(r"static (?!inline\b)[\w ]*?[ *](\w+)(?:\[[^\]]*\])*(?: GPM_IE_TLS)?(?:;| = |, .*;)")
    owners = {}
    for path in source_files():
        if path.parts[0] == "runtime" and path.suffix == ".c":
            for line in re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S).splitlines():
                if (match := variable.match(line.rstrip())) and "(" not in line.split("=")[0]:
                    for name in [match.group(1)] + re.findall(r", \*?(\w+)", line.split("=")[0]):
                        owners.setdefault(name, set()).add(path.name)
    assert len(owners) > 50, "the variables are not found"
    return [f"{name}: static in {', '.join(sorted(found))}" for name, found in owners.items() if len(found) > 1]


def private_descriptors():
    """The runtime opens files where the program cannot see them: by private_files.c, and by nothing else."""
    opens = re.compile(r"(?<![\w>.])(open|openat|creat|fopen|opendir|socket|pipe2?|dup[23]?|memfd_create|eventfd|epoll_create1?)\(")
    return [f"{path}:{number}: {line.strip()} (runtime/base/private_files.h)" for path in source_files()
            if path.parts[0] == "runtime" and path.suffix == ".c"
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if opens.search(line.split("/*")[0]) or ("SYS_open" in line and path.name not in ("private_files.c", "replace.c"))]


def walks():
    """Events are read by events/listeners.c, and by nothing else: what needs them is one of its listeners."""
    owners = {"tools/events/history.c", "tools/events/history.h", "tools/events/listeners.c"}
    opens = re.compile(r"\bgpm_history_\w+")
    found = {str(path): [(number, match.group(0)) for number, line in enumerate(prose_and_names(path)[1].splitlines(), 1)
                         for match in opens.finditer(line)] for path in source_files() if path.parts[0] == "tools"}
    assert all(found[owner] for owner in owners), "the functions of history.h are not found"
    return [f"{path}:{number}: uses {name}: register a listener (tools/events/listeners.h)"
            for path, places in found.items() if path not in owners for number, name in places]


def names_of_functions():
    """A function of the tool is found by its name: what follows gpm_ is a type, or is in the name of the header that declares the
    function or of the file that defines it."""
    def subject(name):
        return name.split("_")[1].rstrip("s")
    code = {path: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in source_files() if path.parts[0] == "tools"}
    types = {subject(name) for text in code.values() for name in re.findall(r"\b(?:struct|enum) (gpm_\w+) \{", text)}
    defined = {name: path for path, text in code.items() if path.suffix == ".c"
               for name in re.findall(r"^[a-z][^\n;{}()=]*?\b(gpm_\w+)\([^;{}]*\) \{", text, re.M)}
    declared = [(path, name) for path, text in code.items() if path.suffix == ".h"
                for name in re.findall(r"^[a-z][^\n;{}()=]*?\b(gpm_\w+)\(", text, re.M)]
    assert len(types) > 50 and len(declared) > 500, "the functions are not found"
    return [f"{path}: {name}: name it for its type, its header or its file" for path, name in declared
            if subject(name) not in types | {word.rstrip("s") for file in (path, defined.get(name, path)) for word in file.stem.split("_")}]


def decisions():
    """Each page of docs/decisions/ has a number of its own, a title, the four headings in order, and a line in the index."""
    folder = pathlib.Path("docs/decisions")
    index, broken, seen = (folder / "README.md").read_text(), [], {}
    for page in sorted(folder.glob("[0-9]*.md")):
        text, number = page.read_text(), page.name.split("-")[0]
        headings = [h for h in re.findall(r"^## (.*)$", text, re.M) if h in DECISION]
        if not text.startswith(f"# {number}. "):
            broken.append(f"{page}: its title does not begin with `# {number}. `")
        if headings != DECISION:
            broken.append(f"{page}: has to have the headings {', '.join(DECISION)}, in this order")
        if f"[{number}]({page.name})" not in index:
            broken.append(f"{page}: is not in {folder}/README.md")
        if seen.setdefault(number, page) != page:
            broken.append(f"{page}: has the number of {seen[number]}")
    assert len(seen) > 10, "the pages are not found"
    return broken


def doc_links():
    """What a Markdown file links to in this project is there."""
    return [f"{path}: links to {target}, which does not exist" for path in files() if path.suffix == ".md"
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"(?m)^( {4}|```).*$|`[^`\n]*`", "", path.read_text()))
            if "://" not in target and not (path.parent / target).exists()]


def front_pages():
    """The README and the guides are short, and so are their sentences; each guide is linked from the README and from their index."""
    return list(pages.broken())


NAMED_FILE = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.(?:c|h|hpp|cpp|def|cu|py|cmake|sh|js|mjs|txt))\b(?![\w/*(-])")
NAMED_FOLDER = re.compile(rf"(?<![\w./*-])((?:{'|'.join(PARTS)}|viewer|test|bench|cmake|docs|examples|include|scripts)/(?:[\w.-]+/)*)(?![\w*-])")
NOT_OURS = {"Node.js", "nvtx3.hpp", "app.cu", "gemm.cu", "llm.c", "onelua.c"}  # of other projects, or of examples in the text
RECORDS = {"docs/RESULTS.md", "docs/results-history.md"}  # of measurements, and of what the tree was like then


def doc_files():
    """A source file or folder that a document names is there. A name has as much of the path as the writer liked;
    NAME in it stands for any. What a link leads to is checked by doc_links."""
    paths = [path.parts for path in files()]
    named = {"/".join(parts[start:]) for parts in paths for start in range(len(parts))}
    named |= {"/".join(parts[start:end]) + "/" for parts in paths for start in range(len(parts)) for end in range(start + 1, len(parts))}
    assert len(named) > 1000, "the files are not found"
    broken = []
    for page in (path for path in files() if path.suffix == ".md" and str(path) not in RECORDS):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            text = re.sub(r"\]\([^)]*\)|^ {4}.*", "", line)
            broken += [f"{page}:{number}: names {name}, which does not exist" for name in NAMED_FILE.findall(text) + NAMED_FOLDER.findall(text)
                       if name not in named | NOT_OURS and "NAME" not in name]
    return broken


WORDED = SOURCE | {".md", ".py", ".js", ".mjs", ".hpp", ".sh", ".cmake", ".css", ".test", ".txt"}
BANNED = pathlib.Path("test/lint/banned_words.txt")
SPARED = {str(BANNED), "test/mutants/drawn.txt", "test/mutants/limits.txt", "test/mutants/named.txt", "docs/results-history.md", "docs/ACCOUNTING.md"}  # which name the words, or are as old as they
C_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)
JS_TEXT = re.compile(C_TEXT.pattern + r"|`(?:[^`\\]|\\.)*`", re.S)  # what is in ${} of a template counts as text
SCRIPT_TEXT = re.compile(r'""".*?"""|#[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)


def prose_and_names(path):
    """The comments and texts of a file, and the rest, each with a blank in each line where the other is."""
    text = path.read_text(errors="replace")
    if path.suffix == ".md":
        return text, ""
    if path.suffix == ".test":
        return re.sub(r"^(?!#)[^\n]*|^# *[A-Z0-9_-]+:[^\n]*", lambda match: blank(match.group(0)), text, flags=re.M), ""
    pattern = {".py": SCRIPT_TEXT, ".sh": SCRIPT_TEXT, ".cmake": SCRIPT_TEXT, ".txt": SCRIPT_TEXT, ".js": JS_TEXT, ".mjs": JS_TEXT}.get(path.suffix, C_TEXT)
    prose, end = [], 0
    for match in pattern.finditer(text):
        prose += [blank(text[end:match.start()]), match.group(0)]
        end = match.end()
    return "".join(prose) + blank(text[end:]), pattern.sub(lambda match: blank(match.group(0)), text)


def blank(text):
    return re.sub(r"[^\n]+", " ", text)


BETWEEN_WORDS = r"(?:\s[\s*#/]*)"  # a sentence of a comment may go on in the next line


def compiled(pattern):
    """name:WORD is that word of gpm_word_open or findWord; else a regular expression."""
    if not pattern.startswith("name:"):
        return re.compile(pattern.replace(" ", BETWEEN_WORDS), re.I)
    word = pattern.removeprefix("name:")
    return re.compile(rf"(?<![a-zA-Z0-9]){word}(?![a-zA-Z0-9])|(?<=[a-z]){word.title()}(?![a-z])")


def banned():
    """(pattern, its expression, what to say instead) of each rule, and the names of [contracts]."""
    rules, _, contracts = BANNED.read_text().partition("\n[contracts]\n")
    split = [line.partition(" | ") for line in rules.splitlines() if line.strip() and not line.startswith("#")]
    return [(pattern, compiled(pattern), instead) for pattern, _, instead in split], contracts.split()


def words():
    """Comments, texts and names have no word of banned_words.txt."""
    rules, contracts = banned()
    assert len(rules) > 20, f"{BANNED} has lost its rules"
    spared = re.compile(rf"\b({'|'.join(contracts)})\b")
    fields = "".join(path.read_text() for path in pathlib.Path("tools/contract").glob("*.def"))
    broken = [f"{name} is no JSON field: take it out of [contracts] in {BANNED}" for name in contracts
              if not re.search(rf"^GPM_FIELD\(\w+, {name},", fields, re.M)]
    for path in files():
        if str(path) in SPARED or path.suffix not in WORDED:
            continue
        prose, names = prose_and_names(path)
        names = spared.sub(lambda match: blank(match.group(0)), names) if path.parts[0] == "tools" else names
        lowered = names.lower()
        for pattern, expression, instead in rules:
            if pattern.startswith("name:") and pattern.removeprefix("name:") not in lowered:
                continue  # which takes less time than to search
            for match in expression.finditer(names if pattern.startswith("name:") else prose):
                line = prose.count("\n", 0, match.start()) + 1
                broken.append(f"{path}:{line}: `{match.group(0)}`: say {instead} ({BANNED})")
    return broken


def formatter(*options):
    if not shutil.which(FORMATTER):
        print(f"skipped: needs {FORMATTER}")
        sys.exit(77)
    wanted = [str(path) for path in source_files() if not NOT_FORMATTED.search(str(path))]
    return subprocess.run([FORMATTER, *options, *wanted], capture_output=True, text=True, check=False)


def fix():
    return [formatter("-i").stderr] if formatter("--dry-run", "-Werror").returncode else []


def format():  # noqa: A001 - named for the rule
    done = formatter("--dry-run", "-Werror", "--ferror-limit=1")
    return re.findall(r"^\S+: error: .*$", done.stderr, re.M) or ([done.stderr] if done.returncode else [])


RULES = {rule.__name__: rule for rule in (walls, no_checkout_path, no_unfinished_marks, file_lengths, folder_sizes, losses_are_defined,
                                       one_owner_of_each_static, private_descriptors, walks, names_of_functions, decisions, doc_links, doc_files, front_pages, words, format, fix)}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        sys.exit(f"usage: lint.py {'|'.join(RULES)}")
    places = [place for place in RULES[sys.argv[1]]() if place]
    if places:
        print("\n".join(places))
    sys.exit(1 if places else 0)
