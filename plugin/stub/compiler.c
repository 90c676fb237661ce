/* compiler.c - asks the running program for its version, by names that no version of LLVM has
 * changed. */
#include "stub/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A std::string of libstdc++. A C++ function returns it as C returns a structure of this size. */
struct string {
  char *characters;
  size_t length;
  char own[16];
};

/* std::string clang::getClangFullVersion(), the same since clang 3; with libc++ it has another
 * name. */
static const char full_version[] = "_ZN5clang19getClangFullVersionB5cxx11Ev";

const char *gpm_compiler_program(void) {
  return program_invocation_short_name;
}

/* dlsym returns an address of data, which C does not convert. */
static void find(void *function, size_t size, const char *name) {
  void *address = dlsym(RTLD_DEFAULT, name);
  memcpy(function, &address, size);
}

/* "clang version 19.1.7", before which a vendor may have its name. */
static int major_of(const char *text) {
  const char *at = strstr(text, "version ");
  return at ? atoi(at + strlen("version ")) : 0;
}

struct compiler gpm_compiler_find(void) {
  static char text[256];
  struct compiler c = {.text = text};
  struct string (*clang)(void);
  void (*llvm)(unsigned *, unsigned *, unsigned *); /* LLVMGetVersion, since LLVM 16 */
  find(&clang, sizeof clang, full_version);
  find(&llvm, sizeof llvm, "LLVMGetVersion");
  if (clang) {
    struct string version = clang(); /* it is never freed: this library has no delete */
    c.is_clang = true;
    c.major = major_of(version.characters);
    strncat(text, version.characters, sizeof text - 1);
  } else if (strstr(gpm_compiler_program(), "clang")) {
    c.hides_functions = true;
  } else if (llvm) {
    unsigned major, minor, patch;
    llvm(&major, &minor, &patch);
    c.major = (int)major;
    strncat(text, gpm_compiler_program(), sizeof text - 1);
  }
  return c;
}
