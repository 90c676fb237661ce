// The plugin is found through a link, and passes llvmGetPassPluginInfo on: to the module in clang, to the passes in opt.
// RUN: rm -f %t.so && ln -s %plugin %t.so
// RUN: %clang -fplugin=%t.so -g1 -O1 -c %s -o %t.o && nm %t.o | FileCheck %s
// RUN: %clang -fpass-plugin=%plugin -g1 -O1 -c %s -o %t.o && nm %t.o | FileCheck %s
// RUN: %clang -g1 -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -load-pass-plugin=%plugin -passes=gpumemprof -S %t.ll -o - | FileCheck %s
// CHECK: __gpumemprof_post_cudaMalloc
int cudaMalloc(void **, unsigned long);
int f(void) {
  void *p;
  return cudaMalloc(&p, 100);
}
