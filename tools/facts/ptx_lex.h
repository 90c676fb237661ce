/* ptx_lex.h - the words of a PTX text. ptx.c reads it by them. */
#ifndef GPM_TOOLS_PTX_LEX_H
#define GPM_TOOLS_PTX_LEX_H

#include "facts/ptx.h"

enum gpm_ptx_word_kind {
  GPM_PTX_END,
  GPM_PTX_WORD, /* a name, an opcode with its modifiers, a directive, a number without its sign */
  GPM_PTX_STRING,
  GPM_PTX_SIGN, /* one character */
};

struct gpm_ptx_lex {
  const char *next, *end;
  enum gpm_ptx_word_kind kind; /* of the current word */
  struct gpm_ptx_text text;
};

/* Goes to the next word, past blanks and comments. */
void gpm_ptx_lex_next(struct gpm_ptx_lex *lex);
/* Goes to the first word of the next line, for directives that end with theirs. */
void gpm_ptx_lex_skip_line(struct gpm_ptx_lex *lex);
/* Goes past the next `;` that is not within braces, or to the end. */
void gpm_ptx_lex_skip_statement(struct gpm_ptx_lex *lex);
/* At a `{`: goes past the `}` that belongs to it, or to the end. */
void gpm_ptx_lex_skip_block(struct gpm_ptx_lex *lex);

bool gpm_ptx_lex_at(const struct gpm_ptx_lex *lex, char sign);
bool gpm_ptx_lex_at_word(const struct gpm_ptx_lex *lex, const char *word);
/* Whether the word is a number; its value, 0 of one with a fraction. */
bool gpm_ptx_lex_number(struct gpm_ptx_text text, int64_t *value);

#endif
