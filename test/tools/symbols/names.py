#!/usr/bin/env python3
"""names.py SOURCE TOOL WORK TEST - names and lines of machine addresses in programs of gcc, against addr2line."""
import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import program as p


def agree(tool, capture, program, env=None):
    """Every call has the path that binutils gives for this program."""
    want, got = p.by_binutils(program, [call for _, call in capture.pairs]), tool.paths(capture, env)
    for i, (_, call) in enumerate(capture.pairs):
        assert got[i] == want[call], f"call {i} at {call:#x}: {got[i]} and not {want[call]}"
    return want


def whole(source, tool, work, *flags, known=(), **options):
    """known: flags with the same code, and debug information that addr2line can read"""
    program = p.build(work, *flags, **options)
    capture = p.Capture(source, program, work / "a.gmprof", p.build_id(program), p.calls(program))
    other = p.build(work / "known", *known, **options) if known else program
    assert p.calls(other) == capture.pairs, "other code"
    want = agree(tool, capture, other)
    assert not tool.said, tool.said
    return program, capture, want


def names_are_declared(tool, capture, work):
    """Functions have the line of their declaration; those that were inlined too."""
    rows = tool.functions(capture)
    for name, (file, line) in p.declared(work).items():
        if name in rows:
            assert (rows[name]["file"].rsplit("/", 1)[-1], rows[name]["line"]) == (file, line), (name, rows[name])
    return rows


def optimised(source, tool, work):
    """Inlined functions twice deep; .cold, .constprop or .isra parts and copies; C++."""
    program, capture, want = whole(source, tool, work)
    symbols = set(p.functions(program).values())
    assert any(".cold" in name for name in symbols) and any(".isra" in name or ".constprop" in name for name in symbols), symbols
    assert max(len(steps) for steps in want.values()) == 3, want
    rows = names_are_declared(tool, capture, work)
    assert {"my_outer", "my_inner", "my_middle", "my_split", "my_copied", "ns::Box<float>::my_grow",
            "(anonymous namespace)::my_hidden"} <= set(rows), rows.keys()
    assert rows["my_inner"]["calls"] is None and rows["my_inner"]["own_peak_max"] is None, rows["my_inner"]
    assert rows["my_outer"]["calls"] and rows["my_outer"]["at_least"] is True, rows["my_outer"]


def minimal(source, tool, work):
    whole(source, tool, work, "-g1", "-O2")


def not_optimised(source, tool, work):
    _, capture, _ = whole(source, tool, work, "-g", "-O0")
    names_are_declared(tool, capture, work)


def dwarf_4(source, tool, work):
    whole(source, tool, work, "-g", "-gdwarf-4", "-O2")


def compressed(source, tool, work):
    program, _, _ = whole(source, tool, work, "-g", "-O2", "-gz", link=["-gz"])
    assert "C" in p.command("readelf", "-SW", program).stdout.split(".debug_info", 1)[1].splitlines()[0].split(), "not compressed"


def split(source, tool, work):
    for version in ("4", "5"):
        whole(source, tool, work / version, "-g", f"-gdwarf-{version}", "-O2", "-gsplit-dwarf", known=("-g", "-O2"))
        assert list((work / version).glob("*.dwo"))


def sections_of_functions(source, tool, work):
    whole(source, tool, work, "-g", "-O2", "-ffunction-sections", link=["-Wl,--gc-sections"])


def clang(source, tool, work):
    """Which writes no .debug_aranges."""
    p.needs("clang-22", "clang++-22")
    program, _, _ = whole(source, tool, work, "-g", "-O2", known=("-g", "-gdwarf-4", "-O2"), compilers=("clang-22", "clang++-22"))
    assert ".debug_aranges" not in p.command("readelf", "-SW", program).stdout


def linked_debug_information(source, tool, work):
    """By .gnu_debuglink beside the program, and in .debug; a file that is another one is not taken."""
    for folder in ("", ".debug"):
        home = work / (folder or "beside")
        program = p.build(home)
        whole_program = home / "whole"
        shutil.copy(program, whole_program)
        (home / folder).mkdir(exist_ok=True)
        debug = home / folder / "app.debug"
        p.command("objcopy", "--only-keep-debug", program, debug)
        p.command("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program)
        capture = p.Capture(source, program, home / "a.gmprof", p.build_id(program), p.calls(whole_program))
        agree(tool, capture, whole_program)
        debug.write_bytes(p.build(home / "other", "-g", "-O1").read_bytes())
        assert all(path[0][0].startswith("0x") for path in tool.paths(capture).values())
        assert "app has neither debug information nor symbols" in tool.said, tool.said


def by_build_id(source, tool, work):
    """In the folder of debug information, and then without the program."""
    program = p.build(work)
    whole_program, identity = work / "whole", p.build_id(program)
    shutil.copy(program, whole_program)
    debug = work / "debug/.build-id" / identity[:2] / (identity[2:] + ".debug")
    debug.parent.mkdir(parents=True)
    p.command("objcopy", "--only-keep-debug", program, debug)
    p.command("objcopy", "--strip-all", program)
    capture = p.Capture(source, program, work / "a.gmprof", identity, p.calls(whole_program))
    env = {"GPUMEMPROF_DEBUG_FOLDER": str(work / "debug")}
    agree(tool, capture, whole_program, env)
    program.unlink()
    agree(tool, capture, whole_program, env)
    assert not tool.said, tool.said


def common_debug_information(source, tool, work):
    """What dwz has moved to a file of its own (.gnu_debugaltlink)."""
    p.needs("dwz")
    program = p.build(work)
    want = p.by_binutils(program, [call for _, call in p.calls(program)])
    other = p.build(work, name="other", link=["-Wl,--defsym=other=1"])
    p.command("dwz", "-m", "common.debug", program.name, other.name, cwd=work)
    assert ".gnu_debugaltlink" in p.command("readelf", "-SW", program).stdout
    capture = p.Capture(source, program, work / "a.gmprof", p.build_id(program), p.calls(program))
    got = tool.paths(capture)
    for i, (_, call) in enumerate(capture.pairs):
        assert got[i] == want[call], (hex(call), got[i], want[call])


def from_a_server(source, tool, work):
    """debuginfod is asked if the user has named servers, and never otherwise."""
    program = p.build(work)
    whole_program, identity, asked = work / "whole", p.build_id(program), []
    shutil.copy(program, whole_program)
    (work / "server").mkdir()
    p.command("objcopy", "--only-keep-debug", program, work / "server/app.debug")
    p.command("objcopy", "--strip-all", program)

    class Server(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            known = self.path == f"/buildid/{identity}/debuginfo"
            self.send_response(200 if known else 404)
            body = (work / "server/app.debug").read_bytes() if known else b""
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {"DEBUGINFOD_CACHE_PATH": str(work / "cache"), "no_proxy": "127.0.0.1"}
    capture = p.Capture(source, program, work / "a.gmprof", identity, p.calls(whole_program))
    assert all(path[0][0].startswith("0x") for path in tool.paths(capture, env).values()) and not asked, asked
    servers = {**env, "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}/"}
    tool.paths(capture, servers)
    if not asked:
        print("skipped: no libdebuginfod here")
        return
    agree(tool, capture, whole_program, servers)
    server.shutdown()


def only_symbols(source, tool, work):
    """Functions by their names, parts of a function too; one sentence says why there are no lines, and what to do."""
    program = p.build(work, "-O2")
    capture = p.Capture(source, program, work / "a.gmprof", p.build_id(program), p.calls(program))
    names, got = p.functions(program), tool.paths(capture)
    assert any(".cold" in name for name in names.values()), names
    for i, (begin, _) in enumerate(capture.pairs):
        assert got[i] == [(p.plain(names[begin]), "?", 0)], (names[begin], got[i])
    assert tool.said == "gpumemprof report: app has no debug information: functions are named, lines are not; build it with -g1 (nvcc: -Xcompiler -g1), or install its debug information (.gnu_debuglink, DEBUGINFOD_URLS)\n", tool.said


def only_addresses(source, tool, work):
    program = p.build(work)
    pairs, identity = p.calls(program), p.build_id(program)
    p.command("strip", program)
    capture = p.Capture(source, program, work / "a.gmprof", identity, pairs)
    got = tool.paths(capture)
    for i, (_, call) in enumerate(pairs):
        assert got[i] == [(f"0x{call:x} in app", "app", 0)], got[i]
    assert {f"0x{begin:x} in app" for begin, _ in pairs} == set(tool.functions(capture))
    assert tool.said.count("\n") == 1 and "its functions are addresses; build it with -g1 (nvcc: -Xcompiler -g1), and do not strip it, or install" in tool.said, tool.said


def another_file(source, tool, work):
    program = p.build(work)
    capture = p.Capture(source, program, work / "a.gmprof", p.build_id(program), p.calls(program))
    p.build(work, "-g", "-O1")
    for change, words in ((None, "is not the file any more that was loaded in the run"), (program.unlink, "is not on this machine")):
        if change:
            change()
        assert all(path[0][0].startswith("0x") for path in tool.paths(capture).values())
        assert tool.said.count("\n") == 1 and f"{program} {words}; functions in it are not named" in tool.said, tool.said


if __name__ == "__main__":
    p.main({test.__name__: test for test in (optimised, minimal, not_optimised, dwarf_4, compressed, split, sections_of_functions, clang,
                                             linked_debug_information, by_build_id, common_debug_information, from_a_server,
                                             only_symbols, only_addresses, another_file)})
