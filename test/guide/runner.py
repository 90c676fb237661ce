"""What run.py says of pages: it fails for each way in which a page may be wrong, and only for those."""
import sys


def _page(t, *lines, status=0, options=()):
    page = t.work / "page.md"
    page.write_text("\n".join(lines) + "\n")
    done = t.command(sys.executable, t.source / "test/guide/run.py", "--build", t.stage.parent, "--work", t.work / "run", *options, page, status=status)
    return done.out, page.read_text().splitlines()


def output_as_shown_is_accepted(t):
    said, _ = _page(t, "# A page", "", "    $ echo one; echo; echo two", "    one", "", "    two", "", "A sentence.")
    assert "1 commands ran, 0 blocks did not" in said, said


def other_output_is_named(t):
    said, _ = _page(t, "# A page", "", "    $ echo one", "    two", status=1)
    assert "page.md:3: `echo one` does not print what the page shows" in said and "-two\n+one" in said, said


def output_that_the_page_leaves_out_is_named(t):
    said, _ = _page(t, "    $ echo one", status=1)
    assert "+one" in said, said


def update_writes_what_the_commands_print(t):
    page = ["    $ echo one; echo two", "    three", "", "A sentence.", "", "    $ echo four"]
    said, lines = _page(t, *page, options=["--update"])
    assert lines == ["    $ echo one; echo two", "    one", "    two", "", "A sentence.", "", "    $ echo four", "    four"], lines
    assert "2 of 2 outputs written" in said, said
    _page(t, *lines)


def update_leaves_outputs_that_are_alike(t):
    page = ["    $ echo after 12.5 ms", "    after 3 s"]
    assert _page(t, *page, options=["--update"])[1] == page


def times_hosts_and_processes_may_differ(t):
    _page(t, "    $ printf '|%10s|\\n' '12.5 ms'; echo gpumemprof.$(hostname).$$.gmprof in $PWD of $P",
          "    |  3 s|", "    gpumemprof.host.12345.gmprof in /home/you/gpumemprof of /opt/gpumemprof")


def addresses_may_differ(t):
    _page(t, "    $ echo at 0x55fd10000, twice", "    at 0x7f1234567890, twice")


def sizes_may_not_differ(t):
    said, _ = _page(t, "    $ echo 12.5 MiB", "    12.50 MiB", status=1)
    assert "does not print" in said, said


def failure_is_an_error_unless_its_status_is_shown(t):
    said, _ = _page(t, "    $ false", status=1)
    assert "`false` failed with status 1" in said, said
    _page(t, "    $ (exit 3)", "    $ echo $?", "    3")


def commands_share_a_shell_and_the_examples(t):
    _page(t, "    $ cd examples; X=1", "    $ ls train.cu; echo $X", "    train.cu", "    1")


def commands_of_several_lines_run_as_one(t):
    _page(t, "    $ cat <<'END'", "    > a line", "    > END", "    a line", "    $ echo one \\", "        two", "    one two")


def first_block_runs_first(t):
    _page(t, "    $ cat made", "    made", "", "## Build", "", "<!-- guide: first -->", "", "    $ echo made >made")


def block_may_be_first_and_need_something(t):
    said, _ = _page(t, "    $ cat made", "    made", "", "## Build", "", "<!-- guide: first -->", "<!-- guide: needs sh -->", "", "    $ echo made >made")
    assert "2 commands ran" in said, said


def block_that_is_not_run_is_counted(t):
    said, _ = _page(t, "<!-- guide: not run: needs a GPU -->", "", "    $ false", "", "And:", "", "    $ true")
    assert "1 commands ran, 1 blocks did not" in said and "not run:" in said and "page.md:3: needs a GPU" in said, said


def block_without_its_programs_is_counted(t):
    said, _ = _page(t, "<!-- guide: needs sh no-such-program -->", "", "    $ no-such-program")
    assert "page.md:3: needs no-such-program" in said, said


def block_without_a_command_has_to_say_so(t):
    said, _ = _page(t, "    apt-get install x", status=1)
    assert "page.md:1: this block has no `$ `" in said, said


def unknown_comment_is_named(t):
    said, _ = _page(t, "<!-- guide: skip -->", "", "    $ true", status=1)
    assert "page.md:3: `guide: skip` is none of" in said, said


def figures_of_sentences_are_in_an_output(t):
    page = ["    $ echo '  192.00  x.cu:12'", "      192.00  x.cu:12", "", "The line x.cu:12 has 192.00 MiB."]
    _page(t, *page)
    said, _ = _page(t, *page, "It had 191.00 MiB in x.cu:13.", status=1)
    assert "page.md:5: no block of the page shows 191.00 MiB" in said and "shows x.cu:13" in said, said
