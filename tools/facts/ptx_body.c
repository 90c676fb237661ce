/* ptx_body.c - the body of a PTX function: blocks, what they declare, instructions and operands. */
#include "facts/ptx_read.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

void *gpm_ptx_room(void *array, uint32_t count, size_t size) {
  if (count & (count - 1)) return array; /* not full: the room is a power of two */
  return gpm_memory_resize(array, count ? 2 * (size_t)count : 1, size);
}

uint32_t gpm_ptx_declare(struct gpm_ptx_reading *r, struct gpm_ptx_text name, uint8_t space) {
  struct gpm_ptx_function *f = r->function;
  f->names = gpm_ptx_room(f->names, f->name_count, sizeof *f->names);
  f->names[f->name_count] =
      (struct gpm_ptx_name){.text = name, .space = space, .parameter = GPM_PTX_NO_NAME};
  *gpm_map_at(&r->names, gpm_ptx_hash(name), 0) = f->name_count + 1;
  return f->name_count++;
}

/* The number of a name in an operand. %tid.x and %v.x are parts of one. */
static uint32_t name_of(struct gpm_ptx_reading *r, struct gpm_ptx_text text) {
  const char *dot = memchr(text.at + 1, '.', text.size - 1);
  if (dot) text.size = (uint32_t)(dot - text.at);
  uint64_t hash = gpm_ptx_hash(text);
  uint64_t known = *gpm_map_at(&r->names, hash, 0);
  if (known) return (uint32_t)known - 1;
  return gpm_ptx_declare(r, text, (uint8_t)*gpm_map_at(&r->variables, hash, GPM_PTX_REGISTER));
}

/* ---- operands ----------------------------------------------------------------------------------
 */

struct operands {
  uint32_t place, depth, brackets;
  bool negative; /* a minus sign came last */
};

static void add_operand(struct gpm_ptx_reading *r, const struct operands *o, uint32_t name,
                        int64_t number) {
  struct gpm_ptx_function *f = r->function;
  f->operand = gpm_ptx_room(f->operand, f->operands, sizeof *f->operand);
  f->operand[f->operands++] = (struct gpm_ptx_operand){
      .name = name, .number = number, .in_brackets = o->brackets, .place = (uint8_t)o->place};
}

/* After NAME: + NUMBER or - NUMBER, which is added to it. */
static int64_t read_added(struct gpm_ptx_reading *r) {
  int64_t sum = 0, number;
  while (gpm_ptx_lex_at(&r->lex, '+') || gpm_ptx_lex_at(&r->lex, '-')) {
    bool minus = false;
    while (gpm_ptx_lex_at(&r->lex, '+') || gpm_ptx_lex_at(&r->lex, '-')) {
      minus ^= gpm_ptx_lex_at(&r->lex, '-');
      gpm_ptx_lex_next(&r->lex);
    }
    if (r->lex.kind != GPM_PTX_WORD || !gpm_ptx_lex_number(r->lex.text, &number)) break;
    sum = (int64_t)((uint64_t)sum + (minus ? -(uint64_t)number : (uint64_t)number));
    gpm_ptx_lex_next(&r->lex);
  }
  return sum;
}

static void read_word(struct gpm_ptx_reading *r, struct operands *o) {
  int64_t number;
  struct gpm_ptx_text text = r->lex.text;
  gpm_ptx_lex_next(&r->lex);
  if (gpm_ptx_is(text, "_")) add_operand(r, o, GPM_PTX_NO_NAME, 0); /* a result nobody wants */
  else if (gpm_ptx_lex_number(text, &number)) {
    if (o->negative) number = (int64_t)-(uint64_t)number;
    add_operand(r, o, GPM_PTX_NO_NAME, number);
  } else {
    uint32_t name = name_of(r, text);
    add_operand(r, o, name, read_added(r));
  }
}

static void read_operands(struct gpm_ptx_reading *r, bool is_call) {
  struct gpm_ptx_lex *lex = &r->lex;
  struct operands o = {.place = is_call && !gpm_ptx_lex_at(lex, '(')};
  while (lex->kind != GPM_PTX_END && !gpm_ptx_lex_at(lex, ';')) {
    if (lex->kind == GPM_PTX_WORD) {
      read_word(r, &o);
      o.negative = false;
      continue;
    }
    o.negative = gpm_ptx_lex_at(lex, '-');
    if (gpm_ptx_lex_at(lex, '[')) o.brackets++;
    if (gpm_ptx_lex_at(lex, ']') && o.brackets) o.brackets--;
    if (gpm_ptx_lex_at(lex, '(') || gpm_ptx_lex_at(lex, '{')) o.depth++;
    if (gpm_ptx_lex_at(lex, ')') || gpm_ptx_lex_at(lex, '}')) {
      if (!o.depth) { /* the semicolon is missing */
        r->function->damaged = true;
        return;
      }
      o.depth--;
    }
    if (gpm_ptx_lex_at(lex, ',') && !o.depth && !o.brackets && o.place < UINT8_MAX) o.place++;
    gpm_ptx_lex_next(lex);
  }
  if (lex->kind == GPM_PTX_END || o.depth || o.brackets) r->function->damaged = true;
  else gpm_ptx_lex_next(lex);
}

static void read_instruction(struct gpm_ptx_reading *r) {
  struct gpm_ptx_function *f = r->function;
  struct gpm_ptx_text opcode = r->lex.text;
  uint32_t first = f->operands;
  gpm_ptx_lex_next(&r->lex);
  read_operands(r, opcode.size >= 4 && !memcmp(opcode.at, "call", 4));
  f->instruction = gpm_ptx_room(f->instruction, f->instructions, sizeof *f->instruction);
  f->instruction[f->instructions++] = (struct gpm_ptx_instruction){
      .opcode = opcode, .operand = first, .operands = f->operands - first};
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

/* What stood for a name before a block declared it. */
struct hidden {
  uint64_t hash, before;
};
struct blocks {
  struct hidden *hidden;
  uint32_t hides;
  uint32_t *begin; /* of each block that is open: how many were hidden before */
  uint32_t depth;
};

static void declare(struct gpm_ptx_reading *r, struct blocks *b) {
  uint8_t space = GPM_PTX_REGISTER;
  for (bool more = true; more && r->lex.kind != GPM_PTX_END;) {
    struct gpm_ptx_declared d;
    bool named = gpm_ptx_declaration(r, &d);
    if (d.space != GPM_PTX_REGISTER) space = d.space;
    if (named && !d.is_range) {
      uint64_t hash = gpm_ptx_hash(d.name);
      b->hidden = gpm_ptx_room(b->hidden, b->hides, sizeof *b->hidden);
      b->hidden[b->hides++] =
          (struct hidden){.hash = hash, .before = *gpm_map_at(&r->names, hash, 0)};
      gpm_ptx_declare(r, d.name, space);
    }
    more = gpm_ptx_lex_at(&r->lex, ',');
    gpm_ptx_lex_next(&r->lex);
  }
}

static void open_block(struct gpm_ptx_reading *r, struct blocks *b) {
  b->begin = gpm_ptx_room(b->begin, b->depth, sizeof *b->begin);
  b->begin[b->depth++] = b->hides;
  gpm_ptx_lex_next(&r->lex);
}

static void close_block(struct gpm_ptx_reading *r, struct blocks *b) {
  for (uint32_t begin = b->begin[--b->depth]; b->hides > begin;) {
    struct hidden *h = &b->hidden[--b->hides];
    *gpm_map_at(&r->names, h->hash, 0) = h->before;
  }
  gpm_ptx_lex_next(&r->lex);
}

static void read_directive(struct gpm_ptx_reading *r, struct blocks *b) {
  static const char *const declares[] = {".reg",    ".param", ".local",
                                         ".shared", ".const", ".global"};
  for (size_t i = 0; i < sizeof declares / sizeof *declares; i++)
    if (gpm_ptx_lex_at_word(&r->lex, declares[i])) {
      declare(r, b);
      return;
    }
  if (gpm_ptx_lex_at_word(&r->lex, ".loc") || gpm_ptx_lex_at_word(&r->lex, ".file"))
    gpm_ptx_lex_skip_line(&r->lex);
  else gpm_ptx_lex_skip_statement(&r->lex);
}

/* A label, a directive or an instruction. */
static void read_statement(struct gpm_ptx_reading *r, struct blocks *b) {
  struct gpm_ptx_lex after = r->lex;
  if (*r->lex.text.at == '.') {
    read_directive(r, b);
    return;
  }
  gpm_ptx_lex_next(&after);
  if (!gpm_ptx_lex_at(&after, ':')) {
    read_instruction(r);
    return;
  }
  r->lex = after;
  gpm_ptx_lex_next(&r->lex);
}

void gpm_ptx_read_body(struct gpm_ptx_reading *r) {
  struct blocks b = {0};
  do {
    if (gpm_ptx_lex_at(&r->lex, '{')) open_block(r, &b);
    else if (gpm_ptx_lex_at(&r->lex, '}')) close_block(r, &b);
    else if (r->lex.kind == GPM_PTX_WORD) read_statement(r, &b);
    else if (gpm_ptx_lex_at(&r->lex, '@')) { /* @%p1 or @!%p1 before an instruction */
      gpm_ptx_lex_next(&r->lex);
      if (gpm_ptx_lex_at(&r->lex, '!')) gpm_ptx_lex_next(&r->lex);
      gpm_ptx_lex_next(&r->lex);
    } else gpm_ptx_lex_next(&r->lex);
  } while (b.depth && r->lex.kind != GPM_PTX_END);
  if (b.depth) r->function->damaged = r->ptx->cut = true;
  free(b.hidden);
  free(b.begin);
}
