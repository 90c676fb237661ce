/* redact.h - a capture without text of the source: `html --redact-source`. Called before anything
 * is made of its texts that is shown, and after all that finds things by them (filters, match.h).
 */
#ifndef GPM_TOOLS_REDACT_H
#define GPM_TOOLS_REDACT_H

#include "capture/reader.h"

/* Lines of the source, sizes and their operands as written, and variables that are more than a name
 * are "none" from then on. Names stay: of functions, files, types, variables, members, labels. */
void gpm_redact_source(struct gpm_reader *reader);

#endif
