// REQUIRES: other-llvm
// RUN: not %clang -fplugin=%other-plugin -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: this gpumemprof.so is for clang {{[0-9]+}} but was loaded by {{.*}}clang version {{.*}}; use lib/gpumemprof/llvm-{{[0-9]+}}/gpumemprof.so
// CHECK-NOT: {{.}}
int f(void) { return 0; }
