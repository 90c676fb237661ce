/* external.c - memory imported from a file, as from a graphics API. The only such files here are
 * those of cuMemExportToShareableHandle. An import owns the file: it closes it at its end.
 */
#include "arrays/arrays.h"
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"

#include <unistd.h>

static void release(void *object) {
  gpm_sim_store_drop(((struct gpm_sim_external *)object)->store);
}

int gpm_sim_external_import(int file, uint64_t size, struct gpm_sim_external **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_ticket ticket;
  int error = gpm_sim_share_read(file, GPM_SIM_TICKET_MEMORY, &ticket);
  if (error) return error;
  if (!size || size > ticket.size) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_store *store = gpm_sim_ticket_is_ours(&ticket)
                                    ? gpm_sim_share_store(&ticket)
                                    : gpm_sim_store_foreign(ticket.device, ticket.size);
  if (!store) return GPM_SIM_OUT_OF_MEMORY;
  struct gpm_sim_external *made =
      gpm_sim_object_create(GPM_SIM_EXTERNAL, sizeof *made, gpm_sim_context_current());
  if (!made) {
    gpm_sim_store_drop(store);
    return GPM_SIM_OUT_OF_MEMORY;
  }
  close(file); /* the import owns it and does not need it any more */
  made->store = store;
  made->object.release = release;
  *result = made;
  return GPM_SIM_OK;
}

int gpm_sim_external_map(const struct gpm_sim_external *external, uint64_t offset, uint64_t size,
                         uint64_t *address) {
  return gpm_sim_store_map(external->store, offset, size, GPM_SIM_IMPORTED_MEMORY, address);
}

/* All levels get their memory at once. */
int gpm_sim_external_array(const struct gpm_sim_external *external, struct gpm_sim_mipmap *mipmap) {
  GPM_SIM_LOCKED;
  const struct gpm_sim_tile_key whole = {0};
  int error = gpm_sim_tiles_set(&mipmap->tiles, &whole, external->store);
  for (unsigned i = 0; !error && i < mipmap->count; i++)
    gpm_sim_array_show(mipmap->levels[i], true);
  return error;
}
