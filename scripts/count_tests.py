#!/usr/bin/env python3
"""count_tests.py - one plain closing line from CTest's JUnit files.

    count_tests.py FILE...

Names what was skipped and why, then prints `N passed, N failed[, N skipped]`. A CTest test that is
a lit suite counts as its files, by the summary lit prints. Exit status 1 when anything failed, or when
no test ran. Called by test.sh and .ci/run.
"""
import re
import sys
import xml.etree.ElementTree as tree

LIT_RESULT = re.compile(
    r"^ +(Passed|Failed|Unsupported|Expectedly Failed|Unexpectedly Passed|Unresolved|Timed Out|Skipped)"
    r" *: *([0-9]+)", re.M)
LIT_AS = {"Passed": "passed", "Expectedly Failed": "passed", "Unsupported": "skipped",
          "Skipped": "skipped"}


def lit_counts(text):
    """What a lit suite said of its files; None when the output is not lit's."""
    results = LIT_RESULT.findall(text) if "Testing Time:" in text else []
    counts = {}
    for name, number in results:
        kind = LIT_AS.get(name, "failed")
        counts[kind] = counts.get(kind, 0) + int(number)
    return counts or None


def main(files):
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    toolkit = []
    for file in files:
        try:
            suite = tree.parse(file).getroot()
        except (OSError, tree.ParseError) as error:
            print(f"count_tests.py: cannot read {file}: {error}", file=sys.stderr)
            totals["failed"] += 1
            continue
        for case in suite.iter("testcase"):
            name = case.get("name")
            output = case.findtext("system-out") or ""
            status = case.get("status")
            kind = {"run": "passed", "fail": "failed"}.get(status, "skipped")
            counts = lit_counts(output) or {}
            if kind == "failed" and not counts.get("failed"):
                counts["failed"] = counts.get("failed", 0) + 1
            elif not counts:
                counts[kind] = 1
            for key, number in counts.items():
                totals[key] += number
            if kind == "skipped":
                reason = re.search(r"^skipped: (.*)$", output, re.M)
                text = reason.group(1) if reason else "not run"
                if "Unsupported Tests" in output:
                    text = "not for this LLVM or machine (REQUIRES in its file)"
                if "toolkit" in text:
                    toolkit.append(name)
                else:
                    print(f"skipped {name}: {text}")
    if toolkit:
        print("skipped, no CUDA toolkit: " + ", ".join(sorted(set(toolkit))))
        print("With a CUDA toolkit (CUDA_HOME, CUDA_PATH or /usr/local/cuda) these compile .cu files with "
              "clang and nvcc and run them on the simulated device.")
    line = f"{totals['passed']} passed, {totals['failed']} failed"
    if totals["skipped"]:
        line += f", {totals['skipped']} skipped"
    print(line)
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
