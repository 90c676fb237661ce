#!/usr/bin/env python3
"""schema.py SOURCE TOOL WORK [FIXTURE...] - what the tool writes is what `gpumemprof schema` promises: every command, with every
option that changes the shape of its JSON, on fixtures of lit/ that are captures.

  JSON validates against the schema (schema_rules.py), which is closed: no field that it does not name, no word that it does not list;
  CSV has the columns of that JSON: the same names in the same order, the same values;
  every field that the schema names was seen, and every object of tools/contract/, so that none is promised that nobody writes."""
import collections
import contextlib
import csv
import io
import itertools
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import mkcapture
import oracle
from oracle import repeats

try:
    import jsonschema
    import schema_rules
except ImportError:
    print("skipped: needs python3-jsonschema")
    sys.exit(0)

def commands(text):
    return [line.split() for line in text.replace("\n", "|").split("|") if line.strip()]


# With what stands for something of the capture: FILE, SCOPE, BLOCK, CAPTURE; BASE and RANKED are other captures.
COMMANDS = commands("""
    report CAPTURE | report --by kind CAPTURE | tree CAPTURE | annotate FILE CAPTURE | peak CAPTURE | peak --scope SCOPE CAPTURE
    matrix CAPTURE | timeline CAPTURE | leaks CAPTURE | leaks --growth CAPTURE | lifetimes CAPTURE | temporaries CAPTURE
    histogram CAPTURE | histogram --of lifetime CAPTURE | check --max-peak 1MiB --max-leaks 0 --allow-incomplete CAPTURE
    diff BASE CAPTURE | merge BASE CAPTURE | info CAPTURE | info --samples CAPTURE | info --paths CAPTURE
    events CAPTURE | events --replay CAPTURE | show BLOCK CAPTURE | pools CAPTURE | oom CAPTURE | advise CAPTURE | pages CAPTURE | top --once CAPTURE
    advise --bounds CAPTURE | advise --rule churn --rule dead-write --rule pool-regrow CAPTURE | check --max-waste 5% --allow-incomplete CAPTURE""")
# What changes the shape of these. On some of the captures, which also are those whose CSV is compared.
SHAPES = commands("""
    report --by function CAPTURE | report --by file CAPTURE | report --by path CAPTURE | report --by device CAPTURE
    report --by label CAPTURE | report --by variable CAPTURE | report --by type CAPTURE | report --by stream CAPTURE
    report --by size CAPTURE | report --by thread CAPTURE | report --group-by function,kind CAPTURE | report --group-by line,device CAPTURE
    report --columns location,self_alloc,operands CAPTURE | report --by kind --columns variable,blocks CAPTURE
    report --by variable --columns variable,oldest_ns CAPTURE | report --filter size=1.. --min 1MiB CAPTURE | report --from 2 CAPTURE
    report --device 0 --limit 1 CAPTURE | tree --min 1MiB CAPTURE | matrix --by line CAPTURE | timeline --width 20 CAPTURE
    lifetimes --by file CAPTURE | check --against BASE CAPTURE | diff --by function BASE CAPTURE | diff CAPTURE CAPTURE
    annotate --columns line,self_alloc,oldest_ns FILE CAPTURE | tree --columns self_alloc,location CAPTURE | lifetimes --columns blocks CAPTURE | matrix --columns freed_in,bytes CAPTURE
    leaks --columns path,location,bytes CAPTURE | temporaries --columns location,temporary_percent CAPTURE
    pools --columns name,reserved,device CAPTURE | peak --columns blocks,location CAPTURE | peak --scope SCOPE --columns in_it CAPTURE | diff --filter size=1.. --min 1MiB BASE CAPTURE
    diff --from 2 CAPTURE CAPTURE | merge --filter size=1.. --min 1MiB BASE CAPTURE | merge --from 2 CAPTURE CAPTURE | tree --from 2 CAPTURE
    merge CAPTURE | merge --by kind BASE CAPTURE | merge --by path BASE CAPTURE | merge RANKED CAPTURE""")
RARE = ("growth_names_how_many_call_paths_grew",)  # few have what this one has, by figures rather than by another event
NO_CSV = ("advise", "advise --bounds", "advise --rule churn --rule dead-write --rule pool-regrow", "pages", "info", "info --paths", "events --replay")
# What few fixtures have.
EVERYTHING = """
history
device 0 GPU 1GiB
rank 1 4
enter main /a.cu 1 profiled
call 2 variable=p size_expr=n type=float
values 0 7
malloc a 1MiB pool stream=77
pages a w3@1 -253
malloc b 2MiB pinned
malloc c 3MiB vmm
malloc d 4MiB array
malloc e 5MiB graph
malloc f 6MiB imported
malloc g 7MiB static
malloc h 1MiB managed
malloc i 1KiB custom
mark here
call 9
oom 1GiB free=1MiB total=1GiB
call 10 callee=cublasCreate
unaccounted 3 6MiB 4MiB
enter with_lines lines.c 1
call 99
malloc j 1MiB
machine PROGRAM 0123abcd ADDRESS
leave
leave
operands 1 n 1 2 3 4
end complete
"""


# ---- the schema ------------------------------------------------------------------------------------------------------

class Schema:
    """Of a command: `documents` by their object, `rows`: of which object a row of CSV is."""

    def __init__(self, tool, command, documents):
        text = subprocess.run([tool, "schema", command], capture_output=True, text=True, check=True).stdout
        self.open, self.documents = json.loads(text), documents
        jsonschema.Draft202012Validator.check_schema(self.open)
        self.defs = self.open["$defs"]
        assert [one["$ref"] for one in self.open["anyOf"]] == [f"#/$defs/{name}" for name, _ in documents], command
        self.closed = schema_rules.Judge(schema_rules.closed(self.open))
        for name, of in self.defs.items():
            for field, about in of["properties"].items():
                assert about["description"].strip(), (command, name, field)

    def object_of(self, schema, value):
        """The name of the object that a value is, and the schema of the items if it is a list."""
        if "anyOf" in schema:
            schema = schema["anyOf"][0]
        if isinstance(value, list):
            return None, schema.get("items")
        return (schema["$ref"].rsplit("/", 1)[1] if isinstance(value, dict) and "$ref" in schema else None), None

    def see(self, seen, schema, value):
        name, items = self.object_of(schema, value)
        if items:
            for one in value:
                self.see(seen, items, one)
        if name:
            properties = self.defs[name]["properties"]
            for field, inner in value.items():
                if (name, field) not in seen:
                    seen.add((name, field))
                    self.closed.compare(name, value, field)
                if isinstance(inner, (dict, list)):
                    self.see(seen, properties[field], inner)

    def reachable(self):
        """The objects that documents have."""
        found, todo = set(), [name for name, _ in self.documents]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += re.findall(r'"#/\$defs/(\w+)"', json.dumps(self.defs[name]["properties"]))
        return found

    def columns(self, name, before=""):
        """Of rows that are such objects, in order."""
        for field, schema in self.defs[name]["properties"].items():
            if schema["description"].endswith("; not in CSV"):
                continue
            inner, _ = self.object_of(schema, {})
            if inner:
                yield from self.columns(inner, f"{before}{field}.")
            else:
                yield f"{before}{field}"


def contract(source):
    return "".join(path.read_text() for path in sorted(pathlib.Path(source, "tools", "contract").glob("*.def")))


def schemas(source, tool):
    text = contract(source)
    documents = collections.defaultdict(list)
    for command, name, row in re.findall(r"^GPM_DOCUMENT\((\w+), (\w+), (\w+),", text, re.M):
        documents[command].append((name, row))
    fields = collections.defaultdict(set)
    for name, field in re.findall(r"^GPM_FIELD\((\w+), (\w+),", text, re.M):
        fields[name].add(field)
    return {command: Schema(tool, command, found) for command, found in documents.items()}, fields


# ---- CSV -------------------------------------------------------------------------------------------------------------

def cells(value, schema, name, before=""):
    """What a row has of an object: (name, value, whether it may be null instead of an object)."""
    for field, inner in value.items():
        about = schema.defs[name]["properties"][field]
        if about["description"].endswith("; not in CSV"):
            continue
        of, _ = schema.object_of(about, {})
        if of and inner is not None:
            yield from cells(inner, schema, of, f"{before}{field}.")
        elif not of:
            yield f"{before}{field}", inner


def same(cell, value, name):
    if value is None or isinstance(value, str):
        return cell.removeprefix("'") == (value or "").removeprefix("'")
    if isinstance(value, bool) or isinstance(value, int):
        return cell == json.dumps(value)
    if isinstance(value, float):
        if re.search(r"_percent($|\.)", name) and not re.fullmatch(r"-?\d+\.\d\d", cell):
            return False
        return abs(float(cell) - value) <= max(0.006, 1e-9 * abs(value))
    return json.loads(cell) == value


def items_of(schema, document, row, whole):
    """The rows of CSV that a document has: the items of a list, or a list of theirs."""
    if row == "timeline_row":
        return [{"device": one["device"], **column} for one in whole["timeline"] for column in one["columns"]]
    if row in ("peak_row", "scope_peak_row"):
        return [{**line, "peak": one} for one in whole["peaks"] for line in one["live"]]
    for field, about in schema.defs[document]["properties"].items():
        _, items = schema.object_of(about, [])
        if items and items.get("$ref") == f"#/$defs/{row}":
            return whole[field]
    raise AssertionError((document, row))


def compare_csv(schema, document, row, whole, text):
    header, *rows = list(csv.reader(io.StringIO(text)))
    if document == "check":  # CSV has one list: budgets are among its limits
        rows = [line for line in rows if line[0] not in ("budget", "no-alloc", "no-leak")]
    items, place_of = items_of(schema, document, row, whole), {name: place for place, name in enumerate(header)}
    assert len(header) == len(set(header)) and len(rows) == len(items), (header, len(rows), len(items))
    assert not set(header) - set(schema.columns(row)), set(header) - set(schema.columns(row))
    for line, item in zip(rows, items):
        expected = list(cells(item, schema, row))
        missing = [name for name, _ in expected if name not in place_of]
        assert not missing, ("no columns", missing)
        places = [place_of[name] for name, _ in expected]
        wrong = [after for (before, _), (after, _) in zip(expected, expected[1:]) if place_of[before] > place_of[after]]
        assert not wrong, ("another order than in JSON", wrong)
        for place, (name, value) in zip(places, expected):
            assert same(line[place], value, name), (name, line[place], value)
        for name in set(header) - {name for name, _ in expected}:
            in_words = name == "location" and "path" in item  # JSON has the path itself
            assert in_words or not line[place_of[name]], (name, line)


def compare_groups(whole, text):
    """A row for each part as well, and two columns that say of what."""
    header = next(csv.reader(io.StringIO(text)))
    assert [name[:3] for name in header[:2]] == ["by_", "by_"], header
    for item in whole["rows"]:
        assert header[2:] == [name for name in item if name not in ("frees_of", "at_least", "parts", "responsible")], (header, list(item))


# ---- objects of the contract -----------------------------------------------------------------------------------------

def objects(text):
    """All objects of the contract, and those that others take, whose fields are seen there."""
    taken = {what for _, what in re.findall(r'^GPM_TAKES\((\w+), "(\w+)', text, re.M)}
    return set(re.findall(r"^GPM_OBJECT\((\w+),", text, re.M)), taken


# ---- captures --------------------------------------------------------------------------------------------------------

def program_with_lines(work):
    """A file with debug information, and an address in it: what the machine stack of a call path is compared with."""
    text, program = pathlib.Path(work, "lines.c"), pathlib.Path(work, "with_lines")
    text.write_text("int with_lines(void);\n\nint with_lines(void) {\n  return 0;\n}\n")
    subprocess.run([os.environ.get("CC", "cc"), "-g", "-nostdlib", "-Wl,-e,with_lines", "-Wl,--build-id=0x0123abcd", "-o", program, text], check=True)
    entry, = struct.unpack_from("<Q", program.read_bytes(), 24)
    return [f"PROGRAM={program}", f"ADDRESS={entry:x}"]


def texts(source, chosen):
    """The fixtures that may be captures."""
    lit = pathlib.Path(source, "test", "tools", "lit")
    return [fixture for fixture in sorted([*lit.rglob("*.test"), *lit.rglob("*.txt")]) if (not chosen or fixture.stem in chosen) and
            fixture.parent.name not in ("mistyped", "html", "manual") and "enter " in fixture.read_text()]


def events_of(fixture):
    """Names of its events and of their options, which decide what fields a document has."""
    return {word for line in fixture.read_text().splitlines() if not line.startswith("#") for word in re.findall(r"^\s*\w+|\b\w+=", line)}


def in_turns(found):
    """What every commit takes: each fixture with an event or an option that none before it has, the rare, and of the others one in twenty-four, and one in
    eight of those to which SHAPES are put, other ones after each commit. Then the rest, only as long as there is a field that was not seen."""
    known, always, shaped, others = set(), [], [], []
    for number, fixture in enumerate(found):
        shapes = number % 7 == 0 or "_are_rows" in fixture.stem
        events = set() if "damaged" in fixture.parts else events_of(fixture)  # of those, few have documents
        (always if events - known or fixture.stem in RARE else shaped if shapes else others).append((fixture, shapes))
        known |= events
    turn = repeats.share(shaped, 8) + repeats.share(others, 24)
    return always + turn, [one for one in shaped + others if one not in turn]


def captures_of(source, work, found):
    """Those that are captures when they are made without words of their own, and whether SHAPES are put to them."""
    for fixture, shapes in found:
        capture = os.path.join(work, fixture.stem + ".gmprof")
        with contextlib.suppress(AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
            mkcapture.main(source, fixture, capture)
            yield capture, shapes
            os.remove(capture)


def captures_made(source, work):
    """One with what few fixtures have, and random ones."""
    everything, capture = pathlib.Path(work, "everything.txt"), os.path.join(work, "everything.gmprof")
    everything.write_text(EVERYTHING)
    mkcapture.main(source, everything, capture, *program_with_lines(work))
    yield capture, True
    for seed in range(3):
        recorder = oracle.random_program(source, seed, 200, history=True)
        recorder.header["flags"] |= 1
        capture = os.path.join(work, f"random_{seed}.gmprof")
        with open(capture, "wb") as out:
            out.write(recorder.bytes())
        yield capture, True


class Checker:
    def __init__(self, source, tool, work):
        self.tool, self.work, self.seen, self.printed, self.wrong = tool, work, set(), collections.Counter(), []
        self.answers, self.captures = {}, 0  # of this capture; how many there were
        self.rows = set()  # the objects that rows of CSV were compared with
        self.schemas, self.fields_of = schemas(source, tool)
        self.base = os.path.join(work, "base.gmprof")
        self.ranked = os.path.join(work, "ranked.gmprof")
        self.ptx = os.path.join(source, "test", "tools", "lit", "facts", "facts_as_json.test")
        example = next(pathlib.Path(source, "test", "tools", "lit").rglob("worked_example.txt"))
        mkcapture.main(source, example, self.base)
        mkcapture.main(source, example, self.ranked, "rank 3 4")

    def run(self, words, form):
        if (*words, form) in self.answers:
            return self.answers[*words, form]
        done = subprocess.run([self.tool, *words, "--format", form], capture_output=True, text=True, timeout=120, cwd=self.work, check=False)
        assert "Sanitizer" not in done.stderr and done.returncode in (0, 1, 2), (words, done.returncode, done.stderr)
        return done.stdout if done.returncode != 2 else None

    def keep(self, *words):
        """The JSON of a command that others need the words of, and that is checked itself later on: the tool is run once for both."""
        self.answers[*words, "json"] = answer = self.run(words, "json")
        return answer

    def document(self, words):
        """What a command writes, which is of its schema; null: it has nothing to say of this capture."""
        text = self.run(words, "json")
        if not text:
            return None, None, None
        whole, schema = json.loads(text), self.schemas[words[0]]
        errors = {}
        for name, row in schema.documents:
            error = schema.closed.error(name, whole)
            if not error:
                schema.see(self.seen, {"$ref": f"#/$defs/{name}"}, whole)
                self.printed[name] += 1
                return whole, name, row
            errors[name] = error
        raise AssertionError(errors)

    def command(self, words, with_csv):
        try:
            whole, name, row = self.document(words)
            if not whole or not with_csv or " ".join(words[:-1]) in NO_CSV:
                return
            text = self.run(words, "csv")
            if "--group-by" in words:
                compare_groups(whole, text)
            else:
                compare_csv(self.schemas[words[0]], name, row, whole, text)
                self.rows.add(row)
        except (AssertionError, KeyError, ValueError) as error:
            self.wrong.append(f"{' '.join(words)}: {type(error).__name__}: {error}"[:700])

    def places_of(self, capture):
        """Words of COMMANDS and what they stand for."""
        words = {"CAPTURE": capture, "BASE": self.base, "RANKED": self.ranked}
        rows = json.loads(self.keep("report", capture) or '{"rows": []}')["rows"]
        words["FILE"] = next((row["file"] for row in rows if row["file"]), None)
        words["SCOPE"] = next((row["function"] for row in rows if row["function"]), None)
        events = json.loads(self.keep("events", capture) or '{"events": []}')["events"][-50:]
        words["BLOCK"] = next((f"{event['address']:x}" for event in events if "address" in event), None)
        return words

    def capture(self, capture, shapes):
        self.answers = {}
        self.captures += 1
        if self.keep("info", capture) is None:
            return
        words = self.places_of(capture)
        for command in COMMANDS + shapes:
            asked = [words.get(word, word) for word in command]
            if None not in asked:
                self.command(asked, bool(shapes))

    def unwritten(self, source):
        """What is promised and was not seen, or None."""
        if missing := self.objects_unseen(source):
            return "no document and no CSV has these objects of tools/contract/", missing
        unseen, shared = self.unseen()
        return ("no document has these fields", unseen, shared) if unseen or shared else None

    def objects_unseen(self, source):
        """Objects of the contract that occurred in no document and in no CSV, by themselves or in one that takes them."""
        every, taken = objects(contract(source))
        return sorted(every - taken - {name for name, _ in self.seen} - self.rows)

    def unseen(self):
        """Objects of the schemas with the fields that no document had. Fields that objects take from another are seen if one of
        them had them; rows that are only CSV's are no part of documents."""
        shared = {field for name in ("head", "sums", "row_key") for field in self.fields_of[name]}
        kinds = {field for name, field in self.seen if name == "live_by_kind"} and set(self.schemas["oom"].defs["live_by_kind"]["properties"])
        unseen = {}
        for schema in self.schemas.values():
            for name in schema.reachable():
                fields = set(schema.defs[name]["properties"]) - {field for of, field in self.seen if of == name}
                fields -= shared if any(field in shared for field in fields) else set()
                if name in ("row", "branch", "annotated_line"):
                    fields -= {field for of, field in self.seen if of == "report_row"}
                if fields - kinds:
                    unseen[name] = sorted(fields)
        shared -= {field for _, field in self.seen}
        return unseen, shared


def main(source, tool, work, *chosen):
    os.makedirs(work, exist_ok=True)
    checker = Checker(source, tool, work)
    checker.command(["facts", checker.ptx], False)  # of no capture
    found = texts(source, chosen)
    now, rest = in_turns(found) if not chosen else ([(fixture, True) for fixture in found], [])
    for capture, shapes in itertools.chain(captures_of(source, work, now), captures_made(source, work)):
        checker.capture(capture, SHAPES if shapes else [])
    for capture, shapes in captures_of(source, work, rest):
        if not checker.unwritten(source):
            break
        checker.capture(capture, SHAPES if shapes else [])
    print(f"{sum(checker.printed.values())} documents of {checker.captures} captures:", *(f"{name} {count}" for name, count in sorted(checker.printed.items())))
    assert not checker.wrong, "\n".join([f"{len(checker.wrong)} commands write something else:", *checker.wrong[:30]])
    assert chosen or not checker.unwritten(source), checker.unwritten(source)


if __name__ == "__main__":
    main(*sys.argv[1:])
