/* top_find.h - which capture `gpumemprof top PID|FILE` is about. */
#ifndef GPM_TOOLS_TOP_FIND_H
#define GPM_TOOLS_TOP_FIND_H

/* A path, to be freed; null after it said in a sentence why there is none.
 * word: a process id, else a file. Null: the running program with a capture in this folder that
 * began last, else the only program on the machine that records. */
char *gpm_top_find(const char *word);

#endif
