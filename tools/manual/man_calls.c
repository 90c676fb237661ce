/* man_calls.c - `gpumemprof man 3`: makes the manual page of the calls a program can make from the
 * comments of the headers that declare them.
 *
 * A header is its own reference: each comment at the beginning of a line describes the declarations
 * up to the next blank line. This file turns them into troff. Declarations without a comment, or
 * with a name that ends in `_`, are not part of the interface.
 */
#include "manual/man_calls.h"

#include "support/memory.h"
#include "terminal/troff.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const headers[] = {
    "gpumemprof.h", "measure.h", "control.h", "errors.h",    "labels.h",
    "callbacks.h",  "steps.h",   "marks.h",   "recording.h", "interpreter.h",
    "torch.h",      "read.h",    NULL};

struct text {
  char *at;
  size_t length, room;
};

static void append(struct text *t, const char *more, size_t length) {
  if (t->length + length + 2 > t->room) {
    t->room = (t->length + length + 2) * 2;
    t->at = gpm_memory_resize(t->at, t->room, 1);
  }
  memcpy(t->at + t->length, more, length);
  t->length += length;
  t->at[t->length] = 0;
}

/* Returns a line of a comment without its star. */
static const char *without_star(const char *line) {
  if (!strncmp(line, "/* ", 3)) return line + 3;
  if (!strncmp(line, " * ", 3)) return line + 3;
  if (!strncmp(line, " *", 2) || !strncmp(line, "/*", 2)) return line + 2;
  return line;
}

/* `.PP` is delayed until text follows, because troff warns about empty paragraphs. */
static bool paragraph_due, after_heading;
static void begin_text(void) {
  if (paragraph_due && !after_heading) printf(".PP\n");
  paragraph_due = after_heading = false;
}

/* `in_table`: the previous line belongs to a table. Lines of a table begin with blanks. */
static void print_comment_line(const char *line, bool *in_table) {
  char *text = gpm_memory_text(without_star(line)), *end = strstr(text, "*/");
  if (!strcmp(line, " */")) *text = 0;
  else if (end) *end = 0;
  char *rule = strstr(text, "-----"); /* of a section's heading */
  if (rule) *rule = 0;
  for (size_t n = strlen(text); n && text[n - 1] == ' ';) text[--n] = 0;
  bool heading = !strncmp(text, "---- ", 5), table = !strncmp(text, "  ", 2);
  if (*in_table && !table) printf(".fi\n");
  paragraph_due |= table != *in_table || !*text;
  if (table && !*in_table) {
    begin_text();
    printf(".nf\n");
  }
  *in_table = table;
  if (heading) {
    printf(".SS %s\n", text + 5);
    after_heading = true;
  } else if (*text) begin_text();
  if (heading || !*text) {
  } else if (table) {
    gpm_troff_words(text);
    putchar('\n');
  } else gpm_troff_text(text);
  free(text);
}

/* ---- declarations ------------------------------------------------------------------------------
 */

static bool starts(const char *line, const char *with) {
  return !strncmp(line, with, strlen(with));
}

static void cut_word(char *text, const char *word) {
  for (char *at; (at = strstr(text, word));)
    memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* Returns the prototype that a program calls for `CALL_(type, name, (parameters), ...)`. */
static char *as_prototype(const char *call) {
  if (starts(call, "GPUMEMPROF_SYMBOL_(")) {
    char type[64], name[128];
    int used = 0;
    if (sscanf(call, "GPUMEMPROF_SYMBOL_(%63[^,], %127[a-z0-9_], %n", type, name, &used) != 2)
      return NULL;
    return gpm_memory_format("%s %s%.*s;", type, name, (int)strcspn(call + used, ")") + 1,
                             call + used);
  }
  bool is_void = starts(call, "GPUMEMPROF_CALL_VOID_(");
  char type[128] = "void", name[128];
  const char *at = strchr(call, '(') + 1;
  int used = 0;
  if (!is_void && (sscanf(at, " %127[^,], %n", type, &used) != 1 || !used)) return NULL;
  at += used;
  if (sscanf(at, " %127[a-z0-9_], %n", name, &used) != 1) return NULL;
  const char *open = strchr(at, '('), *end = open;
  for (int depth = 0; end && *end; end++) {
    depth += (*end == '(') - (*end == ')');
    if (!depth) break;
  }
  if (!end || !*end) return NULL;
  bool pointer = type[strlen(type) - 1] == '*';
  return gpm_memory_format("%s%sgpumemprof_%s%.*s;", type, pointer ? "" : " ", name,
                           (int)(end - open + 1), open);
}

/* Returns a declaration without the attributes that only matter to compilers. The caller frees it.
 * Returns null if it is not part of the interface. */
static char *as_declared(char *text) {
  static const char *const noise[] = {
      "GPUMEMPROF_TRANSPARENT_ ", "GPUMEMPROF_UNUSED_ ", "GPUMEMPROF_IGNORE ",     "static inline ",
      "__attribute__((unused)) ", "static inline",       "__attribute__((unused))"};
  if (starts(text, "GPUMEMPROF_CALL_") || starts(text, "GPUMEMPROF_SYMBOL_"))
    return as_prototype(text);
  if (strstr(text, "__attribute__((weak))") || starts(text, "extern") || starts(text, "#if") ||
      starts(text, "#e") || starts(text, "#include") || starts(text, "}"))
    return NULL;
  if (starts(text, "#define")) {
    size_t name = strcspn(text + 8, "( ");
    if (text[8 + name - 1] == '_') return NULL;
    size_t end = text[8 + name] == '(' ? strcspn(text, ")") + 1 : strcspn(text, "\\\n");
    bool nothing =
        text[8 + name] == '(' ? !text[end] || starts(text + end, " ((void)") : !text[8 + name];
    if (nothing) return NULL; /* the empty variant for code without the runtime */
    return gpm_memory_format("%.*s", (int)end, text);
  }
  bool record = starts(text, "struct") || starts(text, "enum");
  char *brace = strchr(text, '{');
  if (brace && !(record && strcspn(text, "(") > (size_t)(brace - text))) { /* a function */
    while (brace > text && isspace((unsigned char)brace[-1])) brace--;
    strcpy(brace, ";");
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) cut_word(text, noise[i]);
    for (char *p = text; *p; p++)
      while (isspace((unsigned char)*p) && isspace((unsigned char)p[1]))
        memmove(p, p + 1, strlen(p));
    for (char *p = text; *p; p++)
      if (*p == '\n') *p = ' ';
    const char *open = strchr(text, '(');
    if (!open || open[-1] == '_') return NULL;
    while (isspace((unsigned char)*text)) text++;
  }
  return *text ? gpm_memory_text(text) : NULL;
}

static void print_declaration(struct text *t) {
  char *declared = t->length ? as_declared(t->at) : NULL;
  if (declared) {
    paragraph_due = true;
    begin_text();
    printf(".nf\n");
    for (char *line = strtok(declared, "\n"); line; line = strtok(NULL, "\n")) {
      fputs("\\fB", stdout);
      gpm_troff_words(line);
      fputs("\\fR\n", stdout);
    }
    printf(".fi\n");
    paragraph_due = true;
  }
  free(declared);
  t->length = 0;
  if (t->at) *t->at = 0;
}

/* Returns whether the declaration ends with this line. */
static bool is_whole(const struct text *t, const char *line) {
  size_t n = strlen(line);
  if (starts(t->at, "#")) return !n || line[n - 1] != '\\';
  if (starts(t->at, "GPUMEMPROF_CALL_") || starts(t->at, "GPUMEMPROF_SYMBOL_")) {
    int depth = 0;
    for (const char *p = t->at; *p; p++) depth += (*p == '(') - (*p == ')');
    return depth == 0;
  }
  bool body = strchr(t->at, '{') != NULL;
  bool one_line = strchr(t->at, '\n') == t->at + t->length - 1;
  return body ? line[0] == '}' || (one_line && strchr(line, '}') != NULL) : n && line[n - 1] == ';';
}

static void print_header(FILE *file) {
  char *line = NULL;
  size_t room = 0;
  bool comment = false, described = false, head = true, in_table = false;
  struct text declaration = {0};
  while (getline(&line, &room, file) >= 0) {
    line[strcspn(line, "\n")] = 0;
    bool begins = !declaration.length && starts(line, "/*");
    if (comment || begins) {
      if (begins && !comment && !head) paragraph_due = true;
      print_comment_line(line, &in_table);
      comment = !strstr(line, "*/");
      if (!comment) described = !head;
      if (!comment && in_table) printf(".fi\n");
      in_table &= comment;
      head = head && comment;
      continue;
    }
    if (!declaration.length && (!*line || starts(line, "#if") || starts(line, "#e"))) {
      if (!*line) described = false;
      continue;
    }
    bool record = !declaration.length && (starts(line, "struct") || starts(line, "enum")) &&
                  strchr(line, '{');
    described |= record;
    append(&declaration, line, strlen(line));
    append(&declaration, "\n", 1);
    if (!is_whole(&declaration, line)) continue;
    declaration.at[--declaration.length] = 0;
    if (!described) declaration.length = 0;
    print_declaration(&declaration);
  }
  free(declaration.at);
  free(line);
}

bool gpm_man_calls(const char *folder, char **missing) {
  printf(
      ".TH GPUMEMPROF 3 \"\" \"gpumemprof %s\"\n.SH NAME\ngpumemprof \\- what a program may say "
      "to the profiler, and ask it\n.SH SYNOPSIS\n.nf\n\\fB#include "
      "<gpumemprof/gpumemprof.h>\\fR\n\\fB#include <gpumemprof/gpumemprof.hpp>\\fR   (C++)\n"
      "\\fB#include <gpumemprof/read.h>\\fR   (captures)\n"
      ".fi\n.PP\nLink with \\fB\\-lgpumemprof\\fR, or with nothing: then every call does nothing.\n"
      "What is in read.h needs \\fB\\-lgpumemprof\\-read\\fR.\n"
      ".SH DESCRIPTION\n",
      GPM_VERSION);
  for (const char *const *h = headers; *h; h++) {
    char *path = gpm_memory_format("%s/%s", folder, *h);
    FILE *file = fopen(path, "r");
    if (!file) {
      *missing = path;
      return false;
    }
    if (h != headers) printf(".SH %s\n", *h);
    after_heading = true;
    print_header(file);
    fclose(file);
    free(path);
  }
  printf(".SH SEE ALSO\n\\fBgpumemprof\\fR(1)\n");
  return true;
}
