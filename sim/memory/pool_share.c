/* pool_share.c - pools by the properties that programs ask for, and pools and blocks shared with
 * other processes. An imported pool allocates nothing; it only turns the tickets of its exporter's
 * blocks into addresses.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "memory/share.h"

#define PINNED 1 /* CUmemAllocationType */
#define MANAGED 2
#define DEVICE 1 /* CUmemLocationType */
#define HOST 2
#define HOST_NUMA 3
#define BY_FILE 1 /* CUmemAllocationHandleType */

/* The space from which the memory comes; null: there is no such location. */
static struct gpm_sim_space *space_at(int type, int location, int id) {
  if (location == DEVICE && !gpm_sim_device(id)) return NULL;
  if (location != DEVICE && location != HOST && location != HOST_NUMA) return NULL;
  if (type == MANAGED) return gpm_sim_managed_space();
  if (type != PINNED) return NULL;
  return location == DEVICE ? &gpm_sim_device(id)->space : gpm_sim_pinned_space();
}

int gpm_sim_pool_make(const struct gpm_sim_pool_properties *properties,
                      struct gpm_sim_pool **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_space *space = space_at(properties->type, properties->location, properties->id);
  if (!space) return GPM_SIM_INVALID_VALUE;
  if (properties->handle_types & ~BY_FILE) return GPM_SIM_NOT_SUPPORTED;
  int device = properties->location == DEVICE ? properties->id : -1;
  struct gpm_sim_pool *pool = gpm_sim_pool_create(device, space, properties->maximum);
  if (!pool) return GPM_SIM_OUT_OF_MEMORY;
  pool->handle_types = properties->handle_types;
  *result = pool;
  return GPM_SIM_OK;
}

/* Pools that the program did not make: one for each kind of memory and location, except those that
 * belong to devices. */
static struct gpm_sim_pool *fallbacks[2][3], *currents[2][3];

int gpm_sim_pool_at(int type, int location, int id, bool current, struct gpm_sim_pool **result) {
  GPM_SIM_LOCKED;
  if (type != PINNED && type != MANAGED) return GPM_SIM_INVALID_VALUE;
  if (location != DEVICE && location != HOST && location != HOST_NUMA) return GPM_SIM_NOT_SUPPORTED;
  if (type == PINNED && location == DEVICE) {
    *result = current ? gpm_sim_pool_current(id) : gpm_sim_pool_default(id);
    return *result ? GPM_SIM_OK : GPM_SIM_INVALID_DEVICE;
  }
  struct gpm_sim_pool **fallback = &fallbacks[type - 1][location - 1];
  struct gpm_sim_pool_properties properties = {.type = type, .location = location, .id = id};
  int error = *fallback ? GPM_SIM_OK : gpm_sim_pool_make(&properties, fallback);
  if (error) return error;
  (*fallback)->is_default = true;
  struct gpm_sim_pool *set = gpm_sim_pool_get_handle(currents[type - 1][location - 1]);
  *result = current && set ? set : *fallback;
  return GPM_SIM_OK;
}

int gpm_sim_pool_set_at(int type, int location, int id, struct gpm_sim_pool *pool) {
  GPM_SIM_LOCKED;
  struct gpm_sim_space *space = space_at(type, location, id);
  if (!space || !pool || pool->space != space) return GPM_SIM_INVALID_VALUE;
  if (type == PINNED && location == DEVICE) gpm_sim_device(id)->pool = pool;
  else currents[type - 1][location - 1] = pool;
  return GPM_SIM_OK;
}

int gpm_sim_pool_export(struct gpm_sim_pool *pool, int type, int *file) {
  GPM_SIM_LOCKED;
  if (!file || !(type & pool->handle_types) || pool->imported) return GPM_SIM_INVALID_VALUE;
  return gpm_sim_share_file(gpm_sim_ticket_write(GPM_SIM_TICKET_POOL, pool->device, 0, 0), NULL,
                            pool, file);
}

int gpm_sim_pool_import(int file, int type, struct gpm_sim_pool **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_ticket ticket;
  if (!result || type != BY_FILE) return GPM_SIM_INVALID_VALUE;
  int error = gpm_sim_share_read(file, GPM_SIM_TICKET_POOL, &ticket);
  if (error) return error;
  struct gpm_sim_pool *pool = gpm_sim_pool_create(ticket.device, gpm_sim_foreign_space(), 0);
  if (!pool) return GPM_SIM_OUT_OF_MEMORY;
  pool->imported = true;
  *result = pool;
  return GPM_SIM_OK;
}

int gpm_sim_pool_export_pointer(uint64_t address, struct gpm_sim_ticket *ticket) {
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(address);
  if (!ticket || !block || block->kind != GPM_SIM_POOL_MEMORY || !block->pool->handle_types)
    return GPM_SIM_INVALID_VALUE;
  *ticket = gpm_sim_ticket_write(GPM_SIM_TICKET_POINTER, block->device, block->range.start,
                                 block->requested);
  return GPM_SIM_OK;
}

/* Within one process the import has the exporter's bytes, at another address. */
int gpm_sim_pool_import_pointer(const struct gpm_sim_pool *pool,
                                const struct gpm_sim_ticket *ticket, uint64_t *address) {
  GPM_SIM_LOCKED;
  if (!pool->imported || !gpm_sim_ticket_good(ticket, GPM_SIM_TICKET_POINTER))
    return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_store *store = NULL;
  if (gpm_sim_ticket_is_ours(ticket)) {
    struct gpm_sim_block *block = gpm_sim_block_find(ticket->number);
    if (!block || block->kind != GPM_SIM_POOL_MEMORY) return GPM_SIM_INVALID_VALUE;
    store = gpm_sim_store_borrow(block);
  } else {
    store = gpm_sim_store_foreign(ticket->device, ticket->size);
  }
  if (!store) return GPM_SIM_OUT_OF_MEMORY;
  int error = gpm_sim_store_map(store, 0, ticket->size, GPM_SIM_IMPORTED_MEMORY, address);
  gpm_sim_store_drop(store); /* the mapping keeps it */
  return error;
}
