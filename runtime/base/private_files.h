/* private_files.h - file descriptors of the runtime, which the program can neither see nor
 * close. */
#ifndef GPM_PRIVATE_FILES_H
#define GPM_PRIVATE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Calls work(argument), in which the functions below may be called, and waits for its end. Every
 * descriptor that it leaves open is closed then. Returns 0, or an errno value when it could not be
 * called. Nested calls just call work(argument). */
int gpm_private_files_run(void (*work)(void *argument), void *argument);
/* The same, with copies of the program's descriptors 0 to 2 under the same numbers. */
int gpm_private_files_run_with_standard(void (*work)(void *argument), void *argument);

/* The system calls; they return an errno value as a negative number and do not touch errno. */
int gpm_private_files_open(const char *path, int flags, mode_t mode);
int gpm_private_files_close(int fd);
int64_t gpm_private_files_read(int fd, void *to, uint64_t size, uint64_t from);
/* Writes all of it. */
int gpm_private_files_write(int fd, const void *from, uint64_t size, uint64_t to);
/* Each name in an open folder, in no order. */
void gpm_private_files_each(int folder, void (*visit)(void *data, const char *name), void *data);
/* Disk space for [from, to) without a change of contents; 0 or an errno value. */
int gpm_private_files_allocate(int fd, uint64_t from, uint64_t to);

#endif /* GPM_PRIVATE_FILES_H */
