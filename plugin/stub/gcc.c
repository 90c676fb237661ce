/* gcc.c - what gcc asks of a plugin. gcc goes on as without the plugin, after one sentence.
 *
 * The flags of a build often reach every compiler that takes part in it. A file compiled by gcc
 * costs only the lines of its own functions, so it is no reason to stop the build
 * (docs/decisions/96-one-file-for-every-clang.md).
 */
#include "stub/compiler.h"

#include <stdio.h>

/* gcc's plugin interface in C, of which nothing here is read. */
struct plugin_name_args;
struct plugin_gcc_version;

/* gcc refuses a plugin without this name. Its licence, GPL 3, is compatible with ours, Apache 2.0.
 */
__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

__attribute__((visibility("default"))) int plugin_init(struct plugin_name_args *arguments,
                                                       struct plugin_gcc_version *version);

int plugin_init(struct plugin_name_args *arguments, struct plugin_gcc_version *version) {
  (void)arguments, (void)version;
  fprintf(stderr,
          "%s: warning: gpumemprof does not instrument what gcc compiles, and -fplugin= has "
          "no effect on this file; use clang (`gpumemprof flags clang`, for nvcc `gpumemprof flags "
          "nvcc`), or "
          "profile the program "
          "without it: gcc -g1, then `gpumemprof run -- ./app`\n",
          gpm_compiler_program());
  return 0;
}
