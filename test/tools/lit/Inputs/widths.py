"""widths.py WIDTH FILE ... - no line of the files is wider than its number of columns."""
import sys

for width, name in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(name, encoding="utf-8") as file:
        for line in file:
            assert len(line.rstrip("\n")) <= int(width), (width, line)
