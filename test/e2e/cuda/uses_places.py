"""Advice where a line of the source is not one operation (macros.cu), and where memory is not of one GPU (managed.cu)."""
import json

import kernels_ptx


# Those that move the allocation or the free of a block.
MOVES = [word for rule in ("late-free", "early-alloc", "early-alloc-fill", "idle") for word in ("--rule", rule)]


def _advice(t, program, facts, *arguments, options=(), rule):
    capture = t.work / f"{program.name}.{'.'.join((*arguments, *options))}.gmprof".replace("/", "_")
    t.gpumemprof("dryrun", *options, program, *arguments, env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    answer = json.loads(t.gpumemprof("advise", *facts, *rule, "--format", "json", "--min", "0", capture).out)
    return answer, t.report(capture)["devices"][0]["peak"]


def _macro(t, build):
    """Without a place between them all that lowers the peak is to allocate later what is used behind the macro."""
    (before, facts), (after, _) = build(t, "macros"), build(t, "edited", "-DEDITED")
    for way in ("launches", "extended"):
        answer, peak = _advice(t, before, facts, way, rule=MOVES)
        left, edited = _advice(t, after, facts, way, rule=MOVES)
        found = answer["findings"]
        assert [(step["action"], step["variable"]) for f in found for step in f["steps"]] == [("alloc", "d")], (way, found)
        assert found[0]["sure"] and found[0]["peak_before"] == peak and found[0]["peak_after"] == edited, (way, found, peak, edited)
        assert not left["findings"] and not left["not_judged"], (way, left)


def there_is_no_place_between_launches_of_a_macro(t):
    _macro(t, lambda t, name, *flags: kernels_ptx.build(t, name, "cuda/places/macros.cu", *flags))


def nor_where_nvcc_compiles_it(t):
    def build(t, name, *flags):
        t.need_toolkit()
        program = t.work / name
        t.command(f"{t.cuda}/bin/nvcc", "-O2", "-gencode=arch=compute_90,code=[sm_90,compute_90]", *flags, t.programs / "cuda/places/macros.cu",
                  *t.gpumemprof("flags", "nvcc").out.split(), "-cudart", "shared", "-o", program)
        return program, []
    _macro(t, build)


def managed_memory_stays_where_one_device_is_not_enough(t):
    program, facts = kernels_ptx.build(t, "managed", "cuda/places/managed.cu")
    for way, options, advised in (("one_gpu", ("--device-memory", "1GiB"), 3), ("one_gpu", ("--devices", "2"), 3),
                                  ("another_gpu", ("--devices", "2"), 0), ("one_gpu", ("--device-memory", "128MiB"), 0)):
        answer, _ = _advice(t, program, facts, way, options=options, rule=("--rule", "managed-device-only"))
        assert len(answer["costs"]) == advised, (way, options, answer)
