/* output.h - which file a process writes: see output.c.
 */
#ifndef GPM_OUTPUT_H
#define GPM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

void gpm_output_anchor(void); /* a relative name: from where the program was started */
/* Writes the capture's path, and returns a lock. The caller then writes the file's header and
 * passes the lock to gpm_output_chosen, all within one gpm_private_files_run. */
int gpm_output_choose(char *path, size_t size, bool forked);
void gpm_output_chosen(int lock);

#endif /* GPM_OUTPUT_H */
