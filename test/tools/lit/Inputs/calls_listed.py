"""calls_listed.py HEADERS PAGE: whether the manual page has every call that the headers offer to programs. It reads
the headers itself, without the tool."""
import pathlib
import re
import sys

folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").replace("\\-", "-")
text = "".join((folder / name).read_text(encoding="utf-8") for name in (
    "gpumemprof.h", "measure.h", "labels.h", "callbacks.h", "steps.h", "marks.h", "recording.h", "torch.h"))
inner = {"snapshot_take", "scope_open", "scope_close", "summary_fill"}  # behind an inline function or a macro
calls = set(re.findall(r"GPUMEMPROF_CALL_\([^,]+,\s*(\w+),", text)) | set(re.findall(r"GPUMEMPROF_CALL_VOID_\((\w+),", text))
calls |= set(re.findall(r"static inline[^;{]*?\bgpumemprof_(\w+)\(", text))
calls |= set(re.findall(r"#define gpumemprof_(\w+)\(", text))
calls = {name for name in calls - inner if not name.endswith("_")}
assert len(calls) > 15, calls
missing = [name for name in sorted(calls) if not re.search(rf"\bgpumemprof_{name}\(", page)]
assert not missing, f"not in the page: {missing}"
shown = {name for name in re.findall(r"\\fB[^\n]*\bgpumemprof_(\w+)\(", page)}
assert not shown & inner, shown & inner
assert "__gpumemprof_" not in page, "inner names"
