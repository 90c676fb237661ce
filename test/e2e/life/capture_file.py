"""Where the capture goes, and what happens when it cannot: one sentence, and the program runs on as if
there were no profiler, with its own exit status."""
import json
import os
import pathlib
import re
import subprocess

from harness import check

KIB = 1 << 10


def _ending(t):
    return t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])


def one_sentence(text):
    lines = [line for line in text.splitlines() if line]
    assert len(lines) == 1, text
    return lines[0]


def default_name_has_host_and_process(t):
    program = _ending(t)
    result = t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": ""})
    captures = list(t.work.glob("gpumemprof.*.gmprof"))
    assert len(captures) == 1, list(t.work.iterdir())
    host = subprocess.run(["uname", "-n"], capture_output=True, text=True, check=True).stdout.strip()
    assert re.fullmatch(rf"gpumemprof\.{re.escape(host)}\.[0-9]+\.gmprof", captures[0].name), captures
    assert captures[0].name in one_sentence(result.err)
    assert "GPU 0: peak " in t.gpumemprof("report").out  # the newest capture of this folder


def off_leaves_nothing(t):
    program = _ending(t)
    for env in ({"GPUMEMPROF": "0"}, {"GPUMEMPROF_OPTIONS": "enabled=0"}):
        result = t.command(program, status=7, env=env)
        assert not result.err and not list(t.work.glob("*.gmprof")), result.err


def unwritable_path(t):
    program = _ending(t)
    path = t.work / "no-such-folder/x.gmprof"
    result = t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"output={path}"})
    assert str(path) in one_sentence(result.err), result.err


def unknown_option_is_said_and_ignored(t):
    program = _ending(t)
    result, capture = t.run(program, status=7, options="ouput=x:stack=100")
    assert "'ouput=x'" in one_sentence(result.err), result.err
    assert t.report(capture)["conservation"]["ok"]


def bad_value_is_said_and_ignored(t):
    program = _ending(t)
    result, capture = t.run(program, status=7, options="stack=many")
    assert "many" in one_sentence(result.err), result.err
    assert t.report(capture)["conservation"]["ok"]


def bad_output_is_said_and_the_default_kept(t):
    program = _ending(t)
    for bad in ("", "a" * 4096, "a" * 9000):
        result = t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"quiet=1:output={bad}"})
        assert "for output is ignored" in one_sentence(result.err), result.err
        captures = list(t.work.glob("gpumemprof.*.gmprof"))
        assert len(captures) == 1, list(t.work.iterdir())
        captures[0].unlink()


def path_with_colons_and_percent(t):
    program = _ending(t)
    folder = t.work / "a:b"
    folder.mkdir()
    t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"output={folder}/100%%.gmprof:quiet=1"})
    check(t.report(folder / "100%.gmprof")["conservation"], "conservation", allocated=256 * KIB)


def option_that_is_unknown_takes_nothing_from_its_neighbour(t):
    program = _ending(t)
    for text in ("history=all:use=on", "use=on:history=all", "output=OUT:History=ring:history=all", "history=all:on"):
        path = t.work / "unknown.gmprof"
        path.unlink(missing_ok=True)
        options = text.replace("OUT", str(path)) if "OUT" in text else f"output={path}:{text}"
        result = t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"{options}:quiet=1"})
        unknown = next(part for part in text.split(":") if part in ("use=on", "History=ring", "on"))
        assert one_sentence(result.err) == (f"gpumemprof: GPUMEMPROF_OPTIONS: unknown option '{unknown}' is ignored; "
                                            "'gpumemprof info --options' lists them"), result.err
        assert json.loads(t.gpumemprof("events", path, "--format", "json").out)["events"], text
    result = t.command(program, status=7, env={"GPUMEMPROF_OPTION": "history=all", "GPUMEMPROF_OPTIONS": "quiet=1"})
    assert "nothing reads the variable GPUMEMPROF_OPTION; options belong into GPUMEMPROF_OPTIONS=" in one_sentence(result.err), result.err


def variable_that_nobody_reads_is_named_once(t):
    program = _ending(t)
    unread = {"GPUMEMPROF_OPTIONSS": "history=all", "GPUMEMPROF_HISTORY": "all", "GPUMEMPROF_OPT": ""}
    read = {"GPUMEMPROF_OPTIONS": "quiet=1", "GPUMEMPROF_PAGER": "cat", "GPUMEMPROF_TEST_SECONDS": "1", "GPUMEMPROF_ROOT": "/opt"}
    said = one_sentence(t.command(program, status=7, env={**unread, **read}).err)
    for name in unread:
        assert re.search(rf"\b{name}\b", said), said
    assert "nothing reads the variables " in said and "; options belong into GPUMEMPROF_OPTIONS=key=value:key=value" in said, said
    assert not any(name + "," in said or name + ";" in said for name in read), said
    assert not t.command(program, status=7, env=read).err
    assert not t.command(program, status=7, env={**unread, "GPUMEMPROF": "0"}).err


def number_without_its_unit_is_no_size_and_no_time(t):
    program = _ending(t)
    for option, example in (("warn=20", "20GiB or 80%"), ("critical=95", "95%"), ("growth=10", "10MiB"), ("monitor=1", "100ms"),
                            ("monitor=5000", "100ms"), ("dump=every:10", "every:10s"), ("dump=peak,bytes:1", "bytes:1GiB")):
        result, _ = t.run(program, status=7, options=option + ":quiet=1")
        said, (key, value) = one_sentence(result.err), option.split("=")
        assert f"'{value}' for {key} has no unit and is ignored; write " in said and example in said, said
    for option in ("warn=20000000B", "critical=95%", "growth=5000000", "monitor=0"):
        result, _ = t.run(program, status=7, options=option + ":quiet=1")
        assert not result.err, result.err


def uses_that_cannot_be_recorded_are_said(t):
    """They are events of the history; and pages are marked by compiled code."""
    program = _ending(t)

    def said(options):
        return t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"quiet=1:output={t.work}/uses.gmprof:{options}"}).err
    for value in ("on", "verify"):
        assert one_sentence(said(f"uses={value}")) == (
            f"gpumemprof: GPUMEMPROF_OPTIONS: uses={value} is ignored, because it is recorded in the history, which is off; write "
            f"history=all:uses={value}")
        for history in ("all", "ring"):
            assert not said(f"uses={value}:history={history}")
    pages = one_sentence(said("uses=pages"))
    assert "uses=pages is ignored" in pages and "-fplugin-arg-gpumemprof-uses=pages, and run with history=all:uses=on" in pages, pages
    assert not said("uses=0")


def word_behind_the_output_is_said_to_belong_to_its_name(t):
    program = _ending(t)
    result = t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"quiet=1:output={t.work}/o1.gmprof:bogus"})
    assert "':bogus' is taken as a part of the capture's name, because it is no KEY=VALUE" in one_sentence(result.err), result.err
    assert (t.work / "o1.gmprof:bogus").exists()
    result = t.command(program, status=7, env={"GPUMEMPROF_OPTIONS": f"quiet=1:output={t.work}/12:30.gmprof"})
    assert not result.err, result.err


def messages_of_a_run_move_no_cursor(t):
    """Names of files are anybody's: escape bytes, also as one byte of Latin-1 and as UTF-8, reach no terminal."""
    program = _ending(t)
    name = os.fsencode(t.work) + b"/a\x1b[2J\x9b1m\xc2\x9b\xc3\xa4.gmprof"
    options = {b"GPUMEMPROF_OPTIONS": b"output=" + name}
    done = subprocess.run([program], env={**os.environb, **options}, capture_output=True, check=False)
    assert done.returncode == 7 and os.path.exists(name), done
    assert done.stderr.endswith(b"/a?[2J?1m??\xc3\xa4.gmprof; 'gpumemprof report' shows it\n"), done.stderr


def shallow_stack_is_a_counted_loss(t):
    program = t.build("many_paths", "life/many_paths.cpp", flags=["-O1"])
    _, capture = t.run(program, status=9, options="stack=16")
    report = t.report(capture)
    assert report["losses"]["frames_beyond_stack"] > 0, report["losses"]
    assert report["conservation"]["ok"], report["conservation"]


def small_disk(t, mount):
    """Many call paths into a capture that cannot grow: profiling stops, the program goes on."""
    program = t.build("many_paths", "life/many_paths.cpp", flags=["-O1"])
    path = mount / "run.gmprof"
    result = t.command(program, status=9, env={"GPUMEMPROF_OPTIONS": f"output={path}"})
    assert result.out == "done\n", result.out
    return result, path


def full_disk_stops_profiling_not_the_program(t):
    t.need_root()
    mount = t.work / "disk"
    mount.mkdir()
    t.command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount)
    try:
        result, path = small_disk(t, mount)
        assert result.err, "nothing was said"
        assert "stopped" in t.state(path), t.state(path)
        assert t.report(path)["losses"]["events_not_stored"] > 0
    finally:
        t.command("umount", mount)


def file_size_limit_stops_profiling_not_the_program(t):
    program = t.build("many_paths", "life/many_paths.cpp", flags=["-O1"])
    path = t.work / "run.gmprof"
    result = t.command("bash", "-c", f'ulimit -f 4096; exec "{program}"', status=9,
                       env={"GPUMEMPROF_OPTIONS": f"output={path}"})
    assert result.out == "done\n", result.out
    assert result.err, "nothing was said"
    assert pathlib.Path(path).stat().st_size <= 4096 * 1024
