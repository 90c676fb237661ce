/* judged.c - which blocks changes can be judged for: those that devices use only in ways that are
 * recorded, and whose lines are known. see line_changes.h. */
#include "advice/line_changes.h"

bool gpm_line_changes_site_is_known(const struct gpm_reader *r, uint32_t site) {
  if (site == GPUMEMPROF_NONE) return false;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, site);
  bool is_call = s->kind == GPUMEMPROF_SITE_CALL || s->kind == GPUMEMPROF_SITE_USE;
  return is_call && s->line && s->file;
}

const char *gpm_line_changes_not_judged(const struct gpm_uses *u, const struct gpm_use_block *b) {
  switch (b->kind) {
  case GPUMEMPROF_KIND_DEVICE:
  case GPUMEMPROF_KIND_POOL:
    break;
  case GPUMEMPROF_KIND_MANAGED:
    return "the host can use managed memory, which is not recorded";
  case GPUMEMPROF_KIND_ARRAY:
    return "kernels use arrays through textures and surfaces, which is not recorded";
  case GPUMEMPROF_KIND_VMM:
    return "what uses physical memory (cuMemCreate) at the addresses where it is mapped is not "
           "recorded";
  case GPUMEMPROF_KIND_GRAPH:
    return "memory of graphs lives as their nodes say";
  default:
    return "it is not the program's to allocate or free";
  }
  if (b->replaced) return "its free was not recorded";
  if (!gpm_line_changes_site_is_known(u->profile->reader, u->profile->site[b->node]))
    return "code that was not rebuilt allocates it, and may use it";
  if (b->free_node == GPUMEMPROF_NONE && !u->ended)
    return "the recording stops before it was freed, because the program was killed, called _exit "
           "or "
           "still runs; let it run to its end";
  return NULL;
}
