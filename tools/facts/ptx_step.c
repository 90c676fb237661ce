/* ptx_step.c - what one instruction adds to the sets of a flow: arithmetic and calls (ptx_step.h).
 */
#include "facts/ptx_step.h"

/* ---- operands ----------------------------------------------------------------------------------
 */

bool gpm_ptx_step_is_result(const struct gpm_ptx_operand *o) {
  return !o->place && !o->in_brackets && o->name != GPM_PTX_NO_NAME;
}

bool gpm_ptx_step_is_source(const struct gpm_ptx_operand *o) {
  return o->place && !o->in_brackets;
}

/* The operand in brackets with that number; null: there is none. */
const struct gpm_ptx_operand *gpm_ptx_step_address(const struct gpm_ptx_step *s) {
  for (uint32_t i = 0; i < s->operands; i++)
    if (s->operand[i].in_brackets) return &s->operand[i];
  return NULL;
}

void gpm_ptx_step_unite(const struct gpm_ptx_step *s, const uint64_t *set) {
  for (uint32_t i = 0; i < s->operands; i++)
    if (gpm_ptx_step_is_result(&s->operand[i]))
      gpm_ptx_flow_unite(s->flow, gpm_ptx_flow_set(s->flow, s->part, s->operand[i].name), set);
}

void gpm_ptx_step_add(const struct gpm_ptx_step *s, enum gpm_ptx_origin origin) {
  for (uint32_t i = 0; i < s->operands; i++)
    if (gpm_ptx_step_is_result(&s->operand[i]))
      gpm_ptx_flow_add(s->flow, gpm_ptx_flow_set(s->flow, s->part, s->operand[i].name), origin);
}

/* What all sources hold together. */
uint64_t *gpm_ptx_step_sources(const struct gpm_ptx_step *s) {
  uint64_t *all = gpm_ptx_flow_scratch(s->flow, 0);
  for (uint32_t i = 0; i < s->operands; i++)
    if (gpm_ptx_step_is_source(&s->operand[i]))
      gpm_ptx_flow_value(s->flow, s->part, &s->operand[i], all);
  return all;
}

/* After the results got their sets. An offset stays known in a copy and in a sum with a number. */
static void follow_offset(const struct gpm_ptx_step *s) {
  struct gpm_ptx_flow *flow = s->flow;
  struct gpm_ptx_offset offset = {.state = GPM_PTX_OFFSET_VARIES};
  uint32_t names = 0, numbers = 0;
  int64_t number = 0;
  const struct gpm_ptx_operand *name = NULL;
  for (uint32_t i = 0; i < s->operands; i++) {
    if (!gpm_ptx_step_is_source(&s->operand[i])) continue;
    if (s->operand[i].name == GPM_PTX_NO_NAME) {
      numbers++;
      number = s->operand[i].number;
    } else {
      names++;
      name = &s->operand[i];
    }
  }
  bool sum = s->code->op.action == GPM_PTX_ADD && names == 1 && numbers == 1;
  if (sum || (s->code->op.action == GPM_PTX_MOVE && names == 1 && !numbers))
    offset = gpm_ptx_flow_offset(flow, s->part, name);
  if (sum) offset.bytes = (int64_t)((uint64_t)offset.bytes + (uint64_t)number);
  for (uint32_t i = 0; i < s->operands; i++) {
    if (!gpm_ptx_step_is_result(&s->operand[i])) continue;
    uint32_t result = s->operand[i].name;
    if (gpm_ptx_flow_has_parameter(flow, gpm_ptx_flow_set(flow, s->part, result)))
      gpm_ptx_flow_join_offset(flow, &flow->offset[s->part->first + result], offset);
  }
}

/* ---- calls -------------------------------------------------------------------------------------
 */

static void enter(const struct gpm_ptx_step *s, const struct gpm_ptx_part *callee) {
  const struct gpm_ptx_function *f = callee->function;
  uint32_t argument = f->returned, result = 0;
  for (uint32_t i = 0; i < s->operands; i++) {
    const struct gpm_ptx_operand *o = &s->operand[i];
    if (!o->place && result < f->returned && o->name != GPM_PTX_NO_NAME)
      gpm_ptx_flow_unite(s->flow, gpm_ptx_flow_set(s->flow, s->part, o->name),
                         gpm_ptx_flow_set(s->flow, callee, f->parameter[result++].name));
    if (o->place != 2 || argument >= f->parameters) continue;
    uint64_t *value = gpm_ptx_flow_scratch(s->flow, 0);
    uint32_t own = gpm_ptx_flow_own(s->flow, s->part, o);
    if (own != GPM_PTX_NO_NAME)
      gpm_ptx_step_add_words(s->flow, own, (struct gpm_ptx_offset){.state = GPM_PTX_OFFSET_VARIES},
                             8, value);
    else if (gpm_ptx_flow_is_parameter(s->part, o))
      gpm_ptx_set_unite(&s->flow->layout, value, gpm_ptx_flow_set(s->flow, s->part, o->name));
    else gpm_ptx_flow_value(s->flow, s->part, o, value);
    gpm_ptx_flow_unite(s->flow, gpm_ptx_flow_set(s->flow, callee, f->parameter[argument++].name),
                       value);
  }
}

/* What is passed, by value or in variables of the call. */
static void let_arguments_escape(const struct gpm_ptx_step *s) {
  for (uint32_t i = 0; i < s->operands; i++) {
    const struct gpm_ptx_operand *o = &s->operand[i];
    if (o->place != 2 || o->name == GPM_PTX_NO_NAME) continue;
    uint64_t *value = gpm_ptx_flow_scratch(s->flow, 0);
    if (gpm_ptx_flow_own(s->flow, s->part, o) != GPM_PTX_NO_NAME)
      gpm_ptx_flow_value(s->flow, s->part, o, value);
    else gpm_ptx_set_unite(&s->flow->layout, value, gpm_ptx_flow_set(s->flow, s->part, o->name));
    gpm_ptx_flow_unite(s->flow, s->flow->escaped, value);
  }
}

static void call(const struct gpm_ptx_step *s) {
  struct gpm_ptx_flow *flow = s->flow;
  switch (s->code->callee) {
  case GPM_PTX_CALLS_BODY:
    enter(s, &flow->part[flow->part_of[s->code->function] - 1]);
    break;
  case GPM_PTX_CALLS_MALLOC:
    gpm_ptx_step_add(s, GPM_PTX_FROM_HEAP);
    break;
  case GPM_PTX_CALLS_NOWHERE:
  case GPM_PTX_CALLS_PRINT:
  case GPM_PTX_CALLS_WRITE:
    break;
  default:
    gpm_ptx_step_add(s, GPM_PTX_FROM_RESULT);
    let_arguments_escape(s);
  }
}

/* ---- arithmetic --------------------------------------------------------------------------------
 */

static bool is_last(const struct gpm_ptx_step *s, uint32_t i) {
  return s->operand[i].place == s->operand[s->operands - 1].place;
}

/* x & -16 is an address if x is; x & 15 is none. */
static enum gpm_ptx_action masked(const struct gpm_ptx_step *s) {
  for (uint32_t i = 0; i < s->operands; i++) {
    const struct gpm_ptx_operand *o = &s->operand[i];
    if (!gpm_ptx_step_is_source(o) || o->name != GPM_PTX_NO_NAME) continue;
    if (o->number < -4096 || o->number > UINT32_MAX) break;
    return o->number < 0                                             ? GPM_PTX_KEEP
           : o->number < 4096                                        ? GPM_PTX_NOTHING
           : s->code->op.width == 4 && o->number >= INT32_MAX - 4096 ? GPM_PTX_KEEP
                                                                     : GPM_PTX_COMPUTE;
  }
  return GPM_PTX_COMPUTE;
}

bool gpm_ptx_step_takes_low_bits(const struct gpm_ptx_step *s) {
  return s->code->op.action == GPM_PTX_AND && masked(s) == GPM_PTX_NOTHING;
}

/* Whether it adds the tag of an address, or takes it away: a number that is no offset. */
static bool adds_tag(const struct gpm_ptx_step *s) {
  const int64_t end = INT64_C(1) << 47;
  if (s->code->op.action != GPM_PTX_ADD && s->code->op.action != GPM_PTX_SUBTRACT) return false;
  for (uint32_t i = 0; i < s->operands; i++) {
    const struct gpm_ptx_operand *o = &s->operand[i];
    if (gpm_ptx_step_is_source(o) && o->name == GPM_PTX_NO_NAME &&
        (o->number < -end || o->number >= end))
      return true;
  }
  return false;
}

/* Whether the operand is as much of an address in the result as it was. */
static bool is_kept(const struct gpm_ptx_step *s, uint32_t i) {
  const struct gpm_ptx_op *op = &s->code->op;
  if (adds_tag(s)) return false;
  switch (op->action) {
  case GPM_PTX_SUBTRACT:
    return !is_last(s, i);
  case GPM_PTX_MULTIPLY_ADD:
    return is_last(s, i);
  case GPM_PTX_AND:
    return masked(s) == GPM_PTX_KEEP;
  case GPM_PTX_CONVERT:
    return !op->is_float && op->result == op->width;
  case GPM_PTX_SCALE:
  case GPM_PTX_COMPUTE:
    return false;
  default:
    return true;
  }
}

/* An address of shared memory has 32 bits as well as 64. Takes `from` as its own. */
static void convert(struct gpm_ptx_flow *flow, uint64_t *from, uint64_t *value) {
  static const enum gpm_ptx_origin windows[] = {GPM_PTX_FROM_SHARED, GPM_PTX_FROM_LOCAL};
  for (unsigned i = 0; i < 2; i++)
    if (gpm_ptx_flow_take(flow, from, windows[i]))
      gpm_ptx_set_add(value, gpm_ptx_origin_bit(&flow->layout, windows[i]));
  gpm_ptx_set_bend(&flow->layout, value, from, GPM_PTX_SCALED);
}

static void compute(const struct gpm_ptx_step *s) {
  struct gpm_ptx_flow *flow = s->flow;
  const struct gpm_ptx_op *op = &s->code->op;
  if (gpm_ptx_step_takes_low_bits(s)) return;
  bool computes = op->action == GPM_PTX_COMPUTE || op->action == GPM_PTX_AND;
  bool halves = op->width && op->width <= 4; /* which are no whole addresses */
  uint64_t *value = gpm_ptx_flow_scratch(flow, 0);
  for (uint32_t i = 0; i < s->operands; i++) {
    if (!gpm_ptx_step_is_source(&s->operand[i])) continue;
    uint64_t *one = gpm_ptx_flow_scratch(flow, 1);
    gpm_ptx_flow_value(flow, s->part, &s->operand[i], one);
    if (is_kept(s, i)) gpm_ptx_set_unite(&flow->layout, value, one);
    else if (op->action == GPM_PTX_CONVERT) convert(flow, one, value);
    else
      gpm_ptx_set_bend(&flow->layout, value, one,
                       computes && !halves ? GPM_PTX_SCRAMBLED : GPM_PTX_SCALED);
  }
  gpm_ptx_step_unite(s, value);
  if (op->makes_generic && op->space[0] == GPM_PTX_IN_SHARED)
    gpm_ptx_step_add(s, GPM_PTX_FROM_SHARED); /* whatever it is made from */
  if (gpm_ptx_flow_has_parameter(flow, value)) follow_offset(s);
}

/* From global memory to shared memory, or back. */
static void copy(const struct gpm_ptx_step *s) {
  gpm_ptx_flow_add(s->flow, s->flow->shared, GPM_PTX_FROM_LOADED);
  if (s->code->op.space[0] != GPM_PTX_IN_SHARED)
    gpm_ptx_flow_unite(s->flow, s->flow->escaped, s->flow->shared);
}

/* ---- the instruction ---------------------------------------------------------------------------
 */

void gpm_ptx_step_apply(const struct gpm_ptx_step *s) {
  const struct gpm_ptx_operand *address = gpm_ptx_step_address(s);
  switch (s->code->op.action) {
  case GPM_PTX_NOTHING:
  case GPM_PTX_COMPARE:
  case GPM_PTX_DISCARD:
    return;
  case GPM_PTX_LOAD:
    gpm_ptx_step_load(s);
    return;
  case GPM_PTX_STORE:
    gpm_ptx_step_store(s, gpm_ptx_step_sources(s));
    return;
  case GPM_PTX_ATOMIC:
    gpm_ptx_step_atomic(s);
    return;
  case GPM_PTX_MATRIX:
    if (!address) compute(s);
    else if (address->place) gpm_ptx_step_load(s);
    else gpm_ptx_step_store(s, gpm_ptx_step_sources(s));
    return;
  case GPM_PTX_TENSOR_MAP: /* the same, or into the map */
    gpm_ptx_flow_unite(s->flow, s->flow->escaped, gpm_ptx_step_sources(s));
    copy(s);
    return;
  case GPM_PTX_COPY:
    copy(s);
    return;
  case GPM_PTX_SHARED_LOAD:
    gpm_ptx_step_unite(s, s->flow->shared);
    return;
  case GPM_PTX_SHARED_STORE:
    gpm_ptx_flow_unite(s->flow, s->flow->shared, gpm_ptx_step_sources(s));
    return;
  case GPM_PTX_TEXTURE: /* or a surface, which is written to */
    gpm_ptx_step_add(s, GPM_PTX_FROM_LOADED);
    gpm_ptx_flow_unite(s->flow, s->flow->escaped, gpm_ptx_step_sources(s));
    return;
  case GPM_PTX_ALLOCA:
    gpm_ptx_step_add(s, GPM_PTX_FROM_LOCAL);
    return;
  case GPM_PTX_CALL:
    call(s);
    return;
  case GPM_PTX_COMPUTE:
    if (address) { /* an instruction that is not known */
      gpm_ptx_step_add(s, GPM_PTX_FROM_LOADED);
      gpm_ptx_flow_unite(s->flow, s->flow->escaped, gpm_ptx_step_sources(s));
    } else compute(s);
    return;
  default:
    compute(s);
  }
}
