/* program.h - examines an ELF program: how does it reach CUDA, and was it built with the plugin? */
#ifndef GPM_TOOLS_PROGRAM_H
#define GPM_TOOLS_PROGRAM_H

#include <stdbool.h>

struct gpm_program {
  bool elf;           /* false: a script; then the other fields are not known */
  bool dynamic;       /* has a dynamic section */
  bool musl;          /* its loader is that of musl */
  bool fixed_path;    /* has DT_RPATH, whose folders are searched before LD_LIBRARY_PATH */
  bool needs_cudart;  /* links libcudart.so of a simulated version: 12 or 13 */
  char other[64];     /* another version of it, as libcudart.so.11.0; else "" */
  bool static_cudart; /* has the CUDA runtime linked in */
  char runtime[64];   /* the name by which it links libgpumemprof.so; else "" */
  bool instrumented;  /* has code that the plugin inserted, or the runtime linked in */
};

/* The file that execvp would run for a command name, to be freed; null if there is none. */
char *gpm_program_find(const char *name);
struct gpm_program gpm_program_inspect(const char *path);

#endif
