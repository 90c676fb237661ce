// A pipe that nobody writes, and a device without end: each would keep the compiler for ever.
// RUN: rm -rf %t.pipe %t.folder && mkfifo %t.pipe && mkdir %t.folder && truncate -s 17M %t.large
// RUN: not timeout 60 %clang %gmp -fplugin-arg-gpumemprof-filter=%t.pipe -c %s -o %t.o 2>&1 | FileCheck -DFILTER=%t.pipe %s
// RUN: not timeout 60 %clang %gmp -fplugin-arg-gpumemprof-filter=/dev/zero -c %s -o %t.o 2>&1 | FileCheck -DFILTER=/dev/zero %s
// CHECK: error: gpumemprof filter file '[[FILTER]]': it is no regular file
// RUN: not timeout 60 %opt -load-pass-plugin=%pass -passes='gpumemprof<filter=/dev/zero>' /dev/null 2>&1 | FileCheck -DFILTER=/dev/zero %s
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter=%t.folder -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FOLDER %s
// FOLDER: error: gpumemprof filter file '{{.*}}.folder': it is a folder
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter=%t.large -c %s -o %t.o 2>&1 | FileCheck --check-prefix=LARGE %s
// LARGE: error: gpumemprof filter file '{{.*}}.large': it is larger than 16 MiB
// RUN: %clang %gmp -fplugin-arg-gpumemprof-filter=/dev/null -c %s -o %t.o
// RUN: rm %t.large
int f(void) { return 0; }
