/* words.h - one line of text for people, put together piece by piece without malloc or stdio, and
 * cut where it is full. oom_text.c, budget_words.c and answer_text.c use
 * it. */
#ifndef GPM_WORDS_H
#define GPM_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct gpm_words { /* initialized with zeros, except for: */
  size_t
      longest_file; /* of longer paths only the last folders are named; 0: all are named in full */
  size_t longest_name; /* longer names of functions are cut; 0: after 64 bytes */
  char text[1536];
  size_t length;
};
void gpm_words_add(struct gpm_words *w, const char *text);
void gpm_words_number(struct gpm_words *w, uint64_t number);
void gpm_words_bytes(struct gpm_words *w, uint64_t bytes); /* "350.00 MiB" */
/* Adds a name of the program, the string at this offset (0: nothing). A very long name is cut, and
 * control characters are replaced by spaces. */
void gpm_words_name(struct gpm_words *w, uint32_t string);
/* Adds "app.cu:12", relative to the folder in which the program started. */
void gpm_words_file(struct gpm_words *w, uint32_t file, uint32_t line);
/* Adds "app.cu:12 step", or the parts of it that are known. */
void gpm_words_location(struct gpm_words *w, uint32_t file, uint32_t line, uint32_t function);
/* The same, given as texts; "" is unknown. */
void gpm_words_at(struct gpm_words *w, const char *file, uint32_t line, const char *function);

#endif /* GPM_WORDS_H */
