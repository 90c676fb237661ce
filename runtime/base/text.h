/* text.h - bounded formatting and one-line messages, without malloc or stdio: see text.c.
 */
#ifndef GPM_TEXT_H
#define GPM_TEXT_H

#include <stddef.h>
#include <stdint.h>

size_t gpm_text_add(char *buffer, size_t size, size_t length, const char *text);
size_t gpm_text_add_number(char *buffer, size_t size, size_t length, uint64_t number);
size_t gpm_text_add_hex(char *buffer, size_t size, size_t length, uint64_t number); /* "1a2b" */
size_t gpm_text_add_bytes(char *buffer, size_t size, size_t length,
                          uint64_t bytes);        /* "350.00 MiB", as the tool prints it */
const char *gpm_text_last_part(const char *path); /* what follows its last slash */
void gpm_text_start(void);                        /* records which file the standard error is */
void gpm_text_say(const char *first, ...) __attribute__((sentinel)); /* one line on stderr */
/* Writes lines on stderr, in one piece and whatever was said before. Each ends with a newline.
 * Other characters that control a terminal are replaced in `text`. */
void gpm_text_write(char *text, size_t length);
void gpm_text_read_file(const char *path, char *buffer,
                        size_t size); /* "" when it cannot be read */

#endif /* GPM_TEXT_H */
