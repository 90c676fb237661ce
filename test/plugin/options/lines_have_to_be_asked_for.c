// UNSUPPORTED: lines-without-g
// RUN: %clang -fplugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -fplugin=%plugin -gline-tables-only -c %s -o %t.o 2>&1 | count 0
// CHECK: warning: this version of clang gives the plugin of gpumemprof no lines; compile with -gline-tables-only or -g{{$}}
int f(void) { return 0; }
