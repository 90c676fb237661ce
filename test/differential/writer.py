"""writer.py - types, lvalues and expressions of a random program, for the generators of this folder.

All arithmetic is on uint32_t. A type says how a uint32_t becomes one of its values and how a value is read back as a
uint32_t, so that every expression is defined for every value: no signed overflow, no conversion out of range, no
shift that is too wide. A structure knows its leaves, the scalars in it, by which it is filled and mixed into the checksum (note() of prelude.h).
"""
import random


class Scalar:
    def __init__(self, name, make, read, size):
        self.name, self.size, self.is_struct = name, size, False
        self._make, self._read = make, read

    def make(self, expression):
        return self._make.format(expression)

    def read(self, lvalue):
        return self._read.format(lvalue)


def number(name, size):
    return Scalar(name, f"({name})({{}})", "(uint32_t)({})", size)


BOOL = Scalar("bool", "(bool)(({}) & 1u)", "(uint32_t)({})", 1)
U32, I32, U8, U16 = number("uint32_t", 4), number("int32_t", 4), number("uint8_t", 1), number("uint16_t", 2)
U64 = Scalar("uint64_t", "((uint64_t)({}) * 0x9E3779B97F4A7C15u)", "fold64({})", 8)
FLOAT = Scalar("float", "(float)(({}) & 1023u)", "(uint32_t)({})", 4)
DOUBLE = Scalar("double", "(double)(({}) & 65535u)", "(uint32_t)({})", 8)
LONG_DOUBLE = Scalar("long double", "(long double)(({}) & 65535u)", "(uint32_t)({})", 16)
U128 = Scalar("u128", "make128({})", "fold128({})", 16)
V4 = Scalar("v4u", "make_v4({})", "fold_v4({})", 16)
ENUM = Scalar("enum Mode", "(enum Mode)(({}) & 3u)", "(uint32_t)({})", 4)
COMMON = [BOOL, U32, U32, I32, I32, U8, U16, U64, ENUM, FLOAT, DOUBLE]
SCALARS = COMMON + [number("int8_t", 1), number("int16_t", 2), LONG_DOUBLE, U128, V4]


class Bits(Scalar):
    """A bit-field of `width` bits."""
    def __init__(self, width):
        super().__init__("uint32_t", f"(({{}}) & {(1 << width) - 1}u)", "(uint32_t)({})", 4)
        self.width = width


class Leaf:
    """A scalar lvalue; `plain`: its address can be taken."""
    def __init__(self, text, kind, volatile=False):
        self.text, self.kind, self.volatile = text, kind, volatile
        self.plain = not isinstance(kind, Bits) and not volatile


class Struct:
    """A structure: its definition, its leaves as suffixes, and an estimate of its size."""
    is_struct = True

    def __init__(self, name):
        self.name, self.fields, self.suffixes, self.size = "struct " + name, [], [], 0
        self.tag = name

    def add(self, declaration, suffixes, size):
        self.fields.append(declaration)
        self.suffixes += suffixes
        self.size += size

    def leaves(self, base):
        return [Leaf(base + suffix, kind, volatile) for suffix, kind, volatile in self.suffixes]

    def definition(self):
        fill = "\n".join(f"  {leaf.text} = {leaf.kind.make(f'v + {i}u')};" for i, leaf in enumerate(self.leaves("(*s)")))
        show = "\n".join(f"  note({leaf.kind.read(leaf.text)});" for leaf in self.leaves("(*s)"))
        return (f"{self.name} {{\n" + "\n".join(f"  {field};" for field in self.fields) + "\n};\n"
                f"static UNUSED void fill_{self.tag}({self.name} *s, uint32_t v) {{\n{fill}\n}}\n"
                f"static UNUSED void show_{self.tag}(const {self.name} *s) {{\n{show}\n}}\n")


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.structs, self.names = [], [], 0

    def line(self, depth, text):
        self.lines.append("  " * depth + text)

    def some(self, chance):
        return self.random.random() < chance

    def pick(self, *choices):
        return self.random.choice(choices)

    def below(self, end):
        return self.random.randrange(end)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # -- types ----------------------------------------------------------------------------------

    def struct(self, limit=16, kinds=COMMON, fields=4, plain=False):
        """A new structure of about `limit` bytes at most (0: of any size); plain: of scalars."""
        made = Struct(f"S{len(self.structs)}")
        for i in range(1 + plain + self.below(fields)):
            kind = self.random.choice(kinds)
            if made.fields and limit and made.size + kind.size > limit:
                continue
            if plain:
                made.add(f"{kind.name} f{i}", [(f".f{i}", kind, False)], kind.size)
            else:
                self.field(made, f"f{i}", kind, limit - made.size if limit else 64)
        self.structs.append(made)
        return made

    def field(self, made, name, kind, room):
        draw = self.random.random()
        inner = [s for s in self.structs if s.size <= room and s.size < 40]
        if draw < 0.12:
            width = 1 + self.below(12)
            made.add(f"uint32_t {name} : {width}", [("." + name, Bits(width), False)], 4)
        elif draw < 0.24 and kind.size * 2 <= room:
            made.add(f"{kind.name} {name}[2]", [(f".{name}[{i}]", kind, False) for i in range(2)], 2 * kind.size)
        elif draw < 0.34 and inner:
            chosen = self.random.choice(inner)
            made.add(f"{chosen.name} {name}", [("." + name + s, k, v) for s, k, v in chosen.suffixes], chosen.size)
        elif draw < 0.42 and room >= 4:
            made.add(f"union {{ uint32_t w; uint16_t h[2]; uint8_t c[4]; }} {name}", [(f".{name}.w", U32, False)], 4)
        elif draw < 0.47 and kind in (U32, I32, U8, BOOL):
            made.add(f"volatile {kind.name} {name}", [("." + name, kind, True)], kind.size)
        else:
            made.add(f"{kind.name} {name}", [("." + name, kind, False)], kind.size)

    def any_struct(self, limit=0):
        fitting = [s for s in self.structs if not limit or s.size <= limit]
        return self.random.choice(fitting) if fitting else self.struct(limit or 16)

    # -- expressions, all of type uint32_t --------------------------------------------------------

    def expression(self, leaves, depth=2):
        draw = self.random.random()
        if depth == 0 or draw < 0.25 or not leaves:
            return self.pick("n", f"{self.below(40)}u", f"{self.below(1 << 31)}u", "unknown_two") if draw < 0.5 or not leaves \
                else self.read(self.random.choice(leaves))
        if draw < 0.5:
            return self.read(self.random.choice(leaves))
        a, b = self.expression(leaves, depth - 1), self.expression(leaves, depth - 1)
        if draw < 0.85:
            return f"({a} {self.pick('+', '-', '*', '^', '|', '&')} {b})"
        if draw < 0.9:
            return f"({a} {self.pick('<<', '>>')} {self.below(31)})"
        if draw < 0.95:
            return f"(uint32_t)({a} {self.pick('<', '==', '>=')} {b})"
        return f"({self.condition(leaves)} ? {a} : {b})"

    def read(self, leaf):
        return leaf.kind.read(leaf.text)

    def condition(self, leaves):
        a = self.expression(leaves, 1)
        return self.pick(f"({a} & {1 << self.below(4)}u) == 0u", f"{a} % {2 + self.below(4)}u != 0u", f"{a} > n * 3u")
