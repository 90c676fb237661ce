/* ptx_memory.c - what loads and stores add to the sets of a flow (ptx_step.h). */
#include "facts/ptx_step.h"

/* Adds the words of a parameter that a load of `width` bytes reads. */
void gpm_ptx_step_add_words(const struct gpm_ptx_flow *flow, uint32_t parameter,
                            struct gpm_ptx_offset offset, uint32_t width, uint64_t *to) {
  uint32_t first = flow->first_word[parameter], end = flow->first_word[parameter + 1];
  enum gpm_ptx_flavour flavour = width < 8 ? GPM_PTX_AS_PART : GPM_PTX_AS_ADDRESS;
  if (offset.state == GPM_PTX_OFFSET_KNOWN) {
    if (offset.bytes < 0 || offset.bytes / 8 >= end - first) return;
    uint64_t last = ((uint64_t)offset.bytes + (width ? width : 1) - 1) / 8;
    first += (uint32_t)(offset.bytes / 8);
    if (last < end - flow->first_word[parameter])
      end = flow->first_word[parameter] + (uint32_t)last + 1;
  }
  for (uint32_t word = first; word < end; word++)
    gpm_ptx_set_add(to, gpm_ptx_word_bit(&flow->layout, flavour, word));
}

/* ---- memory ------------------------------------------------------------------------------------
 */

/* A number with a sign is no part of an address, even if it fills a register of 8 bytes. */
static enum gpm_ptx_origin loaded_as(const struct gpm_ptx_op *op) {
  bool is_index = op->width && (op->width < 4 || (op->width == 4 && op->is_signed));
  return is_index ? GPM_PTX_FROM_INDEX : GPM_PTX_FROM_LOADED;
}

/* What is in memory that an address in a register points to. `number` is that of the element. */
static void add_pointed(const struct gpm_ptx_step *s, const struct gpm_ptx_operand *address,
                        uint32_t number, uint64_t *to) {
  struct gpm_ptx_flow *flow = s->flow;
  uint32_t width = s->code->op.width;
  uint64_t *set = gpm_ptx_flow_scratch(flow, 1);
  gpm_ptx_flow_value(flow, s->part, address, set);
  bool found = false;
  for (uint32_t p = 0; p < flow->layout.parameters; p++) {
    if (!gpm_ptx_set_take(set, gpm_ptx_parameter_bit(&flow->layout, p))) continue;
    struct gpm_ptx_offset offset = gpm_ptx_flow_offset(flow, s->part, address);
    offset.bytes += (int64_t)number * width;
    gpm_ptx_step_add_words(flow, p, offset, width, to);
    found = true;
  }
  if (gpm_ptx_flow_take(flow, set, GPM_PTX_FROM_LOCAL)) {
    gpm_ptx_set_unite(&flow->layout, to, flow->local);
    found = true;
  }
  if (gpm_ptx_flow_take(flow, set, GPM_PTX_FROM_SHARED)) {
    gpm_ptx_set_unite(&flow->layout, to, flow->shared);
    found = true;
  }
  if (!found || !gpm_ptx_set_is_empty(&flow->layout, set))
    gpm_ptx_set_add(to, gpm_ptx_origin_bit(&flow->layout, loaded_as(&s->code->op)));
}

/* What a load puts into its element of that number. */
static void add_loaded(const struct gpm_ptx_step *s, const struct gpm_ptx_operand *address,
                       uint32_t number, uint64_t *to) {
  struct gpm_ptx_flow *flow = s->flow;
  uint32_t own = gpm_ptx_flow_own(flow, s->part, address), width = s->code->op.width;
  if (own != GPM_PTX_NO_NAME) {
    struct gpm_ptx_offset offset = {.state = GPM_PTX_OFFSET_KNOWN,
                                    .bytes = address->number + (int64_t)number * width};
    gpm_ptx_step_add_words(flow, own, offset, width, to);
  } else if (gpm_ptx_flow_is_parameter(s->part, address))
    gpm_ptx_set_unite(&flow->layout, to, gpm_ptx_flow_set(flow, s->part, address->name));
  else switch (s->code->op.space[0]) {
    case GPM_PTX_IN_LOCAL:
      gpm_ptx_set_unite(&flow->layout, to, flow->local);
      return;
    case GPM_PTX_IN_SHARED:
      gpm_ptx_set_unite(&flow->layout, to, flow->shared);
      return;
    case GPM_PTX_IN_CONSTANT:
      gpm_ptx_set_add(to, gpm_ptx_origin_bit(&flow->layout, loaded_as(&s->code->op)));
      return;
    default:
      add_pointed(s, address, number, to);
    }
}

void gpm_ptx_step_load(const struct gpm_ptx_step *s) {
  const struct gpm_ptx_operand *address = gpm_ptx_step_address(s);
  uint32_t number = 0;
  for (uint32_t i = 0; address && i < s->operands; i++) {
    const struct gpm_ptx_operand *o = &s->operand[i];
    if (o->place || o->in_brackets) continue;
    if (gpm_ptx_step_is_result(o)) {
      uint64_t *value = gpm_ptx_flow_scratch(s->flow, 0);
      add_loaded(s, address, number, value);
      gpm_ptx_flow_unite(s->flow, gpm_ptx_flow_set(s->flow, s->part, o->name), value);
      if (gpm_ptx_flow_has_parameter(s->flow,
                                     value)) /* the address of a parameter was stored there */
        gpm_ptx_flow_join_offset(s->flow, &s->flow->offset[s->part->first + o->name],
                                 (struct gpm_ptx_offset){.state = GPM_PTX_OFFSET_VARIES});
    }
    number++;
  }
}

/* Stores a value at an address: into the set of local or shared memory, or it escapes. */
void gpm_ptx_step_store(const struct gpm_ptx_step *s, const uint64_t *value) {
  struct gpm_ptx_flow *flow = s->flow;
  const struct gpm_ptx_operand *address = gpm_ptx_step_address(s);
  if (!address) return;
  if (gpm_ptx_flow_is_parameter(s->part, address)) {
    gpm_ptx_flow_unite(flow, gpm_ptx_flow_set(flow, s->part, address->name), value);
    return;
  }
  uint8_t space = s->code->op.space[0];
  uint64_t *at = gpm_ptx_flow_scratch(flow, 1);
  gpm_ptx_flow_value(flow, s->part, address, at);
  bool any = space == GPM_PTX_IN_ANY;
  bool local = gpm_ptx_flow_take(flow, at, GPM_PTX_FROM_LOCAL) && any;
  bool shared = gpm_ptx_flow_take(flow, at, GPM_PTX_FROM_SHARED) && any;
  if (local || space == GPM_PTX_IN_LOCAL || space == GPM_PTX_IN_PARAMETERS)
    gpm_ptx_flow_unite(flow, flow->local, value);
  if (shared || space == GPM_PTX_IN_SHARED) gpm_ptx_flow_unite(flow, flow->shared, value);
  if (!any && space != GPM_PTX_IN_GLOBAL) return;
  if (!(local || shared) || !gpm_ptx_set_is_empty(&flow->layout, at))
    gpm_ptx_flow_unite(flow, flow->escaped, value);
}

void gpm_ptx_step_atomic(const struct gpm_ptx_step *s) {
  gpm_ptx_step_load(s);
  gpm_ptx_step_store(s, gpm_ptx_step_sources(s));
}
