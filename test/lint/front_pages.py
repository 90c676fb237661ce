"""front_pages.py - what a reader meets first stays short: the README and the guides, by lines and by words a sentence, and no guide
is left out of the lists."""
import pathlib
import re

MOST_LINES = {"README.md": 150, "docs/guide": 120}
MOST_WORDS = 20  # of a sentence, on average over a page


def prose(text):
    """The paragraphs and items of lists of a page, each as one line; no blocks, tables, headings, comments and pictures."""
    text = re.sub(r"(?ms)^```.*?^```|<!--.*?-->", "", text)
    parts, last = [], ""
    for line in text.splitlines():
        if re.match(r" {4}|\||#|!\[|$", line):
            last = ""
            continue
        if not last or re.match(r"([-*]|\d+\.) ", line):
            parts.append("")
        parts[-1] += " " + re.sub(r"^([-*]|\d+\.) ", "", line).strip()
        last = line
    return [re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "code", part)).strip() for part in parts]


def sentences(text):
    """Sentences end with a stop, a question mark, an exclamation mark, or with their paragraph."""
    return [sentence for part in prose(text) for sentence in re.split(r"(?<=[.!?])[*)]* (?=[A-Z`(*\[]|code)", part) if re.search(r"\w", sentence)]


def broken(root=pathlib.Path(".")):
    pages = [root / "README.md", *sorted((root / "docs/guide").glob("*.md"))]
    assert len(pages) > 5, "the guides are not found"
    for index, prefix in (root / "README.md", "docs/guide/"), (root / "docs/guide/README.md", ""):
        yield from (f"{index.relative_to(root)}: has no link to {page.name}" for page in pages[1:]
                    if page != root / "docs/guide/README.md" and f"]({prefix}{page.name})" not in index.read_text())
    for page in pages:
        text, name = page.read_text(), str(page.relative_to(root))
        most, lines = MOST_LINES.get(name, MOST_LINES["docs/guide"]), len(text.splitlines())
        if lines > most:
            yield f"{name}: {lines} lines; it may have {most}: move what a newcomer does not need to docs/"
        found = sentences(text)
        words = [len(sentence.split()) for sentence in found]
        if found and sum(words) > MOST_WORDS * len(found):
            longest = sorted(found, key=lambda sentence: -len(sentence.split()))[:3]
            yield f"{name}: {sum(words) / len(words):.1f} words a sentence; {MOST_WORDS} are allowed. The longest:\n  " + "\n  ".join(longest)
