/* cmd_flags.c - `gpumemprof flags`: what a hand-written makefile has to pass to the compiler.
 *
 * For clang and nvcc these are the plugin and the runtime. For `sim`, clang without the CUDA
 * toolkit, they are also the headers and the library of the simulated device, and what lets clang
 * compile the host code of CUDA sources alone.
 */
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

/* Flags of clang for `sim`, the same for all versions that are supported. */
static const char *const host_only[] = {
    "--cuda-host-only", /* kernels are checked, and no device code is made for them */
    "-nocudainc",
    "-nocudalib",
    "--no-offload-new-driver", /* it would leave the registration of kernels to a linker of its own
                                */
    "-Xclang",
    "-target-sdk-version=11.8", /* launches by cudaLaunchKernel, as since CUDA 9.2; clang 16
                                   knows 11.8 as the newest */
    "-Xclang",
    "-fcuda-allow-variadic-functions", /* printf */
    "-Xclang",
    "-fcuda-include-gpubinary", /* kernels and variables are registered, with an empty device code
                                 */
    "-Xclang",
    "/dev/null",
};

enum { OPTION_WEAK = 256, OPTION_COMPILE, OPTION_LINK, OPTION_LLVM };

struct flags {
  const char *compiler, *llvm;
  bool nvcc, sim; /* which compiler; neither: clang */
  bool weak, compile, link;
};

const struct argp_option gpm_cmd_flags_options[] = {
    {"compile", OPTION_COMPILE, NULL, 0, "only the compiler's flags", 0},
    {"link", OPTION_LINK, NULL, 0, "only the linker's flags", 0},
    {"weak", OPTION_WEAK, NULL, 0, "for objects that also run without the runtime", 0},
    {"llvm", OPTION_LLVM, "N", 0,
     "with nvcc, the version of clang that it uses (default: the newest that nvcc accepts); else "
     "whether the plugin is for this version is checked",
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
          "%s cannot load the plugin, which is one of clang, and needs no flags: `gpumemprof run "
          "-- ./app` records what it compiled. For exact call paths, scopes and budgets, compile "
          "with clang (`gpumemprof flags clang`), or with nvcc and clang as its host compiler "
          "(`gpumemprof flags nvcc`)",
          names[i]);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const compilers[] = {"clang", "nvcc", "sim", NULL};
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
    o->nvcc = !strcmp(o->compiler, "nvcc");
    o->sim = !strcmp(o->compiler, "sim");
    return 0;
  case ARGP_KEY_END:
    if (!o->compiler)
      argp_error(state, "for which compiler? `gpumemprof flags clang`, `gpumemprof flags nvcc`, or "
                        "`gpumemprof flags sim` for clang without the CUDA toolkit");
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

static const char sim_header[] = "gpumemprof/sim/include/gpumemprof_host_only.h";
static const char sim_library[] = "gpumemprof/sim/libcudart.so.13";

/* Is this part of the simulated device installed? Says what to do if not. */
static bool has_simulated(const char *name) {
  char *path = gpm_install_library(name);
  bool found = gpm_install_has(path);
  if (!found)
    gpm_say("the simulated device is missing: %s does not exist; install gpumemprof completely",
            path);
  free(path);
  return found;
}

static void print_installed(const char *prefix, const char *name) {
  char *path = gpm_install_library(name);
  print_with(prefix, path);
  free(path);
}

/* clang does not warn of these where it only links, or compiles no CUDA. */
static void print_host_only(void) {
  print_word("--start-no-unused-arguments");
  for (size_t i = 0; i < sizeof host_only / sizeof *host_only; i++) print_word(host_only[i]);
  /* No toolkit is there, so that one of this machine is not read. */
  print_installed("--cuda-path=", "gpumemprof/sim");
  print_installed("-I", "gpumemprof/sim/include");
  print_word("-include");
  print_installed("", sim_header);
  print_word("--end-no-unused-arguments");
}

static bool has_module(const char *llvm) {
  char *name = gpm_memory_format("gpumemprof/llvm-%s/gpumemprof.so", llvm);
  char *path = gpm_install_library(name);
  bool found = gpm_install_has(path);
  free(name);
  free(path);
  return found;
}

/* The newest version that nvcc takes and that has a module. */
static const char *version_for_nvcc(void) {
  for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
    if (atoi(supported[i]) <= atoi(for_nvcc) && has_module(supported[i])) return supported[i];
  return for_nvcc;
}

/* Is the plugin installed, and its module for a version that the command line will name? */
static bool has_plugin(const char *plugin, const char *llvm) {
  if (!gpm_install_has(plugin))
    gpm_say("the plugin is missing: %s does not exist; install gpumemprof completely", plugin);
  else if (llvm && !has_module(llvm))
    gpm_say("there is no module of the plugin for clang %s in %.*s; use another version by --llvm, "
            "or build gpumemprof "
            "where libclang-%s-dev is installed",
            llvm, (int)(gpm_text_base(plugin) - plugin - 1), plugin, llvm);
  else return true;
  return false;
}

/* One plugin is for every clang, so a version decides only which one nvcc uses. */
static bool print_compile(const struct flags *o) {
  const char *llvm = !o->llvm && o->nvcc ? version_for_nvcc() : o->llvm;
  char *plugin = gpm_install_library("gpumemprof/gpumemprof.so"),
       *include = gpm_install_path("include");
  char *header = gpm_memory_format("%s/gpumemprof/gpumemprof.h", include);
  bool found = has_plugin(plugin, llvm);
  if (found) {
    if (o->nvcc) {
      print_word("-ccbin");
      print_with("clang++-", llvm);
      /* nvcc 12.4 takes no clang from 18 on, nvcc 13.0 none from 21 on; both work with these. */
      print_word("-allow-unsupported-compiler");
      print_word("-Xcompiler");
    }
    print_with("-fplugin=", plugin);
    if (o->weak) {
      if (o->nvcc) print_word("-Xcompiler");
      print_word("-fplugin-arg-gpumemprof-runtime=weak");
    }
    if (gpm_install_has(header)) print_with("-I", include);
  }
  free(plugin);
  free(include);
  free(header);
  return found;
}

static bool print_runtime(const struct flags *o) {
  char *runtime = gpm_install_library("libgpumemprof.so");
  char *lib = gpm_memory_format("%.*s", (int)(gpm_text_base(runtime) - runtime - 1), runtime);
  bool found = gpm_install_has(runtime);
  if (!found)
    gpm_say("the runtime is missing: %s does not exist; install gpumemprof completely", runtime);
  else {
    print_with("-L", lib);
    if (o->nvcc) {
      print_word("-Xlinker");
      print_with("-rpath=", lib);
    } else print_with("-Wl,-rpath,", lib);
    print_word("-lgpumemprof");
  }
  free(lib);
  free(runtime);
  return found;
}

/* For `sim` the flags may precede the sources, where a linker by --as-needed would drop the
 * libraries. */
static bool print_link(const struct flags *o) {
  if (o->nvcc) {
    print_word("-cudart");
    print_word("shared");
  }
  if (o->sim) print_word("-Wl,--push-state,--no-as-needed");
  bool found = o->weak || print_runtime(o);
  if (o->sim) {
    print_installed("-Wl,", sim_library); /* with -x cuda, another file would be a source */
    print_word("-Wl,--pop-state");
  }
  return found;
}

int gpm_cmd_flags_run(const struct gpm_command *command, int argc, char **argv) {
  struct flags o = {.weak = false};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  bool both = o.compile == o.link;
  if (o.llvm && (!*o.llvm || strspn(o.llvm, "0123456789") != strlen(o.llvm))) {
    gpm_say("--llvm wants a version like %s, not `%s`", supported[0], o.llvm);
    return GPM_EXIT_USAGE;
  }
  if (o.sim && !(has_simulated(sim_header) && has_simulated(sim_library))) return GPM_EXIT_USAGE;
  if (both || o.compile) {
    if (!print_compile(&o)) return GPM_EXIT_USAGE;
    if (o.sim) print_host_only();
  }
  if ((both || o.link) && !print_link(&o)) return GPM_EXIT_USAGE;
  putchar('\n');
  return GPM_EXIT_OK;
}
