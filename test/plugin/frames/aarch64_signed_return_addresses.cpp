// With signed return addresses and landing pads for branches, programs have the same paths.
// REQUIRES: aarch64
// RUN: %clangxx %gmp -mbranch-protection=standard -O2 %S/early_returns_and_exceptions.cpp %fake -o %t && %t | FileCheck %S/early_returns_and_exceptions.cpp
// RUN: %clang -mbranch-protection=standard -O1 -DFOREIGN -c %S/longjmp_over_frames.c -o %t.o
// RUN: %clang %gmp -mbranch-protection=standard -O2 %S/longjmp_over_frames.c %t.o %fake -o %t && %t | FileCheck %S/longjmp_over_frames.c
// RUN: %clang %gmp -mbranch-protection=standard -O2 %S/musttail_pops_before_the_call.c %fake -o %t && %t | FileCheck %S/musttail_pops_before_the_call.c
