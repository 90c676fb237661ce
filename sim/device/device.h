/* device.h - the machine: devices and their address spaces, contexts, streams and events.
 *
 * Device memory has two addresses: the one the program sees is reserved and never accessible, so
 * that a host access to it faults, as with a real device; its bytes are in a backing mapping that
 * only copies and fills reach.
 *
 * A stream is here and not with the work that it runs, because every allocation asks whether a
 * capture forbids it.
 */
#ifndef GPUMEMPROF_SIM_DEVICE_H
#define GPUMEMPROF_SIM_DEVICE_H

#include "base/object.h"
#include "base/tree.h"

#include <stdbool.h>
#include <stdint.h>

#define GPM_SIM_MAX_DEVICES 64
#define GPM_SIM_ALIGNMENT 512 /* every address and the pitch of rows are multiples of it */
#define GPM_SIM_VERSION 13000

/* space.c: a range of addresses and the bytes behind it. */
struct gpm_sim_space {
  uint64_t base, size;    /* addresses the program sees */
  int64_t backing;        /* add to an address to reach its bytes */
  uint64_t capacity;      /* bytes that may be in use */
  uint64_t used, highest; /* bytes of segments that are in use now, and the most that were */
  /* Free ranges for segments, which are multiples of the granularity. */
  struct gpm_sim_tree free;
  struct gpm_sim_tree shared[2]; /* free room in segments that small blocks share, by use */
};
enum gpm_sim_backing {
  GPM_SIM_ELSEWHERE, /* the bytes have other addresses, as for device memory */
  GPM_SIM_SAME,      /* the program reads and writes the addresses: pinned and managed memory */
  GPM_SIM_BARE       /* addresses only */
};
bool gpm_sim_space_open(struct gpm_sim_space *space, uint64_t capacity, uint64_t size,
                        enum gpm_sim_backing backing);
/* Takes a segment anywhere, or at an address (0: anywhere). 0 if there is no room. */
uint64_t gpm_sim_space_segment(struct gpm_sim_space *space, uint64_t size);
uint64_t gpm_sim_space_segment_at(struct gpm_sim_space *space, uint64_t at, uint64_t size);
bool gpm_sim_space_is_free(const struct gpm_sim_space *space, uint64_t start, uint64_t size);
/* Bytes in use without addresses; false: no room, also after a reclaim. */
bool gpm_sim_space_charge(struct gpm_sim_space *space, uint64_t size);
void gpm_sim_space_release(struct gpm_sim_space *space, uint64_t start, uint64_t size);
enum gpm_sim_use { GPM_SIM_LINEAR, GPM_SIM_TILED }; /* arrays share segments only with arrays */
uint64_t gpm_sim_space_allocate(struct gpm_sim_space *space, uint64_t size, enum gpm_sim_use use);
void gpm_sim_space_free(struct gpm_sim_space *space, uint64_t start, uint64_t size,
                        enum gpm_sim_use use);
/* Registers what gives unused memory back where a space is full; the memory/ room does, for pools.
 * reclaim calls it. */
void gpm_sim_space_on_full(void (*give_back)(struct gpm_sim_space *space));
void gpm_sim_space_reclaim(struct gpm_sim_space *space);
uint64_t gpm_sim_round_up(uint64_t value, uint64_t multiple); /* returns 0 on overflow */

/* device.c */
struct gpm_sim_pool;
struct gpm_sim_device {
  int ordinal;
  struct gpm_sim_space space;
  struct gpm_sim_context *primary;
  struct gpm_sim_pool *default_pool;
  struct gpm_sim_pool *pool; /* its current pool */
  struct gpm_sim_graph_memory {
    uint64_t reserved, idle; /* bytes; idle: no graph has them */
    uint64_t high[2];        /* used, reserved */
  } graph_memory;
};
int gpm_sim_device_count(void);
struct gpm_sim_device *gpm_sim_device(int ordinal); /* null: no such device */
struct gpm_sim_space *gpm_sim_managed_space(void);
struct gpm_sim_space *gpm_sim_pinned_space(void);
struct gpm_sim_space *gpm_sim_virtual_space(void); /* cuMemAddressReserve */
struct gpm_sim_space *gpm_sim_foreign_space(void); /* where other processes' memory is mapped */
bool gpm_sim_address_is_ours(uint64_t address);
void gpm_sim_device_uuid(int ordinal, char bytes[16]);
void gpm_sim_device_bus(int ordinal, char *text, size_t size);
int gpm_sim_device_by_bus(const char *text); /* -1: none */

/* attributes.c: value of an attribute by CUDA's number; both APIs number them alike */
int gpm_sim_attribute(int device, int attribute, int *value);

/* context.c */
struct gpm_sim_context {
  struct gpm_sim_object object;
  int device;
  bool primary;
  bool active;       /* a primary context: it exists */
  bool green;        /* its memory is that of the primary context */
  bool in_use;       /* a primary context: the runtime API retains it */
  uint64_t retained; /* a primary context: how often it was retained and not yet released */
  unsigned flags;
  int cache_config;
  uint64_t id;
  uint64_t peers;     /* devices whose memory it may access, one bit each */
  uint64_t limits[8]; /* cudaLimit, CUlimit */
  uint64_t charged;   /* bytes of its device: options context and limits */
};
/* Null: there is no such device, or it has no room for a context. */
struct gpm_sim_context *gpm_sim_context_create(int device, unsigned flags);
struct gpm_sim_context *gpm_sim_context_primary(int device); /* makes it active */
struct gpm_sim_context *gpm_sim_context_get(const void *handle);
/* Ends the context itself; gpm_sim_context_destroy also ends what it owns. */
void gpm_sim_context_close(struct gpm_sim_context *context);
/* A context that shares the memory of the primary one and retains it. */
struct gpm_sim_context *gpm_sim_context_green(int device);
int gpm_sim_context_limit(struct gpm_sim_context *context, int limit, uint64_t value);
int gpm_sim_context_push(struct gpm_sim_context *context);
void gpm_sim_context_set(struct gpm_sim_context *context); /* null: pops the current one */
struct gpm_sim_context *gpm_sim_context_current(void);     /* null: none */
/* Every call of the runtime API starts with this: it makes the primary context current if there is
 * none. Null: there is no device. */
struct gpm_sim_context *gpm_sim_context_ensure(void);
int gpm_sim_current_device(void);
/* The driver API answers only after cuInit; the runtime API does that by itself. */
void gpm_sim_initialize(void);
bool gpm_sim_initialized(void);

/* stream.c: all work runs when it is submitted, so a stream is a name that may capture */
/* What a capture collects, defined here because a forbidden call spoils it (work/graph.c). */
struct gpm_sim_node;
struct gpm_sim_graph {
  struct gpm_sim_object object;
  struct gpm_sim_node *first, *last;
  uint64_t flags;
  bool spoiled; /* a forbidden call was made during its capture */
};
struct gpm_sim_stream {
  struct gpm_sim_object object;
  unsigned flags;
  int priority;
  uint64_t id;
  struct gpm_sim_graph *capture; /* null: not capturing */
  uint64_t capture_id;           /* 0: it only joined the capture of another stream */
  int capture_mode;              /* enum cudaStreamCaptureMode */
};
/* Resolves a handle, the default ones included; null: no such stream. */
struct gpm_sim_stream *gpm_sim_stream_get(const void *handle);
int gpm_sim_stream_device(const void *handle); /* of a default one: the current device */
struct gpm_sim_stream *gpm_sim_stream_create(unsigned flags, int priority);
struct gpm_sim_event {
  struct gpm_sim_object object;
  unsigned flags;
  bool recorded;
  uint64_t time_ns;
  struct gpm_sim_graph *capture; /* recorded while its stream captured into it */
};
struct gpm_sim_event *gpm_sim_event_create(unsigned flags);
int gpm_sim_event_record(void *event, void *stream);
int gpm_sim_event_wait(void *stream, void *event);
int gpm_sim_event_elapsed(float *milliseconds, const void *start, const void *end);

/* For calls that may wait for the device, as cudaMalloc: an error while a capture forbids them,
 * which spoils that capture. */
int gpm_sim_capture_check(void);
/* The stream captures into the graph from now on, or (null) no longer, and with it those that
 * joined. The work/ room makes the graph. */
void gpm_sim_capture_set(struct gpm_sim_stream *stream, struct gpm_sim_graph *graph, int mode);
bool gpm_sim_stream_is_legacy(const struct gpm_sim_stream *stream);

#endif /* GPUMEMPROF_SIM_DEVICE_H */
