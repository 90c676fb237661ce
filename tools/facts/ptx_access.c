/* ptx_access.c - see ptx_access.h. */
#include "facts/ptx_access.h"

#include "facts/ptx_flow.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct gpm_ptx_text none;

struct judging {
  struct gpm_ptx_flow flow;
  struct gpm_ptx_access access;
  bool *is_base; /* of each word: an address is based on it and on no other word */
  bool only_bases;
  uint64_t *set; /* of the address that is judged */
};

static void open_for(struct judging *j, enum gpm_facts_reason reason, struct gpm_ptx_text name) {
  if (!(j->access.open & 1U << reason)) j->access.name[reason] = name;
  j->access.open |= 1U << reason;
}

static bool has(const struct judging *j, enum gpm_ptx_origin origin) {
  return gpm_ptx_set_has(j->set, gpm_ptx_origin_bit(&j->flow.layout, origin));
}

static bool has_word(const struct judging *j, enum gpm_ptx_flavour flavour, uint32_t word) {
  return gpm_ptx_set_has(j->set, gpm_ptx_word_bit(&j->flow.layout, flavour, word));
}

static bool is_pointer(const struct judging *j, uint32_t word) {
  return j->flow.kernel->parameter[j->access.word[word].parameter].is_pointer;
}

static bool is_scalar(const struct judging *j, uint32_t word) {
  return !j->flow.kernel->parameter[j->access.word[word].parameter].is_array;
}

/* ---- one address -------------------------------------------------------------------------------
 */

/* What the address may be based on, from what is in j->set. */
struct bases {
  uint32_t words;   /* that may be pointers */
  uint32_t numbers; /* that the compiler says are none */
  bool other;       /* a variable, or what was loaded or returned */
  bool sure; /* one of them is a pointer or variable for sure, so that the rest is an offset */
};

static struct bases bases_of(const struct judging *j) {
  struct bases b = {0};
  static const enum gpm_ptx_origin variables[] = {GPM_PTX_FROM_SHARED,   GPM_PTX_FROM_LOCAL,
                                                  GPM_PTX_FROM_CONSTANT, GPM_PTX_FROM_GLOBAL,
                                                  GPM_PTX_FROM_HEAP,     GPM_PTX_FROM_DRIVER};
  for (uint32_t w = 0; w < j->access.words; w++) {
    if (!has_word(j, GPM_PTX_AS_ADDRESS, w)) continue;
    if (j->access.word[w].is_number) b.numbers++;
    else b.words++;
    /* A parameter of 8 bytes that is used so is one, but a field of a structure may be an index. */
    b.sure |= is_pointer(j, w) || (is_scalar(j, w) && !j->access.word[w].is_number);
  }
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) b.sure |= has(j, variables[i]);
  b.other = b.sure || has(j, GPM_PTX_FROM_LOADED) || has(j, GPM_PTX_FROM_RESULT);
  for (uint32_t p = 0; p < j->flow.layout.parameters; p++)
    b.other |= gpm_ptx_set_has(j->set, gpm_ptx_parameter_bit(&j->flow.layout, p));
  return b;
}

/* The first pass. A number that nothing else can be the base of is an address in spite of its type.
 */
static void find_bases(struct judging *j) {
  struct bases b = bases_of(j);
  for (uint32_t w = 0; w < j->access.words; w++) {
    if (!has_word(j, GPM_PTX_AS_ADDRESS, w)) continue;
    if (b.words == 1 && !j->access.word[w].is_number) j->is_base[w] = true;
    if (!b.words && !b.other) j->access.word[w].is_number = false;
  }
}

/* Whether an offset was computed from what is a pointer, which may lead from one block to another:
 * a[b - a]. */
static bool has_offset_of_pointer(const struct judging *j) {
  for (uint32_t w = 0; w < j->access.words; w++)
    if (has_word(j, GPM_PTX_AS_OFFSET, w) && !j->access.word[w].is_number &&
        (is_pointer(j, w) || j->is_base[w] || has_word(j, GPM_PTX_AS_ADDRESS, w)))
      return true;
  return false;
}

/* What is based on something is that, and the rest of it is an offset. A number that is added to an
 * address is counted as well, lest the compiler marked only some of its pointers. */
static void note_words(struct judging *j, bool based, bool all, uint8_t access) {
  for (uint32_t w = 0; w < j->access.words; w++) {
    struct gpm_ptx_word *word = &j->access.word[w];
    bool other = has_word(j, GPM_PTX_AS_OFFSET, w) || has_word(j, GPM_PTX_AS_PART, w);
    if (!has_word(j, GPM_PTX_AS_ADDRESS, w) && !(other && all)) continue;
    word->access |= access;
    if (!based) word->is_number = false;
  }
}

static void judge(struct judging *j, uint8_t access) {
  if (j->only_bases) {
    find_bases(j);
    return;
  }
  struct bases b = bases_of(j);
  bool based = b.words || b.other, anything = based || b.numbers;
  bool offset = has_offset_of_pointer(j), empty = gpm_ptx_set_is_empty(&j->flow.layout, j->set);
  bool index = has(j, GPM_PTX_FROM_INDEX), scrambled = has(j, GPM_PTX_FROM_SCRAMBLED);
  note_words(j, based, offset || !anything, access);
  if (has(j, GPM_PTX_FROM_LOADED) || (index && !anything)) open_for(j, GPM_FACTS_IS_LOADED, none);
  else if (offset || (!anything && !empty && !scrambled)) open_for(j, GPM_FACTS_IS_OFFSET, none);
  /* What was loaded or passed need not be the address: it may have had a tag. */
  if (!anything || (scrambled && !b.sure)) open_for(j, GPM_FACTS_IS_NUMBER, none);
  if (has(j, GPM_PTX_FROM_RESULT)) open_for(j, GPM_FACTS_IS_RESULT, none);
}

/* ---- instructions ------------------------------------------------------------------------------
 */

struct place { /* of an instruction */
  const struct gpm_ptx_part *part;
  const struct gpm_ptx_instruction *instruction;
  const struct gpm_ptx_code *code;
};

/* The operand in brackets with that number, from 0; null: there is none. Operands beside it in the
 * same brackets are coordinates. */
static const struct gpm_ptx_operand *address_of(const struct place *at, unsigned number) {
  const struct gpm_ptx_operand *o = at->part->function->operand + at->instruction->operand;
  unsigned found = 0;
  for (uint32_t i = 0; i < at->instruction->operands; i++)
    if (o[i].in_brackets && (!i || !o[i - 1].in_brackets || o[i - 1].place != o[i].place))
      if (found++ == number) return &o[i];
  return NULL;
}

static void judge_address(struct judging *j, const struct place *at,
                          const struct gpm_ptx_operand *address, uint8_t access) {
  memset(j->set, 0, j->flow.layout.room * sizeof *j->set);
  gpm_ptx_flow_value(&j->flow, at->part, address, j->set);
  judge(j, access);
}

/* An address of the space that the opcode says; those of other spaces are no memory that is
 * allocated. */
static void judge_in(struct judging *j, const struct place *at, unsigned number, uint8_t space,
                     uint8_t access) {
  const struct gpm_ptx_operand *address = address_of(at, number);
  if (!address || gpm_ptx_flow_is_parameter(at->part, address)) return;
  if (space == GPM_PTX_IN_ANY || space == GPM_PTX_IN_GLOBAL) judge_address(j, at, address, access);
}

static void judge_unknown(struct judging *j, const struct place *at) {
  const struct gpm_ptx_operand *address;
  open_for(j, GPM_FACTS_IS_INSTRUCTION, at->instruction->opcode);
  for (unsigned i = 0; (address = address_of(at, i)); i++)
    judge_address(j, at, address, GPM_PTX_READS | GPM_PTX_WRITES | GPM_PTX_ESCAPES);
}

/* cp.async and cp.async.bulk name the spaces of the destination and of the source. What names fewer
 * waits, or prefetches. */
static void judge_copy(struct judging *j, const struct place *at) {
  struct gpm_ptx_text opcode = at->instruction->opcode;
  const struct gpm_ptx_op *op = &at->code->op;
  if (gpm_ptx_op_has(opcode, "prefetch")) return;
  if (gpm_ptx_op_has(opcode, "tensor")) open_for(j, GPM_FACTS_IS_TENSOR_MAP, opcode);
  else if (op->spaces == 2) {
    uint8_t written = GPM_PTX_WRITES | (gpm_ptx_op_has(opcode, "reduce") ? GPM_PTX_READS : 0);
    judge_in(j, at, 0, op->space[0], written);
    judge_in(j, at, 1, op->space[1], GPM_PTX_READS);
  } else if (address_of(at, 0) && !gpm_ptx_op_has(opcode, "mbarrier")) judge_unknown(j, at);
}

/* What is printed by %s is read. */
static void judge_print(struct judging *j) {
  if (j->only_bases || !j->flow.program->ptx->prints_strings) return;
  memcpy(j->set, j->flow.local, j->flow.layout.room * sizeof *j->set);
  for (uint32_t w = 0; w < j->access.words; w++)
    if (has_word(j, GPM_PTX_AS_ADDRESS, w)) j->access.word[w].access |= GPM_PTX_READS;
  if (has(j, GPM_PTX_FROM_LOADED) || has(j, GPM_PTX_FROM_SCRAMBLED))
    open_for(j, GPM_FACTS_IS_PRINT, none);
}

static void judge_arguments(struct judging *j, const struct place *at) {
  const struct gpm_ptx_operand *o = at->part->function->operand + at->instruction->operand;
  unsigned argument = 0;
  for (uint32_t i = 0; i < at->instruction->operands; i++) {
    if (o[i].place != 2) continue;
    unsigned bit = argument++;
    bool points = bit < 8 && at->code->pointers >> bit & 1;
    if (!points || o[i].name == GPM_PTX_NO_NAME) continue;
    const uint64_t *passed = j->flow.sets + (at->part->first + o[i].name) * j->flow.layout.room;
    memcpy(j->set, passed, j->flow.layout.room * sizeof *j->set);
    judge(j, GPM_PTX_READS | GPM_PTX_WRITES);
  }
}

static void judge_call(struct judging *j, const struct place *at) {
  struct gpm_ptx_text name = {NULL, 0};
  const struct gpm_ptx_operand *o = at->part->function->operand + at->instruction->operand;
  for (uint32_t i = 0; i < at->instruction->operands; i++)
    if (o[i].place == 1 && o[i].name != GPM_PTX_NO_NAME && !name.size)
      name = at->part->function->names[o[i].name].text;
  switch (at->code->callee) {
  case GPM_PTX_CALLS_UNKNOWN:
    open_for(j, GPM_FACTS_IS_UNKNOWN, name);
    break;
  case GPM_PTX_CALLS_POINTER:
    open_for(j, GPM_FACTS_IS_POINTER, name);
    break;
  case GPM_PTX_CALLS_LAUNCH:
    open_for(j, GPM_FACTS_IS_LAUNCH, name);
    break;
  case GPM_PTX_CALLS_PRINT:
    judge_print(j);
    break;
  case GPM_PTX_CALLS_WRITE:
    judge_arguments(j, at);
    break;
  default:
    break;
  }
}

static void judge_instruction(struct judging *j, const struct place *at) {
  struct gpm_ptx_text opcode = at->instruction->opcode;
  const struct gpm_ptx_op *op = &at->code->op;
  const struct gpm_ptx_operand *address = address_of(at, 0);
  switch (op->action) {
  case GPM_PTX_LOAD:
    judge_in(j, at, 0, op->space[0], GPM_PTX_READS);
    break;
  case GPM_PTX_STORE:
  case GPM_PTX_DISCARD:
    judge_in(j, at, 0, op->space[0], GPM_PTX_WRITES);
    break;
  case GPM_PTX_ATOMIC:
    judge_in(j, at, 0, op->space[0], GPM_PTX_READS | GPM_PTX_WRITES);
    break;
  case GPM_PTX_MATRIX:
    if (address) judge_in(j, at, 0, op->space[0], address->place ? GPM_PTX_READS : GPM_PTX_WRITES);
    break;
  case GPM_PTX_COPY:
    judge_copy(j, at);
    break;
  case GPM_PTX_TEXTURE:
    open_for(j, GPM_FACTS_IS_TEXTURE, opcode);
    break;
  case GPM_PTX_TENSOR_MAP:
    open_for(j, GPM_FACTS_IS_TENSOR_MAP, opcode);
    break;
  case GPM_PTX_CALL:
    judge_call(j, at);
    break;
  case GPM_PTX_COMPUTE:
    if (address) judge_unknown(j, at);
    break;
  default:
    break;
  }
}

static void judge_all(struct judging *j, bool only_bases) {
  j->only_bases = only_bases;
  for (uint32_t p = 0; p < j->flow.parts; p++) {
    const struct gpm_ptx_part *part = &j->flow.part[p];
    if (part->function->damaged) open_for(j, GPM_FACTS_IS_DAMAGED, none);
    for (uint32_t i = 0; i < part->function->instructions; i++) {
      judge_instruction(j, &(struct place){.part = part,
                                           .instruction = &part->function->instruction[i],
                                           .code = &part->code[i]});
      if (!only_bases) gpm_ptx_asked(&j->flow, part, i, &j->access);
    }
  }
}

/* ---- a kernel ----------------------------------------------------------------------------------
 */

static void let_escape(struct judging *j) {
  const struct gpm_ptx_flow *flow = &j->flow;
  for (uint32_t w = 0; w < j->access.words; w++) {
    bool escapes = gpm_ptx_set_has(
        flow->escaped, gpm_ptx_parameter_bit(&flow->layout, j->access.word[w].parameter));
    for (unsigned f = GPM_PTX_AS_ADDRESS; f <= GPM_PTX_AS_PART; f++)
      escapes |= gpm_ptx_set_has(flow->escaped,
                                 gpm_ptx_word_bit(&flow->layout, (enum gpm_ptx_flavour)f, w));
    if (escapes) j->access.word[w].access |= GPM_PTX_ESCAPES;
  }
}

static void make_words(struct judging *j) {
  const struct gpm_ptx_flow *flow = &j->flow;
  j->access.words = flow->layout.words;
  j->access.word = gpm_memory_array((size_t)j->access.words + 1, sizeof *j->access.word);
  for (uint32_t p = 0; p < flow->kernel->parameters; p++)
    for (uint32_t w = flow->first_word[p]; w < flow->first_word[p + 1]; w++) {
      const struct gpm_ptx_parameter *parameter = &flow->kernel->parameter[p];
      j->access.word[w] = (struct gpm_ptx_word){.parameter = p,
                                                .offset = 8 * (w - flow->first_word[p]),
                                                .is_number = !parameter->is_array &&
                                                             flow->program->ptx->marks_pointers &&
                                                             !parameter->is_pointer};
    }
}

static void judge_kernel(const struct gpm_ptx_program *program,
                         const struct gpm_ptx_function *kernel, gpm_ptx_access_visitor *visit,
                         void *data) {
  struct judging j = {.access = {.kernel = kernel}};
  gpm_ptx_flow_make(&j.flow, program, kernel);
  make_words(&j);
  j.is_base = gpm_memory_array((size_t)j.access.words + 1, sizeof *j.is_base);
  j.set = gpm_memory_array(j.flow.layout.room, sizeof *j.set);
  if (j.flow.ended) {
    judge_all(&j, true);
    judge_all(&j, false);
    let_escape(&j);
  } else {
    open_for(&j, GPM_FACTS_IS_TOO_LARGE, none);
    for (uint32_t w = 0; w < j.access.words; w++) j.access.word[w].access = GPM_PTX_ESCAPES;
  }
  if (j.access.open & 1U << GPM_FACTS_IS_DAMAGED)
    for (uint32_t w = 0; w < j.access.words; w++) j.access.word[w].access = GPM_PTX_ESCAPES;
  visit(&j.access, data);
  free(j.access.word);
  free(j.is_base);
  free(j.set);
  gpm_ptx_flow_free(&j.flow);
}

void gpm_ptx_access_visit(struct gpm_ptx *ptx, gpm_ptx_access_visitor *visit, void *data) {
  struct gpm_ptx_program program;
  gpm_ptx_program_make(&program, ptx);
  for (uint32_t f = 0; f < ptx->functions; f++)
    if (ptx->function[f].is_kernel && ptx->function[f].has_body)
      judge_kernel(&program, &ptx->function[f], visit, data);
  gpm_ptx_program_free(&program);
}
