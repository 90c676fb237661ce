// shutdown() of <sys/socket.h> can not allocate; link() and index(), declared by the program itself, may.
// RUN: %clang %gmp %ir %s | FileCheck %s
#include <sys/socket.h>
// CHECK-LABEL: define {{.*}} @calls_the_library(
// CHECK-NOT: gpumemprof.frame
// CHECK: ret i32
int calls_the_library(void) { return shutdown(1, SHUT_RDWR); }
struct model;
void link(struct model *);
// CHECK-LABEL: define {{.*}} @calls_its_own(
// CHECK: gpumemprof.frame =
void calls_its_own(struct model *m) { link(m); }
// The library's prototype is no proof: there is no header that it came from.
char *index(const char *, int);
// CHECK-LABEL: define {{.*}} @calls_its_own_declaration(
// CHECK: gpumemprof.frame =
char *calls_its_own_declaration(void) { return index("", 0); }
