/* troff.c - see troff.h. An unescaped quote, caret, tilde or minus would become the typographic
 * character, which a shell does not accept; a dot or a quote at the start of a line is a request.
 */
#include "terminal/troff.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 78 };

/* Returns the number of columns it took in the source of the page. */
static int put(char c) {
  switch (c) {
  case '\\':
    return printf("\\e");
  case '-':
    return printf("\\-");
  case '\'':
    return printf("\\(aq");
  case '`':
    return printf("\\(ga");
  case '^':
    return printf("\\(ha");
  case '~':
    return printf("\\(ti");
  default:
    putchar(c);
    return 1;
  }
}

static int put_word(const char *text, size_t length, int at) {
  int columns = 0;
  if (!at && (*text == '.' || *text == '\'')) columns += printf("\\&");
  for (size_t i = 0; i < length; i++) columns += put(text[i]);
  return columns;
}

static int width_of(const char *text, size_t length) {
  int columns = 0;
  for (size_t i = 0; i < length; i++)
    columns += strchr("'`^~", text[i]) ? 4 : strchr("\\-", text[i]) ? 2 : 1;
  return columns;
}

void gpm_troff_words(const char *text) {
  put_word(text, strlen(text), 0);
}

void gpm_troff_text(const char *text) {
  int at = 0;
  while (*text) {
    size_t length = strcspn(text, " \n");
    if (at && at + 1 + width_of(text, length) > LINE) {
      putchar('\n');
      at = 0;
    } else if (at) {
      putchar(' ');
      at++;
    }
    at += put_word(text, length, at);
    text += length;
    text += strspn(text, " \n");
  }
  putchar('\n');
}

void gpm_troff_item(const char *term, const char *argument, const char *text) {
  printf(".TP\n\\fB");
  gpm_troff_words(term);
  printf("\\fR");
  if (argument) {
    printf("=\\fI");
    gpm_troff_words(argument);
    printf("\\fR");
  }
  putchar('\n');
  gpm_troff_text(text);
}

void gpm_troff_example(const char *line) {
  printf(".RS\n.nf\n");
  gpm_troff_words(line);
  printf("\n.fi\n.RE\n");
}
