#!/usr/bin/env python3
"""count_tests.py - one plain closing line from CTest's JUnit files.

    count_tests.py FILE...             names what failed and what was skipped, and why, then prints
                                       `N passed, N failed[, N skipped]`
    count_tests.py --names FILE...     the name of each test instead, one a line, sorted
    count_tests.py --slowest N FILE... the N tests that took longest, with their seconds on the clock, and of
                                       processors where they say so

A CTest test that is a folder of lit files counts as its files, FOLDER/FILE each, by what lit prints; where lit's
own sum is another than that of the files it named, a failure is counted. So does a file of cases in a browser
(test/page/run.mjs), which prints a line for each case. Exit status 1 when anything failed, or
when no test ran. Called by test.sh and .ci/run.
"""
import argparse
import re
import sys
import xml.etree.ElementTree as tree
from typing import NamedTuple

LIT_RESULT = re.compile(r"^(PASS|FLAKYPASS|XFAIL|FAIL|XPASS|UNRESOLVED|TIMEOUT|UNSUPPORTED|SKIPPED): .* :: (\S+) \(\d+ of \d+\)$", re.M)
LIT_KIND = {"PASS": "passed", "FLAKYPASS": "passed", "XFAIL": "passed", "UNSUPPORTED": "skipped", "SKIPPED": "skipped"}
LIT_SECONDS = re.compile(r"^([0-9.]+)s: .* :: (\S+)$", re.M)
LIT_SUM = re.compile(r"^Total Discovered Tests: (\d+)$", re.M)
LIT_EXCLUDED = re.compile(r"^ +Excluded *: *(\d+)", re.M)
PAGE_CASE = re.compile(r"^(passed|FAILED): (\w+), ([0-9.]+) s$", re.M)
NO_TOOLKIT = "needs the CUDA toolkit"


class Test(NamedTuple):
    name: str
    kind: str  # passed, failed or skipped
    seconds: float
    reason: str = ""  # why it was skipped
    processor: str = ""  # what it took of processors, where it says so


def lit_files(case, status, output):
    """The files of a lit suite as tests; none when the output is not lit's."""
    total = LIT_SUM.search(output)
    if not total:
        return []
    seconds = {file: float(number) for number, file in LIT_SECONDS.findall(output)}
    no_toolkit = "unsupported without the CUDA toolkit" in output
    tests = []
    for result, file in LIT_RESULT.findall(output):
        reason = ""
        if result in ("UNSUPPORTED", "SKIPPED"):
            reason = NO_TOOLKIT if no_toolkit and file.endswith(".cu") else "not for this LLVM or machine (REQUIRES in its file)"
        # tools.check and check/leaks.test are tools.check/leaks.test; both have lit's folder.
        tests.append(Test(f"{case}/{file.rsplit('/', 1)[-1]}", LIT_KIND.get(result, "failed"), seconds.get(file, 0), reason))
    excluded = LIT_EXCLUDED.search(output)  # by LIT_FILTER
    if len(tests) + int(excluded.group(1) if excluded else 0) != int(total.group(1)):
        tests.append(Test(f"{case}: lit found {total.group(1)} tests and named {len(tests)}", "failed", 0))
    elif status == "fail" and not any(test.kind == "failed" for test in tests):
        tests.append(Test(f"{case}: lit failed and named no file", "failed", 0))
    return tests


def page_cases(case, status, output):
    """The cases that a browser ran, as tests."""
    tests = [Test(f"{case}/{name}", result.lower(), float(seconds)) for result, name, seconds in PAGE_CASE.findall(output)]
    if tests and status == "fail" and not any(test.kind == "failed" for test in tests):
        tests.append(Test(f"{case}: ended before its last case", "failed", 0))
    return tests


def tests_of(file):
    try:
        suite = tree.parse(file).getroot()
    except (OSError, tree.ParseError) as error:
        print(f"count_tests.py: cannot read {file}: {error}", file=sys.stderr)
        yield Test(f"{file}: cannot be read", "failed", 0)
        return
    for case in suite.iter("testcase"):
        name, status, output = case.get("name"), case.get("status"), case.findtext("system-out") or ""
        if parts := lit_files(name, status, output) or page_cases(name, status, output):
            yield from parts
            continue
        reason = re.search(r"^skipped: (.*)$", output, re.M)
        processor = re.findall(r"^processor time: ([0-9.]+ s)$", output, re.M)
        yield Test(name, {"run": "passed", "fail": "failed"}.get(status, "skipped"), float(case.get("time") or 0),
                   reason.group(1) if reason else "not run", processor[-1] if processor else "")


def say(tests):
    no_toolkit = set()
    for test in tests:
        if test.kind == "failed":
            print(f"failed {test.name}")
        elif test.kind == "skipped" and "toolkit" in test.reason:
            no_toolkit.add(test.name)
        elif test.kind == "skipped":
            print(f"skipped {test.name}: {test.reason}")
    if no_toolkit:
        print("skipped, no CUDA toolkit: " + ", ".join(sorted(no_toolkit)))
        print("With a CUDA toolkit (CUDA_HOME, CUDA_PATH or /usr/local/cuda) these compile .cu files with "
              "clang and nvcc and run them on the simulated device.")
    totals = {kind: sum(test.kind == kind for test in tests) for kind in ("passed", "failed", "skipped")}
    line = f"{totals['passed']} passed, {totals['failed']} failed"
    print(line + (f", {totals['skipped']} skipped" if totals["skipped"] else ""))
    return 1 if totals["failed"] or not totals["passed"] else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--slowest", type=int, metavar="N")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    tests = [test for file in arguments.files for test in tests_of(file)]
    if arguments.names:
        print("\n".join(sorted(test.name for test in tests)))
    elif arguments.slowest:
        for test in sorted(tests, key=lambda test: -test.seconds)[:arguments.slowest]:
            print(f"{test.seconds:8.1f} s {test.processor:>10}  {test.name}")
    else:
        return say(tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
