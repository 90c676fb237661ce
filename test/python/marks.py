"""The plugin of pytest: limits, leaks, and the peak of each test."""
import re

from common import HERE, environment, has, python, python_runs

FILE = HERE / "programs/cases_of_tests.py"


def _pytest(t, *options, autoload=True, env=None):
    """Runs the cases by pytest; returns its output and how each test ended."""
    has(t, "pytest")
    more = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "" if autoload else "1", **(env or {})}
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=short", *options, FILE]
    settings = {"GPUMEMPROF_OPTIONS": f"output={t.work}/run.gmprof:quiet=1"}
    result = t.command(t.tool, "dryrun", python(), *words, env={**environment(t), **settings, **more}, status=1)
    ended = {}
    for how, name in re.findall(r"^(PASSED|FAILED|ERROR) \S+?::(.+?)(?: - .*)?$", result.out, re.M):
        ended[name] = max(how, ended.get(name, how), key=("PASSED", "ERROR", "FAILED").index)
    return result.out, ended


def limits_and_leaks(t):
    out, ended = _pytest(t)
    failed = {name for name, how in ended.items() if how != "PASSED"}
    assert failed == {"test_fails_above_its_limit", "test_fails_with_its_fixture", "test_fails_by_a_leak", "test_fails_by_itself",
                      "test_fails_by_its_mark", "test_fails_by_a_mark_without_a_size", "TestOfAClass::test_of_a_class[1025]"}, (ended, out)
    assert [name for name, how in ended.items() if how == "ERROR"] == ["test_fails_by_a_leak", "test_fails_by_its_mark", "test_fails_by_a_mark_without_a_size"], ended
    assert {"test_passes_at_its_limit", "test_passes_without_a_leak", "test_without_a_mark"} <= set(ended) - failed

    limit = 24 << 20
    line = 1 + FILE.read_text().splitlines().index("    b = Memory(1)  # the line that is too much")
    assert (f"test_fails_above_its_limit needed 24.00 MiB ({limit + 1} bytes) of GPU memory, its limit is 24.00 MiB ({limit} bytes). "
            "The lines that allocated most:\n") in out, out
    shown = out[out.index("test_fails_above_its_limit needed"):].splitlines()[1:5]
    allocator, heading, first, last = (row.split() for row in shown)
    assert allocator[:2] == ["24.00", "MiB"] and "device.py:" in allocator[2] and " ".join(heading) == "called from lines of the test:", shown
    assert first == ["24.00", "MiB", f"{FILE}:{line - 1}", "test_fails_above_its_limit"], shown
    assert last == ["1", f"{FILE}:{line}", "test_fails_above_its_limit"], shown
    assert "test_fails_with_its_fixture needed 6.00 MiB" in out
    assert "test_fails_by_a_leak left 5.00 MiB (5242880 bytes) of GPU memory that it allocated" in out
    assert "its own error" in out and "'24 apples' is not a size" in out and 'needs a size, as in limit_gpu_memory("24 MiB")\n' in out and "test_fails_by_itself left" not in out


def by_option_without_entry_points(t):
    out, ended = _pytest(t, "-p", "gpumemprof.pytest_plugin", autoload=False)
    assert ended["test_fails_above_its_limit"] != "PASSED" and ended["test_without_a_mark"] == "PASSED"
    out, _ = _pytest(t, "-p", "gpumemprof.pytest_plugin")
    assert "test_fails_by_a_leak left" in out


def a_table_of_peaks(t):
    out, _ = _pytest(t, "--gpumemprof")
    table = {}
    for line in out[out.index("GPU memory of each test (gpumemprof)"):].splitlines():
        if match := re.match(r" *(\S+(?: \w+)?) peak +(\S+(?: \w+)?) allocated +(\S+(?: \w+)?) left  \S+?::(.*)", line):
            table[match.group(4)] = match.groups()[:3]
    assert table["test_without_a_mark"] == ("7.00 MiB", "7.00 MiB", "0"), table
    assert table["test_fails_by_a_leak"] == ("5.00 MiB", "5.00 MiB", "5.00 MiB")
    assert table["test_passes_at_its_limit"] == ("24.00 MiB", "47.00 MiB", "0")
    assert table["TestOfAClass::test_of_a_class[1024]"] == ("1.00 KiB", "1.00 KiB", "0") and len(table) == 11, table


def not_recorded_is_a_failure_of_marked_tests(t):
    out, ended = _pytest(t, env={"GPUMEMPROF": "0"})
    assert ended["test_passes_at_its_limit"] != "PASSED" and ended["test_without_a_mark"] == "PASSED"
    assert "its GPU memory is not known: nothing was recorded: GPUMEMPROF=0" in out
    out, _ = _pytest(t, "--gpumemprof", env={"GPUMEMPROF": "0"})
    table = out[out.index("GPU memory of each test (gpumemprof)"):]
    assert re.search(r"^\S+ and 10 more: nothing was recorded: GPUMEMPROF=0", table, re.M), table  # one sentence for all


def a_run_without_a_gpu_says_that_marks_were_met_by_nothing(t):
    has(t, "pytest")
    (t.work / "test_of_nothing.py").write_text("""import pytest
@pytest.mark.limit_gpu_memory("1 MiB")
def test_limit(): pass
@pytest.mark.no_gpu_leaks
def test_leak(): pass
def test_unmarked(): pass
""")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "gpumemprof.pytest_plugin", t.work / "test_of_nothing.py"]
    settings = {"GPUMEMPROF_OPTIONS": f"output={t.work}/run.gmprof:quiet=1"}
    said = python_runs(t, *words, env=settings).out
    assert "gpumemprof: 2 tests with a mark for GPU memory used none: nothing was recorded: no CUDA device was seen in use" in said, said
    said = python_runs(t, *words, "-k", "unmarked", env=settings).out
    assert "gpumemprof: " not in said, said


def sizes(t):
    python_runs(t, "-c", """import sys, types
fake = sys.modules["pytest"] = types.ModuleType("pytest")  # absent or not: only the function is used
fake.hookimpl = lambda **more: lambda function: function
from gpumemprof.pytest_plugin import parse_size
for text, size in (("24 MiB", 24 << 20), ("24MB", 24 << 20), ("1.5 k", 1536), (77, 77), ("3 GiB", 3 << 30), ("0", 0)):
    assert parse_size(text) == size, text
for text in ("", "MiB", "24 apples", "-1", "1 2", None):
    try:
        parse_size(text)
    except ValueError as error:
        assert "is not a size" in str(error)
    else:
        raise AssertionError(text)
""")
