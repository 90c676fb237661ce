#!/usr/bin/env python3
"""generator_c.py - one random C program: `generator_c.py SEED`. What C has beyond statements.py: setjmp, computed
goto, variable arguments, arrays of variable length, clean-ups, exit handlers, signals, tail calls that must be."""
import sys

from statements import Function, Scope, Statements
from writer import U32, Leaf

HEAD = """#include "prelude.h"
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
enum Mode { MODE_0, MODE_1, MODE_2, MODE_3 };
struct Jump { jmp_buf buffer; struct Jump *next; };
static UNUSED struct Jump *jumps;
static UNUSED _Thread_local uint32_t of_thread = 7;
static UNUSED _Atomic uint32_t shared;
static UNUSED void clean_up(uint32_t *value) { note(*value); HOLD(3, 64); }
static UNUSED void at_exit_1(void) { RELEASE(3); note(1); line("at_exit_1"); }
static UNUSED void at_exit_2(void) { TOUCH(100); note(2); line("at_exit_2"); }
static UNUSED void on_signal(int number) { note((uint64_t)number); TOUCH(128); }
__attribute__((constructor)) static UNUSED void early(void) { note(11); }
__attribute__((destructor)) static UNUSED void late(void) { line("late"); }
"""


class GeneratorC(Statements):
    C = True

    def program(self, weighted=None):
        weighted = weighted or self.pick(0.1, 0.5, 1.0)
        for _ in range(3 + self.below(3)):
            self.struct(self.pick(8, 16, 16, 16, 0), fields=self.pick(3, 4, 7))
        self.make_states(2)
        self.features = [self.cleaned, self.variable_length, self.static_local, self.thread_local, self.shared_atomic,
                         self.statement_expression]
        self.jumping = self.some(0.35)
        if self.jumping:
            self.features.append(self.jump)
        special = [Function(f"special{i}", U32, prefix="NOINLINE ") for i in range(self.below(3))]
        kinds = [self.computed_goto, self.variadic, self.must_tail, self.indirect, self.signalled, self.threaded] + \
            ([self.returns_twice] * 3 if self.jumping else [])
        for function in special:
            function.write = self.random.choice(kinds)
        self.callable = list(special)
        self.declare(3 + self.below(3), weighted)
        every = self.functions + special
        for function in every:
            self.line(0, function.head() + ";")
        plain = [f.name for f in every if f.result is U32 and not f.parameters]
        self.table = plain or None
        if plain:
            self.line(0, f"static uint32_t (*const table[])(uint32_t) = {{{', '.join(plain)}}};")
        for function in every:
            function.write(function)
        self.line(0, "int main(void) {")
        for handler in self.random.sample(["at_exit_1", "at_exit_2"], self.below(3)):
            self.line(1, f"atexit({handler});")
        self.line(1, "signal(SIGUSR1, on_signal);")
        self.run_all(1, every, deep=[f for f in every if f.write == self.return_position])
        self.line(1, self.pick("return (int)(checksum & 63u);", "exit((int)(checksum & 63u));", "fflush(stdout); _exit(5);"))
        self.line(0, "}")
        structs = "".join(s.definition() for s in self.structs)
        return HEAD + structs + "\n".join(self.lines) + "\n"

    # -- statements -------------------------------------------------------------------------------

    def cleaned(self, depth, scope, left):
        self.line(depth, "{")
        self.line(depth + 1, f"__attribute__((cleanup(clean_up))) uint32_t {self.fresh('c')} = {self.expression(scope.leaves)};")
        # No goto into or out of it is a problem; longjmp leaves the clean-up out, in both builds.
        self.block(depth + 1, scope, left)
        self.line(depth, "}")

    def variable_length(self, depth, scope, left):
        name = self.fresh("m")
        self.line(depth, "{")
        if self.some(0.6):
            self.line(depth + 1, f"uint32_t {name}[2u + {self.expression(scope.leaves)} % 9u];")
        else:
            self.line(depth + 1, f"uint32_t *{name} = (uint32_t *)alloca(sizeof(uint32_t) * (2u + n % 9u));")
        self.line(depth + 1, f"{name}[0] = {self.expression(scope.leaves)};")
        self.line(depth + 1, f"{name}[1] = n;")
        leaves = [Leaf(f"{name}[{i}]", U32) for i in range(2)]
        # clang has no jump into the scope of such an array, and no label is in it.
        self.block(depth + 1, scope.inner(leaves=scope.leaves + leaves), left)
        self.line(depth + 1, f"note({name}[0] + {name}[1]);")
        self.line(depth, "}")

    def static_local(self, depth, scope, left):
        name = self.fresh("kept")
        self.line(depth, f"{{ static uint32_t {name} = {self.below(99)}; {name} += {self.expression(scope.leaves)}; note({name}); }}")

    def thread_local(self, depth, scope, left):
        self.line(depth, f"of_thread = of_thread * 3u + {self.expression(scope.leaves)}; note(of_thread);")

    def shared_atomic(self, depth, scope, left):
        self.line(depth, f"shared += {self.expression(scope.leaves)}; note(shared);")

    def statement_expression(self, depth, scope, left):
        function = self.pick(*self.callable)
        self.line(depth, "{")
        text = self.call(depth + 1, function, scope)
        read = function.result.read(text) if function.result and not function.result.is_struct else f"({text}, 1u)"
        self.line(depth + 1, f"note(({{ uint32_t e_ = {read}; TOUCH(300); e_ + 1u; }}));")
        self.line(depth, "}")

    def jump(self, depth, scope, left):
        self.line(depth, f"if (jumps && {self.condition(scope.leaves)}) longjmp(jumps->buffer, {1 + self.below(3)});")

    # -- functions --------------------------------------------------------------------------------

    def opened(self, function):
        self.line(0, function.head() + " {")
        self.end_of_recursion(1, function, [])

    def calls(self, depth, function, count=2, **ways):
        scope = Scope(function, **ways)
        for _ in range(1 + self.below(count)):
            if self.some(0.7):
                self.call_statement(depth, scope)
            else:
                self.memory(depth)

    def returns_twice(self, function):
        """Only volatile variables change between setjmp and longjmp."""
        self.opened(function)
        self.line(1, "struct Jump here; volatile uint32_t v = n; volatile uint32_t again = 0;")
        self.line(1, "here.next = jumps;")
        form = self.below(3)
        if form == 0:
            self.line(1, "if (setjmp(here.buffer) == 0) {")
            self.landing(2, function)
            self.line(1, "} else {")
            self.line(2, "jumps = here.next; note(v); TOUCH(50);")
            self.calls(2, function, leave=False)
            self.line(1, "}")
        elif form == 1:
            self.line(1, "switch (setjmp(here.buffer)) {")
            self.line(1, "case 0:")
            self.landing(2, function)
            self.line(2, "break;")
            self.line(1, "case 1: jumps = here.next; note(v + 1u); break;")
            self.line(1, "default: jumps = here.next; HOLD(4, 77); note(v);")
            self.line(1, "}")
        else:
            self.line(1, "if (setjmp(here.buffer) != 0) { note(v); again = again + 1u; TOUCH(60); }")
            self.line(1, "jumps = here.next;")
            self.line(1, "if (again < 2u) {")
            self.landing(2, function)
            self.line(1, "}")
        self.line(1, "note(v);")
        self.calls(1, function, leave=False)
        self.line(1, self.pick("return v;", f"return {function.name}(n - 1u);", "return v + again;"))
        self.line(0, "}")

    def landing(self, depth, function):
        self.line(depth, "jumps = &here; v = v + 1u;")
        self.calls(depth, function, 3, leave=False)
        self.line(depth, "v = v * 3u;")
        self.calls(depth, function, leave=False)
        self.line(depth, "jumps = here.next;")

    def computed_goto(self, function):
        self.opened(function)
        count = 2 + self.below(3)
        self.line(1, f"static const void *const ways[] = {{{', '.join(f'&&way{i}' for i in range(count))}}};")
        self.line(1, "uint32_t at = n, steps = 0;")
        leaves = [Leaf("at", U32)]
        self.line(1, f"goto *ways[at % {count}u];")
        for i in range(count):
            self.line(0, f"way{i}:")
            self.block(1, Scope(function, leaves), 1, 3)
            self.line(1, "if (++steps > 5u) goto done;")
            self.line(1, f"at = at * 5u + {i + 1}u;")
            self.line(1, f"goto *ways[at % {count}u];")
        self.line(0, "done:")
        self.line(1, self.pick("return at;", f"return {function.name}(n - 1u);", "return at + steps;"))
        self.line(0, "}")

    def variadic(self, function):
        name = self.fresh("many")
        self.line(0, f"NOINLINE static uint32_t {name}(uint32_t n, int count, ...) {{")
        self.line(1, "va_list list; uint32_t sum = n;")
        self.line(1, "va_start(list, count);")
        self.line(1, "for (int i = 0; i < count; i++) {")
        self.line(2, "if (i % 3 == 1) sum = sum * 3u + (uint32_t)va_arg(list, double);")
        self.line(2, "else if (i % 3 == 2) sum = sum * 5u + fold64(va_arg(list, uint64_t));")
        self.line(2, "else sum = sum * 7u + va_arg(list, uint32_t);")
        self.line(1, "}")
        if self.some(0.8):
            self.line(1, f"if (n > 0 && --fuel > 0) note({function.name}(n - 1u));")
        self.line(1, "va_end(list);")
        self.line(1, "return sum;")
        self.line(0, "}")
        self.opened(function)
        values = [("(double)(n & 255u)", f"(uint64_t)n * {self.below(1000)}u", f"n + {i}u")[(i + 2) % 3] for i in range(self.below(14))]
        self.line(1, f"return {name}({', '.join(['n', str(len(values))] + values)});")
        self.line(0, "}")

    def must_tail(self, function):
        """A pair of functions that jump to each other."""
        name = self.fresh("hop")
        self.line(0, f"NOINLINE static uint32_t {name}(uint32_t n);")
        for one, other in ((function.name, name), (name, function.name)):
            self.line(0, f"NOINLINE static uint32_t {one}(uint32_t n) {{")
            self.line(1, "if (n == 0 || --fuel < 0) { TOUCH(10); return n + 3u; }")
            self.calls(1, function, leave=False)
            self.line(1, f"if (n & {1 << self.below(3)}u) __attribute__((musttail)) return {other}(n - 1u);")
            self.line(1, f"__attribute__((musttail)) return {self.pick(one, other)}(n - 1u);")
            self.line(0, "}")

    def indirect(self, function):
        self.opened(function)
        count = len(self.table)
        self.line(1, f"uint32_t (*chosen)(uint32_t) = table[(n + unknown_two) % {count}u];")
        self.line(1, "uint32_t got = chosen(n - 1u);")
        self.line(1, "note(got);")
        self.calls(1, function, leave=False)
        self.line(1, self.pick("return chosen(n - 1u);", "return got;", "return table[0](n - 1u) + got;"))
        self.line(0, "}")

    def signalled(self, function):
        self.opened(function)
        self.line(1, "note(n); raise(SIGUSR1);")
        self.calls(1, function, leave=False)
        self.line(1, "raise(SIGUSR1);")
        self.line(1, self.pick("return n;", f"return {function.name}(n - 1u);"))
        self.line(0, "}")

    def threaded(self, function):
        """A thread that is waited for, so that nothing is done at the same time. It has no jump to take."""
        name = self.fresh("body")
        self.line(0, f"static void *{name}(void *argument) {{")
        self.line(1, "struct Jump *outside = jumps; uint32_t n = *(uint32_t *)argument;" if self.jumping else "uint32_t n = *(uint32_t *)argument;")
        if self.jumping:
            self.line(1, "jumps = NULL;")
        self.calls(1, function, leave=False)
        self.line(1, "note(of_thread); of_thread += n;")
        if self.jumping:
            self.line(1, "jumps = outside;")
        self.line(1, self.pick("return NULL;", "pthread_exit(NULL);"))
        self.line(0, "}")
        self.opened(function)
        self.line(1, "pthread_t thread; uint32_t argument = n;")
        self.line(1, f"if (pthread_create(&thread, NULL, {name}, &argument) == 0) pthread_join(thread, NULL);")
        self.line(1, "return n * 2u;")
        self.line(0, "}")


if __name__ == "__main__":
    print(GeneratorC(int(sys.argv[1])).program(), end="")
