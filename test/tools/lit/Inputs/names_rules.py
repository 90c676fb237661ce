"""names_rules.py SOURCE HELP - the help of `advise` lists each rule of the tables in tools/advice with what it means."""
import os
import re
import sys

source, path = sys.argv[1:]
text = " ".join(open(path, encoding="utf-8").read().split())
rules = {}
for table, macro in (("advice/rules.def", "GPM_ADVICE"), ("costs/costs.def", "GPM_COST")):
    lines = open(os.path.join(source, "tools", table), encoding="utf-8").read()
    rules |= dict(re.findall(rf'^{macro}\(\w+, +"([a-z-]+)",.*?"([^"]+)"\)$', lines, re.M))
listed = text[text.index("Rules of what lowers the peak"):]
missing = sorted(rule for rule, meaning in rules.items() if f" {rule} {meaning} " not in listed)
print(f"missing: {missing}" if missing else f"{len(rules)} rules are listed")
