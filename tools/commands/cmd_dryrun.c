/* cmd_dryrun.c - `gpumemprof dryrun`: runs a program on the simulated CUDA runtime.
 *
 * Sets LD_LIBRARY_PATH, so that the program gets the simulated libcudart.so.13 or libcudart.so.12
 * and libcuda.so.1. Everything else is as in `gpumemprof run`, whose options it has.
 */
#include "input/command.h"
#include "running/run_program.h"
#include "support/child.h"
#include "support/install.h"
#include "support/memory.h"
#include "support/program.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_MEMORY = GPM_RUN_OWN, OPTION_DEVICES };
enum { LEAST_MEMORY = 2 << 20 }; /* the simulated device's memory is made of such pages */

struct dryrun {
  struct gpm_run run;
  uint64_t memory;
  uint32_t devices;
};

const struct argp_option gpm_cmd_dryrun_options[] = {
    {"device-memory", OPTION_MEMORY, "SIZE", 0, "memory of each device: 24GiB (default 80GiB)", 0},
    {"devices", OPTION_DEVICES, "N", 0, "number of devices (default 1)", 0},
    GPM_RUN_ARGUMENTS,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct dryrun *o = state->input;
  switch (key) {
  case OPTION_MEMORY:
    if (!gpm_text_parse_size(arg, &o->memory) || !o->memory)
      argp_error(state, "--device-memory wants a size with its unit such as 24GiB, not `%s`", arg);
    if (o->memory < LEAST_MEMORY)
      argp_error(state,
                 "--device-memory wants at least 2MiB, the size of a page of a GPU, not `%s`", arg);
    return 0;
  case OPTION_DEVICES:
    if (!gpm_text_parse_count(arg, 64, &o->devices) || !o->devices)
      argp_error(state, "--devices wants a number from 1 to 64, not `%s`", arg);
    return 0;
  default:
    return gpm_run_parse(&o->run, key, arg, state, "gpumemprof dryrun --device-memory 24GiB ./app");
  }
}

/* Whether the simulated runtime, which is built with this tool, is one for glibc. */
#ifdef __GLIBC__
static const bool glibc = true;
#else
static const bool glibc = false;
#endif

/* Can the simulator stand in for the CUDA of this program? Says why not. */
static bool fits(const char *name, const char *path) {
  struct gpm_program program = gpm_program_inspect(path);
  if (!program.elf) return true; /* a script may start one that does */
  if (program.static_cudart) {
    gpm_say("%s has the CUDA runtime linked in statically, so that no simulated one can take its "
            "place; link it with "
            "-lcudart (clang) or -cudart shared (nvcc)",
            name);
    return false;
  }
  if (!program.dynamic) {
    gpm_say("%s is linked statically, so that no simulated CUDA runtime can take its place; link "
            "it dynamically",
            name);
    return false;
  }
  if (*program.other) {
    gpm_say(
        "%s needs %s, and the simulated runtimes are libcudart.so.13 and libcudart.so.12; build "
        "it with CUDA 12 or 13",
        name, program.other);
    return false;
  }
  if (program.musl && glibc) {
    gpm_say("%s is a program of musl, and the simulated CUDA runtime is built for glibc, which its "
            "loader cannot load; build it for glibc",
            name);
    return false;
  }
  if (program.fixed_path)
    gpm_say("warning: %s has an RPATH, which goes before the simulated runtime; if a real CUDA "
            "lies there, link with "
            "-Wl,--enable-new-dtags",
            name);
  return true;
}

static void put_before(const char *variable, const char *value) {
  const char *old = getenv(variable);
  char *text = old && *old ? gpm_memory_format("%s:%s", value, old) : gpm_memory_text(value);
  setenv(variable, text, 1);
  free(text);
}

static void set_device(const struct dryrun *o) {
  const char *old = getenv("GPUMEMPROF_SIM_OPTIONS");
  char *text = gpm_memory_text(old ? old : "");
  if (o->devices) {
    char *longer = gpm_memory_format("%s%sdevices=%u", text, *text ? ":" : "", o->devices);
    free(text);
    text = longer;
  }
  if (o->memory) {
    char *longer = gpm_memory_format("%s%smemory=%lluB", text, *text ? ":" : "",
                                     (unsigned long long)o->memory);
    free(text);
    text = longer;
  }
  if (*text) setenv("GPUMEMPROF_SIM_OPTIONS", text, 1);
  free(text);
}

/* The exit status. */
static int start(struct dryrun *o, const char *path, char **program) {
  char *sim = gpm_install_library("gpumemprof/sim");
  char *runtime = gpm_install_library("gpumemprof/sim/libcudart.so.13");
  int status = GPM_EXIT_USAGE;
  if (!gpm_install_has(runtime))
    gpm_say(
        "the simulated CUDA runtime is missing: %s does not exist; install gpumemprof completely",
        runtime);
  else if (fits(program[0], path) && gpm_run_options_export(&o->run.options)) {
    put_before("LD_LIBRARY_PATH", sim);
    set_device(o);
    gpm_say("simulated devices: allocations are as on the device, kernels compute nothing");
    status = gpm_run_program(&o->run, path, program);
  }
  free(sim);
  free(runtime);
  return status;
}

int gpm_cmd_dryrun_run(const struct gpm_command *command, int argc, char **argv) {
  struct dryrun o = {.run = {.commands = gpm_commands, .simulated = true}};
  struct gpm_run *run = &o.run;
  gpm_run_options_begin(&run->options);
  gpm_command_parse(command, argc, argv, ARGP_IN_ORDER, parse, &o);
  run->silent = run->options.was_quiet && !run->report && !run->no_report;
  char **program = argv + run->first, *path = gpm_child_find(program[0]);
  int status = path ? start(&o, path, program) : GPM_EXIT_USAGE;
  gpm_run_options_free(&run->options);
  free(path);
  return status;
}
