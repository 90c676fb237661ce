"""One program (programs/modes.cpp) in every way a compiler is asked for: each build runs and its report
equals that of the plain build in every scope, line and figure."""
import concurrent.futures
import json

from same_at_every_level import differences, plain

VIEWS = ("path", "function")

SANITIZERS = {
    "asan": ["-fsanitize=address"],
    "asan-fake-stack": ["-fsanitize=address", "-fsanitize-address-use-after-return=always", "-O0"],
    "ubsan": ["-fsanitize=undefined", "-fno-sanitize-recover=all"],
    "tsan": ["-fsanitize=thread"],
    "safe-stack": ["-fsanitize=safe-stack"],
    "cfi": ["-fsanitize=cfi", "-flto=thin", "-fvisibility=hidden", "-fuse-ld=lld"],
}
CODE_GENERATION = {
    "O0": ["-O0"],
    "O3-native": ["-O3", "-march=native"],
    "Os": ["-Os"],
    "Oz": ["-Oz"],
    "cxx17": ["-std=c++17"],
    "cxx23": ["-std=c++23"],
    "no-plt": ["-fno-plt"],
    "medium": ["-mcmodel=medium"],
    "cet": ["-fcf-protection=full"],
    "stack-protector": ["-fstack-protector-all", "-D_FORTIFY_SOURCE=2"],
    "stack-clash": ["-fstack-clash-protection", "-ftrivial-auto-var-init=pattern"],
    "retpoline": ["-mretpoline"],
    "instrument-functions": ["-finstrument-functions", "-lm"],
    "pg": ["-pg"],
    "xray": ["-fxray-instrument", "-fxray-instruction-threshold=1"],
    "frame-pointer": ["-fno-omit-frame-pointer", "-mno-red-zone"],
    "debug": ["-g3", "-gsplit-dwarf"],
    "save-temps": ["-save-temps=obj", "-g"],
    "hidden": ["-fvisibility=hidden", "-fvisibility-inlines-hidden"],
    "per-thread": ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"],
    "per-thread-flag": ["-fgpu-default-stream=per-thread"],
    "no-rtti": ["-fno-rtti"],
    "emulated-tls": ["-ftls-model=global-dynamic"],
    "profile-generate": ["-fprofile-instr-generate", "-fcoverage-mapping"],
    "gcov": ["--coverage"],
    "unified-lto": ["-flto=thin", "-funified-lto", "-fuse-ld=lld"],
}


def views(t, capture):
    """What a report says but its times and where the program lay."""
    reports = {}
    for view in VIEWS:
        reports[view] = plain(t.report(capture, view))
        assert reports[view]["conservation"]["ok"], reports[view]["conservation"]
        assert not any(reports[view]["losses"].values()), reports[view]["losses"]
        for key in ("executable", "command", "capture", "host", "pid"):
            reports[view].pop(key, None)
    return reports


def same_report(expected, found, mode):
    for view in VIEWS:
        assert found[view] == expected[view], (f"by {view}, plain and {mode}:\n"
                                               + "\n".join(differences(expected[view], found[view])))


def same_in_modes(t, modes, **more):
    def one(mode, flags):
        program = t.build(mode, "modes.cpp", flags=["-O1", *flags], **more)
        result, capture = t.run(program, capture=mode + ".gmprof", env={"LLVM_PROFILE_FILE": f"{t.work}/{mode}.profraw"})
        assert (result.out, result.err) == ("done 1\n", ""), f"{mode}: {result.out}{result.err}"
        return views(t, capture)
    expected = one("plain", [])
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for mode, found in [(mode, pool.submit(one, mode, flags)) for mode, flags in modes.items()]:
            try:
                same_report(expected, found.result(), mode)
            except AssertionError as error:
                wrong.append(f"{mode}: {error}")
    assert not wrong, "\n".join(wrong)


def sanitizers(t):
    same_in_modes(t, SANITIZERS)


def code_generation(t):
    same_in_modes(t, CODE_GENERATION)
