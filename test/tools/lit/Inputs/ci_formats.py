#!/usr/bin/env python3
"""ci_formats.py junit|sarif FILE - checks a file of `gpumemprof check` as a CI system would, and prints its findings, one a line.

junit: elements and attributes as in Jenkins' schema (junit-10.xsd of its xunit plugin), counts, unique names.
sarif: what the schema of SARIF 2.1.0 requires and allows of the objects that are used, and what the standard says beside it.
"""
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

# Object: (required, allowed besides); None: any name.
SARIF = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"invocations", "originalUriBaseIds", "columnKind", "results"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription", "defaultConfiguration"}),
    "invocation": ({"executionSuccessful"}, set()),
    "result": ({"message"}, {"ruleId", "ruleIndex", "kind", "level", "locations", "partialFingerprints"}),
    "message": ({"text"}, set()),
    "location": (set(), {"physicalLocation", "logicalLocations"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": ({"uri"}, {"uriBaseId"}),
    "region": ({"startLine"}, set()),
    "logicalLocation": ({"fullyQualifiedName"}, {"kind"}),
}
JUNIT = {  # element: (children, required attributes, other attributes)
    "testsuites": ({"testsuite"}, set(), set()),
    "testsuite": ({"properties", "testcase"}, {"name", "tests", "failures", "errors"}, {"skipped", "time"}),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, set()),
    "testcase": ({"failure", "skipped"}, {"name"}, {"classname", "time"}),
    "failure": (set(), set(), {"message", "type"}),
    "skipped": (set(), set(), {"message", "type"}),
}


def shape(kind, value):
    required, others = SARIF[kind]
    assert isinstance(value, dict) and required <= value.keys() <= required | others, (kind, value)
    return value


def sarif(text):
    log = shape("log", json.loads(text))
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json") and len(log["runs"]) == 1
    run = shape("run", log["runs"][0])
    driver = shape("driver", shape("tool", run["tool"])["driver"])
    rules = [shape("rule", rule) for rule in driver["rules"]]
    assert driver["name"] == "gpumemprof" and len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert shape("message", rule["shortDescription"])["text"] and rule["defaultConfiguration"] == {"level": "error"}, rule
    assert [shape("invocation", i)["executionSuccessful"] for i in run["invocations"]] == [True]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    bases = {name: shape("artifactLocation", base)["uri"] for name, base in run["originalUriBaseIds"].items()}
    assert all(base.startswith("file:///") and base.endswith("/") for base in bases.values()), bases  # 3.14.14
    for result in run["results"]:
        shape("result", result)
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
        assert (result["kind"], result["level"]) in (("fail", "error"), ("open", "none")), result
        yield f"{result['ruleId']} {result['kind']} {place(result['locations'], bases)}: {shape('message', result['message'])['text']}"


def place(locations, bases):
    assert len(locations) <= 1
    if not locations:
        return "-"
    location, found = shape("location", locations[0]), "-"
    if "physicalLocation" in location:
        physical = shape("physicalLocation", location["physicalLocation"])
        artifact = shape("artifactLocation", physical["artifactLocation"])
        uri = artifact["uri"]
        assert uri.startswith("file:///") if "uriBaseId" not in artifact else artifact["uriBaseId"] in bases and uri[0] != "/", artifact
        assert re.fullmatch(r"(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), uri
        found = urllib.parse.unquote(uri)
        if "region" in physical:
            assert shape("region", physical["region"])["startLine"] >= 1
            found += f":{physical['region']['startLine']}"
    for logical in location.get("logicalLocations", []):
        found += " " + shape("logicalLocation", logical)["fullyQualifiedName"]
    return found


def check_element(element):
    children, required, others = JUNIT[element.tag]
    assert required <= set(element.keys()) <= required | others, (element.tag, element.attrib)
    for child in element:
        assert child.tag in children, (element.tag, child.tag)
        check_element(child)


def junit(text):
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites" and len(root) == 1
    check_element(root)
    suite = root[0]
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases) and int(suite.get("errors")) == 0
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases), "two cases of one name"
    for case in cases:
        assert len(case) <= 1
        verdict = case[0].tag if len(case) else "passed"
        yield f"{case.get('classname')} {verdict}: {case.get('name')}"
        for child in case:
            lines = (child.text or child.get("message")).splitlines()
            assert lines[0] == child.get("message"), lines
            yield from (f"  {line}" for line in lines)


def main(kind, path):
    text = open(path, "rb").read()
    if kind == "junit" and shutil.which("xmllint"):
        subprocess.run(["xmllint", "--noout", path], check=True)
    for line in {"junit": junit, "sarif": sarif}[kind](text.decode("utf-8")):
        print(line)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
