/* install.h - finds the other files of gpumemprof, from the path of the tool itself:
 * PREFIX/bin/gpumemprof in an installed tree, BUILD/bin/gpumemprof in a build tree, which has the
 * same layout but that its libraries are in lib/. */
#ifndef GPM_TOOLS_INSTALL_H
#define GPM_TOOLS_INSTALL_H

#include <stdbool.h>

/* PREFIX/`name`, to be freed; ends the process with status 2 when the tool cannot find itself. */
char *gpm_install_path(const char *name);
/* The same in the folder of libraries, which is lib/, lib64/ or lib/x86_64-linux-gnu/ by how
 * gpumemprof was installed. */
char *gpm_install_library(const char *name);
bool gpm_install_has(const char *path);

#endif
