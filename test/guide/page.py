"""page.py - a page of Markdown as what test/guide/run.py needs of it: commands, the outputs that it shows, and its figures.

A block is indented by four spaces. A line `$ COMMAND` begins a command, which goes on in lines that begin with `> ` or follow a `\\`
at the end. The other lines, up to the next command, are its output. Comments before a block, one a line, are about the block:

    <!-- guide: first -->               its commands run before all others of the page (they build what the page is about)
    <!-- guide: needs mpirun nvcc -->   they run only where these programs are
    <!-- guide: not run: REASON -->     they do not run here; each block without a command has to say so
"""
import dataclasses
import re

DIRECTIVE = re.compile(r"<!-- guide: (.*?) -->")
FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)? (?:bytes|KiB|MiB|GiB|TiB|%)|[\w.-]+\.(?:cu|cpp|c|py):\d+")


@dataclasses.dataclass
class Command:
    line: int  # of the page, from 1
    text: str
    output: list
    first: int  # of the output's lines, an index into the page's
    last: int


@dataclasses.dataclass
class Block:
    line: int
    directives: list
    text: str
    commands: list


def blocks(lines):
    """The blocks of a page."""
    found, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("    ") or (at and lines[at - 1].strip() and not DIRECTIVE.fullmatch(lines[at - 1])):
            at += 1
            continue
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        found.append(Block(at + 1, _above(lines, at), "\n".join(lines[at:end]), _commands(lines, at, end)))
        at = end
    return found


def _above(lines, at):
    """What the comments before a block say."""
    said = []
    while at and (not lines[at - 1].strip() or DIRECTIVE.fullmatch(lines[at - 1])):
        at -= 1
        if lines[at].strip():
            said.insert(0, DIRECTIVE.fullmatch(lines[at]).group(1))
    return said


def _commands(lines, at, end):
    commands = []
    while at < end:
        text = lines[at][4:]
        if not text.startswith("$ "):
            at += 1
            continue
        line, words = at + 1, [text[2:]]
        at += 1
        while at < end and (lines[at].startswith("    > ") or words[-1].endswith("\\")):
            words.append(lines[at][6:] if lines[at].startswith("    > ") else lines[at][4:])
            at += 1
        first = at
        while at < end and not lines[at].startswith("    $ "):
            at += 1
        last = at
        while last > first and not lines[last - 1].strip():
            last -= 1
        commands.append(Command(line, "\n".join(words), [shown[4:] for shown in lines[first:last]], first, last))
    return commands


def misquoted(lines):
    """Figures and lines of sources that the page's sentences name and none of its blocks has, as (line, figure)."""
    found = blocks(lines)
    inside = {number for block in found for number in range(block.line, block.line + block.text.count("\n") + 1)}
    shown = "\n".join(block.text for block in found)

    def is_shown(figure):
        number, _, unit = figure.partition(" ")
        wanted = [figure] + ([number] if unit in ("MiB", "%") else [])  # tables give the unit once
        return any(re.search(rf"(?<![\w.]){re.escape(each)}(?![\w.])", shown) for each in wanted)

    return [(number, figure) for number, line in enumerate(lines, 1) if number not in inside
            for figure in FIGURE.findall(line) if not is_shown(figure)]
