/* compiler.h - which compiler has loaded this library? */
#ifndef GPUMEMPROF_STUB_COMPILER_H
#define GPUMEMPROF_STUB_COMPILER_H

#include <stdbool.h>

struct compiler {
  int major;            /* of LLVM; 0 if it is not known */
  bool is_clang;        /* it has clang's functions */
  bool hides_functions; /* it is called clang, and no function of clang is found */
  const char *text;     /* what it says of itself */
};

struct compiler gpm_compiler_find(void);

/* The name of the running program. */
const char *gpm_compiler_program(void);

#endif
