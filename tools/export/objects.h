/* objects.h - the program or library that the code of a frame is in, for formats that name it. */
#ifndef GPM_TOOLS_OBJECTS_H
#define GPM_TOOLS_OBJECTS_H

#include "export/export.h"

/* Returns its path, clean (text.h), or "" where it is not known. The caller frees it. */
char *gpm_export_object(const struct gpm_export *x, uint32_t frame);

#endif
