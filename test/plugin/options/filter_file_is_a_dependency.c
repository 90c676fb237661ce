// A changed filter rebuilds the object: it is in the dependency file, so make, ninja and ccache's
// depend mode see it.
// RUN: echo 'fun:nothing' > %t.filter
// RUN: %clang %gmp -fplugin-arg-gpumemprof-filter=%t.filter -MD -MF %t.d -c %s -o %t.o
// RUN: FileCheck -DFILTER=%t.filter %s < %t.d
// CHECK: [[FILTER]]
int f(void) { return 0; }
