"""The variable in a row is the one that a call gave memory to (programs/tools/receivers.cpp)."""

EXPECTED = {
    "by_pointer(&": "p",
    "by_reference(q": "q",
    "Buffer built(": "built",
    "Buffer copied =": "copied",
    "assigned = built": "assigned",
    "grow(grown": "grown",
    "grow_in(context": None,  # it may be either of two
    "size_t got =": "r",
    "keep(logged": None,  # the result goes on to another call
    "second_of_two(": None,  # one of two pointers
    "device.allocate(t": "t",
    "*listed{": "listed",
    "remade = made": "remade",
    "float total =": None,  # a sum holds no memory
}


def _variables(t, level, llvm):
    source = "tools/receivers.cpp"
    program = t.build("program" + level, source, flags=[level], llvm=llvm)
    capture = t.run(program, options="history=all")[1]
    text = (t.programs / source).read_text(encoding="utf-8").split("int main()")
    before, lines = text[0].count("\n"), text[1].splitlines()
    found = {}
    for call in EXPECTED:
        line = before + 1 + next(n for n, line in enumerate(lines) if call in line)
        found[call] = t.rows(capture, "line", "--wrappers", "hide")[f"main:{line}"]["variable"]
    return found


def variables_receive_what_is_allocated(t):
    for level in ("-O0", "-O2"):
        for llvm in (22, 19):
            found = _variables(t, level, llvm)
            assert found == EXPECTED, (level, llvm, found)
