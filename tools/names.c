/* names.c - see names.h.
 *
 *   ns::Solver<float, 3>::step          ns::Solver::step
 *   operator<< <char>, operator->       operator<<, operator->
 *   main::'lambda0'(int)::operator()    main::'lambda0'::operator()
 */
#include "names.h"

#include "texts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of an operator whose name has brackets, how long that is behind "operator"; else 0. */
static size_t length_of_operator(const char *at) {
  static const char *const operators[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                          "<=",  ">=",  "->",  "<",   ">",  NULL};
  for (size_t i = 0; operators[i]; i++)
    if (!strncmp(at, operators[i], strlen(operators[i]))) return strlen(operators[i]);
  return 0;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Behind the bracket that pairs with the one at `at`; null: none does. */
static const char *skip(const char *at) {
  char open = *at, close = open == '<' ? '>' : ')';
  for (int depth = 0; *at; at++) {
    if (open == '<' && at[0] == '-' && at[1] == '>') at++; /* in a decltype */
    else if (*at == open) depth++;
    else if (*at == close && !--depth) return at + 1;
  }
  return NULL;
}

char *gpm_names_short(const char *name) {
  static const char word[] = "operator";
  char *out = gpm_memory_array(strlen(name) + 1, 1), *end = out;
  for (const char *at = name; *at;) {
    bool begins = at == name || !is_word(at[-1]);
    if (begins && !strncmp(at, word, strlen(word)) && length_of_operator(at + strlen(word))) {
      size_t length = strlen(word) + length_of_operator(at + strlen(word));
      memcpy(end, at, length);
      end += length;
      at += length;
      if (at[0] == ' ' && at[1] == '<') at++;
    } else if (*at == '<' || (*at == '(' && at > name && at[-1] == '\'')) {
      at = skip(at);
      if (at) continue;
      free(out);
      return gpm_memory_text(name);
    } else *end++ = *at++;
  }
  *end = 0;
  return out;
}

static uint32_t shorten(struct gpm_texts *t, uint32_t function) {
  const char *name = gpm_reader_string(t->reader, function);
  if (!strpbrk(name, "<'")) return function;
  char *brief = gpm_names_short(name);
  uint32_t offset = strcmp(brief, name) != 0 ? gpm_texts_put(t, brief) : function;
  free(brief);
  return offset ? offset : function;
}

/* Of several functions that are one now nobody knows how much was live at once in a line: only the
 * record of a single one takes the name. */
static void shorten_lines(struct gpm_texts *t) {
  struct gpm_map seen = {0};
  for (int round = 0; round < 2; round++) {
    struct gpm_cursor at = {.records = &t->reader->lines};
    for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));) {
      uint32_t brief = shorten(t, l->function);
      if (brief == l->function) continue;
      uint64_t key = gpm_map_mix((uint64_t)l->file << 32 ^ brief) ^ l->line;
      uint64_t *record = gpm_map_at(&seen, key, at.number);
      if (!round && *record != at.number) *record = UINT64_MAX;
      if (round && *record == at.number)
        ((struct gpumemprof_capture_line *)(uintptr_t)l)->function = brief;
    }
  }
  gpm_map_free(&seen);
}

void gpm_names_shorten(struct gpm_reader *reader) {
  struct gpm_texts texts = {.reader = reader};
  struct gpm_cursor at = {.records = &reader->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));)
    ((struct gpumemprof_capture_site *)(uintptr_t)s)->function = shorten(&texts, s->function);
  shorten_lines(&texts);
  gpm_texts_publish(&texts);
}
