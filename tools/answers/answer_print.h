/* answer_print.h - prints the short answer of captures (answer.h) in four lines: the peak, leaks,
 * what failed, and the command that shows more. Who calls it prints the line above them, which
 * names the captures. */
#ifndef GPM_TOOLS_ANSWER_PRINT_H
#define GPM_TOOLS_ANSWER_PRINT_H

#include "answers/answer.h"

#include <stdio.h>

/* Opens a capture and finds its answer. Returns false after an error message. */
bool gpm_answer_read(struct gpm_answer *answer, const char *path);
/* Prints the answer of one process, or of several together; with several, each has a name. */
void gpm_answer_print(FILE *to, const struct gpm_answer *answers, uint32_t count);
/* Returns the path of a capture as the argument of a command: relative below this folder, and
 * quoted where a shell needs it. The caller frees it. */
char *gpm_answer_argument(const char *path);

#endif
