/* graph_memory.c - memory that graphs allocate, as an H200 manages it.
 *
 *   node added      an address inside the addresses of its graph (a heap per graph and device)
 *   first launch    memory for the heap, in units of 32 MiB that every graph of the device shares
 *   launch          the allocation is live: it can be asked about, copied to and freed
 *   free            the units stay with the heap, until another graph's launch or a trim takes them
 *
 * The figures used and reserved both count units. Only cudaDeviceGraphMemTrim gives back the units
 * of a heap without live allocations.
 */
#include "base/errors.h"
#include "base/extents.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/tree.h"
#include "work/work.h"

#include <stdlib.h>
#include <sys/mman.h>

struct gpm_sim_heap {
  struct gpm_sim_heap *next; /* every heap */
  int device;
  unsigned nodes;             /* allocation nodes, those of executable graphs included */
  unsigned execs;             /* how many of them are in an executable graph */
  unsigned live;              /* allocations */
  uint64_t size;              /* the size of its range of addresses */
  uint64_t mapped;            /* bytes of the units that it has */
  struct gpm_sim_tree free;   /* addresses that no node has, or whose node was followed by a free */
  struct gpm_sim_tree chunks; /* taken from the device's addresses */
};
static struct gpm_sim_heap *heaps;

static uint64_t unit(void) {
  return gpm_sim_round_up(GPM_SIM_POOL_GROWTH, gpm_sim_options()->granularity);
}

static struct gpm_sim_device *device_of(const struct gpm_sim_heap *heap) {
  return gpm_sim_device(heap->device);
}

/* Takes the units of the heap; any heap of the device can then have them. */
static void unmap(struct gpm_sim_heap *heap) {
  struct gpm_sim_range *chunk;
  int64_t backing = device_of(heap)->space.backing;
  for (uint64_t at = 0; (chunk = gpm_sim_tree_next(&heap->chunks, at)); at = chunk->start + 1)
    madvise((void *)(uintptr_t)(chunk->start + (uint64_t)backing), chunk->size, MADV_DONTNEED);
  device_of(heap)->graph_memory.idle += heap->mapped;
  heap->mapped = 0;
}

static void end_if_unused(struct gpm_sim_heap *heap) {
  if (heap->nodes || heap->live) return;
  unmap(heap);
  struct gpm_sim_range *chunk;
  while ((chunk = gpm_sim_tree_next(&heap->chunks, 0))) {
    gpm_sim_extents_give(&device_of(heap)->space.free, chunk->start, chunk->size);
    gpm_sim_tree_remove(&heap->chunks, chunk);
    free(chunk);
  }
  while ((chunk = heap->free.root)) gpm_sim_extents_carve(&heap->free, chunk->start, chunk->size);
  struct gpm_sim_heap **at = &heaps;
  while (*at != heap) at = &(*at)->next;
  *at = heap->next;
  free(heap);
}

void gpm_sim_heap_join(struct gpm_sim_heap *heap, bool exec) {
  GPM_SIM_LOCKED;
  heap->nodes++;
  heap->execs += exec;
}

void gpm_sim_heap_leave(struct gpm_sim_heap *heap, bool exec) {
  GPM_SIM_LOCKED;
  heap->nodes--;
  heap->execs -= exec;
  end_if_unused(heap);
}

bool gpm_sim_heap_has_exec(const struct gpm_sim_heap *heap) {
  return heap->execs != 0;
}

/* Adds a chunk of addresses for an allocation that does not fit into the others. */
static bool grow(struct gpm_sim_heap *heap, uint64_t size) {
  struct gpm_sim_range *chunk = calloc(1, sizeof *chunk);
  if (!chunk) return false;
  chunk->size = gpm_sim_round_up(size, unit());
  chunk->start = gpm_sim_extents_take(&device_of(heap)->space.free, chunk->size);
  if (!chunk->start) {
    free(chunk);
    return false;
  }
  gpm_sim_tree_insert(&heap->chunks, chunk);
  gpm_sim_extents_give(&heap->free, chunk->start, chunk->size);
  heap->size += chunk->size;
  return true;
}

/* The graph's heap on the device; made where it has none. */
static struct gpm_sim_heap *heap_of(const struct gpm_sim_graph *graph, int device) {
  for (struct gpm_sim_node *n = graph->first; n; n = n->next)
    if (n->heap && n->heap->device == device) return n->heap;
  struct gpm_sim_heap *heap = calloc(1, sizeof *heap);
  if (!heap) return NULL;
  heap->device = device;
  heap->next = heaps;
  heaps = heap;
  return heap;
}

int gpm_sim_heap_allocate(struct gpm_sim_graph *graph, int device, uint64_t size,
                          struct gpm_sim_node **result) {
  GPM_SIM_LOCKED;
  if (!size || !gpm_sim_device(device)) return GPM_SIM_INVALID_VALUE;
  if (gpm_sim_allocation_fails()) return GPM_SIM_OUT_OF_MEMORY;
  struct gpm_sim_heap *heap = heap_of(graph, device);
  uint64_t rounded = gpm_sim_round_up(size, GPM_SIM_ALIGNMENT);
  if (!heap) return GPM_SIM_OUT_OF_MEMORY;
  bool possible = rounded && rounded <= gpm_sim_device(device)->space.capacity;
  uint64_t start = possible ? gpm_sim_extents_take(&heap->free, rounded) : 0;
  if (!start && possible && grow(heap, rounded)) start = gpm_sim_extents_take(&heap->free, rounded);
  struct gpm_sim_node *node = start ? gpm_sim_graph_add(graph, GPM_SIM_OP_ALLOCATE) : NULL;
  if (!node) {
    if (start) gpm_sim_extents_give(&heap->free, start, rounded);
    end_if_unused(heap);
    return start ? GPM_SIM_OUT_OF_MEMORY : gpm_sim_refuse(&gpm_sim_device(device)->space, size);
  }
  node->heap = heap;
  node->box.to = start;
  node->box.width = size;
  gpm_sim_heap_join(heap, false);
  *result = node;
  return GPM_SIM_OK;
}

bool gpm_sim_heap_has(uint64_t address) {
  GPM_SIM_LOCKED;
  for (struct gpm_sim_heap *h = heaps; h; h = h->next)
    if (gpm_sim_tree_find(&h->chunks, address)) return true;
  return false;
}

bool gpm_sim_device_reaches(uint64_t address) {
  return gpm_sim_block_find(address) || gpm_sim_heap_has(address);
}

/* A free node lets later nodes of the same graph have the addresses. */
int gpm_sim_heap_free_node(struct gpm_sim_graph *graph, uint64_t address, bool dependent) {
  GPM_SIM_LOCKED;
  struct gpm_sim_node *allocated = NULL;
  for (struct gpm_sim_node *n = graph->first; n; n = n->next) {
    if (n->box.to != address) continue;
    if (n->operation == GPM_SIM_OP_ALLOCATE) allocated = n;
    else if (n->operation == GPM_SIM_OP_FREE) allocated = NULL;
  }
  if (allocated && !dependent) return GPM_SIM_INVALID_VALUE; /* it could run first */
  if (allocated) {
    uint64_t rounded = gpm_sim_round_up(allocated->box.width, GPM_SIM_ALIGNMENT);
    gpm_sim_extents_give(&allocated->heap->free, address, rounded);
    return GPM_SIM_OK;
  }
  /* Otherwise it must be an allocation of another graph that this one does not free yet. */
  for (struct gpm_sim_node *n = graph->first; n; n = n->next)
    if (n->box.to == address && n->operation == GPM_SIM_OP_FREE) return GPM_SIM_INVALID_VALUE;
  return gpm_sim_heap_has(address) ? GPM_SIM_OK : GPM_SIM_INVALID_VALUE;
}

/* Gets units for all addresses of the heap: idle ones, then those of heaps without live
 * allocations, then new ones. */
int gpm_sim_heap_map(struct gpm_sim_heap *heap) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *device = device_of(heap);
  struct gpm_sim_graph_memory *memory = &device->graph_memory;
  if (heap->mapped >= heap->size) return GPM_SIM_OK;
  uint64_t lacking = heap->size - heap->mapped;
  for (struct gpm_sim_heap *h = heaps; h && memory->idle < lacking; h = h->next)
    if (h != heap && !h->live && h->mapped && h->device == heap->device) unmap(h);
  uint64_t more = lacking > memory->idle ? lacking - memory->idle : 0;
  if (!gpm_sim_space_charge(&device->space, more))
    return gpm_sim_refuse(&device->space, heap->size);
  memory->idle = memory->idle + more - lacking;
  memory->reserved += more;
  if (memory->reserved > memory->high[0]) memory->high[0] = memory->reserved;
  if (memory->reserved > memory->high[1]) memory->high[1] = memory->reserved;
  heap->mapped = heap->size;
  return GPM_SIM_OK;
}

static void end_allocation(struct gpm_sim_block *block) {
  GPM_SIM_LOCKED;
  block->heap->live--;
  end_if_unused(block->heap);
}

int gpm_sim_heap_start(const struct gpm_sim_node *node) {
  GPM_SIM_LOCKED;
  struct gpm_sim_heap *heap = node->heap;
  uint64_t rounded = gpm_sim_round_up(node->box.width, GPM_SIM_ALIGNMENT);
  if (gpm_sim_block_find(node->box.to)) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_block *block = gpm_sim_block_add(node->box.to, rounded, GPM_SIM_GRAPH_MEMORY);
  if (!block) return GPM_SIM_OUT_OF_MEMORY;
  block->requested = node->box.width;
  block->device = heap->device;
  block->backing = device_of(heap)->space.backing;
  block->heap = heap;
  block->give_back = end_allocation;
  heap->live++;
  return GPM_SIM_OK;
}

int gpm_sim_heap_device(const struct gpm_sim_heap *heap) {
  return heap->device;
}

int gpm_sim_graph_memory_trim(int ordinal) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *device = gpm_sim_device(ordinal);
  if (!device) return GPM_SIM_INVALID_DEVICE;
  for (struct gpm_sim_heap *h = heaps; h; h = h->next)
    if (h->device == ordinal && !h->live) unmap(h);
  device->space.used -= device->graph_memory.idle;
  device->graph_memory.reserved -= device->graph_memory.idle;
  device->graph_memory.idle = 0;
  return GPM_SIM_OK;
}

/* cudaGraphMemAttributeType: used, its high mark, reserved, its high mark. */
int gpm_sim_graph_memory_get(int ordinal, int attribute, uint64_t *value) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *device = gpm_sim_device(ordinal);
  if (!device) return GPM_SIM_INVALID_DEVICE;
  if (!value || attribute < 0 || attribute > 3) return GPM_SIM_INVALID_VALUE;
  *value = attribute % 2 ? device->graph_memory.high[attribute / 2] : device->graph_memory.reserved;
  return GPM_SIM_OK;
}

int gpm_sim_graph_memory_set(int ordinal, int attribute, const uint64_t *value) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *device = gpm_sim_device(ordinal);
  if (!device) return GPM_SIM_INVALID_DEVICE;
  if (!value || *value || (attribute != 1 && attribute != 3)) return GPM_SIM_INVALID_VALUE;
  device->graph_memory.high[attribute / 2] = device->graph_memory.reserved;
  return GPM_SIM_OK;
}
