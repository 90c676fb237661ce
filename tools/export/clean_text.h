/* clean_text.h - the texts that several formats write, without characters that would control a
 * terminal: as JSON strings, and the command line. */
#ifndef GPM_TOOLS_CLEAN_TEXT_H
#define GPM_TOOLS_CLEAN_TEXT_H

#include "export/export.h"

/* Writes the text as a JSON string. The text has to be clean (text.h). */
void gpm_export_quote(FILE *f, const char *text);
/* Returns the program's command line, clean. The caller frees it. */
char *gpm_export_command(const struct gpm_export *x);

#endif
