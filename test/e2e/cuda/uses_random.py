"""Operations that use memory (uses=on), in a random order: each is listed with the values that the program passed."""
import json


def values_are_those_that_were_passed(t):
    program = t.work / "random"
    t.plugin()
    t.command(t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split(), "-O2", t.programs / "cuda/uses_random.cu", "-o", program)
    for seed in ("1", "2", "3"):
        capture = t.work / f"{seed}.gmprof"
        done = t.gpumemprof("dryrun", program, seed, env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
        expected = [(kind, *map(int, values)) for kind, *values in map(str.split, done.out.splitlines())]
        assert len(expected) > 1000, done.out
        listed = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
        found = [(e["event"], *(int(v["value"]) for v in e["values"])) for e in listed if "values" in e]
        wrong = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), None)
        assert found == expected, (seed, wrong, len(found), len(expected), found[wrong or 0], expected[wrong or 0])
