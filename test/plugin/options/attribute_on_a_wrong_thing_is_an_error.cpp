// RUN: not %clangxx %gmp -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK: :[[#@LINE+1]]:16: error: 'gpumemprof_profile' marks functions only; to measure a block, put GPUMEMPROF_SCOPE("name") into it
__attribute__((gpumemprof_profile)) int variable;
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: 'gpumemprof::profile' marks functions only; to measure a block, put GPUMEMPROF_SCOPE("name") into it
struct [[gpumemprof::profile]] S {};
// CHECK: :[[#@LINE+1]]:16: error: 'gpumemprof_ignore' marks functions only; to leave out whole files, use a filter file with src:PATTERN
__attribute__((gpumemprof_ignore)) int other;
// CHECK: :[[#@LINE+1]]:16: error: 'gpumemprof_profile' takes no arguments; write it without parentheses
__attribute__((gpumemprof_profile(1))) void f();
// CHECK: 4 errors generated.
