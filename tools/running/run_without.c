/* run_without.c - see run_without.h.
 *
 * The processes of the run say what became of their captures (run_notes.h). If none said
 * anything, the runtime did not start in any of them, and the program's file may say why.
 */
#include "running/run_without.h"

#include "running/inject.h"
#include "running/run_notes.h"
#include "support/program.h"
#include "support/say.h"
#include "support/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Programs with more rights than their user load no library that he names, and read no variable. */
static bool has_more_rights(const char *path) {
  struct stat st;
  return !stat(path, &st) && ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
                              (st.st_mode & S_ISGID && st.st_gid != getgid()));
}

bool gpm_run_without_driver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver) dlclose(driver);
  return !driver;
}

static void say_no_driver(const char *name, const struct gpm_program *program) {
  char *word = gpm_text_shell(name);
  if (program->static_cudart)
    gpm_say("no capture was written: this machine has no CUDA driver (libcuda.so.1), so %s could "
            "not use CUDA; linked with -lcudart (clang) or -cudart shared (nvcc), it would run on "
            "a simulated device by `gpumemprof dryrun %s`",
            name, word);
  else
    gpm_say("no capture was written: this machine has no CUDA driver (libcuda.so.1), so %s could "
            "not use CUDA; `gpumemprof dryrun %s` runs it on a simulated device",
            name, word);
  free(word);
}

static void say_why_not_rebuilt(const struct gpm_run_end *end, const struct gpm_program *program) {
  if (has_more_rights(end->path))
    gpm_say("no capture was written: %s runs with more rights than you have (setuid or setgid), so "
            "it takes no profiler; run a copy of it without them",
            end->name);
  else if (gpm_inject_is_taken())
    gpm_say("no capture was written: CUDA_INJECTION64_PATH names another tool (%s), which CUDA "
            "loads in place of gpumemprof; unset it",
            getenv("CUDA_INJECTION64_PATH"));
  else if (program->elf && !program->dynamic)
    gpm_say("no capture was written: %s is linked statically, so CUDA is not in it, or cannot load "
            "a profiler; link it dynamically (a static cudart is no obstacle)",
            end->name);
  else if (!end->run->simulated && gpm_run_without_driver()) say_no_driver(end->name, program);
  else
    gpm_say("no capture was written: neither %s nor anything that it started used CUDA, or it did "
            "so without the environment that the tool sets",
            end->name);
}

static void say_other_rank(const struct gpm_run_end *end) {
  char *ranks = gpm_run_options_value(&end->run->options, "ranks");
  gpm_say("no capture was written: ranks=%s leaves out each process that used CUDA",
          ranks ? ranks : "");
  free(ranks);
}

void gpm_run_without_say_replaced(const struct gpm_run_end *end) {
  char *output = gpm_text_clean(end->run->options.output);
  gpm_say("a capture was written to %s, and then removed or replaced, perhaps by another run with "
          "the same name for its capture; %%p in the name (-o app.%%p.gmprof) gives each process "
          "its own",
          output);
  free(output);
}

void gpm_run_without_say(const struct gpm_run_end *end) {
  const char *off = getenv("GPUMEMPROF");
  struct gpm_program program = gpm_program_inspect(end->path);
  if (off && !strcmp(off, "0"))
    gpm_say("nothing was recorded: GPUMEMPROF=0 in the environment switches it off");
  else if (gpm_run_notes_has(end->notes, GPUMEMPROF_RUN_NOTE_RECORDED))
    gpm_run_without_say_replaced(end);
  else if (gpm_run_notes_has(end->notes, GPUMEMPROF_RUN_NOTE_EXPLAINED))
    return; /* the runtime has said it in the program */
  else if (gpm_run_notes_has(end->notes, GPUMEMPROF_RUN_NOTE_OTHER_RANK)) say_other_rank(end);
  else if (gpm_run_notes_has(end->notes, GPUMEMPROF_RUN_NOTE_OFF) ||
           gpm_run_options_is(&end->run->options, "enabled", false))
    gpm_say("nothing was recorded: the option enabled=0 switches it off");
  else if (!*program.runtime && !program.instrumented) say_why_not_rebuilt(end, &program);
  else if (!*program.runtime)
    gpm_say(
        "no capture was written: %s was built with the plugin, but libgpumemprof was not there; "
        "link with -lgpumemprof, or set LD_PRELOAD to it",
        end->name);
  else
    gpm_say("no capture was written: %s ran no code that was built with the plugin, or it did so "
            "without the environment that the tool sets",
            end->name);
}
