/* ptx_origins.h - where the addresses in a register of a kernel may come from: a set, one bit each.
 *
 *   of each word of 8 bytes of the kernel's parameters:
 *     ADDRESS  what the host passed there, perhaps with an offset:  p, p + 4 * i
 *     OFFSET   a number that was computed from it:                  n * 4, - p, p ^ q
 *     PART     less than 8 bytes of it, or what was computed from that
 *   of each parameter: the address of the parameter itself
 *   and the other origins below
 *
 * An empty set is a number that has nothing to do with addresses. Sets only grow while ptx_flow.c
 * follows a kernel. */
#ifndef GPM_TOOLS_PTX_ORIGINS_H
#define GPM_TOOLS_PTX_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

enum gpm_ptx_origin {
  GPM_PTX_FROM_LOADED, /* loaded from memory that anybody may have written */
  GPM_PTX_FROM_INDEX,  /* an offset that was computed from that by scaling it, or from its half */
  GPM_PTX_FROM_SCRAMBLED, /* what was computed from it, or from the address of a variable, otherwise
                           */
  GPM_PTX_FROM_RESULT,    /* returned by a function that is not in the text */
  GPM_PTX_FROM_SHARED,    /* addresses of variables */
  GPM_PTX_FROM_LOCAL,
  GPM_PTX_FROM_CONSTANT,
  GPM_PTX_FROM_GLOBAL,
  GPM_PTX_FROM_HEAP,   /* of malloc on the device */
  GPM_PTX_FROM_DRIVER, /* memory of the driver's own, for barriers of a grid */
  GPM_PTX_ORIGINS
};

struct gpm_ptx_layout { /* of the sets of one kernel */
  uint32_t words, parameters;
  uint32_t room; /* numbers of 64 bits that a set has */
};

enum gpm_ptx_flavour { GPM_PTX_AS_ADDRESS, GPM_PTX_AS_OFFSET, GPM_PTX_AS_PART };

struct gpm_ptx_layout gpm_ptx_layout_of(uint32_t words, uint32_t parameters);

uint32_t gpm_ptx_word_bit(const struct gpm_ptx_layout *layout, enum gpm_ptx_flavour flavour,
                          uint32_t word);
uint32_t gpm_ptx_parameter_bit(const struct gpm_ptx_layout *layout, uint32_t parameter);
uint32_t gpm_ptx_origin_bit(const struct gpm_ptx_layout *layout, enum gpm_ptx_origin origin);

static inline bool gpm_ptx_set_has(const uint64_t *set, uint32_t bit) {
  return set[bit / 64] >> bit % 64 & 1;
}
static inline void gpm_ptx_set_add(uint64_t *set, uint32_t bit) {
  set[bit / 64] |= UINT64_C(1) << bit % 64;
}
/* Removes a bit. True: it was there. */
static inline bool gpm_ptx_set_take(uint64_t *set, uint32_t bit) {
  bool had = gpm_ptx_set_has(set, bit);
  set[bit / 64] &= ~(UINT64_C(1) << bit % 64);
  return had;
}
/* Adds a set. True: there was something new. */
bool gpm_ptx_set_unite(const struct gpm_ptx_layout *layout, uint64_t *set, const uint64_t *other);
bool gpm_ptx_set_is_empty(const struct gpm_ptx_layout *layout, const uint64_t *set);

enum gpm_ptx_bend {
  GPM_PTX_SCALED,   /* multiplied, subtracted from something, made shorter or longer */
  GPM_PTX_SCRAMBLED /* anything else */
};
/* Adds to `to` what is left of a set after arithmetic that makes no address of an address. */
void gpm_ptx_set_bend(const struct gpm_ptx_layout *layout, uint64_t *to, const uint64_t *set,
                      enum gpm_ptx_bend bend);

#endif
