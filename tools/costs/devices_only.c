/* devices_only.c - managed memory that the host neither reads nor writes (costs.h): the rule
 * `managed-device-only`.
 *
 * The plugin proves of a line that the pointer goes to kernels and to functions that would do the
 * same with memory of cudaMalloc (GPUMEMPROF_SITE_DEVICES_ONLY). The history has to agree: nothing
 * but launches and fills used the blocks, and no kernel may have stored their address. Only managed
 * memory is there for several devices, and can be more than a device has.
 */
#include "costs/costs.h"

#include "rows/use_text.h"

#include "gpumemprof/hooks.h"

#include <stdlib.h>

struct managed_line {
  uint64_t blocks, bytes;
  bool no; /* one of its blocks is another kind of memory, or is used in another way */
};

static bool is_for_kernels(const struct gpm_uses *u, const struct gpm_use_block *b) {
  uint32_t record;
  if (!b->count || b->exposed != GPUMEMPROF_NONE ||
      gpm_uses_first_maybe(u, b, b->begin, b->end, &record) != GPUMEMPROF_NONE)
    return false;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use *use = &u->use[b->first + i];
    uint16_t what = gpm_use_text_record(u->profile->reader, use->record)->what;
    bool fill = what == GPUMEMPROF_USE_FILL || what == GPUMEMPROF_USE_FILL_ROWS;
    if (use->flags & GPM_USE_MAYBE || (what != GPUMEMPROF_USE_LAUNCH && !fill)) return false;
  }
  return true;
}

static bool is_proved(const struct gpm_profile *profile, uint32_t site) {
  if (!gpm_line_changes_site_is_known(profile->reader, site)) return false;
  const struct gpumemprof_capture_site *s = gpm_reader_record(&profile->reader->sites, site);
  return s->flags & GPUMEMPROF_SITE_DEVICES_ONLY;
}

/* Whether the device has room for all that the program had at once. */
static bool has_room(const struct gpm_reader *r, uint32_t device) {
  const struct gpumemprof_capture_device *d = &r->devices[device];
  uint64_t room = d->memory_free ? d->memory_free : d->memory_total;
  return !room || d->peak <= room;
}

void gpm_costs_find_devices_only(struct gpm_costs *c, const struct gpm_uses *u, uint32_t device) {
  const struct gpm_profile *profile = u->profile;
  if (u->several_gpus || u->other_gpu || !has_room(profile->reader, device)) return;
  size_t sites = profile->reader->sites.count;
  struct managed_line *of = gpm_memory_array(sites + 1, sizeof *of);
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    uint32_t own = profile->site[b->node], site = gpm_uses_place(u, own);
    if (b->device != device || site >= sites) continue;
    of[site].no |= b->kind != GPUMEMPROF_KIND_MANAGED || b->replaced || !is_for_kernels(u, b) ||
                   !is_proved(profile, own);
    of[site].blocks++;
    of[site].bytes += b->bytes;
  }
  for (uint32_t site = 0; site < sites; site++)
    if (of[site].blocks && !of[site].no)
      gpm_costs_add(c, (struct gpm_cost){.rule = GPM_COST_MANAGED_DEVICE_ONLY,
                                         .device = device,
                                         .from = site,
                                         .to = GPUMEMPROF_NONE,
                                         .calls = of[site].blocks,
                                         .bytes = of[site].bytes});
  free(of);
}
