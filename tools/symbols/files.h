/* files.h - what files.c, which opens a module's files, asks of dwarf.c. */
#ifndef GPM_TOOLS_FILES_H
#define GPM_TOOLS_FILES_H

#include "symbols/symbols.h"

#ifdef GPM_HAVE_LIBDW
#include <elfutils/libdw.h>

/* Fills the sources that are not known yet. bias: the addresses of the debug information, less
 * those of the module. */
void gpm_dwarf_find(Dwarf *dwarf, uint64_t bias, struct gpm_source *sources, size_t count);
#endif

#endif
