/* ptx_ops.c - see ptx_ops.h. */
#include "facts/ptx_ops.h"

#include <string.h>

static const struct {
  const char *mnemonic;
  uint8_t action;
} table[] = {
#define GPUMEMPROF_PTX_OP(mnemonic, ACTION) {#mnemonic, GPM_PTX_##ACTION},
#include "gpumemprof/ptx_ops.def"
};

/* The next part of an opcode, without its dot; false after the last one. */
static bool next_part(struct gpm_ptx_text *rest, struct gpm_ptx_text *part) {
  if (!rest->size) return false;
  const char *begin = rest->at + (*rest->at == '.'), *end = rest->at + rest->size;
  const char *dot = memchr(begin, '.', (size_t)(end - begin));
  if (!dot) dot = end;
  *part = (struct gpm_ptx_text){begin, (uint32_t)(dot - begin)};
  *rest = (struct gpm_ptx_text){dot, (uint32_t)(end - dot)};
  return true;
}

static bool begins(struct gpm_ptx_text text, const char *word) {
  size_t length = strlen(word);
  return text.size >= length && !memcmp(text.at, word, length);
}

/* shared::cta and shared::cluster, too. */
static uint8_t space_of(struct gpm_ptx_text part) {
  static const char *const spaces[] = {
      [GPM_PTX_IN_ANY] = "generic",    [GPM_PTX_IN_GLOBAL] = "global",
      [GPM_PTX_IN_SHARED] = "shared",  [GPM_PTX_IN_LOCAL] = "local",
      [GPM_PTX_IN_CONSTANT] = "const", [GPM_PTX_IN_PARAMETERS] = "param"};
  for (uint8_t i = 1; i < sizeof spaces / sizeof *spaces; i++)
    if (begins(part, spaces[i]) &&
        (part.size == strlen(spaces[i]) || part.at[strlen(spaces[i])] == ':'))
      return i;
  return GPM_PTX_IN_ANY;
}

/* Bytes of a type such as b64, f16x2; 0: the part is none. */
static uint8_t width_of(struct gpm_ptx_text part) {
  unsigned bits = 0, times = 1;
  if (part.size < 2 || !memchr("bsuf", *part.at, 4)) return 0;
  for (uint32_t i = 1; i < part.size; i++) {
    char c = part.at[i];
    if (c == 'x' && i + 2 == part.size && bits) {
      times = (unsigned)(part.at[i + 1] - '0');
      break;
    }
    if (c < '0' || c > '9' || bits > 128) return 0;
    bits = bits * 10 + (unsigned)(c - '0');
  }
  return bits <= 128 && times <= 8 ? (uint8_t)(bits * times / 8) : 0;
}

struct gpm_ptx_op gpm_ptx_op_of(struct gpm_ptx_text opcode) {
  struct gpm_ptx_op op = {.action = GPM_PTX_COMPUTE};
  struct gpm_ptx_text rest = opcode, part;
  if (!next_part(&rest, &part)) return op;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (gpm_ptx_is(part, table[i].mnemonic)) op.action = table[i].action;
  op.makes_generic = gpm_ptx_is(part, "cvta") && !gpm_ptx_op_has(opcode, "to");
  while (next_part(&rest, &part)) {
    uint8_t space = space_of(part), width = width_of(part);
    if (space && op.spaces < 2) op.space[op.spaces++] = space;
    if (!width) continue;
    if (!op.result) op.result = width;
    op.width = width;
    op.is_float |= *part.at == 'f';
    op.is_signed = *part.at == 's';
  }
  return op;
}

bool gpm_ptx_op_has(struct gpm_ptx_text opcode, const char *word) {
  struct gpm_ptx_text part;
  while (next_part(&opcode, &part))
    if (begins(part, word) && (part.size == strlen(word) || part.at[strlen(word)] == ':'))
      return true;
  return false;
}
