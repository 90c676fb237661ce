/* symbol_names.c - see symbol_names.h. Only those names of the Itanium C++ ABI are read that are
 * made of plain names (its section 5.1.2: _Z and a name, or _ZN, names and E).
 */
#include "model/symbol_names.h"

#include "support/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Moves *at behind the plain name there, its length before it, and puts it behind `text`. Null:
 * there is none, and `text` is freed. */
static char *add_name(const char **at, char *text) {
  static const char stub[] = "__device_stub__";
  char *name = NULL;
  size_t length = isdigit((unsigned char)**at) ? strtoul(*at, &name, 10) : 0;
  if (!length || length > strlen(name)) {
    free(text);
    return NULL;
  }
  *at = name + length;
  if (length >= sizeof stub && !strncmp(name, stub, sizeof stub - 1)) {
    name += sizeof stub - 1;
    length -= sizeof stub - 1;
  }
  char *longer = gpm_memory_format("%s%s%.*s", text, *text ? "::" : "", (int)length, name);
  free(text);
  return longer;
}

char *gpm_symbol_names_read(const char *symbol) {
  bool nested = !strncmp(symbol, "_ZN", 3), plain = !nested && !strncmp(symbol, "_Z", 2);
  if (!nested && !plain) return gpm_memory_text(symbol);
  const char *at = symbol + (nested ? 3 : 2);
  if (plain && *at == 'L') at++; /* static */
  char *name = gpm_memory_text("");
  do name = add_name(&at, name);
  while (name && nested && *at != 'E');
  bool template = name && at[nested] == 'I';
  if (name && !template) return name;
  free(name);
  return gpm_memory_text(symbol);
}
