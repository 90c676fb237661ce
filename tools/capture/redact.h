/* redact.h - removes text of the source from a capture: `html --redact-source`. Called before any
 * shown text is made, and after the code that searches by texts (filters, match.h).
 */
#ifndef GPM_TOOLS_REDACT_H
#define GPM_TOOLS_REDACT_H

#include "capture/reader.h"

/* Lines of the source, sizes and their operands as written, and variables that are more than a name
 * are "none" from then on. Names stay: of functions, files, types, variables, members, labels. */
void gpm_redact_source(struct gpm_reader *reader);

#endif
