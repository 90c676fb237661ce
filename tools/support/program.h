/* program.h - looks into an ELF program: how does it get at CUDA, and was it built with the plugin?
 */
#ifndef GPM_TOOLS_PROGRAM_H
#define GPM_TOOLS_PROGRAM_H

#include <stdbool.h>

struct gpm_program {
  bool elf;           /* else: a script; nothing else is known */
  bool dynamic;       /* has a dynamic section */
  bool fixed_path;    /* DT_RPATH: its folders go before LD_LIBRARY_PATH */
  bool needs_cudart;  /* links libcudart.so of the simulated version */
  char other[64];     /* another version of it, as libcudart.so.12; else "" */
  bool static_cudart; /* has the CUDA runtime linked in */
  bool needs_runtime; /* links libgpumemprof.so */
  bool instrumented;  /* has code of the plugin's, or the runtime linked in */
};

/* The file a command name stands for, as execvp would find it; null if there is none. To be freed.
 */
char *gpm_program_find(const char *name);
struct gpm_program gpm_program_look(const char *path);

#endif
