/* string.h - a text that is built from pieces. */
#ifndef GPM_TOOLS_STRING_H
#define GPM_TOOLS_STRING_H

#include <stddef.h>

struct gpm_string { /* a zeroed one is empty */
  char *text;       /* null: nothing was added yet */
  size_t length, room;
};

void gpm_string_add(struct gpm_string *string, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The text, "" if nothing was added; to be freed. */
char *gpm_string_take(struct gpm_string *string);

#endif
