/* names.h - functions by shorter names: `--names short`. Called by command.c when a capture was
 * opened.
 *
 * Names in captures are demangled, qualified and without parameters: "ns::Solver<float>::step".
 * Short ones are without template arguments, "ns::Solver::step", so that all instances of a
 * template are one function in every report. Names of callees and types are shortened likewise.
 */
#ifndef GPM_TOOLS_NAMES_H
#define GPM_TOOLS_NAMES_H

#include "capture/reader.h"

/* Rewrites the functions, callees and types of sites, and the functions of lines. */
void gpm_names_shorten(struct gpm_reader *reader);
/* The short name, to be freed. If the brackets of a name do not match, only the part before them.
 */
char *gpm_names_short(const char *name);

#endif
