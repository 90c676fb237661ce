/* share.h - memory that is separate from the addresses at which it is mapped, and how other
 * processes get it.
 */
#ifndef GPUMEMPROF_SIM_SHARE_H
#define GPUMEMPROF_SIM_SHARE_H

#include "memory/memory.h"

/* store.c: bytes that stay as long as a handle, mapping, file or import uses them. */
struct gpm_sim_store {
  struct gpm_sim_space *space; /* null: the bytes are the host's, in a file */
  uint64_t segment;            /* address of the bytes in the space */
  uint64_t size;
  int device;     /* -1: host */
  int file;       /* the file with the host's bytes; else -1 */
  bool borrowed;  /* the memory belongs to a block of a pool, so nothing is given back */
  unsigned users; /* the store ends when the last one drops it */
};
/* Takes memory of the device, or of the host for -1. The store has one user. */
int gpm_sim_store_create(int device, uint64_t size, struct gpm_sim_store **store);
/* Memory of another process: here it has bytes of our own, which no device is charged for. */
struct gpm_sim_store *gpm_sim_store_foreign(int device, uint64_t size);
struct gpm_sim_store *gpm_sim_store_borrow(const struct gpm_sim_block *block);
void gpm_sim_store_drop(struct gpm_sim_store *store);
/* Distance from an address to the bytes mapped there; host memory is made accessible there. */
int64_t gpm_sim_store_show(const struct gpm_sim_store *store, uint64_t offset, uint64_t address,
                           uint64_t size);
void gpm_sim_store_hide(const struct gpm_sim_store *store, uint64_t address, uint64_t size);
/* Makes a block of these bytes at new addresses. The block is one more user of the store. */
int gpm_sim_store_map(struct gpm_sim_store *store, uint64_t offset, uint64_t size,
                      enum gpm_sim_kind kind, uint64_t *address);

/* share.c: tickets, which describe shared memory to another process; at most 64 bytes, as IPC
 * handles are */
enum gpm_sim_ticket_kind {
  GPM_SIM_TICKET_MEMORY = 1,
  GPM_SIM_TICKET_POOL,
  GPM_SIM_TICKET_POINTER,
  GPM_SIM_TICKET_IPC
};
struct gpm_sim_ticket {
  char magic[8];
  uint32_t kind;
  int32_t device;
  uint64_t process;
  uint64_t number; /* number of the file, or an address */
  uint64_t size;
  uint32_t type, location, usage; /* MEMORY: CUmemAllocationProp */
};
struct gpm_sim_ticket gpm_sim_ticket_write(enum gpm_sim_ticket_kind kind, int device,
                                           uint64_t number, uint64_t size);
bool gpm_sim_ticket_good(const struct gpm_sim_ticket *ticket, enum gpm_sim_ticket_kind kind);
bool gpm_sim_ticket_is_ours(const struct gpm_sim_ticket *ticket);
/* Makes a file that leads to the store (or, if that is null, to the pool). It is one more user
 * until its last copy is closed. */
int gpm_sim_share_file(struct gpm_sim_ticket ticket, struct gpm_sim_store *store, void *pool,
                       int *file);
int gpm_sim_share_read(int file, enum gpm_sim_ticket_kind kind, struct gpm_sim_ticket *ticket);
/* The store of a ticket of this process, with one more user; null: it is gone. */
struct gpm_sim_store *gpm_sim_share_store(const struct gpm_sim_ticket *ticket);
void *gpm_sim_share_pool(const struct gpm_sim_ticket *ticket);
void gpm_sim_share_collect(void); /* drops the memory of files that are closed everywhere */

/* ipc.c: handles of cudaIpcGetMemHandle, and what opening one gives in another process */
int gpm_sim_ipc_get(uint64_t address, struct gpm_sim_ticket *ticket);
int gpm_sim_ipc_open(const struct gpm_sim_ticket *ticket, uint64_t *address);
int gpm_sim_ipc_close(uint64_t address);

#endif /* GPUMEMPROF_SIM_SHARE_H */
