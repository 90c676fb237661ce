/* ptx.c - see ptx.h: declarations of a text, functions, and what their bodies declare.
 * ptx_body.c reads instructions.
 */
#include "facts/ptx.h"

#include "facts/ptx_read.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

bool gpm_ptx_is(struct gpm_ptx_text text, const char *word) {
  return strlen(word) == text.size && !memcmp(text.at, word, text.size);
}

uint64_t gpm_ptx_hash(struct gpm_ptx_text text) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (uint32_t i = 0; i < text.size; i++)
    h = (h ^ (unsigned char)text.at[i]) * UINT64_C(0x100000001b3);
  return gpm_map_mix(h);
}

/* ---- types and spaces --------------------------------------------------------------------------
 */

static uint32_t size_of_type(struct gpm_ptx_text type) {
  static const struct {
    const char *name;
    uint32_t size;
  } references[] = {{".texref", 8}, {".samplerref", 8}, {".surfref", 8}, {".pred", 1}};
  for (size_t i = 0; i < sizeof references / sizeof *references; i++)
    if (gpm_ptx_is(type, references[i].name)) return references[i].size;
  uint32_t bits = 0;
  if (type.size < 3 || !memchr("bsuf", type.at[1], 4)) return 0;
  for (uint32_t i = 2; i < type.size; i++) {
    if (type.at[i] < '0' || type.at[i] > '9') return 0;
    bits = bits * 10 + (uint32_t)(type.at[i] - '0');
    if (bits > 128) return 0;
  }
  return bits / 8;
}

static bool space_of(struct gpm_ptx_text word, uint8_t *space) {
  static const struct {
    const char *word;
    uint8_t space;
  } spaces[] = {{".reg", GPM_PTX_REGISTER},  {".param", GPM_PTX_PARAMETER},
                {".global", GPM_PTX_GLOBAL}, {".const", GPM_PTX_CONSTANT},
                {".shared", GPM_PTX_SHARED}, {".local", GPM_PTX_LOCAL},
                {".tex", GPM_PTX_GLOBAL}};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (gpm_ptx_is(word, spaces[i].word)) {
      *space = spaces[i].space;
      return true;
    }
  return false;
}

/* Follows the numbers of a text in memory: whether it holds %s, %-10s and so on. */
static void follow_format(struct gpm_ptx_reading *r, int64_t c) {
  static const char between[] = "-+ #0123456789.*lhjzt";
  if (r->in_conversion && c == 's') r->ptx->prints_strings = true;
  r->in_conversion = r->in_conversion ? c > 0 && c < 128 && strchr(between, (int)c) : c == '%';
}

/* What follows `=`: the initial value, up to the comma or the semicolon after it. */
static void skip_value(struct gpm_ptx_reading *r) {
  int64_t number;
  uint32_t depth = 0;
  for (; r->lex.kind != GPM_PTX_END; gpm_ptx_lex_next(&r->lex)) {
    if (!depth && (gpm_ptx_lex_at(&r->lex, ';') || gpm_ptx_lex_at(&r->lex, ','))) return;
    if (gpm_ptx_lex_at(&r->lex, '{')) depth++;
    if (gpm_ptx_lex_at(&r->lex, '}') && depth) depth--;
    if (r->lex.kind == GPM_PTX_STRING &&
        memmem(r->lex.text.at, r->lex.text.size, "%", 1)) /* of a later version of PTX */
      r->ptx->prints_strings = true;
    if (r->lex.kind == GPM_PTX_WORD && gpm_ptx_lex_number(r->lex.text, &number))
      follow_format(r, number);
  }
}

bool gpm_ptx_declaration(struct gpm_ptx_reading *r, struct gpm_ptx_declared *d) {
  struct gpm_ptx_lex *lex = &r->lex;
  uint32_t count = 1, type = 0;
  int64_t number;
  for (*d = (struct gpm_ptx_declared){.space = GPM_PTX_REGISTER}; lex->kind != GPM_PTX_END;
       gpm_ptx_lex_next(lex)) {
    if (gpm_ptx_lex_at(lex, ',') || gpm_ptx_lex_at(lex, ';') || gpm_ptx_lex_at(lex, ')')) break;
    if (gpm_ptx_lex_at(lex, '[')) {
      d->is_array = true;
      gpm_ptx_lex_next(lex);
      if (lex->kind == GPM_PTX_WORD && gpm_ptx_lex_number(lex->text, &number))
        count =
            number >= 0 && number < 1 << 16 && count < 1 << 16 ? count * (uint32_t)number : 1 << 16;
    } else if (gpm_ptx_lex_at(lex, '=')) {
      skip_value(r);
      break;
    } else if (gpm_ptx_lex_at(lex, '<')) d->is_range = true;
    else if (lex->kind != GPM_PTX_WORD) continue;
    else if (*lex->text.at == '.') {
      uint32_t size = size_of_type(lex->text);
      if (size) {
        type = size;
        d->is_float = lex->text.at[1] == 'f';
      } else if (gpm_ptx_is(lex->text, ".ptr")) d->is_pointer = true;
      else if (!d->is_pointer) space_of(lex->text, &d->space);
    } else if (!gpm_ptx_lex_number(lex->text, &number)) d->name = lex->text;
  }
  /* No parameters of a kernel are larger; of a variable nothing needs its size. */
  uint64_t size = (uint64_t)type * count;
  d->size = size < 1 << 16 ? (uint32_t)size : 1 << 16;
  return d->name.size;
}

/* ---- functions ---------------------------------------------------------------------------------
 */

static void read_parameters(struct gpm_ptx_reading *r, bool returned) {
  struct gpm_ptx_function *f = r->function;
  struct gpm_ptx_declared d;
  do {
    gpm_ptx_lex_next(&r->lex);
    if (!gpm_ptx_declaration(r, &d)) continue;
    f->parameter = gpm_ptx_room(f->parameter, f->parameters, sizeof *f->parameter);
    uint32_t name = gpm_ptx_declare(r, d.name, d.space);
    if (d.space == GPM_PTX_PARAMETER) f->names[name].parameter = f->parameters;
    f->parameter[f->parameters++] = (struct gpm_ptx_parameter){.name = name,
                                                               .size = d.size,
                                                               .is_pointer = d.is_pointer,
                                                               .is_float = d.is_float,
                                                               .is_array = d.is_array};
    if (returned) f->returned++;
    if (d.is_pointer) r->ptx->marks_pointers = true;
  } while (gpm_ptx_lex_at(&r->lex, ','));
  if (gpm_ptx_lex_at(&r->lex, ')')) gpm_ptx_lex_next(&r->lex);
  else f->damaged = true;
}

/* Skips what is between the parameters and the body: .maxntid 256, .noreturn and so on. */
static void read_function(struct gpm_ptx_reading *r, bool is_kernel) {
  struct gpm_ptx *ptx = r->ptx;
  ptx->function = gpm_ptx_room(ptx->function, ptx->functions, sizeof *ptx->function);
  struct gpm_ptx_function *f = r->function = &ptx->function[ptx->functions++];
  *f = (struct gpm_ptx_function){.is_kernel = is_kernel, .name = {.at = ""}};
  gpm_ptx_lex_next(&r->lex);
  while (gpm_ptx_lex_at_word(&r->lex, ".attribute")) {
    while (r->lex.kind != GPM_PTX_END && !gpm_ptx_lex_at(&r->lex, ')')) gpm_ptx_lex_next(&r->lex);
    gpm_ptx_lex_next(&r->lex);
  }
  if (gpm_ptx_lex_at(&r->lex, '(')) read_parameters(r, true);
  if (r->lex.kind == GPM_PTX_WORD) {
    f->name = r->lex.text;
    gpm_ptx_lex_next(&r->lex);
  }
  if (gpm_ptx_lex_at(&r->lex, '(')) read_parameters(r, false);
  while (r->lex.kind != GPM_PTX_END && !gpm_ptx_lex_at(&r->lex, '{') &&
         !gpm_ptx_lex_at(&r->lex, ';'))
    gpm_ptx_lex_next(&r->lex);
  f->has_body = gpm_ptx_lex_at(&r->lex, '{');
  if (r->lex.kind == GPM_PTX_END) ptx->cut = true;
  uint64_t *known = gpm_map_at(&ptx->by_name, gpm_ptx_hash(f->name), 0);
  if (!*known || f->has_body) *known = ptx->functions;
  if (f->has_body) gpm_ptx_read_body(r);
  else gpm_ptx_lex_next(&r->lex);
  gpm_map_free(&r->names);
  r->names = (struct gpm_map){0};
}

/* ---- the text ----------------------------------------------------------------------------------
 */

static void read_variables(struct gpm_ptx_reading *r) {
  uint8_t space = GPM_PTX_GLOBAL;
  for (bool more = true; more && r->lex.kind != GPM_PTX_END;) {
    struct gpm_ptx_declared d;
    if (gpm_ptx_declaration(r, &d)) {
      if (d.space != GPM_PTX_REGISTER) space = d.space;
      *gpm_map_at(&r->variables, gpm_ptx_hash(d.name), 0) = space;
    }
    more = gpm_ptx_lex_at(&r->lex, ',');
    gpm_ptx_lex_next(&r->lex);
  }
}

static void read_target(struct gpm_ptx_reading *r) {
  static const char prefix[] = "sm_";
  gpm_ptx_lex_next(&r->lex);
  const char *s = r->lex.text.at;
  uint32_t arch = 0;
  if (r->lex.text.size > 3 && !memcmp(s, prefix, 3))
    for (uint32_t i = 3; i < r->lex.text.size && s[i] >= '0' && s[i] <= '9' && arch < 1000; i++)
      arch = arch * 10 + (uint32_t)(s[i] - '0');
  r->ptx->arch = arch;
  gpm_ptx_lex_skip_line(&r->lex);
}

/* .section .debug_info { ... }: what debuggers read. */
static void skip_section(struct gpm_ptx_reading *r) {
  while (r->lex.kind != GPM_PTX_END && !gpm_ptx_lex_at(&r->lex, '{')) gpm_ptx_lex_next(&r->lex);
  if (r->lex.kind != GPM_PTX_END) gpm_ptx_lex_skip_block(&r->lex);
}

/* .alias NAME, FUNCTION; the name was declared as a function without a body. */
static void read_alias(struct gpm_ptx_reading *r) {
  gpm_ptx_lex_next(&r->lex);
  uint64_t known = *gpm_map_at(&r->ptx->by_name, gpm_ptx_hash(r->lex.text), 0);
  gpm_ptx_lex_next(&r->lex);
  gpm_ptx_lex_next(&r->lex);
  if (known) r->ptx->function[known - 1].alias = r->lex.text;
  gpm_ptx_lex_skip_statement(&r->lex);
}

static void read_statement(struct gpm_ptx_reading *r) {
  static const char *const prefixes[] = {".visible", ".extern", ".weak", ".common"};
  static const char *const lines[] = {".version", ".address_size", ".file", ".loc"};
  struct gpm_ptx_lex *lex = &r->lex;
  uint8_t space;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (gpm_ptx_lex_at_word(lex, lines[i])) {
      gpm_ptx_lex_skip_line(lex);
      return;
    }
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (gpm_ptx_lex_at_word(lex, prefixes[i])) {
      gpm_ptx_lex_next(lex);
      return;
    }
  if (gpm_ptx_lex_at_word(lex, ".target")) read_target(r);
  else if (gpm_ptx_lex_at_word(lex, ".entry")) read_function(r, true);
  else if (gpm_ptx_lex_at_word(lex, ".func")) read_function(r, false);
  else if (gpm_ptx_lex_at_word(lex, ".section")) skip_section(r);
  else if (gpm_ptx_lex_at_word(lex, ".alias")) read_alias(r);
  else if (lex->kind == GPM_PTX_WORD && space_of(lex->text, &space)) read_variables(r);
  else if (gpm_ptx_lex_at(lex, '{')) gpm_ptx_lex_skip_block(lex);
  else gpm_ptx_lex_next(lex);
}

bool gpm_ptx_read(struct gpm_ptx *ptx, const char *text, size_t size) {
  *ptx = (struct gpm_ptx){0};
  struct gpm_ptx_reading r = {.ptx = ptx, .lex = {.next = text, .end = text + size}};
  gpm_ptx_lex_next(&r.lex);
  if (size > UINT32_MAX || !gpm_ptx_lex_at_word(&r.lex, ".version")) return false;
  while (r.lex.kind != GPM_PTX_END) read_statement(&r);
  gpm_map_free(&r.variables);
  return true;
}

const struct gpm_ptx_function *gpm_ptx_find(struct gpm_ptx *ptx, struct gpm_ptx_text name) {
  for (unsigned aliases = 0; aliases < 8; aliases++) {
    uint64_t known = *gpm_map_at(&ptx->by_name, gpm_ptx_hash(name), 0);
    if (!known) return NULL;
    const struct gpm_ptx_function *f = &ptx->function[known - 1];
    if (!f->alias.size) return f;
    name = f->alias;
  }
  return NULL;
}

void gpm_ptx_free(struct gpm_ptx *ptx) {
  gpm_map_free(&ptx->by_name);
  for (uint32_t i = 0; i < ptx->functions; i++) {
    free(ptx->function[i].parameter);
    free(ptx->function[i].names);
    free(ptx->function[i].instruction);
    free(ptx->function[i].operand);
  }
  free(ptx->function);
  *ptx = (struct gpm_ptx){0};
}
