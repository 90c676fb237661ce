"""statements.py - functions and statements that C and C++ have in common, for generator_c.py and generator_cpp.py.

Every function takes `n` and calls others with less, and every call costs fuel, so a program ends soon. What a call
returns goes into the checksum (note() of prelude.h), at once or by way of a variable. return_position.py writes the functions that end in a
call of themselves.
"""
from return_position import ReturnPosition
from writer import I32, SCALARS, U8, U16, U32, U64, Leaf, Writer


class Function:
    """`result` is a type or None (void); `parameters` are (type, name) after `n`."""
    def __init__(self, name, result, parameters=(), prefix=""):
        self.name, self.result, self.parameters, self.prefix = name, result, list(parameters), prefix

    def head(self):
        result = self.result.name if self.result else "void"
        rest = "".join(f", {kind.name} {name}" for kind, name in self.parameters)
        return f"{self.prefix}static {result} {self.name}(uint32_t n{rest})"


class Scope:
    """What a statement may use: leaves, structures by name, and the ways out that are allowed here."""
    def __init__(self, function, leaves=(), structs=(), loop=False, leave=True, label=None):
        self.function, self.leaves, self.structs = function, list(leaves), list(structs)
        self.loop, self.leave, self.label = loop, leave, label

    def inner(self, **changes):
        made = Scope(self.function, self.leaves, self.structs, self.loop, self.leave, self.label)
        for name, value in changes.items():
            setattr(made, name, value)
        return made


class Statements(ReturnPosition, Writer):
    ATTRIBUTES = ["", "", "NOINLINE ", "NOINLINE ", "inline ", "__attribute__((cold)) ", "__attribute__((minsize)) ",
                  "__attribute__((noinline, optnone)) ", "__attribute__((flatten)) ", "__attribute__((always_inline)) "]

    def __init__(self, seed):
        super().__init__(seed)
        self.functions, self.callable, self.features = [], [], []
        self.profiling = self.pick(0, 0.2, 0.6)  # how many statements are a block that is announced to the profiler

    # -- values ---------------------------------------------------------------------------------

    def note_value(self, depth, kind, text):
        if kind.is_struct:
            self.line(depth, f"show_{kind.tag}(&{text});")
        else:
            self.line(depth, f"note({kind.read(text)});")

    def variable(self, depth, kind, name, value):
        """Declares a variable and gives all of it a value."""
        if kind.is_struct:
            self.line(depth, f"{kind.name} {name};")
            self.line(depth, f"fill_{kind.tag}(&{name}, {value});")
            return kind.leaves(name)
        self.line(depth, f"{kind.name} {name} = {kind.make(value)};")
        return [Leaf(name, kind)]

    def argument(self, depth, kind, scope):
        if not kind.is_struct:
            return kind.make(self.expression(scope.leaves, 1))
        for name, known in scope.structs:
            if known is kind and self.some(0.7):
                return name
        name = self.fresh("a")
        self.variable(depth, kind, name, self.expression(scope.leaves, 1))
        return name

    def call(self, depth, function, scope, less="n - 1u"):
        """The text of a call; what its arguments need is written before it."""
        arguments = [less] + [self.argument(depth, kind, scope) for kind, _ in function.parameters]
        return f"{function.name}({', '.join(arguments)})"

    def return_value(self, depth, scope, result):
        if result is None:
            return self.line(depth, "return;")
        if not result.is_struct:
            return self.line(depth, f"return {result.make(self.expression(scope.leaves, 1))};")
        for name, known in scope.structs:
            if known is result and self.some(0.6):
                return self.line(depth, f"return {name};")
        name = self.fresh("z")
        self.line(depth, "{")
        self.variable(depth + 1, result, name, self.expression(scope.leaves, 1))
        self.line(depth + 1, f"return {name};")
        return self.line(depth, "}")

    # -- memory -----------------------------------------------------------------------------------

    def memory(self, depth):
        at, size = self.below(8), self.pick(256, 1000, 4096, 1 << 20)
        self.line(depth, self.pick(f"TOUCH({size});", f"HOLD({at}, {size});", f"HOLD({at}, {size} + n);", f"RELEASE({at});"))

    def assign(self, depth, scope):
        if not scope.leaves:
            return self.line(depth, f"note({self.expression([], 1)});")
        leaf, value = self.random.choice(scope.leaves), self.expression(scope.leaves)
        kind, text = leaf.kind, leaf.text
        if leaf.plain and self.some(0.35) and kind in (U8, U16, U32, I32, U64):
            name = self.fresh("p")
            return self.line(depth, self.pick(
                f"{{ {kind.name} *{name} = &{text}; *{name} = {kind.make(value)}; }}",
                f"{{ {kind.name} {name} = {kind.make(value)}; memcpy(&{text}, &{name}, sizeof {name}); }}",
                f"((unsigned char *)&{text})[{self.below(kind.size)}] = (unsigned char)({value});",
                f"{{ {kind.name} volatile *{name} = &{text}; *{name} = {kind.make(value)}; }}",
                f"__atomic_store_n(&{text}, {kind.make(value)}, __ATOMIC_SEQ_CST);",
                f"note({kind.read(f'__atomic_fetch_add(&{text}, {kind.make(value)}, __ATOMIC_RELAXED)')});"
                if kind is not I32 else f"__atomic_exchange_n(&{text}, {kind.make(value)}, __ATOMIC_ACQ_REL);",
                f"{{ {kind.name} {name} = {kind.make(value)}; __asm__ volatile(\"\" : \"+r\"({name})); {text} = {name}; }}"))
        self.line(depth, f"{text} = {kind.make(value)};")

    # -- statements -------------------------------------------------------------------------------

    def call_statement(self, depth, scope):
        function = self.random.choice(self.callable)
        self.line(depth, "{")
        text = self.call(depth + 1, function, scope)
        if function.result is None:
            self.line(depth + 1, text + ";")
        elif function.result.is_struct:
            name = self.fresh("t")
            self.line(depth + 1, f"{function.result.name} {name} = {text};")
            self.after_call(depth + 1, scope, function.result, name)
        else:
            read = function.result.read(text)
            name = self.fresh("t")
            choice = self.below(5)
            if choice == 0:
                self.line(depth + 1, f"note({read} + {self.expression(scope.leaves, 1)});")
            elif choice == 1:
                self.line(depth + 1, f"if ({read} & 1u) note({self.expression(scope.leaves, 1)});")
            elif choice == 2:
                self.line(depth + 1, f"switch ({read} & 3u) {{")
                for case in range(1 + self.below(3)):
                    self.line(depth + 1, f"case {case}:")
                    self.simple(depth + 2, scope)
                    if self.some(0.6):
                        self.line(depth + 2, "break;")
                self.line(depth + 1, "default: break;")
                self.line(depth + 1, "}")
            elif choice == 3:
                self.line(depth + 1, f"(void){text};")
            else:
                self.line(depth + 1, f"{function.result.name} {name} = {text};")
                self.note_value(depth + 1, function.result, name)
        self.line(depth, "}")

    def after_call(self, depth, scope, kind, name):
        self.note_value(depth, kind, name)
        leaves = kind.leaves(name)
        if leaves and self.some(0.4):
            self.assign(depth, scope.inner(leaves=leaves + scope.leaves))
            self.note_value(depth, kind, name)
        if scope.leave and scope.function.result is kind and self.some(0.4):
            self.line(depth, f"return {name};")

    def simple(self, depth, scope):
        draw = self.random.random()
        if draw < 0.4:
            self.assign(depth, scope)
        elif draw < 0.6:
            self.memory(depth)
        else:
            self.line(depth, f"note({self.expression(scope.leaves)});")

    def leave(self, depth, scope):
        """A way out, under a condition."""
        self.line(depth, f"if ({self.condition(scope.leaves)}) {{")
        ways = (["return"] if scope.leave else []) + (["break", "continue"] if scope.loop else []) + \
            (["goto"] if scope.label else [])
        way = self.random.choice(ways) if ways else None
        if self.some(0.5):
            self.simple(depth + 1, scope)
        if way == "return":
            self.return_value(depth + 1, scope, scope.function.result)
        elif way == "goto":
            self.line(depth + 1, f"goto {scope.label};")
        elif way:
            self.line(depth + 1, way + ";")
        self.line(depth, "}")

    def block(self, depth, scope, left, count=3):
        for _ in range(1 + self.below(count)):
            self.statement(depth, scope, left)

    def statement(self, depth, scope, left):
        draw = self.random.random()
        if left == 0 or draw < 0.3:
            return self.simple(depth, scope)
        if self.some(self.profiling):
            return self.profiled(depth, scope, left - 1)
        if draw < 0.5:
            return self.call_statement(depth, scope)
        if draw < 0.6:
            return self.leave(depth, scope)
        if draw < 0.75 and self.features:
            return self.random.choice(self.features)(depth, scope, left - 1)
        return self.pick(self.choice, self.loop, self.switch, self.nested)(depth, scope, left - 1)

    def choice(self, depth, scope, left):
        self.line(depth, f"if ({self.condition(scope.leaves)}) {{")
        self.block(depth + 1, scope, left)
        if self.some(0.5):
            self.line(depth, "} else {")
            self.block(depth + 1, scope, left)
        self.line(depth, "}")

    def loop(self, depth, scope, left):
        name, end = self.fresh("i"), 1 + self.below(3)
        if self.some(0.7):
            self.line(depth, f"for (uint32_t {name} = 0; {name} < {end}u; {name}++) {{")
            self.block(depth + 1, scope.inner(loop=True), left)
            return self.line(depth, "}")
        self.line(depth, f"{{ uint32_t {name} = 0;")
        self.line(depth, "do {")
        self.block(depth + 1, scope.inner(loop=True), left)
        self.line(depth, f"}} while (++{name} < {end}u); }}")

    def switch(self, depth, scope, left):
        self.line(depth, f"switch ({self.expression(scope.leaves)} % 5u) {{")
        for case in self.random.sample(range(5), 1 + self.below(4)):
            self.line(depth, f"case {case}: {{")
            self.block(depth + 1, scope.inner(loop=False), left, 2)
            self.line(depth, self.pick("} break;", "} break;", "} /* falls through */"))
        self.line(depth, self.pick("default: break;", "default: note(n);"))
        self.line(depth, "}")

    def profiled(self, depth, scope, left):
        """A block that is announced to the profiler: a scope, a budget, a label, a context, or a scope that may be left without its end."""
        name, context, measured = self.fresh("block"), self.fresh("context"), self.fresh("measured")
        before, after = self.pick(
            (f'GPUMEMPROF_SCOPE("{name}");', ""), (f'GPUMEMPROF_SCOPE("{name}");', ""),
            (f'GPUMEMPROF_SCOPE_BUDGET("{name}", "64GiB");', ""), (f'GPUMEMPROF_LABEL("{name}");', ""),
            (f"struct gpumemprof_context *{context} = gpumemprof_context_capture(); GPUMEMPROF_ATTACH({context}); "
             f"gpumemprof_context_release({context});", ""),
            (f'uint64_t {measured} = gpumemprof_scope_begin("{name}");', f"gpumemprof_scope_end({measured}, NULL);"))
        self.line(depth, "{ " + before)
        self.block(depth + 1, scope, left)
        self.line(depth, after + "}")

    def nested(self, depth, scope, left):
        """A block with a variable of its own."""
        kind = self.any_struct() if self.some(0.5) else self.random.choice(SCALARS)
        name = self.fresh("v")
        self.line(depth, "{")
        leaves = self.variable(depth + 1, kind, name, self.expression(scope.leaves))
        structs = scope.structs + ([(name, kind)] if kind.is_struct else [])
        self.block(depth + 1, scope.inner(leaves=scope.leaves + leaves, structs=structs), left)
        self.note_value(depth + 1, kind, name)
        self.line(depth, "}")

    # -- functions --------------------------------------------------------------------------------

    def end_of_recursion(self, depth, function, leaves):
        self.line(depth, "if (n == 0 || --fuel < 0) {")
        if self.some(0.8):
            self.line(depth + 1, self.pick("TOUCH(4096);", "TOUCH(1u << 20);", "HOLD(1, 2048);", "note(n);"))
        self.return_value(depth + 1, Scope(function, leaves), function.result)
        self.line(depth, "}")

    def parameters(self):
        made = []
        for i in range(self.pick(0, 0, 1, 1, 2, 3, 9)):
            made.append((self.any_struct() if self.some(0.25) else self.random.choice(SCALARS), f"x{i}"))
        return made

    def result(self):
        draw = self.random.random()
        return None if draw < 0.1 else self.any_struct() if draw < 0.45 else self.random.choice(SCALARS)

    def general(self, function):
        """A function of random statements."""
        self.line(0, function.head() + " {")
        leaves, structs = [], []
        for kind, name in function.parameters:
            leaves += kind.leaves(name) if kind.is_struct else [Leaf(name, kind)]
            structs += [(name, kind)] if kind.is_struct else []
        self.end_of_recursion(1, function, leaves)
        for _ in range(1 + self.below(3)):
            kind = self.any_struct() if self.some(0.5) else self.random.choice(SCALARS)
            name = self.fresh("v")
            leaves = leaves + self.variable(1, kind, name, self.expression(leaves))
            structs += [(name, kind)] if kind.is_struct else []
        label = self.fresh("out") if self.some(0.4) else None
        scope = Scope(function, leaves, structs, label=label)
        self.block(1, scope, 2, 5)
        if label:
            self.line(0, f"{label}: note(n);")
        for name, kind in structs:
            self.note_value(1, kind, name)
        self.return_value(1, scope, function.result)
        self.line(0, "}")

    def declare(self, count, weighted):
        """Decides on functions and declares them: of `weighted`, that share are for return_position.py."""
        for i in range(count):
            if self.some(weighted):
                function = Function(f"f{i}", self.narrow_result(), prefix="NOINLINE " if self.some(0.8) else "")
                function.write = self.return_position
            else:
                function = Function(f"f{i}", self.result(), self.parameters(), self.random.choice(self.ATTRIBUTES))
                function.write = self.general
            self.functions.append(function)
        self.callable = self.functions + self.callable

    def run_all(self, depth, functions, deep=()):
        """Calls every function from main, with small and sometimes with large n, and prints the checksum after each."""
        for function in functions:
            for n in self.random.sample([0, 1, 2, 3, 5, 8], 2) + ([2000] if function in deep else []):
                self.line(depth, f"{{ uint32_t n = {n}u + unknown_two - 2u; fuel = {3000 if n == 2000 else 120};")
                text = self.call(depth + 1, function, Scope(function), less="n")
                if function.result is None:
                    self.line(depth + 1, text + ";")
                else:
                    name = self.fresh("r")
                    self.line(depth + 1, f"{function.result.name} {name} = {text};")
                    self.note_value(depth + 1, function.result, name)
                self.line(depth + 1, f'line("{function.name} {n}"); }}')
