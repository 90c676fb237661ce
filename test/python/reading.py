"""`gpumemprof.read`: each list is that of the library (test/reader/binding.py calls it by a way of its own), errors, tables of
pandas, the page."""
import html
import json
import sys

from common import environment, has, on_device, python, python_runs

READ = """import gpumemprof, json, sys
with gpumemprof.read(sys.argv[1]) as c:
    made = {"by " + by: c.rows(by, sort=None) for by in sys.argv[2].split(",")}
    made.update({name: c.list(name) for name in sys.argv[3].split(",")})
    made["lifetimes"] = c.rows("function", sort=None, lifetimes=True)
    made["peak"], made["timeline"] = c.peak(1), c.timeline(50)
    made["merge"] = c.merge("function")
    made["events"] = list(c.events())
    made["scope"] = c.scope_peak("Thread.keep", last=4)
    made["paths"] = [c.path(row["node"]) for row in made["by path"]]
    made["notes"], made["count"], made["info"] = c.notes, len(c), c.info()["program"]
with gpumemprof.read(sys.argv[1], sys.argv[1]) as two:
    made["diff"] = two.diff(by="function")
print(json.dumps(made))
"""


def _capture(t):
    return on_device(t, "random_calls.py", "11", "2", options="history=all")[1]


def _binding(t):
    sys.path.insert(0, str(t.source / "test/reader"))
    import binding
    return binding, binding.load(str(t.stage / "lib/libgpumemprof-read.so"))


def every_list_is_that_of_the_library(t):
    capture, (binding, library) = _capture(t), _binding(t)
    lists = [what.name.lower() for what in binding.What]
    made = json.loads(python_runs(t, "-c", READ, capture, ",".join(binding.BY), ",".join(lists)).out)
    reader = binding.Reader(library, capture)

    def same(name, found, expected):
        assert found == json.loads(json.dumps(expected)), (name, str(found)[:500], str(expected)[:500])
    for by in binding.BY:
        same(by, made["by " + by], reader.rows(by))
    for what in binding.What:
        same(what, made[what.name.lower()], reader.list(what))
    same("lifetimes", made["lifetimes"], reader.rows("function", lifetimes=True))
    same("peak", made["peak"], reader.peak(1))
    same("timeline", made["timeline"], reader.timeline(0, 50))
    same("merge", made["merge"], reader.merge("function"))
    same("scope", list(made["scope"].values()), reader.scope("Thread.keep", 4))
    same("paths", made["paths"], [reader.path(row["node"]) for row in reader.rows("path")])
    assert made["by line"] and made["blocks"] and made["leaks"] == [] and made["nodes"] and made["count"] == 1
    events = list(reader.events())
    assert len(events) == len(made["events"]) > 1000
    for ours, one in zip(made["events"], events):
        assert (ours["clock"], ours["bytes"], ours["address"], ours["node"], ours["thread"]) == (
            one.clock, one.bytes, one.address, one.node, one.thread)
        assert ours["what"] == ("allocated", "freed", "free taken back", "scope ended", "failed")[one.what]
    two = binding.Reader(library, capture, capture)
    same("diff", made["diff"], two.diff("function"))


def rows_are_sorted_and_filtered(t):
    capture = _capture(t)
    python_runs(t, "-c", """import gpumemprof, sys
c = gpumemprof.read(sys.argv[1])
peaks = [row["at_peak"] for row in c.rows()]
assert peaks == sorted(peaks, reverse=True) and peaks[0] > 0
own = [row["own_peak_max"] or 0 for row in c.rows("function", sort="own_peak_max")]
assert own == sorted(own, reverse=True)
assert c.rows().units["at_peak"] == "bytes" and c.rows().meanings["at_peak"]
total = lambda c: sum(row["self_alloc"] for row in c.rows("function"))
assert 0 < total(gpumemprof.read(sys.argv[1], filter="size=50000..")) < total(c)
assert 0 < total(gpumemprof.read(sys.argv[1], filter=["size=50000..", "size=60000.."])) < total(gpumemprof.read(sys.argv[1], filter="size=50000.."))
gpu = [row["ordinal"] for row in c.devices()].index(0)
peak = c.devices()[gpu]["peak"]
assert peak == max(row["max"] for row in c.timeline(10) if row["device"] == gpu) == sum(row["bytes"] for row in c.peak()) > 0
assert c.peak() == c.peak(gpu)
c.refresh()
assert [row["at_peak"] for row in c.rows()] == peaks
""", capture)


def errors_have_a_sentence_and_a_status(t):
    capture = on_device(t, "random_calls.py", "12", "1")[1]
    (t.work / "no.gmprof").write_text("no capture\n" * 100)
    python_runs(t, "-c", """import gpumemprof, sys
def fails(status, *words, call):
    try:
        call()
    except gpumemprof.Error as error:
        assert error.status == status and str(error) == error.sentence, (error.status, error)
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(words)
read, path = gpumemprof.read, sys.argv[1]
fails(-2, "nowhere.gmprof", call=lambda: read("nowhere.gmprof"))
fails(-2, "no.gmprof", call=lambda: read("no.gmprof"))
fails(-1, call=lambda: read(path, device="seven of nine"))
fails(-1, call=lambda: read(path, colour="blue"))
fails(-1, "no capture", call=lambda: read())
c = read(path)
fails(-1, "by 'colour'", "line, function", call=lambda: c.rows("colour"))
fails(-1, "column 'colour'", "at_peak", call=lambda: c.rows(sort="colour"))
fails(-1, "leaks", call=lambda: c.list("colour"))
fails(-1, "clock", call=lambda: c.timeline(axis="colour"))
fails(-1, call=lambda: c.timeline(0))
fails(-1, call=lambda: c.peak(99))
fails(-1, "number", call=lambda: c.peak(-1))
fails(-1, "before.gmprof", call=lambda: c.diff())
fails(-1, "there is no capture 3: 1 is open, counted from 0", call=lambda: c.rows(number=3))
fails(-1, call=lambda: c.path(10 ** 8))
fails(-3, "history", call=lambda: list(c.events()))
fails(-3, "history", call=lambda: c.blocks())
c.close()
c.close()
fails(-1, "closed", call=lambda: c.rows())
""", capture)


def tables_of_pandas(t):
    has(t, "pandas")
    python_runs(t, "-c", """import gpumemprof, pandas, sys
c = gpumemprof.read(sys.argv[1])
rows, frame = c.rows(), c.rows(frame=True)
assert list(frame.columns) == list(rows.units) and len(frame) == len(rows) and frame.attrs["units"]["at_peak"] == "bytes"
for key in rows.units:
    for one, row in zip(frame[key], rows):
        assert (pandas.isna(one) and row[key] is None) or one == row[key], (key, one, row[key])
assert str(frame["at_peak"].dtype) == "Int64" and frame["at_peak"].sum() == sum(row["at_peak"] for row in rows)
assert frame.groupby("function")["self_alloc"].sum().max() > 0
assert list(c.leaks(frame=True).columns) == list(c.leaks().units)
assert (c.rows().to_numpy("at_peak") == frame["at_peak"].to_numpy()).all()
""", _capture(t))


def tables_hold_every_value_exactly(t):
    """No column of objects, and no integer that became a float: also where a value is missing, or there is no row."""
    has(t, "pandas")
    python_runs(t, "-c", """import gpumemprof, pandas, sys
from gpumemprof import _capture, _reader
TYPES = {"text": {"string"}, "flag": {"boolean"}, "percent": {"Float64"}, "signed percent": {"Float64"}, **{u: {"Int64"} for u in _reader.WHOLE}}
def same(frame, rows, units, types=TYPES):
    assert list(frame.columns) == list(units) and len(frame) == len(rows) and frame.attrs["units"] == units
    for key, unit in units.items():
        assert str(frame[key].dtype) in types[unit], (key, frame[key].dtype)
        for one, row in zip(frame[key], rows):
            assert one is pandas.NA if row[key] is None else one == row[key], (key, one, row[key])
c = gpumemprof.read(sys.argv[1])
addresses = {**TYPES, "number": {"Int64", "UInt64"}}
for name in _reader.LISTS:
    rows = c.list(name)
    same(rows.to_pandas(), rows, rows.units, addresses)
for by in _reader.BY:
    same(c.rows(by, frame=True), c.rows(by), c.rows(by).units)
events = list(c.events())
same(c.events(frame=True), events, _reader.EVENT_UNITS, addresses)
assert len(events) > 1000 and set(events[0]) == set(_reader.EVENT_UNITS)
def made(unit, *values):
    rows = _capture.RowList([{"x": value} for value in values], {"x": unit}, {})
    return rows.to_pandas()["x"]
for unit, values, kind in (("bytes", [2**53 + 1, None, 2**63 - 1], "Int64"), ("bytes", [2**53 + 1, 2**63 - 1], "Int64"), ("bytes", [2**64 - 1, None, 2**53 + 1], "UInt64"),
                           ("number", [2**63, 3], "UInt64"), ("signed bytes", [-2**63, None, 2**53 + 1], "Int64"), ("ns", [None, None], "Int64"),
                           ("bytes", [], "Int64"), ("text", [], "string"), ("text", ["a", ""], "string"), ("text", [None], "string"), ("flag", [True, None, False], "boolean"),
                           ("flag", [None], "boolean"), ("percent", [None, 12.34], "Float64"), ("percent", [None], "Float64")):
    column = made(unit, *values)
    assert str(column.dtype) == kind and [None if one is pandas.NA else one for one in column] == values, (unit, values, column)
few = made("bytes", 3, None, 5)
assert (few - few.max()).tolist()[0] == -2 and few.sum() == 8
""", _capture(t))


PARQUET = """import gpumemprof, pandas, sys
from gpumemprof import _capture
c = gpumemprof.read(sys.argv[1])
extreme = _capture.RowList([{"n": 2**53 + 1, "u": 2**64 - 1, "t": "a", "f": None, "p": 1.25}, {"n": None, "u": 1, "t": "", "f": True, "p": None}],
                           {"n": "bytes", "u": "number", "t": "text", "f": "flag", "p": "percent"}, {})
for frame in (c.rows(frame=True), c.rows("path", frame=True), c.events(frame=True), c.leaks(frame=True), extreme.to_pandas()):
    frame.to_parquet("x.parquet", engine=sys.argv[2])
    nullable = {"dtype_backend": "numpy_nullable"} if pandas.__version__ >= "2" else {"use_nullable_dtypes": True}
    back = pandas.read_parquet("x.parquet", engine=sys.argv[2], **nullable) if sys.argv[2] == "pyarrow" else \
        pandas.read_parquet("x.parquet", engine=sys.argv[2]).astype(frame.dtypes)
    pandas.testing.assert_frame_equal(back, frame)
"""


def parquet_by_pyarrow(t):
    has(t, "pandas, pyarrow")
    python_runs(t, "-c", PARQUET, _capture(t), "pyarrow")


def parquet_by_fastparquet(t):
    has(t, "pandas, fastparquet")
    python_runs(t, "-c", PARQUET, _capture(t), "fastparquet")


def without_pandas_one_sentence(t):
    python_runs(t, "-c", """import sys
sys.modules["pandas"] = sys.modules["numpy"] = None
import gpumemprof
rows = gpumemprof.read(sys.argv[1]).rows()
for call, name in ((rows.to_pandas, "pandas"), (lambda: rows.to_numpy("at_peak"), "NumPy")):
    try:
        call()
    except gpumemprof.Error as error:
        assert f"need{'' if name == 'pandas' else 's'} {name}, which is not installed here" in str(error), error
    else:
        raise AssertionError(name)
""", _capture(t))


def jupyter_shows_the_page(t):
    capture = on_device(t, "random_calls.py", "13", "1")[1]
    page = t.gpumemprof("html", "-o", "-", capture).out
    made = python_runs(t, "-c", "import gpumemprof, sys; c = gpumemprof.read(sys.argv[1]); assert c.html(); print(c._repr_html_())", capture).out
    begin = '<iframe srcdoc="'
    assert made.startswith(begin) and "sandbox" in made
    inside = made[len(begin):made.index('" style=')]
    assert '"' not in inside and html.unescape(inside) == page, (len(inside), len(page))
    failed = python_runs(t, "-c", "import gpumemprof, os, sys; c = gpumemprof.read(sys.argv[1]); os.remove(sys.argv[1]); c.html()", capture, status=1)
    assert "run.gmprof" in failed.err.splitlines()[-1], failed.err


def a_running_program_can_be_read(t):
    """In the process itself: what is live now, and after the next event."""
    program = t.work / "running.py"
    program.write_text("""import gpumemprof
from device import Memory
a = Memory(1 << 20)
gpumemprof.dump("now.gmprof")
b = Memory(1 << 20)
with gpumemprof.read("now.gmprof") as c:
    assert c.info()["state"] == "a copy made while it ran", c.info()
    assert max(row["peak"] for row in c.devices()) == 1 << 20
""")
    t.run(t.tool, "dryrun", python(), program, env=environment(t), verify=False)
