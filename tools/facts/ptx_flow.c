/* ptx_flow.c - see ptx_flow.h. */
#include "facts/ptx_flow.h"

#include "facts/ptx_step.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* Compilers write a value before they use it, but for loops, so that a few rounds are enough. */
enum { MOST_ROUNDS = 100 };
#define MOST_BYTES (UINT64_C(1) << 30) /* of all sets of a kernel */

uint64_t *gpm_ptx_flow_set(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part,
                           uint32_t name) {
  return flow->sets + (part->first + name) * flow->layout.room;
}

void gpm_ptx_flow_unite(struct gpm_ptx_flow *flow, uint64_t *to, const uint64_t *set) {
  flow->changed |= gpm_ptx_set_unite(&flow->layout, to, set);
}

void gpm_ptx_flow_add(struct gpm_ptx_flow *flow, uint64_t *to, enum gpm_ptx_origin origin) {
  uint32_t bit = gpm_ptx_origin_bit(&flow->layout, origin);
  flow->changed |= !gpm_ptx_set_has(to, bit);
  gpm_ptx_set_add(to, bit);
}

bool gpm_ptx_flow_has(const struct gpm_ptx_flow *flow, const uint64_t *set,
                      enum gpm_ptx_origin origin) {
  return gpm_ptx_set_has(set, gpm_ptx_origin_bit(&flow->layout, origin));
}

bool gpm_ptx_flow_take(const struct gpm_ptx_flow *flow, uint64_t *set, enum gpm_ptx_origin origin) {
  return gpm_ptx_set_take(set, gpm_ptx_origin_bit(&flow->layout, origin));
}

uint64_t *gpm_ptx_flow_scratch(struct gpm_ptx_flow *flow, unsigned which) {
  return memset(flow->scratch[which], 0, flow->layout.room * sizeof(uint64_t));
}

/* ---- operands ----------------------------------------------------------------------------------
 */

bool gpm_ptx_flow_is_parameter(const struct gpm_ptx_part *part,
                               const struct gpm_ptx_operand *operand) {
  return operand->name != GPM_PTX_NO_NAME &&
         part->function->names[operand->name].space == GPM_PTX_PARAMETER;
}

/* The number of the kernel's parameter that an operand names; GPM_PTX_NO_NAME: none. */
uint32_t gpm_ptx_flow_own(const struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part,
                          const struct gpm_ptx_operand *operand) {
  if (part->function != flow->kernel || !gpm_ptx_flow_is_parameter(part, operand))
    return GPM_PTX_NO_NAME;
  return part->function->names[operand->name].parameter;
}

void gpm_ptx_flow_value(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part,
                        const struct gpm_ptx_operand *operand, uint64_t *to) {
  static const uint8_t origins[] = {[GPM_PTX_GLOBAL] = GPM_PTX_FROM_GLOBAL,
                                    [GPM_PTX_CONSTANT] = GPM_PTX_FROM_CONSTANT,
                                    [GPM_PTX_SHARED] = GPM_PTX_FROM_SHARED,
                                    [GPM_PTX_LOCAL] = GPM_PTX_FROM_LOCAL,
                                    [GPM_PTX_PARAMETER] = GPM_PTX_FROM_LOCAL};
  if (operand->name == GPM_PTX_NO_NAME) return;
  uint32_t own = gpm_ptx_flow_own(flow, part, operand);
  uint8_t space = part->function->names[operand->name].space;
  const uint64_t *set = gpm_ptx_flow_set(flow, part, operand->name);
  if (own != GPM_PTX_NO_NAME) gpm_ptx_set_add(to, gpm_ptx_parameter_bit(&flow->layout, own));
  else if (space == GPM_PTX_PARAMETER)
    gpm_ptx_flow_unite(flow, flow->local, set); /* its address is taken */
  else gpm_ptx_set_unite(&flow->layout, to, set);
  if (space != GPM_PTX_REGISTER && own == GPM_PTX_NO_NAME)
    gpm_ptx_set_add(to, gpm_ptx_origin_bit(&flow->layout, origins[space]));
}

/* ---- addresses of parameters, with their offset ------------------------------------------------
 */

bool gpm_ptx_flow_has_parameter(const struct gpm_ptx_flow *flow, const uint64_t *set) {
  for (uint32_t p = 0; p < flow->layout.parameters; p++)
    if (gpm_ptx_set_has(set, gpm_ptx_parameter_bit(&flow->layout, p))) return true;
  return false;
}

struct gpm_ptx_offset gpm_ptx_flow_offset(const struct gpm_ptx_flow *flow,
                                          const struct gpm_ptx_part *part,
                                          const struct gpm_ptx_operand *operand) {
  struct gpm_ptx_offset offset = {.state = GPM_PTX_OFFSET_KNOWN};
  if (gpm_ptx_flow_own(flow, part, operand) == GPM_PTX_NO_NAME)
    offset = flow->offset[part->first + operand->name];
  offset.bytes = (int64_t)((uint64_t)offset.bytes + (uint64_t)operand->number);
  return offset;
}

void gpm_ptx_flow_join_offset(struct gpm_ptx_flow *flow, struct gpm_ptx_offset *to,
                              struct gpm_ptx_offset offset) {
  if (offset.state == GPM_PTX_OFFSET_UNSET || to->state == GPM_PTX_OFFSET_VARIES) return;
  if (to->state == GPM_PTX_OFFSET_KNOWN && offset.state == GPM_PTX_OFFSET_KNOWN &&
      to->bytes == offset.bytes)
    return;
  bool first = to->state == GPM_PTX_OFFSET_UNSET;
  *to = first ? offset : (struct gpm_ptx_offset){.state = GPM_PTX_OFFSET_VARIES};
  flow->changed = true;
}

/* ---- the kernel --------------------------------------------------------------------------------
 */

static void apply_all(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part) {
  const struct gpm_ptx_function *f = part->function;
  for (uint32_t i = 0; i < f->instructions; i++) {
    const struct gpm_ptx_instruction *instruction = &f->instruction[i];
    gpm_ptx_step_apply(&(struct gpm_ptx_step){.flow = flow,
                                              .part = part,
                                              .code = &part->code[i],
                                              .operand = f->operand + instruction->operand,
                                              .operands = instruction->operands});
  }
}

/* Who gets the address of local or shared memory reaches what is stored there, and may store. */
static void let_variables_escape(struct gpm_ptx_flow *flow) {
  if (gpm_ptx_flow_has(flow, flow->escaped, GPM_PTX_FROM_LOCAL)) {
    gpm_ptx_flow_add(flow, flow->local, GPM_PTX_FROM_LOADED);
    gpm_ptx_flow_unite(flow, flow->escaped, flow->local);
  }
  if (gpm_ptx_flow_has(flow, flow->escaped, GPM_PTX_FROM_SHARED)) {
    gpm_ptx_flow_add(flow, flow->shared, GPM_PTX_FROM_LOADED);
    gpm_ptx_flow_unite(flow, flow->escaped, flow->shared);
  }
}

uint32_t gpm_ptx_words_of(const struct gpm_ptx_parameter *parameter) {
  return parameter->is_float || parameter->size < 8 ? 0 : (parameter->size + 7) / 8;
}

/* Finds the functions that run in the kernel; returns the number of their names. */
static uint64_t find_parts(struct gpm_ptx_flow *flow) {
  const struct gpm_ptx *ptx = flow->program->ptx;
  uint64_t names = 0;
  uint32_t next = (uint32_t)(flow->kernel - ptx->function);
  flow->part_of = gpm_memory_array(ptx->functions, sizeof *flow->part_of);
  uint32_t *queue = gpm_memory_array(ptx->functions, sizeof *queue), queued = 0;
  flow->part_of[queue[queued++] = next] = 1;
  flow->part = gpm_memory_array(ptx->functions, sizeof *flow->part);
  for (; flow->parts < queued; flow->parts++) {
    const struct gpm_ptx_function *f = &ptx->function[queue[flow->parts]];
    const struct gpm_ptx_code *code = flow->program->code[queue[flow->parts]];
    flow->part[flow->parts] = (struct gpm_ptx_part){.function = f, .code = code, .first = names};
    names += f->name_count;
    for (uint32_t i = 0; i < f->instructions; i++) {
      if (code[i].op.action != GPM_PTX_CALL || code[i].callee != GPM_PTX_CALLS_BODY) continue;
      if (flow->part_of[code[i].function]) continue;
      queue[queued++] = code[i].function;
      flow->part_of[code[i].function] = queued;
    }
  }
  free(queue);
  return names;
}

/* %envreg1 and %envreg2 hold the address of what the driver keeps for barriers of a grid. */
static void begin_with_driver(struct gpm_ptx_flow *flow) {
  static const char prefix[] = "%envreg";
  for (uint32_t p = 0; p < flow->parts; p++)
    for (uint32_t n = 0; n < flow->part[p].function->name_count; n++) {
      struct gpm_ptx_text text = flow->part[p].function->names[n].text;
      if (text.size > sizeof prefix - 1 && !memcmp(text.at, prefix, sizeof prefix - 1))
        gpm_ptx_flow_add(flow, gpm_ptx_flow_set(flow, &flow->part[p], n), GPM_PTX_FROM_DRIVER);
    }
}

void gpm_ptx_flow_make(struct gpm_ptx_flow *flow, const struct gpm_ptx_program *program,
                       const struct gpm_ptx_function *kernel) {
  *flow = (struct gpm_ptx_flow){.program = program, .kernel = kernel};
  flow->first_word = gpm_memory_array((size_t)kernel->parameters + 1, sizeof *flow->first_word);
  for (uint32_t p = 0; p < kernel->parameters; p++)
    flow->first_word[p + 1] = flow->first_word[p] + gpm_ptx_words_of(&kernel->parameter[p]);
  flow->layout = gpm_ptx_layout_of(flow->first_word[kernel->parameters], kernel->parameters);
  uint64_t names = find_parts(flow), set = flow->layout.room * sizeof(uint64_t);
  if (names > MOST_BYTES / (set + sizeof *flow->offset)) return;
  flow->sets = gpm_memory_array(names + 5, set);
  flow->offset = gpm_memory_array(names + 1, sizeof *flow->offset);
  uint64_t *next = flow->sets + names * flow->layout.room;
  uint64_t **others[] = {&flow->local, &flow->shared, &flow->escaped, &flow->scratch[0],
                         &flow->scratch[1]};
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++, next += flow->layout.room)
    *others[i] = next;
  begin_with_driver(flow);
  for (unsigned rounds = 0; rounds < MOST_ROUNDS && !flow->ended; rounds++) {
    flow->changed = false;
    for (uint32_t p = 0; p < flow->parts; p++) apply_all(flow, &flow->part[p]);
    let_variables_escape(flow);
    flow->ended = !flow->changed;
  }
}

void gpm_ptx_flow_free(struct gpm_ptx_flow *flow) {
  free(flow->first_word);
  free(flow->part);
  free(flow->part_of);
  free(flow->sets);
  free(flow->offset);
}
