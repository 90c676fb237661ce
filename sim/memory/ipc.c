/* ipc.c - memory of cudaMalloc that is shared with another process by a handle of 64 bytes. In the
 * other process it has the size of the allocation and bytes of its own, and no device is charged
 * for it. A handle that is opened twice gives one address, which has to be closed twice.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "memory/share.h"

#include <stdlib.h>

struct opened {
  struct opened *next;
  uint64_t process, number;
  uint64_t address;
  unsigned times;
};
static struct opened *all;

int gpm_sim_ipc_get(uint64_t address, struct gpm_sim_ticket *ticket) {
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(address);
  if (!block || block->kind != GPM_SIM_DEVICE_MEMORY) return GPM_SIM_INVALID_VALUE;
  *ticket =
      gpm_sim_ticket_write(GPM_SIM_TICKET_IPC, block->device, block->range.start, block->requested);
  return GPM_SIM_OK;
}

int gpm_sim_ipc_open(const struct gpm_sim_ticket *ticket, uint64_t *address) {
  GPM_SIM_LOCKED;
  if (!gpm_sim_ticket_good(ticket, GPM_SIM_TICKET_IPC)) return GPM_SIM_INVALID_VALUE;
  if (gpm_sim_ticket_is_ours(ticket)) return GPM_SIM_INVALID_CONTEXT;
  if (!gpm_sim_device(ticket->device)) return GPM_SIM_INVALID_DEVICE;
  struct opened *o = all;
  while (o && (o->process != ticket->process || o->number != ticket->number)) o = o->next;
  if (!o) {
    struct gpm_sim_store *store = gpm_sim_store_foreign(ticket->device, ticket->size);
    int error = store ? gpm_sim_store_map(store, 0, ticket->size, GPM_SIM_IPC_MEMORY, address)
                      : GPM_SIM_OUT_OF_MEMORY;
    if (store) gpm_sim_store_drop(store); /* the mapping keeps it */
    if (error) return error;
    o = calloc(1, sizeof *o);
    if (!o) abort();
    *o = (struct opened){all, ticket->process, ticket->number, *address, 0};
    all = o;
  }
  o->times++;
  *address = o->address;
  return GPM_SIM_OK;
}

int gpm_sim_ipc_close(uint64_t address) {
  GPM_SIM_LOCKED;
  for (struct opened **at = &all; *at; at = &(*at)->next) {
    struct opened *o = *at;
    if (o->address != address) continue;
    if (--o->times) return GPM_SIM_OK;
    struct gpm_sim_block *block = gpm_sim_block_find(address);
    if (block) gpm_sim_block_release(block); /* the end of its context may have ended it already */
    *at = o->next;
    free(o);
    return GPM_SIM_OK;
  }
  return GPM_SIM_INVALID_VALUE;
}
