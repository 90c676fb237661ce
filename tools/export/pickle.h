/* pickle.h - writes lists, dicts, numbers and texts as a Python pickle or as JSON.
 *
 * The pickle uses protocol 4 without frames, and only opcodes that memory_viz's own unpickler
 * knows. Lists are filled 1000 items at a time, as Python does, because the viewer passes each
 * batch as the arguments of one call.
 */
#ifndef GPM_TOOLS_PICKLE_H
#define GPM_TOOLS_PICKLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GPM_PICKLE_DEEPEST 16
#define GPM_PICKLE_WORDS 48

struct gpm_pickle {
  FILE *f;
  bool json;
  struct gpm_pickle_open {
    bool dict;
    uint64_t count;
  } open[GPM_PICKLE_DEEPEST];
  unsigned depth;
  uint32_t kept; /* numbers given so far */
  const char *word[GPM_PICKLE_WORDS];
  uint32_t word_number[GPM_PICKLE_WORDS];
  unsigned words;
};

void gpm_pickle_begin(struct gpm_pickle *p, FILE *f, bool json);
void gpm_pickle_finish(struct gpm_pickle *p);
void gpm_pickle_dict(struct gpm_pickle *p);
void gpm_pickle_list(struct gpm_pickle *p);
void gpm_pickle_close(struct gpm_pickle *p); /* closes the innermost open list or dict */
/* Writes a key of a dict; its value follows. Keys and words are constants, and there are few of
 * them, so each is written once. */
void gpm_pickle_key(struct gpm_pickle *p, const char *key);
void gpm_pickle_word(struct gpm_pickle *p, const char *word);
void gpm_pickle_number(struct gpm_pickle *p, uint64_t number); /* below 2^63 */
void gpm_pickle_text(struct gpm_pickle *p, const char *text);  /* clean */
void gpm_pickle_false(struct gpm_pickle *p);
/* Returns a number with which gpm_pickle_repeat repeats the value that was written last. Not
 * available in JSON. */
uint32_t gpm_pickle_keep(struct gpm_pickle *p);
void gpm_pickle_repeat(struct gpm_pickle *p, uint32_t kept);

#endif
