/* words.h - one line of text for people, put together piece by piece without malloc or stdio, and
 * cut where it is full. oom_text.c and budget_words.c write theirs with it. */
#ifndef GPM_WORDS_H
#define GPM_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct gpm_words { /* begins all zeros, but for: */
  size_t
      longest_file; /* of longer paths only the last folders are named; 0: all are named in full */
  char text[1536];
  size_t length;
};
void gpm_words_add(struct gpm_words *w, const char *text);
void gpm_words_number(struct gpm_words *w, uint64_t number);
void gpm_words_bytes(struct gpm_words *w, uint64_t bytes); /* "350.00 MiB" */
/* A name of the program's, cut where it is very long; what would move a terminal's cursor is left
 * out. The string at an offset; 0: nothing. */
void gpm_words_name(struct gpm_words *w, uint32_t string);
/* "app.cu:12", from the folder the program started in. */
void gpm_words_file(struct gpm_words *w, uint32_t file, uint32_t line);
/* "app.cu:12 step", or what is known of it. */
void gpm_words_place(struct gpm_words *w, uint32_t file, uint32_t line, uint32_t function);
/* The same by texts, "" where unknown. */
void gpm_words_at(struct gpm_words *w, const char *file, uint32_t line, const char *function);

#endif /* GPM_WORDS_H */
