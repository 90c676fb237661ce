/* say.h - what the tool says to the user beside its output: one line on stderr, and the exit status
 * that goes with it. For everything that can fail; main.c and command.c say under which name. */
#ifndef GPM_TOOLS_SAY_H
#define GPM_TOOLS_SAY_H

#include "support/host.h"

#include <stddef.h>

/* Exit statuses of the tool. */
enum { GPM_EXIT_OK = 0, GPM_EXIT_FINDING = 1, GPM_EXIT_USAGE = 2 };

/* "gpumemprof report: text" on stderr, without what a terminal would obey. Takes the line of
 * progress.h away before. */
void gpm_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From here on messages begin with this name; it stays the caller's. At first it is "gpumemprof".
 */
void gpm_say_as(const char *name);

/* Which of a list (ending with null) a word is; says what is wrong, with the nearest, and ends the
 * process with status 2. `what` names the thing: "there is no `what` ...". */
size_t gpm_say_choice(const char *what, const char *word, const char *const *words);

/* What the rooms below return of their errors: null, or a sentence, which is said and freed. True:
 * there was one; or it ends the process with status 2. */
bool gpm_say_is_wrong(char *wrong);
void gpm_say_refuse(char *wrong);

/* The host of all captures that the tool opens. */
struct gpm_host *gpm_say_host(void);

#endif
