#!/usr/bin/env python3
"""in_a_page.py TOOL SOURCE [N] - the section `advice` of a page says what `gpumemprof advise` says: the programs of predictions.py, as a page.

Curves and spans are added up: after each step, the curve is that of the run without what the step removes of its blocks.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import predictions

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import page_reader  # noqa: E402


def run(tool, *words):
    done = subprocess.run([tool, *words], check=False, capture_output=True, text=True)
    if "built without the viewer" in done.stderr:
        sys.exit(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout


def page_of(tool, folder, *options):
    page, capture, facts = (os.path.join(folder, name) for name in ("a.html", "a.gmprof", "kernels.ptx"))
    run(tool, "html", capture, "--facts", facts, "-o", page, *options)
    data = page_reader.sections(page)
    return page_reader.profile(data), json.loads(data["advice"]) if "advice" in data else None


def is_part_of(part, whole):
    """Whether all that `part` says is in `whole`."""
    if isinstance(part, dict):
        return all(key in whole and is_part_of(value, whole[key]) for key, value in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_part_of, part, whole))
    return part == whole


def findings_are_those_of_the_command(advice, answer):
    assert is_part_of(answer["findings"], advice["findings"]), (answer["findings"], advice["findings"])
    for finding in advice["findings"]:
        said = "; ".join(f"{step['place']}: {step['says']}" for step in finding["steps"])
        assert said == finding["reason"] and finding["steps_in_all"] == len(finding["steps"]), (said, finding["reason"])
        assert finding["steps"][-1]["peak"] == finding["peak_after"] and finding["steps"][-1]["curve"] == finding["curve"]
        assert finding["rules"][0] == finding["rule"] and len(set(finding["rules"])) == len(finding["rules"]), finding["rules"]
        assert (finding["copied"] > 0) == any(step["action"] == "offload" for step in finding["steps"]), finding
        assert finding["sure"] <= (not finding["condition"]) and (finding["condition"] or finding["copied"] or finding["sure"]), finding
        for step in finding["steps"]:
            assert max(step["curve"]) == step["peak"], step
    assert [finding["number"] for finding in advice["findings"]] == list(range(1, len(advice["findings"]) + 1))
    assert is_part_of([{"blocks": one["blocks"], "bytes": one["bytes"], "reason": one["reason"]} for one in answer["not_judged"]], advice["not_judged"])
    assert [{"device": one["place"], "bytes": one["ideal"]} for one in advice["devices"]] == [one for one in answer["ideal_peak"] if advice["devices"]]


def steps_remove_what_they_say(device, finding):
    """Their stretches are of blocks that the page has, all of them, as it has fewer than 200."""
    removed = {}
    for step in finding["steps"]:
        assert step["removed"], step
        for block, from_, to in step["removed"]:
            assert device["blocks"][block]["begin"] <= from_ < to <= device["blocks"][block]["end"], (step, device["blocks"][block])
            removed.setdefault(block, set()).update(range(from_, to))
        expected = [total - sum(device["blocks"][block]["bytes"] for block, at in removed.items() if position in at)
                    for position, total in enumerate(device["curve"])]
        longer = {after - before for after, before in zip(step["curve"], expected)} - {0}
        if finding["rule"] in ("reuse", "no-overlap"):  # the block whose memory is used may live longer
            longer -= {max(longer, default=0)} & {block["bytes"] for block in device["blocks"]}
        assert len(step["curve"]) == len(expected) and not longer, (step, expected)


def spans_are_in_order(device):
    for block in device["blocks"]:
        used = block.get("used")
        if used:
            certain = block["certain"] or [used[0], used[0]]
            assert block["begin"] <= used[0] <= certain[0] <= certain[1] <= used[1] <= block["end"], block
            assert block["first_use"] and block["last_use"]


def bytes_text(value):
    return f"{value / 1024:.2f} KiB" if value >= 1024 else f"{value} B"


def overview_has_the_best(profile, advice):
    said = [one for one in profile["sentences"] if one.get("finding") == "advice"]
    assert bool(said) == bool(advice["findings"]), (said, advice["findings"])
    for one in said:
        number = int(one["to"].removeprefix("#/advice?finding="))
        finding = advice["findings"][number - 1]
        assert one["figure"] == bytes_text(finding["saving"]), (one, finding)
        assert (one["place"] is None) == (len(finding["steps"]) > 1), one
    best = max((finding["saving"] for finding in advice["findings"]), default=0)
    assert not said or max(advice["findings"][int(one["to"].split("=")[1]) - 1]["saving"] for one in said) == best
    numbers = [int(one["to"].split("=")[1]) for one in said]
    assert numbers == sorted(numbers) and numbers[:1] in ([], [1]), numbers  # in the order of the command


def check(tool, source, folder, seed):
    rng = random.Random(seed)
    program = predictions.Program(rng, with_open=rng.random() < 0.5)
    predictions.advise(tool, source, program, folder)
    capture, facts = os.path.join(folder, "a.gmprof"), os.path.join(folder, "kernels.ptx")
    answer = json.loads(run(tool, "advise", capture, "--facts", facts, "--format", "json", "--limit", "0").replace("/src/a.cu:", "a.cu:"))
    profile, advice = page_of(tool, folder)
    findings_are_those_of_the_command(advice, answer)
    for device in advice["devices"]:
        assert len(device["curve"]) == device["positions"] and max(device["curve"]) == device["peak"] == predictions.peak(program)
        assert device["curve"][device["peak_at"]] == device["peak"]
        spans_are_in_order(device)
        for finding in advice["findings"]:
            steps_remove_what_they_say(device, finding)
    overview_has_the_best(profile, advice)
    for options in (("--kind", "device"), ("--from", "1", "--to", "2")):
        assert page_of(tool, folder, *options)[1] is None, options
    return len(advice["findings"])


def main(tool, source, count="60"):
    with tempfile.TemporaryDirectory() as folder:
        found = 0
        seeds = predictions.seeds_of(int(count))
        for seed in seeds:
            try:
                found += check(tool, source, folder, seed)
            except AssertionError:
                print(f"seed {seed}:")
                raise
    assert found > len(seeds), f"only {found} findings"


if __name__ == "__main__":
    main(*sys.argv[1:])
