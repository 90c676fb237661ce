"""names_rules.py SOURCE HELP - the help of `advise` names each rule of the tables in tools/advice."""
import os
import re
import sys

source, path = sys.argv[1:]
text = " ".join(open(path, encoding="utf-8").read().split())
rules = set()
for table, macro in (("rules.def", "GPM_ADVICE"), ("costs.def", "GPM_COST")):
    lines = open(os.path.join(source, "tools/advice", table), encoding="utf-8").read()
    rules |= set(re.findall(rf'^{macro}\(\w+, +"([a-z-]+)"', lines, re.M))
listed = text[text.index("Rules of what lowers the peak"):]
missing = sorted(rule for rule in rules if not re.search(rf"(?<![a-z-]){rule}(?![a-z-])", listed))
print(f"missing: {missing}" if missing else f"{len(rules)} rules are named")
