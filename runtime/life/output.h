/* output.h - which file a process writes: see output.c.
 */
#ifndef GPM_OUTPUT_H
#define GPM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

void gpm_output_anchor(void); /* a relative name means the folder the program was started in */
/* The capture's path. Then the file is to be described, and the lock given to gpm_output_chosen;
 * all of it within one gpm_private_files_run. */
int gpm_output_choose(char *path, size_t size, bool forked);
void gpm_output_chosen(int lock);

#endif /* GPM_OUTPUT_H */
