// Beyond what the function does itself: a leaf at most 15 instructions (and its caller's store), a
// recursive function at most 24 in its text.
// REQUIRES: x86_64
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn --disassemble-symbols=leaf %t.o | sed -n '/<leaf>:/,/ret/p' | grep -c '^ ' > %t.count
// RUN: FileCheck %s < %t.count
// CHECK: {{^([0-9]|1[0-7])$}}
// RUN: %clang -O2 -c %s -o %t.plain.o
// RUN: llvm-objdump -d --no-show-raw-insn --disassemble-symbols=leaf %t.plain.o | sed -n '/<leaf>:/,/ret/p' | grep -c '^ ' | FileCheck --check-prefix=PLAIN %s
// PLAIN: {{^2$}}
unsigned long leaf(unsigned long x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
