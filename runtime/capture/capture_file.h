/* capture_file.h - the bytes under capture.c: a shared file mapping that grows without moving. */
#ifndef GPM_CAPTURE_FILE_H
#define GPM_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Creates the file (replacing a capture of that name) and maps it. Returns null, with a sentence in
 * `error`, when it cannot be written. Where the file cannot be mapped safely, the capture is kept
 * in memory and written at the end. */
void *gpm_capture_file_open(const char *path, char *error, size_t error_size);
/* Makes the first `size` bytes usable; false and a sentence when there is no room. */
bool gpm_capture_file_reserve(uint64_t size, char *error, size_t error_size);
void gpm_capture_file_finish(uint64_t used);
void gpm_capture_file_remove(void); /* nothing was recorded */
/* In a forked child. inside: puts memory in place of the file, for the code that was
 * interrupted. */
void gpm_capture_file_forget(bool inside);

/* For dump.c and replace.c as well. Errors are errno values, 0 is none. */
bool gpm_capture_file_beyond_limit(uint64_t size); /* where a write would raise SIGXFSZ */
int gpm_capture_file_no_regular(mode_t mode);
/* "cannot WHAT PATH: why", in one sentence. */
void gpm_capture_file_explain(char *error, size_t size, const char *what, const char *path,
                              int code);

#endif /* GPM_CAPTURE_FILE_H */
