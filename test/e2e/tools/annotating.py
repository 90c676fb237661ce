"""`gpumemprof annotate` on real programs: each line's figures are the report's, its text the file's, also after an edit."""
import json
import re
import shutil


def _lines(t, capture, what):
    return json.loads(t.gpumemprof("annotate", what, capture, "--format", "json").out)["lines"]


def _built(t):
    source = t.work / "templates_here.cpp"
    shutil.copy(t.programs / "common/templates.cpp", source)
    program = t.build("here", source, "oracle/oracle.cpp", flags=["-O1", "-I", t.programs / "oracle"])
    _, capture = t.run(program)
    return source, capture


def lines_have_the_figures_of_the_report_and_the_text_of_the_file(t):
    source, capture = _built(t)
    text = source.read_text().splitlines()
    rows = {(row["line"], row["function"]): row for row in t.report(capture)["rows"] if row["file"] == str(source)}
    lines = _lines(t, capture, "templates_here.cpp")
    assert len(lines) > 8 and {(one["line"], one["function"]) for one in lines} == set(rows)
    for one in lines:
        row = rows[one["line"], one["function"]]
        assert all(one[key] == row[key] for key in row if key not in ("frees_of", "location")), (one, row)
        assert one["line"] and one["source_now"] == text[one["line"] - 1] and not one["changed"], one
        assert one["source_now"].strip() == one["source_line"], one
    table = t.gpumemprof("annotate", "templates_here.cpp", capture, "--columns", "self_alloc", "--bytes").out.splitlines()
    shown = {}
    for line in table[table.index(next(line for line in table if line.endswith("  source"))) + 1:]:
        figure, number, *_ = [*line.split(None, 2), "", ""]
        line = re.sub(r"  \(figures of \d+ calls\)$", "", line)
        if figure.isdigit() and number.isdigit() and line.endswith(text[int(number) - 1].rstrip()):
            shown[int(number)] = int(figure)
    single = {line: row["self_alloc"] for (line, function), row in rows.items() if sum(line == other for other, _ in rows) == 1}
    assert len(single) > 5 and all(shown[line] == figure for line, figure in single.items()), (shown, single)


def lines_of_a_function_are_those_of_the_report(t):
    source, capture = _built(t)
    functions = {row["function"] for row in t.report(capture)["rows"] if row["file"] == str(source)}
    assert len(functions) > 3
    for function in functions:
        name = function.split("<")[0].split("::")[-1]
        wanted = {(row["line"], row["function"]) for row in t.report(capture)["rows"]
                  if row["file"] == str(source) and row["function"].split("<")[0].split("::")[-1] == name}
        found = {(one["line"], one["function"]) for one in _lines(t, capture, f"templates_here.cpp:{name}")}
        assert found == wanted, (function, found, wanted)


def an_edit_is_noticed_and_what_was_compiled_is_shown(t):
    source, capture = _built(t)
    before = _lines(t, capture, str(source))
    source.write_text("// one line more\n" + source.read_text())
    after = _lines(t, capture, str(source))
    text = source.read_text().splitlines()
    for one, old in zip(after, before, strict=True):
        assert one["source_line"] == old["source_line"] and one["source_now"] == text[one["line"] - 1]
        assert one["changed"] == (text[one["line"] - 1].strip() != text[one["line"]].strip())
    assert sum(one["changed"] for one in after) > 5
    said = t.gpumemprof("annotate", str(source), capture).out
    assert "was changed after it was compiled" in said and sum("! " in line for line in said.splitlines()) > 5
    source.unlink()
    gone = t.gpumemprof("annotate", "templates_here.cpp", capture).out
    assert "cannot be read here" in gone
    assert all(one["source_line"] in gone for one in before)
