/* wrapped.h - prints a text whose length depends on names, such as a sentence with locations or a
 * call path, in lines that are no longer than the terminal is wide, or than $COLUMNS.
 *
 *   12.00 MiB in 3 blocks: src/solver.cu:40 Solver::allocate
 *       called from src/main.cu:12 main >
 *         src/solver.cu:88 Solver::step
 *
 * In a file or a pipe without $COLUMNS a text is one line, so that other programs can read it. */
#ifndef GPM_TOOLS_WRAPPED_H
#define GPM_TOOLS_WRAPPED_H

#include <stdint.h>
#include <stdio.h>

/* Prints the text and ends its line. Lines break at blanks; those after the first begin with
 * `indent` blanks. A word that is longer than a line is not broken. */
void gpm_wrapped_print(uint32_t indent, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of a text that is written in several parts. Each of its lines is wrapped, and goes on
 * `indent` blanks further to the right than it began. */
struct gpm_wrapped {
  FILE *to;
  char *text;
  size_t size;
};
/* Returns where to write it. */
FILE *gpm_wrapped_begin(struct gpm_wrapped *wrapped);
void gpm_wrapped_end(struct gpm_wrapped *wrapped, uint32_t indent);

#endif
