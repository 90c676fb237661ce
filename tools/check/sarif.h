/* sarif.h - the parts of SARIF 2.1.0 that commands share: locations in the source, and the document
 * around the results. Code hosts show results beside the source lines. */
#ifndef GPM_TOOLS_SARIF_H
#define GPM_TOOLS_SARIF_H

#include <jansson.h>
#include <stdint.h>

json_t *gpm_sarif_message(const char *text);
/* Returns the location of a line; file and function may be "", line 0: not known. root: of the
 * sources. A file below it gets a relative URI, so that it is found wherever the repository is
 * checked out. */
json_t *gpm_sarif_location(const char *file, uint32_t line, const char *function, const char *root);
/* Returns an entry of the list of rules. */
json_t *gpm_sarif_rule(const char *id, const char *text, const char *level);
/* Prints the document; takes ownership of both lists. */
void gpm_sarif_print(json_t *rules, json_t *results, const char *root);

#endif
