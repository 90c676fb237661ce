/* ptx_lex.c - see ptx_lex.h. */
#include "facts/ptx_lex.h"

#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

/* `::` is within modifiers: .shared::cta, .L2::128B. */
static bool goes_on(const struct gpm_ptx_lex *lex, const char *at) {
  if (at == lex->end) return false;
  return is_of_word(*at) ||
         (*at == ':' && ((at + 1 < lex->end && at[1] == ':') ||
                         (at > lex->next && at[-1] == ':' && at - 1 > lex->next && at[-2] != ':')));
}

static const char *line_end(const struct gpm_ptx_lex *lex, const char *at) {
  const char *found = memchr(at, '\n', (size_t)(lex->end - at));
  return found ? found : lex->end;
}

static void skip_blanks(struct gpm_ptx_lex *lex) {
  for (const char *s = lex->next;; lex->next = s) {
    while (s < lex->end && (unsigned char)*s <= ' ') s++;
    lex->next = s;
    if (lex->end - s < 2 || *s != '/') return;
    if (s[1] == '/') s = line_end(lex, s);
    else if (s[1] == '*') {
      const char *close = memmem(s + 2, (size_t)(lex->end - s - 2), "*/", 2);
      s = close ? close + 2 : lex->end;
    } else return;
  }
}

void gpm_ptx_lex_next(struct gpm_ptx_lex *lex) {
  skip_blanks(lex);
  const char *begin = lex->next, *s = begin;
  if (s == lex->end) {
    lex->kind = GPM_PTX_END;
    lex->text = (struct gpm_ptx_text){s, 0};
    return;
  }
  if (*s == '"') {
    lex->kind = GPM_PTX_STRING;
    for (s++; s < lex->end && *s != '"'; s++)
      if (*s == '\\' && s + 1 < lex->end) s++;
    if (s < lex->end) s++;
  } else if (is_of_word(*s)) {
    lex->kind = GPM_PTX_WORD;
    while (goes_on(lex, s)) s++;
  } else {
    lex->kind = GPM_PTX_SIGN;
    s++;
  }
  lex->text = (struct gpm_ptx_text){begin, (uint32_t)(s - begin)};
  lex->next = s;
}

void gpm_ptx_lex_skip_line(struct gpm_ptx_lex *lex) {
  lex->next = line_end(lex, lex->text.at);
  gpm_ptx_lex_next(lex);
}

void gpm_ptx_lex_skip_statement(struct gpm_ptx_lex *lex) {
  while (lex->kind != GPM_PTX_END && !gpm_ptx_lex_at(lex, ';')) {
    if (gpm_ptx_lex_at(lex, '{')) gpm_ptx_lex_skip_block(lex);
    else gpm_ptx_lex_next(lex);
  }
  if (lex->kind != GPM_PTX_END) gpm_ptx_lex_next(lex);
}

void gpm_ptx_lex_skip_block(struct gpm_ptx_lex *lex) {
  uint32_t depth = 0;
  do {
    if (gpm_ptx_lex_at(lex, '{')) depth++;
    if (gpm_ptx_lex_at(lex, '}')) depth--;
    gpm_ptx_lex_next(lex);
  } while (depth && lex->kind != GPM_PTX_END);
}

bool gpm_ptx_lex_at(const struct gpm_ptx_lex *lex, char sign) {
  return lex->kind == GPM_PTX_SIGN && *lex->text.at == sign;
}

bool gpm_ptx_lex_at_word(const struct gpm_ptx_lex *lex, const char *word) {
  return lex->kind == GPM_PTX_WORD && gpm_ptx_is(lex->text, word);
}

static int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool gpm_ptx_lex_number(struct gpm_ptx_text text, int64_t *value) {
  const char *s = text.at, *end = s + text.size;
  uint64_t sum = 0;
  int base = 10;
  *value = 0;
  if (s == end || !is_digit(*s)) return false;
  if (*s == '0' && end - s > 1) {
    char c = s[1] | 0x20;
    if (c == 'f' || c == 'd') return true; /* the bits of a floating-point number */
    base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
    s += base == 8 ? 1 : 2;
  }
  for (; s < end && digit_of(*s) < base; s++) sum = sum * (uint64_t)base + (uint64_t)digit_of(*s);
  *value = s < end && *s == '.' ? 0 : (int64_t)sum;
  return true;
}
