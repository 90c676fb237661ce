#!/usr/bin/env python3
"""generator_cpp.py - one random C++ program: `generator_cpp.py SEED`. What C++ has beyond statements.py: destructors,
exceptions, lambdas, virtual calls, templates, references, coroutines, and sometimes the standard library."""
import sys

from statements import Function, Scope, Statements
from writer import U32, Leaf

LIBRARY = """#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
"""


class GeneratorCpp(Statements):
    C = False

    def program(self, weighted=None):
        weighted = weighted or self.pick(0.1, 0.5, 1.0)
        for _ in range(3 + self.below(2)):
            self.struct(self.pick(8, 16, 16, 16, 0), fields=self.pick(3, 4, 7))
        self.make_states(2)
        self.library, self.coroutines = self.some(0.1), self.some(0.25)
        self.features = [self.guarded_block, self.guarded_block, self.attempt, self.attempt, self.throw, self.lambda_call,
                         self.reference, self.bound, self.static_guard, self.thread_local, self.virtual_call, self.template_call]
        if self.library:
            self.features += [self.containers, self.stored_function, self.text]
        kinds = [self.no_throw, self.rethrows, self.recursive_lambda, self.try_body, self.guarded_tail, self.nested_catch,
                 self.constructor, self.quiet_tail]
        if self.coroutines:
            kinds += [self.sequence, self.sequence, self.task, self.task]
        special = [Function(f"special{i}", U32, prefix="NOINLINE ") for i in range(1 + self.below(2))]
        for function in special:
            function.write = self.random.choice(kinds)
        self.callable = list(special)
        self.declare(3 + self.below(2), weighted)
        every = self.functions + special
        for function in every:
            self.line(0, function.head() + ";")
        self.classes()
        for function in every:
            function.write(function)
        self.main(every)
        structs = "".join(s.definition() for s in self.structs)
        return ('#include "prelude_cpp.h"\n' + (LIBRARY if self.library else "") +
                ('#include "coroutines.h"\n' if self.coroutines else "") + structs + "\n".join(self.lines) + "\n")

    def main(self, every):
        self.line(0, "static void all() {")
        self.line(1, "static Guard kept(8);")
        for function in every:
            self.line(1, "try {")
            self.run_all(2, [function], deep=[function] if function.write == self.return_position else [])
            self.line(1, "} catch (Error &e) { note(e.code); line(\"caught\"); } catch (int e) { note((uint64_t)e); line(\"caught int\"); }")
        self.line(0, "}")
        self.line(0, "int main() {")
        self.line(1, "Guard outer(2);")
        self.line(1, "all();")
        self.line(1, "note(counter);")
        self.line(1, self.pick("return (int)(checksum & 63u);", "exit((int)(checksum & 63u));"))
        self.line(0, "}")

    def opening(self, depth):
        """Clean-ups between the call and the return."""
        opened = self.pick(0, 0, 0, 1, 1, 2)
        for _ in range(opened):
            self.line(depth, "{")
            name = self.fresh("g")
            self.line(depth, self.pick(f"Quiet {name}{{counter}};", f"Quiet {name}{{counter}};", f"const Quiet &{name} = Quiet{{counter}};",
                                       f"Guard {name}(n);"))
        return opened

    def classes(self):
        """A base and three classes that override its functions; a template that calls itself."""
        later = (self.virtual_call, self.template_call)
        features, self.features = self.features, [f for f in self.features if f not in later]
        self.line(0, "struct Base { uint32_t id = 1; virtual ~Base() { note(id); } virtual uint32_t go(uint32_t n) { return n; } "
                     "virtual Base *self() { return this; } };")
        for i in range(3):
            base = "Base" if i == 0 else self.pick("Base", "Derived0")
            self.line(0, f"struct {'Other { virtual ~Other() { note(5); } virtual uint32_t side(uint32_t n) { return n + 1u; } }; struct ' if i == 2 else ''}"
                         f"Derived{i} {': Base' if i == 0 else f': {base}, Other' if i == 2 else f': {base}'} {{")
            self.line(1, f"Derived{i}() {{ id += {i + 2}u; }}")
            function = Function(f"go{i}", U32)
            self.line(1, "uint32_t go(uint32_t n) override { if (n == 0 || --fuel < 0) return n + id;")
            self.block(2, Scope(function, [Leaf("id", U32)]), 1)
            self.line(2, self.pick("return id;", "return Base::go(n - 1u);", "return go(n - 1u);", "return self()->go(n - 1u);"))
            self.line(1, "}")
            self.line(1, f"Derived{i} *self() override {{ return this; }}")
            if i == 2:
                self.line(1, "uint32_t side(uint32_t n) override { note(n); TOUCH(90); return n ? go(n - 1u) : id; }")
            self.line(0, "};")
        function = Function("templated", U32)
        self.line(0, "template <class T, int Left> NOINLINE static T templated(uint32_t n, T x = T(3)) {")
        self.line(1, "if (n == 0 || --fuel < 0) { TOUCH(40); return x; }")
        self.block(1, Scope(function, [Leaf("n", U32)], leave=False), 1)
        self.line(1, "if constexpr (Left > 0) { if (n & 1u) return templated<T, Left - 1>(n - 1u, x); }")
        self.line(1, "return templated<T, Left>(n - 1u, T(x + T(1)));")
        self.line(0, "}")
        self.features = features

    # -- statements -------------------------------------------------------------------------------

    def guarded_block(self, depth, scope, left):
        self.line(depth, "{")
        self.line(depth + 1, f"Guard {self.fresh('g')}({self.expression(scope.leaves, 1)});")
        self.block(depth + 1, scope, left)
        if self.some(0.2):
            self.line(depth + 1, f"{{ Quiet {self.fresh('g')}{{counter}};")
            self.leave(depth + 1, scope)
            self.line(depth + 1, "}")
        self.line(depth, "}")

    def throw(self, depth, scope, left):
        self.line(depth, f"if ({self.condition(scope.leaves)}) {self.pick('throw Error(n);', 'throw Special(n + 1u);', 'throw (int)(n & 7u);')}")

    def attempt(self, depth, scope, left):
        self.line(depth, "try {")
        self.block(depth + 1, scope, left)
        if self.some(0.5):
            self.throw(depth + 1, scope, 0)
        first = self.pick("Special &e", "Error &e", "const Error &e", "Error e", "int e")
        self.line(depth, f"}} catch ({first}) {{")
        self.line(depth + 1, f"note((uint64_t){'e' if first == 'int e' else 'e.code'});")
        if self.some(0.2):
            self.line(depth + 1, f"if ({self.condition(scope.leaves)}) throw;")
        self.block(depth + 1, scope, 0)
        if self.some(0.5):
            self.line(depth, "} catch (...) {")
            self.block(depth + 1, scope, left, 2)
            if self.some(0.3):
                self.line(depth + 1, f"if ({self.condition(scope.leaves)}) throw;")
        self.line(depth, "}")

    def lambda_call(self, depth, scope, left):
        name = self.fresh("lambda")
        function = Function(name, U32)
        capture, rest = self.pick(("&", ""), ("=", " mutable"))
        self.line(depth, f"auto {name} = [{capture}](uint32_t n){rest} -> uint32_t {{")
        self.block(depth + 1, Scope(function, scope.leaves), left)
        self.line(depth + 1, f"return {self.expression(scope.leaves, 1)};")
        self.line(depth, "};")
        self.lines[-1] += f" note({name}(n - 1u));" if self.some(0.8) else f" note({name}(n) + {name}(1));"

    def reference(self, depth, scope, left):
        usable = [leaf for leaf in scope.leaves if leaf.plain]
        if not usable:
            return self.simple(depth, scope)
        leaf, name = self.random.choice(usable), self.fresh("ref")
        self.line(depth, f"{{ {leaf.kind.name} &{name} = {leaf.text};")
        self.block(depth + 1, scope.inner(leaves=scope.leaves + [Leaf(name, leaf.kind)]), left, 2)
        self.line(depth, "}")

    def bound(self, depth, scope, left):
        a, b = self.fresh("b"), self.fresh("b")
        self.line(depth, f"{{ auto [{a}, {b}] = std::pair<uint32_t, uint64_t>({self.expression(scope.leaves, 1)}, n);")
        self.line(depth + 1, f"{a} += 3u; note({a} + {b});")
        self.block(depth + 1, scope.inner(leaves=scope.leaves), left, 2)
        self.line(depth, "}")

    def static_guard(self, depth, scope, left):
        name = self.fresh("kept")
        self.line(depth, f"{{ static Guard {name}({self.below(50)}); {name}.id += n; note({name}.id); }}" if self.some(0.5) else
                  f"{{ static Loop {name}({self.below(9)}); note({name}.n++); }}")

    def thread_local(self, depth, scope, left):
        self.line(depth, f"of_thread = of_thread * 3u + {self.expression(scope.leaves)}; note(of_thread);")

    def virtual_call(self, depth, scope, left):
        name = self.fresh("object")
        draw = self.below(4)
        if draw == 0:
            self.line(depth, f"{{ Derived{self.below(3)} {name}; Base &b = {name}; note(b.go(n - 1u)); }}")
        elif draw == 1:
            self.line(depth, f"{{ Base *{name} = (n & 1u) ? (Base *)new Derived1 : (Base *)new Derived2; note({name}->self()->go(n - 1u)); delete {name}; }}")
        elif draw == 2:
            self.line(depth, f"{{ Derived2 {name}; Other &o = {name}; note(o.side(n - 1u)); }}")
        else:
            self.line(depth, f"{{ Derived1 {name}; uint32_t (Base::*member)(uint32_t) = &Base::go; note(({name}.*member)(n - 1u)); }}")

    def template_call(self, depth, scope, left):
        kind = self.pick("uint32_t", "uint64_t", "double", "unsigned char")
        self.line(depth, f"note((uint64_t)templated<{kind}, {self.below(4)}>(n - 1u{self.pick('', ', 5')}));")

    def containers(self, depth, scope, left):
        name = self.fresh("list")
        self.line(depth, self.pick(
            f"{{ std::vector<Guard> {name}; for (uint32_t i = 0; i < 3; i++) {name}.emplace_back(i + n); note({name}.size() + {name}.back().id); }}",
            f"{{ std::vector<uint32_t> {name}(3, n); {name}.push_back({self.expression(scope.leaves, 1)}); for (uint32_t v : {name}) note(v); }}",
            f"{{ std::map<uint32_t, uint32_t> {name}; {name}[n] = 1; {name}[{self.below(5)}] += 2; for (auto &[k, v] : {name}) note(k * 7u + v); }}",
            f"{{ auto {name} = std::make_unique<Guard>(n); note({name}->id); }}",
            f"{{ auto {name} = std::shared_ptr<Guard>(new Guard(n), [](Guard *g) {{ TOUCH(30); delete g; }}); note({name}.use_count()); }}"))

    def stored_function(self, depth, scope, left):
        name, function = self.fresh("stored"), Function("stored", U32)
        self.line(depth, f"{{ std::function<uint32_t(uint32_t)> {name} = [&](uint32_t n) -> uint32_t {{ if (n == 0 || --fuel < 0) return 1;")
        self.block(depth + 1, Scope(function, scope.leaves), 1, 2)
        self.line(depth + 1, f"return {self.pick('n', f'{name}(n - 1u)')}; }};")
        self.line(depth, f"note({name}(n)); }}")

    def text(self, depth, scope, left):
        self.line(depth, f"{{ std::string s = std::to_string({self.expression(scope.leaves, 1)}); s += \"abc\"; for (char c : s) note((uint64_t)c); }}")

    # -- functions --------------------------------------------------------------------------------

    def opened(self, function, head=None):
        self.line(0, (head or function.head()) + " {")
        self.end_of_recursion(1, function, [])

    def calls(self, depth, function, count=2, **ways):
        self.block(depth, Scope(function, [Leaf("n", U32)], **ways), 1, count)

    def no_throw(self, function):
        """What is thrown is caught before it leaves."""
        name = self.fresh("noexcept_")
        self.line(0, f"NOINLINE static uint32_t {name}(uint32_t n) noexcept {{")
        self.line(1, "try {")
        self.calls(2, function, 3)
        self.throw(2, Scope(function), 0)
        self.line(1, "} catch (int e) { note((uint64_t)e); TOUCH(20); return 4; } catch (...) { note(6); }")
        self.line(1, "return n;")
        self.line(0, "}")
        self.opened(function)
        self.line(1, f"note({name}(n - 1u));")
        self.line(1, self.pick(f"return {name}(n);", f"return {function.name}(n - 1u);", "return n;"))
        self.line(0, "}")

    def rethrows(self, function):
        self.opened(function)
        self.line(1, "Guard around(n);")
        self.line(1, "try {")
        self.calls(2, function)
        self.line(2, f"return {function.name}(n - 1u);" if self.some(0.6) else "throw Error(n);")
        self.line(1, "} catch (Error &e) { note(e.code); if (e.code % 3u == 0) throw;")
        self.line(2, "if (e.code % 3u == 1u) throw Special(e.code + 1u); TOUCH(33); }")
        self.line(1, f"return {self.pick('n', f'{function.name}(n - 1u)')};")
        self.line(0, "}")

    def recursive_lambda(self, function):
        self.opened(function)
        self.line(1, "uint32_t seen = 0;")
        self.line(1, "auto go = [&](auto &self, uint32_t n) -> uint32_t {")
        self.line(2, "seen++; if (n == 0 || --fuel < 0) { TOUCH(5000); return seen; }")
        self.calls(2, Function("lambda", U32))
        self.line(2, self.pick("return self(self, n - 1u);", "uint32_t got = self(self, n - 1u); note(got); return got;"))
        self.line(1, "};")
        self.line(1, "note(go(go, n)); note(seen);")
        self.line(1, self.pick("return go(go, n - 1u);", "return seen;"))
        self.line(0, "}")

    def try_body(self, function):
        """A try block that is the whole function."""
        self.line(0, f"{function.head()} try {{")
        self.end_of_recursion(1, function, [])
        self.calls(1, function, 3)
        self.throw(1, Scope(function), 0)
        self.line(1, f"return {function.name}(n - 1u);")
        self.line(0, "} catch (Error e) {")
        self.line(1, "note(e.code); TOUCH(17); return 9;")
        self.line(0, "}")

    def guarded_tail(self, function):
        """In return position, but for a destructor."""
        self.opened(function)
        self.line(1, "uint32_t here = n;")
        self.line(1, self.pick("Guard g(n);", "Quiet q{counter};", "Quiet q{here};"))
        inner = self.pick("Guard inner(n);", "Quiet inner{counter};")
        self.line(1, f"if (n & 1u) {{ {inner} return {function.name}(n - 1u); }}")
        self.calls(1, function)
        self.line(1, f"return {function.name}(n - 1u);")
        self.line(0, "}")

    def quiet_tail(self, function):
        """A loop that the result of a call in return position leaves, over clean-ups."""
        self.opened(function)
        self.line(1, "for (uint32_t i = 0; i < 3u; i++) {")
        self.line(2, "Quiet q{counter};")
        self.line(2, "if (i + n == 3u) continue;")
        self.line(2, "if (i + n == 4u) break;")
        self.line(2, f"if (i == (n & 1u)) return {function.name}(n - 1u);")
        self.calls(2, function)
        self.line(1, "}")
        self.line(1, f"return {function.name}(n - 1u);")
        self.line(0, "}")

    def nested_catch(self, function):
        self.opened(function)
        self.line(1, "try {")
        self.line(2, f"try {{ {self.pick('throw Error(n);', 'if (n & 1u) throw (int)n;')} }} catch (Error &e) {{")
        self.calls(3, function)
        self.line(3, "try { if (n & 2u) throw Special(n); } catch (Special &inner) { note(inner.code); TOUCH(64); throw; }")
        self.line(2, "}")
        self.calls(2, function)
        self.line(1, "} catch (...) { note(12); }")
        self.line(1, f"return {function.name}(n - 1u);")
        self.line(0, "}")

    def constructor(self, function):
        """Constructors and destructors that take memory and throw, with members that are complete by then."""
        name = self.fresh("Thing")
        self.line(0, f"struct {name} {{ Guard a; uint32_t v; Guard b;")
        self.line(1, f"explicit {name}(uint32_t n) : a(n), v({function.name}(n)), b(v & 15u) {{")
        self.calls(2, Function("constructor", None))
        self.line(1, "if (n % 3u == 1u) throw Error(v); }")
        self.line(1, f"~{name}() {{ note(v); TOUCH(48); }}")
        self.line(0, "};")
        self.opened(function)
        self.line(1, f"try {{ {name} t(n - 1u); note(t.v); {self.pick(f'{name} u(n - 1u); note(u.v);', '', f'{name} *p = new {name}(n - 1u); delete p;')} }}")
        self.line(1, "catch (Error &e) { note(e.code); }")
        self.line(1, f"return {self.pick('n', f'{function.name}(n - 1u)')};")
        self.line(0, "}")

    def sequence(self, function):
        """A generator, which may be given up in the middle."""
        name = self.fresh("sequence")
        self.line(0, f"static Sequence {name}(uint32_t n) {{")
        self.line(1, "Guard around(n); uint32_t held_here = n;")
        self.line(1, f"for (uint32_t i = 0; i < {2 + self.below(3)}u; i++) {{")
        self.line(2, "TOUCH(256 + i);")
        scope = Scope(Function(name, U32), [Leaf("held_here", U32)], leave=False)
        self.block(2, scope, 1, 2)
        self.line(2, f"co_yield {self.expression(scope.leaves, 1)};")
        if self.some(0.4):
            self.throw(2, scope, 0)
        self.line(1, "}")
        self.line(1, "co_return held_here;")
        self.line(0, "}")
        self.opened(function)
        self.line(1, f"try {{ Sequence s = {name}(n - 1u); uint32_t taken = 0;")
        self.line(2, f"while (taken++ < {1 + self.below(5)}u && s.next()) {{ note(s.handle.promise().value); }}")
        self.line(2, "note(s.handle.promise().value);")
        self.line(1, "} catch (Error &e) { note(e.code); } catch (int e) { note((uint64_t)e); }")
        self.line(1, f"return {self.pick('n', f'{function.name}(n - 1u)')};")
        self.line(0, "}")

    def task(self, function):
        """Coroutines that await each other, by symmetric transfer."""
        name = self.fresh("task")
        self.line(0, f"static Task {name}(uint32_t n) {{")
        self.line(1, "if (n == 0 || --fuel < 0) { TOUCH(90); co_return n; }")
        self.line(1, "Guard around(n); uint32_t got = 0;")
        scope = Scope(Function(name, U32), [Leaf("got", U32)], leave=False)
        self.block(1, scope, 1, 2)
        if self.some(0.5):
            self.line(1, "try {")
            self.line(2, f"got = co_await {name}(n - 1u);")
            self.throw(2, scope, 0)
            self.line(1, "} catch (Error &e) { note(e.code); HOLD(6, 30); } catch (int) { note(61); }")
        else:
            self.line(1, f"got = co_await {name}(n - 1u); note(got);")
        self.block(1, scope, 1, 2)
        self.line(1, f"co_return {self.pick('got', f'co_await {name}(n - 1u)', 'n')};")
        self.line(0, "}")
        self.opened(function)
        self.line(1, f"{{ Task t = {name}(n - 1u); note(t.run()); }}")
        self.line(1, "return n + 1u;")
        self.line(0, "}")


if __name__ == "__main__":
    print(GeneratorCpp(int(sys.argv[1])).program(), end="")
