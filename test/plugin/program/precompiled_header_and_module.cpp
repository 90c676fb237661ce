// Attributes survive in precompiled headers and modules; functions of them are the user's.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %clangxx %gmp -std=c++20 -x c++-header %inputs/prefix.h -o %t/prefix.pch
// RUN: %clangxx %gmp -std=c++20 -include-pch %t/prefix.pch -DPCH %s %fake -o %t/a && %t/a | FileCheck %s
// RUN: %clangxx -std=c++20 -x c++-header %inputs/prefix.h -o %t/plain.pch 2>/dev/null
// RUN: %clangxx %gmp -std=c++20 -include-pch %t/plain.pch -DPCH %s %fake -o %t/a && %t/a | FileCheck --check-prefix=PLAIN %s
// PLAIN: cudaMalloc 1: main:[[#]] > in_header:[[#]]{{$}}
// PLAIN: cudaMalloc 2: main:[[#]] > skipped:[[#]]{{$}}
// RUN: %clangxx %gmp -std=c++20 -x c++-module %inputs/unit.cppm --precompile -o %t/unit.pcm
// RUN: %clangxx %gmp -std=c++20 %t/unit.pcm -c -o %t/unit.o
// RUN: %clangxx %gmp -std=c++20 -fmodule-file=unit=%t/unit.pcm %s %t/unit.o %fake -o %t/a && %t/a | FileCheck --check-prefixes=CHECK,UNIT %s
#ifndef PCH
import unit;
#include "../Inputs/prefix.h"
#endif
int main() {
  in_header(1);
  // CHECK: profile in_header
  // CHECK-NEXT: cudaMalloc 1: main:[[#@LINE-2]] > in_header:[[#]]{{$}}
  skipped(2);
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-1]]{{$}}
#ifndef PCH
  in_unit(3);
  // UNIT-NEXT: profile in_unit
  // UNIT-NEXT: cudaMalloc 3: main:[[#@LINE-2]] > in_unit:[[#]]{{$}}
#endif
}
