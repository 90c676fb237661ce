/* symbol_names.h - names of functions from their symbols, for code of which nothing else is known.
 * Called by uses.c.
 */
#ifndef GPM_TOOLS_SYMBOL_NAMES_H
#define GPM_TOOLS_SYMBOL_NAMES_H

/* The qualified name without parameters, to be freed: "ns::step" of "_ZN2ns4stepEPf". What is not
 * simply a name stays: templates, operators, constructors. A stub that launches a kernel has the
 * name of the kernel. */
char *gpm_symbol_names_read(const char *symbol);

#endif
