// Frame and call site of a function with one call, beyond its own 5 instructions; the cold blocks lie behind `ret`.
// REQUIRES: x86_64
// RUN: %clang %gmp -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn --disassemble-symbols=frame %t.o | sed -n '/<frame>:/,/ret/p' | grep -c '^ ' > %t.count
// RUN: FileCheck %s < %t.count
// CHECK: {{^(1[0-9]|2[0-7])$}}
// RUN: %clang -O2 -c %s -o %t.plain.o
// RUN: llvm-objdump -d --no-show-raw-insn --disassemble-symbols=frame %t.plain.o | sed -n '/<frame>:/,/ret/p' | grep -c '^ ' | FileCheck --check-prefix=PLAIN %s
// PLAIN: {{^5$}}
unsigned long unknown(unsigned long x);
unsigned long frame(unsigned long x) { return unknown(x) + 1; }
