/* readable.c - see symbols.h. Names of functions as people write them. */
#include "symbols/symbols.h"

#include "support/memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*demangler)(const char *name, char *buffer, size_t *size, int *status);

/* "void f<int>(char) const" -> "void f<int>" */
static void cut_parameters(char *text) {
  size_t end = strlen(text);
  while (end && text[end - 1] != ')') end--;
  for (int depth = 0; end-- > 0;) {
    if (text[end] == ')') depth++;
    if (text[end] == '(' && --depth == 0) {
      if (end) text[end] = 0; /* but not of "(anonymous namespace)::f" */
      return;
    }
  }
}

/* clang says of an argument of a template that it is an `auto`, which older C++ libraries do not
 * know. Returns the name without that, to be freed; null: it says nothing such. */
static char *without_kinds(const char *name) {
  static const char *const kinds[] = {"TnDa", "TnDc"};
  char *rest = gpm_memory_text(name);
  bool any = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (char *at = rest; (at = strstr(at, kinds[i])); any = true)
      memmove(at, at + strlen(kinds[i]), strlen(at + strlen(kinds[i])) + 1);
  if (any) return rest;
  free(rest);
  return NULL;
}

/* "f.cold", "f.part.0.isra.0" -> "f" */
static void cut_copy(char *name) {
  static const char *const words[] = {".cold", ".part",     ".constprop",
                                      ".isra", ".lto_priv", ".llvm"};
  for (char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      size_t size = strlen(words[i]);
      if (dot == name || strncmp(dot, words[i], size) != 0 || (dot[size] && dot[size] != '.'))
        continue;
      *dot = 0;
      return;
    }
}

char *gpm_symbols_readable(char *name) {
  static _Thread_local bool asked;         /* for each thread, which needs no lock */
  static _Thread_local demangler demangle; /* of the C++ library, if this machine has it */
  if (name) cut_copy(name);
  if (!name || strncmp(name, "_Z", 2) != 0) return name;
  void *library = asked ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  if (library) demangle = (demangler)dlsym(library, "__cxa_demangle");
  asked = true;
  int status = 0;
  char *readable = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  char *older = !readable && demangle ? without_kinds(name) : NULL;
  if (older) readable = demangle(older, NULL, NULL, &status);
  free(older);
  if (!readable) return name;
  free(name);
  cut_parameters(readable);
  return readable;
}
