/* ptx_read.h - the state that ptx.c and ptx_body.c share while they read a text. */
#ifndef GPM_TOOLS_PTX_READ_H
#define GPM_TOOLS_PTX_READ_H

#include "facts/ptx.h"
#include "facts/ptx_lex.h"
#include "support/map.h"

struct gpm_ptx_reading {
  struct gpm_ptx *ptx;
  struct gpm_ptx_lex lex;
  struct gpm_map variables; /* of the text: their spaces, by name */
  struct gpm_ptx_function *function;
  struct gpm_map names; /* of the function: numbers plus 1, by name; 0: not declared here */
  bool in_conversion;   /* after a % of a text in memory */
};

struct gpm_ptx_declared {
  struct gpm_ptx_text name;
  uint8_t space;
  uint32_t size;
  bool is_pointer, is_float, is_array;
  bool is_range; /* %r<9>: %r0 to %r8 */
};

/* Reads one declaration, up to the sign that ends it (a comma, a semicolon, a bracket). False: it
 * declares no name. */
bool gpm_ptx_declaration(struct gpm_ptx_reading *r, struct gpm_ptx_declared *declared);
/* Makes a new name of the function, which stands for that text from now on; returns its number. */
uint32_t gpm_ptx_declare(struct gpm_ptx_reading *r, struct gpm_ptx_text name, uint8_t space);
/* Returns the array with room for one more than `count`; the room doubles. */
void *gpm_ptx_room(void *array, uint32_t count, size_t size);

/* ---- ptx_body.c ----
 * At the `{` of a function: reads its body, past the `}`. */
void gpm_ptx_read_body(struct gpm_ptx_reading *r);

#endif
