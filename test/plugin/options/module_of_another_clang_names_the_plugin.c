// REQUIRES: other-llvm
// RUN: not %clang -fplugin=%other-module -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not={{.}} %s
// CHECK: error: this file is gpumemprof's module for clang {{[0-9]+}} but was loaded by {{.*}}clang version {{[0-9]+}}.{{.*}}; use [[P:/.*/lib/gpumemprof]]/gpumemprof.so, which loads the module for each clang{{$}}

// A copy that lies alone.
// RUN: rm -rf %t.alone && mkdir %t.alone && cp %other-module %t.alone
// RUN: not %clang -fplugin=%t.alone/gpumemprof.so -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ALONE --implicit-check-not={{.}} %s
// ALONE: error: this file is gpumemprof's module for {{.*}}; use lib/gpumemprof/gpumemprof.so of an installed gpumemprof, which loads the module for each clang{{$}}
// RUN: rm -r %t.alone

// Another program.
// RUN: not %opt -load-pass-plugin=%module -passes=gpumemprof /dev/null 2>&1 | FileCheck --check-prefix=OPT --implicit-check-not=undefined %s
// OPT: error: this file is gpumemprof's module for clang [[N:[0-9]+]], and opt is not clang; use /{{.*}}/lib/gpumemprof/gpumemprof.so{{$}}
int f(void) { return 0; }
