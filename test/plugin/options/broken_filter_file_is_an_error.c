// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter=%t.missing -c %s -o %t.o 2>&1 | FileCheck -DFILTER=%t.missing %s
// CHECK: error: gpumemprof filter file '[[FILTER]]': {{.*}}No such file or directory
// RUN: echo 'no colon here' > %t.broken
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter=%t.broken -c %s -o %t.o 2>&1 | FileCheck -DFILTER=%t.broken --check-prefix=BROKEN %s
// BROKEN: error: gpumemprof filter file '[[FILTER]]': {{.*}}line 1{{.*}}
int f(void) { return 0; }
