"""selected_documents.py TOOL CAPTURE - every command that takes --filter and --from has the members `filter` and `part` in its
JSON, and all but `events`, which has no head, print the line of --filter in their table."""
import json
import subprocess
import sys

tool, capture = sys.argv[1:]
COMMANDS = (["report"], ["lifetimes"], ["annotate", "a.c"], ["tree"], ["peak"], ["peak", "--scope", "main"], ["matrix"], ["timeline"],
            ["leaks"], ["temporaries"], ["histogram"], ["histogram", "--of", "lifetime"], ["events"])
WHOLE = {"text": "variable=p", "allocated": 10, "freed": 8, "live": 2, "allocated_blocks": 2, "freed_blocks": 1, "live_blocks": 1}
PART = dict(WHOLE, allocated=0, allocated_blocks=0)
LINE = "left by --filter variable=p: 10 B allocated - 8 B freed = 2 B live (blocks: 2 - 1 = 1)"


def run(command, *options):
    return subprocess.run([tool, command[0], *command[1:], *options, capture], capture_output=True, text=True, check=True).stdout


def document(command, *options):
    return json.loads(run(command, "--format", "json", *options))


for command in COMMANDS:
    of_events = command[0] in ("events", "timeline")
    assert "filter" not in document(command) and "part" not in document(command), command
    found = document(command, "--filter", "variable=p")
    assert found.get("filter") == WHOLE, (command, found.get("filter"))
    if "--scope" not in command:
        found = document(command, "--filter", "variable=p", "--from", "3")
        assert found.get("filter") == (WHOLE if of_events else PART), (command, found.get("filter"))
        part = found.get("part", {})
        assert part.get("from") == "3" and part.get("to", 0) is None, (command, part)
        assert ("first_clock" in part and "last_clock" in part) != of_events, (command, part)
    assert command == ["events"] or LINE in run(command, "--filter", "variable=p"), command
merged = document(["merge", capture], "--filter", "variable=p")
assert merged.get("filter") == "variable=p" and merged.get("left") == WHOLE, merged
differs = document(["diff", capture], "--filter", "variable=p")
assert differs.get("filter") == "variable=p" and differs["a"].get("filter") == differs["b"].get("filter") == WHOLE, differs
assert "left" not in document(["merge", capture]) and "filter" not in document(["diff", capture])["a"], capture
grown = document(["leaks", "--growth"], "--filter", "variable=p")
assert grown.get("filter") == WHOLE, grown.get("filter")
