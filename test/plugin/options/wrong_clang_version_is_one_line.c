// REQUIRES: other-llvm
// RUN: not %clang -fplugin=%other-plugin -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: this gpumemprof.so is for clang {{[0-9]+}} but was loaded by {{.*}}clang version [[N:[0-9]+]].{{.*}}; use /{{.*}}/lib/gpumemprof/llvm-[[N]]/gpumemprof.so{{$}}
// CHECK-NOT: {{.}}

// Where there is none for this clang, those that there are.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/llvm-7 %t.lib/llvm-18 && cp %other-plugin %t.lib/llvm-7 && touch %t.lib/llvm-18/gpumemprof.so
// RUN: not %clang -fplugin=%t.lib/llvm-7/gpumemprof.so -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: error: this gpumemprof.so is for clang {{[0-9]+}} but was loaded by {{.*}}clang version {{.*}}, for which there is none; installed: for clang 7 and 18{{$}}
// NONE-NOT: {{.}}

// A copy that lies alone.
// RUN: mkdir -p %t.lib/alone && cp %other-plugin %t.lib/alone
// RUN: rm -rf %t.lib/llvm-7 %t.lib/llvm-18
// RUN: not %clang -fplugin=%t.lib/alone/gpumemprof.so -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ALONE %s
// ALONE: error: this gpumemprof.so is for clang [[OWN:[0-9]+]] but was loaded by {{.*}}clang version {{.*}}, for which there is none; installed: for clang [[OWN]]{{$}}
// RUN: rm -rf %t.lib
int f(void) { return 0; }
