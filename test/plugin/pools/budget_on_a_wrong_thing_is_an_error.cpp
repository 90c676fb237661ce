// UNSUPPORTED: llvm-16
// Each error has its place and says what to write.
// RUN: not %clangxx %gmp %inc -fsyntax-only -std=c++20 %s 2>&1 | FileCheck %s
#include "gpumemprof/gpumemprof.h"
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants a whole number with a unit, such as 512MiB or 24GiB, in quotes, not "12 parsecs"
GPUMEMPROF_BUDGET("12 parsecs") void a();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants {{.*}}, not "1.5GiB"
GPUMEMPROF_BUDGET("1.5GiB") void b();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants {{.*}}, not ""
GPUMEMPROF_BUDGET("") void c();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants {{.*}}, not "-1MiB"
GPUMEMPROF_BUDGET("-1MiB") void d();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants {{.*}}, not "9223372036854775808"
GPUMEMPROF_BUDGET("9223372036854775808") void e();
GPUMEMPROF_BUDGET("9223372036854775807") void e2();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants {{.*}}, not "8388608TiB"
GPUMEMPROF_BUDGET("8388608TiB") void f();
GPUMEMPROF_BUDGET("8388607TiB") void f2();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants a whole number with a unit, such as 512MiB or 24GiB, in quotes{{$}}
GPUMEMPROF_BUDGET(512) void g();
constexpr const char *size = "1GiB";
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_budget' wants a whole number with a unit, such as 512MiB or 24GiB, in quotes{{$}}
GPUMEMPROF_BUDGET(size) void h();
// CHECK: :[[#@LINE+1]]:16: error: 'gpumemprof_budget' wants a whole number with a unit, such as 512MiB or 24GiB, in quotes{{$}}
__attribute__((gpumemprof_budget)) void i();
// CHECK: :[[#@LINE+1]]:3: error: 'gpumemprof::budget' cannot have its size in this spelling; write GPUMEMPROF_BUDGET("512MiB")
[[gpumemprof::budget("1GiB")]] void j();
// CHECK: :[[#@LINE+1]]:16: error: 'gpumemprof_no_alloc' takes no arguments; write it without parentheses
__attribute__((gpumemprof_no_alloc(1))) void k();
// CHECK: :[[#@LINE+1]]:1: error: 'gpumemprof_no_leak' marks functions only; in a block write GPUMEMPROF_SCOPE_NO_LEAK("name")
GPUMEMPROF_NO_LEAK int variable;
void l() {
  // CHECK: :[[#@LINE+1]]:3: error: 'gpumemprof_no_alloc' marks functions only; in a block write GPUMEMPROF_SCOPE_NO_ALLOC("name")
  GPUMEMPROF_NO_ALLOC;
  // CHECK: :[[#@LINE+1]]:3: error: 'gpumemprof_budget' marks functions only; in a block write GPUMEMPROF_SCOPE_BUDGET("name", "512MiB")
  GPUMEMPROF_BUDGET("1GiB") { l(); }
  // CHECK: :[[#@LINE+1]]:5: error: 'gpumemprof::no_leak' marks functions only; in a block write GPUMEMPROF_SCOPE_NO_LEAK("name")
  [[gpumemprof::no_leak]] for (;;) l();
  GPUMEMPROF_NO_LEAK void local();
}
// CHECK: 15 errors generated
