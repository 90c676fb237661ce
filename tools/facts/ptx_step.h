/* ptx_step.h - one instruction of a flow (ptx_flow.h): what it adds to the sets of origins.
 * ptx_flow.c applies steps until no set grows; ptx_step.c has arithmetic and calls, ptx_memory.c
 * loads and stores. */
#ifndef GPM_TOOLS_PTX_STEP_H
#define GPM_TOOLS_PTX_STEP_H

#include "facts/ptx_flow.h"

struct gpm_ptx_step {
  struct gpm_ptx_flow *flow;
  const struct gpm_ptx_part *part;
  const struct gpm_ptx_code *code;
  const struct gpm_ptx_operand *operand;
  uint32_t operands;
};

void gpm_ptx_step_apply(const struct gpm_ptx_step *step);

/* ---- sets of the flow, whose `changed` they set ---- */
uint64_t *gpm_ptx_flow_set(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part,
                           uint32_t name);
void gpm_ptx_flow_unite(struct gpm_ptx_flow *flow, uint64_t *to, const uint64_t *set);
void gpm_ptx_flow_add(struct gpm_ptx_flow *flow, uint64_t *to, enum gpm_ptx_origin origin);
bool gpm_ptx_flow_has(const struct gpm_ptx_flow *flow, const uint64_t *set,
                      enum gpm_ptx_origin origin);
/* Removes it from the set. True: it was there. */
bool gpm_ptx_flow_take(const struct gpm_ptx_flow *flow, uint64_t *set, enum gpm_ptx_origin origin);
/* An empty set, until it is asked for again. `which`: 0 or 1. */
uint64_t *gpm_ptx_flow_scratch(struct gpm_ptx_flow *flow, unsigned which);
/* The number of the kernel's parameter that an operand names; GPM_PTX_NO_NAME: none. */
uint32_t gpm_ptx_flow_own(const struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part,
                          const struct gpm_ptx_operand *operand);
bool gpm_ptx_flow_has_parameter(const struct gpm_ptx_flow *flow, const uint64_t *set);
struct gpm_ptx_offset gpm_ptx_flow_offset(const struct gpm_ptx_flow *flow,
                                          const struct gpm_ptx_part *part,
                                          const struct gpm_ptx_operand *operand);
void gpm_ptx_flow_join_offset(struct gpm_ptx_flow *flow, struct gpm_ptx_offset *to,
                              struct gpm_ptx_offset offset);

/* ---- operands of a step ---- */
bool gpm_ptx_step_is_result(const struct gpm_ptx_operand *operand);
bool gpm_ptx_step_is_source(const struct gpm_ptx_operand *operand);
/* The first operand in brackets; null: there is none. */
const struct gpm_ptx_operand *gpm_ptx_step_address(const struct gpm_ptx_step *step);
/* Whether the step takes only low bits of an address: p & 15. */
bool gpm_ptx_step_takes_low_bits(const struct gpm_ptx_step *step);
/* What all sources hold together, in the first scratch set. */
uint64_t *gpm_ptx_step_sources(const struct gpm_ptx_step *step);
void gpm_ptx_step_unite(const struct gpm_ptx_step *step, const uint64_t *set);
void gpm_ptx_step_add(const struct gpm_ptx_step *step, enum gpm_ptx_origin origin);

/* ---- ptx_memory.c ---- */
void gpm_ptx_step_load(const struct gpm_ptx_step *step);
/* Stores a value at the address: into the set of local or shared memory, or it escapes. */
void gpm_ptx_step_store(const struct gpm_ptx_step *step, const uint64_t *value);
void gpm_ptx_step_atomic(const struct gpm_ptx_step *step);
/* Adds the words of a parameter that a load of `width` bytes reads. */
void gpm_ptx_step_add_words(const struct gpm_ptx_flow *flow, uint32_t parameter,
                            struct gpm_ptx_offset offset, uint32_t width, uint64_t *to);

#endif
