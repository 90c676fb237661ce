"""The figures of a run, the limits they are held to, and how both are shown.

A figure is one number of one variant. A check compares a number with its limit in limits.py; one that is
exact (instruction counts, text) decides in CI, the others are times and need a quiet machine. Kept figures
are exact too: they fail where a count is higher than it was.
"""
import json

import limits


class Results:
    def __init__(self):
        self.figures = []
        self.checks = []
        self.notes = []

    def figure(self, row, variant, unit, samples, delta=None, ratio=None, **more):
        """samples: a Samples or a number. delta: minus the plain program. ratio: to the row's peer."""
        entry = {"row": row, "variant": variant, "unit": unit, "delta": delta, "ratio": ratio}
        entry.update(samples.as_json() if hasattr(samples, "as_json") else {"median": samples})
        entry.update(more)
        self.figures.append(entry)

    def check(self, name, value, exact):
        """value must be at most what limits.PLAN says; None: it could not be measured."""
        self._compare(name, value, limits.PLAN[name][0], "exact" if exact else "time")

    def check_growth(self, name, exponent, exact=False, limit=limits.GROWTH):
        self._compare(f"{name}: exponent", exponent, limit, "exact" if exact else "time")

    def keep(self, name, value):
        """value, an instruction count, must not be higher than what limits.KEPT says it was."""
        was = limits.KEPT[name][0]
        self._compare(name, value, round(was * limits.MARGIN, 2), "kept")
        if value < was / limits.MARGIN:
            self.note(f"{name} is {value:g} and was {was:g}: put the better figure into bench/limits.py")

    def _compare(self, name, value, limit, kind):
        ok = None if value is None else value <= limit
        self.checks.append({"name": name, "value": value, "limit": limit, "kind": kind, "ok": ok})

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    @property
    def failed(self):
        return [check for check in self.checks if check["ok"] is False]

    def write_json(self, path, machine):
        document = {"machine": machine, "figures": self.figures, "checks": self.checks, "notes": self.notes}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")

    def print(self):
        rows = [("row", "variant", "median", "min", "max", "unit", "delta", "ratio")]
        last = None
        for f in self.figures:
            rows.append((f["row"] if f["row"] != last else "", f["variant"], number(f["median"]), number(f.get("min")),
                         number(f.get("max")), f["unit"], number(f["delta"], sign=True), number(f["ratio"], "x")))
            last = f["row"]
        print_table(rows, left=(0, 1, 5))
        if self.checks:
            print()
            rows = [("limit", "value", "at most", "kind", "verdict")]
            for c in self.checks:
                verdict = {True: "ok", False: "MISSED", None: "not measured"}[c["ok"]]
                rows.append((c["name"], number(c["value"]), number(c["limit"]), c["kind"], verdict))
            print_table(rows, left=(0, 3, 4))
        for text in self.notes:
            print(f"note: {text}")


def number(value, unit="", sign=False):
    if value is None:
        return ""
    if isinstance(value, int) and not sign:
        return f"{value}{unit}"
    digits = 3 if abs(value) < 10 else 1
    return f"{value:{'+' if sign else ''}.{digits}f}{unit}"


def print_table(rows, left):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for index, row in enumerate(rows):
        cells = [cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
