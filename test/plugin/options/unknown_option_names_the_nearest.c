// RUN: not %clang %gmp -fplugin-arg-gpumemprof-mod=all -c %s -o %t.o 2>&1 | FileCheck --check-prefix=KEY %s
// KEY: error: unknown gpumemprof option 'mod'; did you mean 'mode'?
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-source_txt=off -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TEXT %s
// TEXT: error: unknown gpumemprof option 'source_txt'; did you mean 'source-text'?
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-mode=al -c %s -o %t.o 2>&1 | FileCheck --check-prefix=VALUE %s
// VALUE: error: gpumemprof option 'mode' cannot be 'al'; it is one of all, annotated, every
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter -c %s -o %t.o 2>&1 | FileCheck --check-prefix=EMPTY %s
// EMPTY: error: gpumemprof option 'filter' needs a value: -fplugin-arg-gpumemprof-filter=FILE
// RUN: not %opt -load-pass-plugin %pass -passes='gpumemprof<mod=all>' -disable-output %inputs/empty.ll 2>&1 | FileCheck --check-prefix=KEY %s
int f(void) { return 0; }
