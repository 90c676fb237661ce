"""merge_oracle.py - computes `gpumemprof merge` a second time, from `report --format json` of each capture.

Nothing is shared with the tool but the rules of docs/ACCOUNTING.md: which figures count 0 where a process lacks them, which
are computed only from the processes that have them, and which add up.
"""
import json
import statistics

ZERO = {"at_peak_percent", "live_peak", "own_peak_max", "device_peak", "max_size", "self_percent", "incl_percent", "others"}
EACH = {"own_peak_mean", "min_size", "mean_size", "lifetime_ns", "alloc_per_call"}
PLACES = ("line", "function")


def close(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


TEXTS = ["location", "file", "line", "function", "variable", "size_expr", "type", "callee"]


def figures_of(tool):
    columns = [line.split()[0] for line in tool("merge", "--columns", "help").splitlines()]
    return [column for column in columns if column not in TEXTS]


class Merge:
    """tool(*words) runs gpumemprof and returns its output."""

    def __init__(self, tool, captures, by="line", status=0, more=()):
        self.tool, self.by, self.more, self.figures = tool, by, list(more), figures_of(tool)
        self.merged = json.loads(tool("merge", *captures, "--by", by, "--format", "json", *more, status=status))
        self.captures = [process["capture"] for process in self.merged["processes"]]
        self.names = [process["name"] for process in self.merged["processes"]]

    def report(self, capture, by, *more):
        if "--device" in more:  # merge takes captures that lack it, report does not
            device = more[more.index("--device") + 1]
            if device not in [str(one["device"]) for one in self.report(capture, "device")["devices"]]:
                return {"rows": []}
        columns = ",".join([*TEXTS, *self.figures])
        return json.loads(self.tool("report", capture, "--by", by, "--format", "json", "--columns", columns, *more))

    @staticmethod
    def key(row, by):
        if by in PLACES:
            return row["file"], row["line"] if by == "line" else None, row["function"]
        return (row["location"], row.get("callee"), row.get("type")) if by == "path" else row["location"]

    def check_rows(self):
        """Every figure of every row; returns how many rows."""
        reports = [self.report(capture, self.by, *self.more) for capture in self.captures]
        rows, alike = {}, set()  # alike: paths that differ in a column alone
        for number, report in enumerate(reports):
            for row in report["rows"]:
                of = rows.setdefault(self.key(row, self.by), {})
                if number in of:
                    alike.add(self.key(row, self.by))
                of[number] = row
        found = {}
        for row in self.merged["rows"]:
            key = self.key(row, self.by)
            if key in found:
                alike.add(key)
            found[key] = row
        assert found.keys() == rows.keys(), (found.keys() ^ rows.keys())
        assert len(alike) * 5 <= len(rows) and (self.by == "path" or not alike), alike
        for key, of in rows.items():
            if key in alike:
                continue
            assert found[key]["processes"] == len(of), key
            for figure in self.figures:
                self.check_figure(found[key][figure], [of.get(i, {}).get(figure) for i in range(len(reports))], figure, key)
        return len(rows)

    def check_figure(self, got, values, figure, key):
        where = (key, figure, got, values)
        if all(value is None for value in values):
            assert got is None, where
            return
        if figure not in EACH:
            values = [value or 0 for value in values]
        known = [(value, i) for i, value in enumerate(values) if value is not None]
        least, most = min(known), max(known, key=lambda one: (one[0], -one[1]))
        assert (got["min"], got["min_of"]) == (least[0], self.names[least[1]]), where
        assert (got["max"], got["max_of"]) == (most[0], self.names[most[1]]), where
        assert close(got["mean"], sum(value for value, _ in known) / len(known)), where
        assert ("sum" in got) == (figure not in EACH | ZERO), where
        assert "sum" not in got or got["sum"] == sum(value for value, _ in known), where

    def check_head(self):
        reports = [self.report(capture, "line") for capture in self.captures]
        m = self.merged
        for figure, total in m["conservation"].items():
            if figure != "ok":
                assert total == sum(report["conservation"][figure] for report in reports), figure
        for name, lost in m["losses"].items():
            assert lost == sum(report["losses"][name] for report in reports), name
        failed = [f for report in reports for f in report["failed"]]
        assert (m["failed"]["calls"], m["failed"]["bytes"]) == (sum(f["calls"] for f in failed), sum(f["bytes"] for f in failed))
        assert m["totals"]["ok"] and all(one["captures"] == one["rows"] for name, one in m["totals"].items() if name != "ok")
        all_peaks = [[d["peak"] for d in report["devices"] if isinstance(d["device"], int)] for report in reports]
        peaks = [max(of_gpus, default=0) for of_gpus in all_peaks]
        assert [process["peak"] for process in m["processes"]] == peaks
        assert [process["peaks"] for process in m["processes"]] == [sum(of_gpus) for of_gpus in all_peaks]
        assert [process["peak_device"] for process in m["processes"]] == [self.highest_gpu(report) for report in reports]
        p, median = m["peak"], statistics.median(peaks)
        assert (p["min"], p["max"], p["median"]) == (min(peaks), max(peaks), int(median)), (p, peaks)
        assert p["min_of"] == self.names[peaks.index(min(peaks))] and p["max_of"] == self.names[peaks.index(max(peaks))], p
        assert close(p["mean"], statistics.mean(peaks))
        for process, peak in zip(m["processes"], peaks):
            assert process["outlier"] == (abs(peak - int(median)) > int(median) // 4), (process, median)
        gpus = {}
        for report, process in zip(reports, m["processes"]):
            for d in report["devices"]:
                if isinstance(d["device"], int):
                    name = d["uuid"] or f"GPU {d['device']} of {process['host']}"
                    gpu = gpus.setdefault(name, {"gpu": name, "processes": 0, "peaks": 0, "memory_total": d["memory_total"]})
                    gpu["processes"] += 1
                    gpu["peaks"] += d["peak"]
        assert sorted(m["gpus"], key=lambda gpu: gpu["gpu"]) == [gpus[name] for name in sorted(gpus)], (m["gpus"], gpus)
        self.check_imbalance(peaks)

    @staticmethod
    def highest_gpu(report):
        gpus = [d for d in report["devices"] if isinstance(d["device"], int)]
        return max(gpus, key=lambda d: (d["peak"], -d["device"]))["device"] if gpus else None

    def held(self, capture, by, key):
        """What its GPU with the highest peak held then, by line or path."""
        held, gpu = {}, self.highest_gpu(self.report(capture, "line"))
        if gpu is not None:
            for row in self.report(capture, by, "--device", str(gpu))["rows"]:
                held[key(row)] = held.get(key(row), 0) + row["self_at_peak"]
        return held

    def check_imbalance(self, peaks):
        mean, most = statistics.mean(peaks), max(peaks)
        got = self.merged["imbalance"]
        if len(peaks) < 2 or not most:
            assert got is None, got
            return
        highest = peaks.index(most)
        assert got["process"] == self.names[highest] and close(got["factor"], most / mean), got
        assert abs(got["bytes"] - (most - mean)) <= 1
        if most / mean < 1.05:
            assert got["line"] is None, got
            return

        def above(by, key):
            held = [self.held(capture, by, key) for capture in self.captures]
            return {name: own - sum(one.get(name, 0) for one in held) / len(held) for name, own in held[highest].items()}

        def step(place):
            return place["file"], place["line"], place["function"]

        lines = above("line", step)
        assert close(max(lines.values()), lines[step(got["line"])]), (got, lines)
        assert abs(got["line"]["bytes"] - lines[step(got["line"])]) <= 1, (got, lines)
        paths = above("path", lambda row: tuple(step(one) for one in row["path"]))
        path = tuple(step(one) for one in got["line"]["path"])
        assert close(paths[path], max(value for name, value in paths.items() if name[-1] == path[-1])), (got, paths)
