"""return_position.py - functions that end in a call of themselves, and decide after it what they return.

The plugin treats a call in return position differently from others, and has to see that what follows only passes the
result on. So these functions have small results and, after the call, stores to the fields of a local structure, by every
width, alias and order, and switches, branches and jumps on those fields, all without another call.
"""
from writer import BOOL, COMMON, ENUM, I32, U8, U16, U32, U64, Bits


class ReturnPosition:
    def narrow_result(self):
        return self.struct(16) if self.some(0.7) else self.random.choice(COMMON)

    def state(self, plain):
        """A local structure, mostly of fields that a switch or a branch can decide on."""
        kinds = self.pick([I32, I32, U32, BOOL, U8, U16, U64, ENUM], [I32, U32, ENUM], [I32, BOOL], [U64, I32])
        return self.struct(self.pick(8, 16, 24), kinds=kinds, fields=self.pick(3, 5), plain=plain)

    def constant(self, kind, value):
        return kind.make(f"{value}u") if kind is not U64 else f"{value}u"

    def stores(self, depth, leaves, count):
        """Stores constants: directly, through pointers, by bytes, by wider copies."""
        for leaf in [self.random.choice(leaves) for _ in range(count)]:
            kind, text, value, name = leaf.kind, leaf.text, self.below(4), self.fresh("q")
            constant = self.constant(kind, value)
            ways = [f"{text} = {constant};"] * 4
            if leaf.plain and not self.direct:
                ways += [f"{{ {kind.name} *{name} = &{text}; *{name} = {constant}; }}",
                         f"*(volatile {kind.name} *)&{text} = {constant};"]
            if leaf.plain and not self.direct and kind in (I32, U32, U16, U64, U8):
                ways += [f"((unsigned char *)&{text})[0] = {value};", f"memcpy(&{text}, &({kind.name}){{{value}}}, sizeof({kind.name}));"
                         if self.C else f"{{ {kind.name} {name} = {value}; memcpy(&{text}, &{name}, sizeof {name}); }}",
                         f"memset(&{text}, 0, sizeof {text});", f"__atomic_store_n(&{text}, {value}, __ATOMIC_RELAXED);"]
            if self.C is False and leaf.plain and not self.direct:
                ways += [f"{{ {kind.name} &{name} = {text}; {name} = {constant}; }}"]
            self.line(depth, self.random.choice(ways))

    def set_all(self, depth, leaves):
        """Every leaf once, in any order, some of them again."""
        order = list(leaves)
        self.random.shuffle(order)
        for leaf in order:
            self.line(depth, f"{leaf.text} = {self.constant(leaf.kind, self.below(4))};")
        if self.some(0.6):
            self.stores(depth, leaves, 1 + self.below(3))

    def hand_on(self, depth, result, name, label):
        """Returns the result, a copy of it, or a changed one."""
        draw, copy = self.random.random(), self.fresh("y")
        if draw < 0.45:
            return self.line(depth, f"return {name};" if not label or self.some(0.6) else f"goto {label};")
        if draw < 0.6:
            return self.line(depth, f"{{ {result.name} {copy} = {name}; return {copy}; }}")
        if not result.is_struct:
            return self.line(depth, f"return {result.make(f'{self.below(50)}u')};")
        leaves = result.leaves(copy)
        self.line(depth, f"{{ {result.name} {copy} = {name};")
        for leaf in self.random.sample(leaves, 1 + self.below(len(leaves))):
            same = [other for other in result.leaves(name) if other.kind is leaf.kind]
            other = self.random.choice(same) if same and self.some(0.5) else None
            self.line(depth + 1, f"{leaf.text} = {other.text if other else self.constant(leaf.kind, self.below(4))};")
        self.line(depth, f"return {copy}; }}")

    def decide(self, depth, result, name, leaves, left, label, loop=False):
        """A tree of decisions on the fields; every way ends in a return."""
        if left == 0:
            return self.hand_on(depth, result, name, label)
        if self.some(0.3):
            self.stores(depth, leaves, 1)
        flags = [leaf for leaf in leaves if leaf.kind is BOOL]
        numbers = [leaf for leaf in leaves if leaf.kind in (I32, U32, U8, U16, U64, ENUM) or isinstance(leaf.kind, Bits)]
        draw = self.random.random()
        if flags and draw < 0.25 or not numbers and flags:
            self.line(depth, f"if ({self.random.choice(flags).text}) {{")
            self.decide(depth + 1, result, name, leaves, left - 1, label, loop)
            self.line(depth, "}")
            return self.decide(depth, result, name, leaves, left - 1, label, loop)
        if not numbers:
            return self.hand_on(depth, result, name, label)
        number = self.random.choice(numbers)
        if draw < 0.8 or self.direct:
            self.line(depth, f"switch ({number.text}) {{")
            for case in self.random.sample(range(4), 1 + self.below(3)):
                self.line(depth, f"case {case}:")
                if self.some(0.3):
                    self.stores(depth + 1, leaves, 1)
                if self.some(0.2):
                    self.line(depth + 1, "break;" if self.some(0.5) else "; /* falls through */")
                else:
                    self.decide(depth + 1, result, name, leaves, left - 1, label)
            self.line(depth, "default:" if self.some(0.8) else f"case {4 + self.below(4)}:")
            self.decide(depth + 1, result, name, leaves, left - 1, label)
            self.line(depth, "}")
            return self.decide(depth, result, name, leaves, left - 1, label)
        if draw < 0.9:
            turns = self.fresh("k")
            self.line(depth, f"for (int {turns} = 0; {turns} < 3; {turns}++) {{")
            self.line(depth + 1, f"switch ({number.text}) {{")
            self.line(depth + 1, f"case {self.below(4)}: {number.text} = {self.constant(number.kind, self.below(4))}; continue;")
            self.line(depth + 1, f"case {4 + self.below(2)}: break;")
            self.line(depth + 1, "default: break;")
            self.line(depth + 1, "}")
            self.line(depth + 1, "break;")
            self.line(depth, "}")
            return self.decide(depth, result, name, leaves, left - 1, label)
        self.line(depth, f"if ({number.text} == {self.constant(number.kind, self.below(4))}) {{")
        self.decide(depth + 1, result, name, leaves, left - 1, label)
        self.line(depth, "}")
        return self.decide(depth, result, name, leaves, left - 1, label)

    def recursive_call(self, function):
        """Of itself, mostly; else of another function that may come back to it."""
        same = [f for f in self.functions if f.result is function.result and not f.parameters]
        return f"{(self.random.choice(same) if self.some(0.2) else function).name}(n - 1u)"

    def return_position(self, function):
        self.direct = self.some(0.7)  # only what code that hands a result on is made of
        state = self.states[0] if self.direct else self.random.choice(self.states)
        result, name, local = function.result, self.fresh("r"), self.fresh("s")
        leaves = state.leaves(local)
        self.line(0, function.head() + " {")
        self.end_of_recursion(1, function, [])
        before = self.some(0.2)
        other = self.fresh("o") if self.some(0.25) else None
        if before:
            self.line(1, f"{state.name} {local};")
            self.set_all(1, leaves)
        if self.some(0.25):
            self.line(1, self.pick("TOUCH(512);", "note(n);", "HOLD(2, 100);"))
        guarded = 0 if self.direct else self.opening(1)
        if self.some(0.7):
            self.line(1, f"{result.name} {name} = {self.recursive_call(function)};")
        else:
            self.line(1, f"{result.name} {name};")
            self.line(1, f"{name} = {self.recursive_call(function)};")
        if not before:
            self.line(1, f"{state.name} {local};")
            self.set_all(1, leaves)
        if other:
            self.line(1, f"{state.name} {other} = {local};")
            self.stores(1, leaves, 1)
            if self.some(0.5):
                self.line(1, f"{local} = {other};")
            else:
                leaves = leaves + state.leaves(other)
        label = self.fresh("done") if self.some(0.3) and not guarded else None
        self.decide(1, result, name, leaves, 1 + self.below(3), label)
        for _ in range(guarded):
            self.line(1, "}")
        if label:
            self.line(0, f"{label}:")
            self.line(1, f"return {name};")
        if guarded:
            self.line(1, "__builtin_unreachable();")
        self.line(0, "}")

    def opening(self, depth):
        """Blocks to open before the call, by which the way to the return is longer; their number."""
        return 0

    def make_states(self, count):
        self.states = [self.state(i == 0) for i in range(count)]
