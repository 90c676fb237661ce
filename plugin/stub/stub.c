/* stub.c - the one file for every clang: lib/gpumemprof/gpumemprof.so.
 *
 * A plugin uses the symbols of the compiler that loads it, so there is a module for each version of
 * LLVM in a folder llvm-N beside this file. This library refers to nothing of LLVM, so any program
 * can load it. Its constructor finds out which compiler it is in and loads the module for it. Where
 * there is none, one sentence says which there are, and the compilation ends.
 *
 *   clang -fplugin=              the module registers itself with clang when it is loaded
 *   clang -fpass-plugin=, opt and lld --load-pass-plugin=
 *                                these ask for llvmGetPassPluginInfo, which is passed on
 *   gcc -fplugin=                gcc.c
 */
#include "stub/compiler.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What llvmGetPassPluginInfo jumps to; assembly refers to it. */
__attribute__((visibility("hidden"))) void (*gpumemprof_pass_info)(void);

/* The function returns a structure whose size depends on the version of LLVM, through an address in
 * a register. A jump leaves every register as it is. */
#if defined __x86_64__
__asm__(".text\n.globl llvmGetPassPluginInfo\n.type llvmGetPassPluginInfo, @function\n"
        "llvmGetPassPluginInfo:\n  endbr64\n  jmp *gpumemprof_pass_info(%rip)\n"
        ".size llvmGetPassPluginInfo, . - llvmGetPassPluginInfo\n");
#elif defined __aarch64__
__asm__(".text\n.globl llvmGetPassPluginInfo\n.type llvmGetPassPluginInfo, %function\n"
        "llvmGetPassPluginInfo:\n  hint #34\n  adrp x16, gpumemprof_pass_info\n"
        "  ldr x16, [x16, :lo12:gpumemprof_pass_info]\n  br x16\n"
        ".size llvmGetPassPluginInfo, . - llvmGetPassPluginInfo\n");
#else
#error "gpumemprof: the plugin's stub has no jump for this architecture"
#endif

/* An exit from here ends the compilation as an error of the compiler does, before it has written
 * anything. */
__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("error: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  _exit(1);
}

/* The folder of this library with links resolved. */
static const char *own_folder(void) {
  static char path[PATH_MAX];
  Dl_info info;
  if (!dladdr((void *)own_folder, &info) || !realpath(info.dli_fname, path)) return ".";
  *strrchr(path, '/') = 0;
  return path;
}

static int by_number(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* Writes the versions that have a module, as "16, 19 and 22", and returns how many there are. */
static size_t installed(char *text, size_t size) {
  char pattern[PATH_MAX + 32];
  int majors[32];
  size_t count = 0, length = 0;
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/llvm-*/gpumemprof.so", own_folder());
  size_t number = strlen(own_folder()) + strlen("/llvm-");
  if (!glob(pattern, 0, NULL, &found)) {
    for (size_t i = 0; i < found.gl_pathc && count < sizeof majors / sizeof *majors; i++)
      majors[count++] = atoi(found.gl_pathv[i] + number);
    globfree(&found);
  }
  qsort(majors, count, sizeof *majors, by_number);
  *text = 0;
  for (size_t i = 0; i < count && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%d",
                               !i              ? ""
                               : i + 1 < count ? ", "
                                               : " and ",
                               majors[i]);
  return count;
}

/* Is this a version that gpumemprof can be built for? */
static bool supported(int major) {
  static const int majors[] = {
#define GPUMEMPROF_LLVM(version) version,
#define GPUMEMPROF_LLVM_EXPECTED(version) version,
#include "gpumemprof/llvm_versions.def"
  };
  for (size_t i = 0; i < sizeof majors / sizeof *majors; i++)
    if (majors[i] == major) return true;
  return false;
}

__attribute__((noreturn)) static void refuse_version(const struct compiler *c) {
  char known[256], build[128] = "";
  size_t count = installed(known, sizeof known);
  if (!count)
    refuse("gpumemprof's modules are missing: there is no llvm-N/gpumemprof.so in %s; install "
           "gpumemprof completely",
           own_folder());
  if (supported(c->major))
    snprintf(build, sizeof build,
             ", or build gpumemprof where llvm-%d-dev and libclang-%d-dev are installed", c->major,
             c->major);
  refuse("%s %d (%s): gpumemprof has %s for clang %s; compile with %s%s",
         c->is_clang ? "clang" : "LLVM", c->major, c->text, count == 1 ? "a module" : "modules",
         known, count == 1 ? "that" : "one of these", build);
}

static void *load(const struct compiler *c) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/llvm-%d/%s", own_folder(), c->major,
           c->is_clang ? "gpumemprof.so" : "gpumemprof-pass.so");
  if (!c->major || access(path, F_OK)) refuse_version(c);
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module) refuse("gpumemprof's module for clang %d does not load: %s", c->major, dlerror());
  return module;
}

/* Called in a program whose LLVM is not known. */
static void refuse_unknown(void) {
  refuse("gpumemprof cannot tell which version of LLVM %s has; load llvm-N/gpumemprof-pass.so for "
         "version N in %s",
         gpm_compiler_program(), own_folder());
}

__attribute__((constructor)) static void start(void) {
  struct compiler c = gpm_compiler_find();
  gpumemprof_pass_info = refuse_unknown;
  if (c.hides_functions)
    refuse("this %s does not show its functions to plugins, or was built with another C++ library, "
           "and cannot load "
           "gpumemprof.so; use clang of the distribution or of apt.llvm.org",
           gpm_compiler_program());
  if (!c.is_clang && !c.major) return; /* gcc, which calls plugin_init */
  void *function = dlsym(load(&c), "llvmGetPassPluginInfo");
  if (function) memcpy(&gpumemprof_pass_info, &function, sizeof function);
}
