/* names.c - see names.h.
 *
 *   ns::Solver<float, 3>::step          ns::Solver::step
 *   operator<< <char>, operator->       operator<<, operator->
 *   main::'lambda0'(int)::operator()    main::'lambda0'::operator()
 *   make<...>#1f0e3a9b7d224455          make              (the plugin cut it)
 *   thrust::THRUST_300001_SM_900_NS::f  thrust::f         (an inline namespace)
 */
#include "model/names.h"

#include "capture/texts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* For an operator whose name has brackets, the length of the name after "operator"; else 0. */
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

/* The position after the bracket that matches the one at `at`; null: none does. */
static const char *skip(const char *at) {
  char open = *at, close = open == '<' ? '>' : ')';
  for (int depth = 0; *at; at++) {
    if (open == '<' && at[0] == '-' && at[1] == '>') at++; /* in a decltype */
    else if (*at == open) depth++;
    else if (*at == close && !--depth) return at + 1;
  }
  return NULL;
}

/* The length of a version's inline namespace that begins there, with its colons; else 0. */
static size_t length_of_version(const char *at) {
  static const char end[] = "_NS::";
  size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), last = sizeof end - 1;
  if (length < 4 || strncmp(at + length - 3, end, last) != 0) return 0;
  return strcspn(at, "0123456789") < length ? length + 2 : 0;
}

static const char cut[] = "<...>#"; /* followed by a number, it ends a name that the plugin cut */

static bool is_cut(const char *at) {
  return !strncmp(at, cut, sizeof cut - 1);
}

/* The position after template arguments, or after the parameters of a lambda. Without a matching
 * bracket they extend to the end. */
static const char *skip_arguments(const char *at) {
  if (is_cut(at)) return at + sizeof cut - 1 + strspn(at + sizeof cut - 1, "0123456789abcdef");
  const char *behind = skip(at);
  return behind ? behind : at + strlen(at);
}

char *gpm_names_short(const char *name) {
  static const char word[] = "operator";
  char *out = gpm_memory_array(strlen(name) + 1, 1), *end = out;
  for (const char *at = name; *at;) {
    bool begins = at == name || !is_word(at[-1]);
    if (begins && length_of_version(at)) at += length_of_version(at);
    else if (begins && !strncmp(at, word, strlen(word)) && !is_cut(at + strlen(word)) &&
             length_of_operator(at + strlen(word))) {
      size_t length = strlen(word) + length_of_operator(at + strlen(word));
      memcpy(end, at, length);
      end += length;
      at += length;
      if (at[0] == ' ' && at[1] == '<') at++;
    } else if (*at == '<' || (*at == '(' && at > name && at[-1] == '\'')) {
      at = skip_arguments(at);
    } else *end++ = *at++;
  }
  *end = 0;
  return out;
}

static uint32_t shorten(struct gpm_texts *t, uint32_t function) {
  const char *name = gpm_reader_string(t->reader, function);
  if (!strpbrk(name, "<'") && !strstr(name, "_NS::")) return function;
  char *brief = gpm_names_short(name);
  uint32_t offset = strcmp(brief, name) != 0 ? gpm_texts_put(t, brief) : function;
  free(brief);
  return offset ? offset : function;
}

/* If several functions became one, how much was live at once in a line of theirs is not known, so a
 * record takes the name only if there is a single one. */
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

static void shorten_site(struct gpm_texts *t, struct gpumemprof_capture_site *s) {
  s->function = shorten(t, s->function);
  s->callee = shorten(t, s->callee);
  s->type = shorten(t, s->type);
}

void gpm_names_shorten(struct gpm_reader *reader) {
  struct gpm_texts texts = {.reader = reader};
  struct gpm_cursor at = {.records = &reader->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));)
    shorten_site(&texts, (struct gpumemprof_capture_site *)(uintptr_t)s);
  shorten_lines(&texts);
  gpm_texts_publish(&texts);
}
