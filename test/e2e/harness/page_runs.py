"""The pages of a block in the JSON of `gpumemprof pages`, as programs with test/e2e/programs/cuda/pages_truth.h print them."""


def runs_of(block):
    """Such as r3 w2 b1 -4: read, written, both, untouched."""
    runs = []
    for run in block["runs"]:
        state = "-rwb"[run["read"] + 2 * run["written"]]
        if runs and runs[-1][0] == state:
            runs[-1][1] += run["pages"]
        else:
            runs.append([state, run["pages"]])
    return [f"{state}{count}" for state, count in runs]
