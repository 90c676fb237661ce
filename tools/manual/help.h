/* help.h - `gpumemprof --help`: all commands on one screen, by what they are for (commands.def). */
#ifndef GPM_TOOLS_HELP_H
#define GPM_TOOLS_HELP_H

void gpm_help_print(void);

#endif
