/* ranks.c - which process of a parallel job this is, and whether it is to be profiled: the option
 * ranks=0,3,8-11, and %r in names.
 *
 * options.c asks once, at start. The launcher of a job passes each process its rank in a variable,
 * which has one of a few names; ranks within one node are not used. No MPI function is called,
 * because the runtime starts before MPI_Init.
 */
#include "options/options.h"

#include <string.h>

#define LARGEST 999999999u

/* Reads the digits at *text and moves *text past them. */
static bool take_rank(const char **text, uint64_t *rank) {
  const char *p = *text;
  for (*rank = 0; *p >= '0' && *p <= '9' && *rank <= LARGEST; p++)
    *rank = *rank * 10 + (uint64_t)(*p - '0');
  bool any = p != *text;
  *text = p;
  return any && *rank <= LARGEST;
}

/* The variables of one launcher: the rank, and the number of ranks. */
static const struct {
  const char *rank, *ranks;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", NULL},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}, /* SLURM_NTASKS also outside of srun */
    {"RANK", "WORLD_SIZE"},
};

/* Reads a variable that holds a number and nothing else, because RANK may be a variable of another
 * program. */
static bool read_number(const char *name, uint64_t *number) {
  const char *text = name ? gpm_options_variable(name) : NULL;
  if (text && take_rank(&text, number) && !*text) return true;
  *number = 0;
  return false;
}

bool gpm_ranks_own(uint64_t *rank, uint64_t *ranks) {
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    uint64_t count;
    if (!read_number(launchers[i].rank, rank)) continue;
    if (!read_number(launchers[i].ranks, &count) || count <= *rank) count = 0;
    if (ranks) *ranks = count;
    return true;
  }
  *rank = 0;
  if (ranks) *ranks = 0;
  return false;
}

bool gpm_ranks_parse(const char *list, uint64_t rank, bool *listed) {
  *listed = !strcmp(list, "all");
  if (*listed) return true;
  for (const char *p = list;; p++) {
    uint64_t first, last;
    if (!take_rank(&p, &first)) return false;
    last = first;
    if (*p == '-' && (p++, !take_rank(&p, &last) || last < first)) return false;
    *listed |= rank >= first && rank <= last;
    if (!*p) return true;
    if (*p != ',') return false;
  }
}
