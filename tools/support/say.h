/* say.h - messages of the tool to the user beside its output: one line on stderr, and the exit
 * status that goes with it. All code that can fail uses it; main.c and command.c set the name that
 * messages begin with. */
#ifndef GPM_TOOLS_SAY_H
#define GPM_TOOLS_SAY_H

#include "support/host.h"

#include <stddef.h>

/* Exit statuses of the tool. */
enum { GPM_EXIT_OK = 0, GPM_EXIT_FINDING = 1, GPM_EXIT_USAGE = 2 };

/* Writes "gpumemprof report: text" to stderr, without control characters. Removes the line of
 * progress.h first. */
void gpm_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Messages begin with this name from now on; the caller owns it. Initially it is "gpumemprof". */
void gpm_say_as(const char *name);

/* The index of a word in a list (ending with null). If it is not there, reports that with the
 * nearest word and ends the process with status 2. `what` is the noun of the message: "there is no
 * `what` ...". */
size_t gpm_say_choice(const char *what, const char *word, const char *const *words);

/* What the rooms below return of their errors: null, or a sentence, which is said and freed. True:
 * there was one; or it ends the process with status 2. */
bool gpm_say_is_wrong(char *wrong);
void gpm_say_refuse(char *wrong);

/* The host of all captures that the tool opens. */
struct gpm_host *gpm_say_host(void);

#endif
