/* unwind_rules.c - reads from .eh_frame how the machine frame of a function is left at one of its
 * instructions.
 *
 * libgcc interprets this information again for each frame of each walk. Nearly all code needs only
 * a rule of three numbers, which places.c keeps for each return address. What is not of that form,
 * such as the frame of a signal handler, is "not known", and libgcc's unwinder walks that stack.
 * The instructions are those of DWARF, found by eh_frame.c; registers have the numbers of the
 * x86-64 ABI. Other processors get no rules.
 */
#include "foreign/unwind_rules.h"
#include "foreign/eh_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)

enum { REGISTER_FP = 6, REGISTER_SP = 7, REGISTER_RETURN = 16 };
enum { MOST_REMEMBERED = 8 };

/* ---- its instructions ---------------------------------------------------------------------------
 */

struct state {
  struct gpm_unwind_rule rule;
  bool fp_lost, return_moved, ended; /* what rules here cannot say; no function called this one */
};

struct machine {
  const struct gpm_eh_description *d;
  uintptr_t location, wanted;
  struct state now, initial, remembered[MOST_REMEMBERED];
  unsigned depth;
  unsigned saved; /* registers, as an instruction says each of them is */
};

static void set_register(struct state *s, uint64_t number, uint8_t fp, int64_t offset) {
  if (number == REGISTER_FP) {
    s->rule.fp = fp;
    s->rule.fp_offset = (int32_t)offset;
    s->fp_lost = false;
  }
  if (number == REGISTER_RETURN) s->return_moved = fp != GPM_UNWIND_FP_AT_CFA || offset != -8;
}

static void set_base(struct state *s, struct gpm_eh_reader *r, uint64_t number, int64_t offset) {
  if (number == REGISTER_SP || number == REGISTER_FP)
    s->rule.base = number == REGISTER_SP ? GPM_UNWIND_SP : GPM_UNWIND_FP;
  else s->rule.base = GPM_UNWIND_NOT_KNOWN;
  s->rule.offset = (int32_t)offset;
  if (offset != (int32_t)offset) r->bad = true;
}

/* An expression of the form "frame pointer plus offset", and "what is stored there". */
static bool read_expression(struct gpm_eh_reader *r, int64_t *offset, bool *is_stored) {
  uint64_t size = gpm_eh_leb(r, false);
  if (r->bad || size > (size_t)(r->end - r->at)) {
    r->bad = true;
    return false;
  }
  struct gpm_eh_reader e = {r->at, r->at + size, false};
  r->at += size;
  bool is_fp = gpm_eh_fixed(&e, 1) == 0x70 + REGISTER_FP; /* DW_OP_breg6 */
  *offset = (int64_t)gpm_eh_leb(&e, true);
  *is_stored = e.at < e.end && gpm_eh_fixed(&e, 1) == 6; /* DW_OP_deref */
  return is_fp && !e.bad && e.at == e.end && *offset == (int32_t)*offset;
}

static void restore(struct machine *m, uint64_t number) {
  if (number == REGISTER_FP) {
    m->now.rule.fp = m->initial.rule.fp;
    m->now.rule.fp_offset = m->initial.rule.fp_offset;
    m->now.fp_lost = m->initial.fp_lost;
  }
  if (number == REGISTER_RETURN) m->now.return_moved = m->initial.return_moved;
}

static void run_expression(struct machine *m, struct gpm_eh_reader *r, uint8_t code) {
  uint64_t number = code == 0x0f ? 0 : gpm_eh_leb(r, false);
  int64_t offset = 0;
  bool stored = false, simple = read_expression(r, &offset, &stored);
  struct state *s = &m->now;
  if (code == 0x0f) { /* def_cfa_expression */
    s->rule.base = simple && stored ? GPM_UNWIND_STORED_AT_FP : GPM_UNWIND_NOT_KNOWN;
    s->rule.offset = (int32_t)offset;
  } else if (number == REGISTER_FP) {
    set_register(s, number, GPM_UNWIND_FP_AT_FP, offset);
    s->fp_lost = !simple || stored || code != 0x10; /* 0x16: val_expression */
  } else if (number == REGISTER_RETURN) s->return_moved = true;
}

static void run_other(struct machine *m, struct gpm_eh_reader *r, uint8_t code) {
  const struct gpm_eh_description *d = m->d;
  struct state *s = &m->now;
  uint64_t number;
  switch (code) {
  case 0x00:
    break; /* nop */
  case 0x02:
    m->location += gpm_eh_fixed(r, 1) * d->code_factor;
    break;
  case 0x03:
    m->location += gpm_eh_fixed(r, 2) * d->code_factor;
    break;
  case 0x04:
    m->location += gpm_eh_fixed(r, 4) * d->code_factor;
    break;
  case 0x05: /* offset_extended */
    number = gpm_eh_leb(r, false);
    set_register(s, number, GPM_UNWIND_FP_AT_CFA, (int64_t)gpm_eh_leb(r, false) * d->data_factor);
    break;
  case 0x11: /* offset_extended_sf */
    number = gpm_eh_leb(r, false);
    set_register(s, number, GPM_UNWIND_FP_AT_CFA, (int64_t)gpm_eh_leb(r, true) * d->data_factor);
    break;
  case 0x06:
    restore(m, gpm_eh_leb(r, false));
    break;
  case 0x07: /* undefined */
    number = gpm_eh_leb(r, false);
    if (number == REGISTER_RETURN) s->ended = true;
    if (number == REGISTER_FP) s->fp_lost = true;
    break;
  case 0x08:
    set_register(s, gpm_eh_leb(r, false), GPM_UNWIND_FP_SAME, 0);
    break;
  case 0x09: /* register */
  case 0x14: /* val_offset */
  case 0x15: /* val_offset_sf */
    number = gpm_eh_leb(r, false);
    gpm_eh_leb(r, false);
    if (number == REGISTER_FP) s->fp_lost = true;
    if (number == REGISTER_RETURN) s->return_moved = true;
    break;
  case 0x0a: /* remember_state */
    if (m->depth == MOST_REMEMBERED) r->bad = true;
    else m->remembered[m->depth++] = *s;
    break;
  case 0x0b: /* restore_state */
    if (!m->depth) r->bad = true;
    else *s = m->remembered[--m->depth];
    break;
  case 0x0c: /* def_cfa */
    number = gpm_eh_leb(r, false);
    set_base(s, r, number, (int64_t)gpm_eh_leb(r, false));
    break;
  case 0x12: /* def_cfa_sf */
    number = gpm_eh_leb(r, false);
    set_base(s, r, number, (int64_t)gpm_eh_leb(r, true) * d->data_factor);
    break;
  case 0x0d:
    set_base(s, r, gpm_eh_leb(r, false), s->rule.offset);
    break;
  case 0x0e:
    s->rule.offset = (int32_t)gpm_eh_leb(r, false);
    break;
  case 0x13:
    s->rule.offset = (int32_t)((int64_t)gpm_eh_leb(r, true) * d->data_factor);
    break;
  case 0x0f:
  case 0x10:
  case 0x16:
    run_expression(m, r, code);
    break;
  case 0x2e:
    gpm_eh_leb(r, false);
    break; /* GNU_args_size */
  default:
    r->bad = true;
  }
}

/* Runs the instructions up to the wanted address. False: they are not understood. */
static bool run(struct machine *m, struct gpm_eh_reader *r) {
  while (r->at < r->end && !r->bad && m->location <= m->wanted) {
    uint8_t code = (uint8_t)gpm_eh_fixed(r, 1), low = code & 63;
    switch (code >> 6) {
    case 1:
      m->location += low * m->d->code_factor;
      break;
    case 2:
      m->saved++;
      set_register(&m->now, low, GPM_UNWIND_FP_AT_CFA,
                   (int64_t)gpm_eh_leb(r, false) * m->d->data_factor);
      break;
    case 3:
      restore(m, low);
      break;
    default:
      run_other(m, r, low);
    }
  }
  return !r->bad;
}

static void begin_own(struct machine *m) {
  m->now = m->initial;
  m->depth = m->saved = 0;
  m->location = m->wanted = m->d->begin;
}

/* Whether the code is a part of a function, to which others jump: a function begins with its return
 * address on top of the stack, and its first instruction cannot have saved two registers or have
 * set up the frame pointer. */
static bool is_part(struct machine *m) {
  struct gpm_eh_reader r = m->d->own;
  begin_own(m);
  if (!run(m, &r)) return false;
  if (m->now.rule.base != GPM_UNWIND_SP || m->now.rule.offset != 8) return true;
  m->wanted = m->location;
  if (!run(m, &r)) return false;
  return m->saved > 1 || m->now.rule.base == GPM_UNWIND_FP ||
         m->now.rule.base == GPM_UNWIND_STORED_AT_FP;
}

void gpm_unwind_rule_at(uintptr_t table, uintptr_t address, struct gpm_unwind_rule *rule) {
  *rule = (struct gpm_unwind_rule){.base = GPM_UNWIND_NOT_DESCRIBED};
  struct gpm_eh_description d = {0};
  enum gpm_eh_found found = gpm_eh_find(table, address, &d);
  if (found == GPM_EH_NOTHING) return;
  rule->base = GPM_UNWIND_NOT_KNOWN;
  if (found != GPM_EH_FOUND) return;
  rule->function = d.begin;
  if (d.return_register != REGISTER_RETURN) return;
  struct machine m = {.d = &d, .location = d.begin, .wanted = UINTPTR_MAX};
  struct gpm_eh_reader first = d.first, own = d.own;
  if (!run(&m, &first)) return;
  m.initial = m.now;
  bool part = is_part(&m);
  begin_own(&m);
  m.wanted = address;
  if (!run(&m, &own)) return;
  *rule = m.now.rule;
  rule->part = part;
  if (m.now.ended) rule->base = GPM_UNWIND_END;
  else if (m.now.fp_lost || m.now.return_moved) rule->base = GPM_UNWIND_NOT_KNOWN;
  rule->function = d.begin;
}

#else

void gpm_unwind_rule_at(uintptr_t table, uintptr_t address, struct gpm_unwind_rule *rule) {
  (void)table, (void)address;
  *rule = (struct gpm_unwind_rule){.base = GPM_UNWIND_NOT_KNOWN};
}

#endif
