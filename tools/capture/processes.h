/* processes.h - the captures that `gpumemprof merge` was given: which files, in which order, and
 * what each process is called. Only headers are read here.
 *
 * A folder stands for the captures in it. A copy that was made of a capture while its program ran
 * (dump=) is left out where that capture is among them; a file that was named twice, and a process
 * whose capture is there under two names, count once.
 * Processes of a parallel job are in the order of their ranks, others in the order given.
 */
#ifndef GPM_TOOLS_PROCESSES_H
#define GPM_TOOLS_PROCESSES_H

#include "capture/reader.h"

struct gpm_process {
  char *path;
  char *name; /* "rank 3"; the name of its file, "run-2", if it has no rank or two have the same */
  bool has_header;
  bool ranked;
  uint32_t rank, ranks; /* of the header */
  uint32_t self;        /* for processes.c: equal for captures of the same process */
  bool copy;
  bool unread; /* it could not be read */
  bool named_by_rank;
  /* job.c fills the rest; it reads the whole capture. */
  enum gpm_state state;
  char *host, *program, *fault; /* fault: the figures of it that do not add up, or null */
  uint64_t pid;
  uint64_t peak;  /* the highest peak of its GPUs */
  uint64_t peaks; /* the sum of its GPUs' peaks, which come at different times */
  int gpu;        /* the GPU with the highest peak; -1: it used none */
  uint32_t gpus;
};
struct gpm_processes {
  struct gpm_process *process;
  uint32_t count, room;
  uint32_t read; /* after gpm_processes_part: these come first */
  uint32_t copies, twice,
      repeated; /* left out: copies made while it ran, files named twice, processes seen again */
  bool by_rank; /* those that were read have a rank, each another */
};

/* Adds a file or a folder. Null, or what is wrong, to be freed: an empty folder. What is wrong with
 * a file, also that there is none, is reported when it is opened. */
char *gpm_processes_add(struct gpm_processes *all, const char *path);
/* Adds what the same `gpumemprof run` wrote into the folder of a capture. */
char *gpm_processes_add_run(struct gpm_processes *all, const char *path);
/* To be called after the last one was added: leaves out copies, sorts, and names. */
void gpm_processes_order(struct gpm_processes *all);
/* To be called after they were read: moves those that could not be read to the end. */
void gpm_processes_part(struct gpm_processes *all);
void gpm_processes_free(struct gpm_processes *all);

/* How many processes the job has by its launcher, 0 if that is not known; only by_rank. */
uint32_t gpm_processes_job(const struct gpm_processes *all);
/* Ranks of the job of which there is no capture, one range after the other; `at` begins at 0.
 * False: that was the last. Only by_rank. */
bool gpm_processes_gap(const struct gpm_processes *all, uint32_t *at, uint32_t *first,
                       uint32_t *last);

#endif
