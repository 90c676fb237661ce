#!/usr/bin/env python3
"""lit_in_turns.py PARTS LIT... - runs lit on one of so many parts of a folder's files, another one after each commit, or on all of them
(repeats.py), and where LIT_FILTER names some. Of a folder with fewer files it may be none."""
import os
import sys

import repeats

command = sys.argv[2:]
if "LIT_FILTER" not in os.environ:
    which, parts = repeats.part(int(sys.argv[1]))
    if parts > 1:
        command[1:1] = ["--order", "lexical", "--num-shards", str(parts), "--run-shard", str(which + 1), "--allow-empty-runs"]
os.execv(command[0], command)
