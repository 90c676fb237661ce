/* cmd_flags.c - `gpumemprof flags`: what a hand-written makefile has to pass to the compiler. */
#include "input/command.h"
#include "support/install.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const supported[] = {
#define GPUMEMPROF_LLVM(version) #version,
#include "gpumemprof/llvm_versions.def"
};
static const char for_nvcc[] =
#define GPUMEMPROF_NVCC(version) #version
#include "gpumemprof/llvm_versions.def"
    ;

enum { OPTION_WEAK = 256, OPTION_COMPILE, OPTION_LINK, OPTION_LLVM };

struct flags {
  const char *compiler, *llvm;
  bool weak, compile, link;
};

const struct argp_option gpm_cmd_flags_options[] = {
    {"compile", OPTION_COMPILE, NULL, 0, "only the compiler's flags", 0},
    {"link", OPTION_LINK, NULL, 0, "only the linker's flags", 0},
    {"weak", OPTION_WEAK, NULL, 0, "for objects that also run without the runtime", 0},
    {"llvm", OPTION_LLVM, "N", 0,
     "version of clang (default: the newest supported; with nvcc, the newest that nvcc accepts)",
     0},
    {0},
};

/* Recognises gcc, g++-12, /usr/bin/cc1plus, which load plugins too, but not those of clang. */
static void refuse_gcc(const char *compiler, struct argp_state *state) {
  static const char *const names[] = {"gcc", "g++", "cc1", "gfortran", "gnu"};
  const char *name = gpm_text_base(compiler);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncasecmp(name, names[i], strlen(names[i])))
      argp_error(
          state,
          "%s cannot load the plugin, which is one of clang; compile with clang (`gpumemprof "
          "flags clang`), or with nvcc and clang as its host compiler (`gpumemprof flags "
          "nvcc`)",
          names[i]);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const compilers[] = {"clang", "nvcc", NULL};
  struct flags *o = state->input;
  switch (key) {
  case OPTION_WEAK:
    o->weak = true;
    return 0;
  case OPTION_COMPILE:
    o->compile = true;
    return 0;
  case OPTION_LINK:
    o->link = true;
    return 0;
  case OPTION_LLVM:
    o->llvm = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (o->compiler) argp_error(state, "one compiler, please: `%s` is one too many", arg);
    refuse_gcc(arg, state);
    o->compiler = compilers[gpm_say_choice("compiler", arg, compilers)];
    return 0;
  case ARGP_KEY_END:
    if (!o->compiler)
      argp_error(state, "for which compiler? `gpumemprof flags clang` or `gpumemprof flags nvcc`");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void print_word(const char *word) {
  static bool follows;
  char *quoted = gpm_text_shell(word);
  printf("%s%s", follows ? " " : "", quoted);
  follows = true;
  free(quoted);
}

static void print_with(const char *prefix, const char *text) {
  char *word = gpm_memory_format("%s%s", prefix, text);
  print_word(word);
  free(word);
}

static bool print_compile(const struct flags *o, bool nvcc, const char *llvm) {
  char *name = gpm_memory_format("lib/gpumemprof/llvm-%s/gpumemprof.so", llvm);
  char *plugin = gpm_install_path(name), *include = gpm_install_path("include");
  char *header = gpm_memory_format("%s/gpumemprof/gpumemprof.h", include);
  bool found = gpm_install_has(plugin);
  if (!found)
    gpm_say("there is no plugin for clang %s: %s does not exist; use another version by --llvm, or "
            "build gpumemprof "
            "where libclang-%s-dev is installed",
            llvm, plugin, llvm);
  else {
    if (nvcc) {
      char *host = gpm_memory_format("clang++-%s", llvm);
      print_word("-ccbin");
      print_word(host);
      free(host);
      if (strcmp(llvm, for_nvcc)) print_word("-allow-unsupported-compiler");
      print_word("-Xcompiler");
    }
    print_with("-fplugin=", plugin);
    if (o->weak) {
      if (nvcc) print_word("-Xcompiler");
      print_word("-fplugin-arg-gpumemprof-runtime=weak");
    }
    if (gpm_install_has(header)) print_with("-I", include);
  }
  free(name);
  free(plugin);
  free(include);
  free(header);
  return found;
}

static bool print_link(const struct flags *o, bool nvcc) {
  if (nvcc) {
    print_word("-cudart");
    print_word("shared");
  }
  if (o->weak) return true;
  char *lib = gpm_install_path("lib"), *runtime = gpm_install_path("lib/libgpumemprof.so");
  bool found = gpm_install_has(runtime);
  if (!found)
    gpm_say("the runtime is missing: %s does not exist; install gpumemprof completely", runtime);
  else {
    print_with("-L", lib);
    if (nvcc) {
      print_word("-Xlinker");
      print_with("-rpath=", lib);
    } else print_with("-Wl,-rpath,", lib);
    print_word("-lgpumemprof");
  }
  free(lib);
  free(runtime);
  return found;
}

int gpm_cmd_flags_run(const struct gpm_command *command, int argc, char **argv) {
  struct flags o = {.weak = false};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  bool nvcc = !strcmp(o.compiler, "nvcc"), both = o.compile == o.link;
  const char *llvm = o.llvm ? o.llvm : nvcc ? for_nvcc : supported[0];
  if (!*llvm || strspn(llvm, "0123456789") != strlen(llvm)) {
    gpm_say("--llvm wants a version like %s, not `%s`", supported[0], llvm);
    return GPM_EXIT_USAGE;
  }
  if ((both || o.compile) && !print_compile(&o, nvcc, llvm)) return GPM_EXIT_USAGE;
  if ((both || o.link) && !print_link(&o, nvcc)) return GPM_EXIT_USAGE;
  putchar('\n');
  return GPM_EXIT_OK;
}
