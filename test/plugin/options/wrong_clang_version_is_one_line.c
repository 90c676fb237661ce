// A clang for which there is no module: those that there are.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/llvm-7 %t.lib/llvm-11 && cp %plugin %t.lib
// RUN: touch %t.lib/llvm-11/gpumemprof.so %t.lib/llvm-7/gpumemprof.so
// RUN: not %clang -fplugin=%t.lib/gpumemprof.so -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NONE --implicit-check-not={{.}} %s
// NONE: error: clang [[N:[0-9]+]] ({{.*}}clang version [[N]].{{.*}}): gpumemprof has modules for clang 7 and 11; compile with one of these, or build gpumemprof where llvm-[[N]]-dev and libclang-[[N]]-dev are installed{{$}}
// RUN: mkdir %t.lib/llvm-9 && touch %t.lib/llvm-9/gpumemprof.so
// RUN: not %opt -load-pass-plugin=%t.lib/gpumemprof.so -passes=gpumemprof /dev/null 2>&1 | FileCheck --check-prefix=OPT --implicit-check-not={{.}} %s
// OPT: error: LLVM [[N:[0-9]+]] (opt): gpumemprof has modules for clang 7, 9 and 11; compile with {{.*}}llvm-[[N]]-dev{{.*}}

// None at all, and one that cannot be loaded.
// RUN: rm -r %t.lib/llvm-7 %t.lib/llvm-9 %t.lib/llvm-11
// RUN: not %clang -fplugin=%t.lib/gpumemprof.so -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ALONE --implicit-check-not={{.}} %s
// ALONE: error: gpumemprof's modules are missing: there is no llvm-N/gpumemprof.so in {{.*}}.lib; install gpumemprof completely{{$}}
// RUN: mkdir %t.lib/llvm-%version && echo text >%t.lib/llvm-%version/gpumemprof.so
// RUN: not %clang -fplugin=%t.lib/gpumemprof.so -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DAMAGED --implicit-check-not={{.}} %s
// DAMAGED: error: gpumemprof's module for clang {{[0-9]+}} does not load: {{.*}}gpumemprof.so: {{.*}}
// RUN: rm -rf %t.lib
int f(void) { return 0; }
