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

/* Prints the text and ends its line. Lines break at blanks; those after the first begin with
 * `indent` blanks. A word that is longer than a line is not broken. */
void gpm_wrapped_print(uint32_t indent, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
