/* option_text.h - where an option of GPUMEMPROF_OPTIONS ends. Runtime and tools take the text apart
 * alike.
 *
 *   output=/a:b/%p.gmprof:history=all:uses=on      a value goes on to the next ':' that begins a
 *                                                  "key=", known or not
 */
#ifndef GPUMEMPROF_OPTION_TEXT_H
#define GPUMEMPROF_OPTION_TEXT_H

#include <string.h>

/* Whether a "key=" begins there: letters, digits and underscores, and the sign. */
static inline int gpumemprof_option_begins(const char *text) {
  size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return length && text[length] == '=';
}

/* Behind the option that begins there: its ':' or the end. has_colons: its value may hold some. */
static inline const char *gpumemprof_option_end(const char *text, int has_colons) {
  while (*text &&
         !(*text == ':' && (!has_colons || !text[1] || gpumemprof_option_begins(text + 1))))
    text++;
  return text;
}

#endif /* GPUMEMPROF_OPTION_TEXT_H */
