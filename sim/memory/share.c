/* share.c - memory shared with other processes: tickets, and files that carry one.
 *
 *   exporter ── our end ══ socket ══ the program's end ──► sent on, inherited, closed
 *                           holds a ticket, which importers read and do not remove
 *
 * Our end shows when the last copy of the program's end is closed. As with a real driver, a file
 * keeps its memory until then. Other processes know the size of the memory but do not share bytes.
 */
#include "memory/share.h"
#include "base/errors.h"
#include "base/lock.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC "gpm-sim"
#define UNKNOWN 999 /* CUDA_ERROR_UNKNOWN: a driver's answer to a file that is not its own */

_Static_assert(sizeof(struct gpm_sim_ticket) <= 64, "fits an IPC handle");

struct lent {
  struct lent *next;
  uint64_t number;
  int end; /* our end of the socket */
  struct gpm_sim_store *store;
  void *pool;
};
static struct lent *all;

struct gpm_sim_ticket gpm_sim_ticket_write(enum gpm_sim_ticket_kind kind, int device,
                                           uint64_t number, uint64_t size) {
  struct gpm_sim_ticket ticket = {.magic = MAGIC,
                                  .kind = kind,
                                  .device = device,
                                  .process = (uint64_t)getpid(),
                                  .number = number,
                                  .size = size};
  return ticket;
}

bool gpm_sim_ticket_good(const struct gpm_sim_ticket *ticket, enum gpm_sim_ticket_kind kind) {
  return !memcmp(ticket->magic, MAGIC, sizeof ticket->magic) && ticket->kind == kind;
}

bool gpm_sim_ticket_is_ours(const struct gpm_sim_ticket *ticket) {
  return ticket->process == (uint64_t)getpid();
}

int gpm_sim_share_file(struct gpm_sim_ticket ticket, struct gpm_sim_store *store, void *pool,
                       int *file) {
  static uint64_t numbers;
  GPM_SIM_LOCKED;
  gpm_sim_share_collect();
  int ends[2];
  struct lent *lent = calloc(1, sizeof *lent);
  if (!lent || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
    free(lent);
    return GPM_SIM_OUT_OF_MEMORY;
  }
  ticket.number = lent->number = ++numbers;
  if (send(ends[0], &ticket, sizeof ticket, MSG_NOSIGNAL) != (ssize_t)sizeof ticket) {
    close(ends[0]);
    close(ends[1]);
    free(lent);
    return GPM_SIM_OUT_OF_MEMORY;
  }
  lent->end = ends[0];
  lent->store = store;
  lent->pool = pool;
  if (store) store->users++;
  lent->next = all;
  all = lent;
  *file = ends[1];
  return GPM_SIM_OK;
}

int gpm_sim_share_read(int file, enum gpm_sim_ticket_kind kind, struct gpm_sim_ticket *ticket) {
  ssize_t got = recv(file, ticket, sizeof *ticket, MSG_PEEK | MSG_DONTWAIT);
  if (got != (ssize_t)sizeof *ticket) return UNKNOWN;
  return gpm_sim_ticket_good(ticket, kind) ? GPM_SIM_OK : UNKNOWN;
}

static struct lent *find(const struct gpm_sim_ticket *ticket) {
  for (struct lent *l = all; l; l = l->next)
    if (l->number == ticket->number) return l;
  return NULL;
}

struct gpm_sim_store *gpm_sim_share_store(const struct gpm_sim_ticket *ticket) {
  GPM_SIM_LOCKED;
  struct lent *lent = find(ticket);
  if (lent && lent->store) lent->store->users++;
  return lent ? lent->store : NULL;
}

void *gpm_sim_share_pool(const struct gpm_sim_ticket *ticket) {
  GPM_SIM_LOCKED;
  struct lent *lent = find(ticket);
  return lent ? lent->pool : NULL;
}

void gpm_sim_share_collect(void) {
  GPM_SIM_LOCKED;
  for (struct lent **at = &all; *at;) {
    struct lent *lent = *at;
    struct pollfd end = {.fd = lent->end, .events = 0};
    if (poll(&end, 1, 0) < 1 || !(end.revents & (POLLHUP | POLLERR))) {
      at = &lent->next;
      continue;
    }
    *at = lent->next;
    close(lent->end);
    if (lent->store) gpm_sim_store_drop(lent->store);
    free(lent);
  }
}
