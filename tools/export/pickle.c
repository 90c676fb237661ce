/* pickle.c - see pickle.h. Opcodes are those of Python's pickle.py. */
#include "export/pickle.h"

#include "export/clean_text.h"
#include "export/export.h"

#include <inttypes.h>
#include <string.h>

enum {
  PROTO = 0x80,
  MARK = '(',
  STOP = '.',
  EMPTY_DICT = '}',
  SETITEMS = 'u',
  EMPTY_LIST = ']',
  APPENDS = 'e',
  NEWFALSE = 0x89,
  BININT1 = 'K',
  BININT2 = 'M',
  BININT = 'J',
  LONG1 = 0x8a,
  SHORT_BINUNICODE = 0x8c,
  BINUNICODE = 'X',
  MEMOIZE = 0x94,
  BINGET = 'h',
  LONG_BINGET = 'j',
  BATCH = 1000
};

static void put(struct gpm_pickle *p, int opcode, uint64_t argument, unsigned bytes) {
  putc(opcode, p->f);
  for (; bytes; bytes--, argument >>= 8) putc((int)(argument & 255), p->f);
}

/* Called before each item of a list and each key of a dict. */
static void next(struct gpm_pickle *p) {
  if (!p->depth) return;
  struct gpm_pickle_open *o = &p->open[p->depth - 1];
  if (p->json) {
    if (o->count++) fputs(",\n", p->f);
    return;
  }
  if (o->count && !o->dict && o->count % BATCH == 0) putc(APPENDS, p->f);
  if (o->dict ? !o->count : o->count % BATCH == 0) putc(MARK, p->f);
  o->count++;
}

static void next_value(struct gpm_pickle *p) {
  if (p->depth && !p->open[p->depth - 1].dict) next(p);
}

void gpm_pickle_begin(struct gpm_pickle *p, FILE *f, bool json) {
  *p = (struct gpm_pickle){.f = f, .json = json};
  if (!json) put(p, PROTO, 4, 1);
}

void gpm_pickle_finish(struct gpm_pickle *p) {
  putc(p->json ? '\n' : STOP, p->f);
}

static void open_one(struct gpm_pickle *p, bool dict) {
  next_value(p);
  if (p->json) putc(dict ? '{' : '[', p->f);
  else putc(dict ? EMPTY_DICT : EMPTY_LIST, p->f);
  p->open[p->depth++] = (struct gpm_pickle_open){.dict = dict};
}

void gpm_pickle_dict(struct gpm_pickle *p) {
  open_one(p, true);
}

void gpm_pickle_list(struct gpm_pickle *p) {
  open_one(p, false);
}

void gpm_pickle_close(struct gpm_pickle *p) {
  const struct gpm_pickle_open *o = &p->open[--p->depth];
  if (p->json) putc(o->dict ? '}' : ']', p->f);
  else if (o->count) putc(o->dict ? SETITEMS : APPENDS, p->f);
}

static void text(struct gpm_pickle *p, const char *s) {
  size_t length = strlen(s);
  if (p->json) {
    gpm_export_quote(p->f, s);
    return;
  }
  if (length < 256) put(p, SHORT_BINUNICODE, length, 1);
  else put(p, BINUNICODE, length, 4);
  fwrite(s, 1, length, p->f);
}

static void word(struct gpm_pickle *p, const char *s) {
  unsigned i = 0;
  while (i < p->words && strcmp(p->word[i], s) != 0) i++;
  if (!p->json && i < p->words) {
    put(p, p->word_number[i] < 256 ? BINGET : LONG_BINGET, p->word_number[i],
        p->word_number[i] < 256 ? 1 : 4);
    return;
  }
  text(p, s);
  if (p->json || p->words == GPM_PICKLE_WORDS) return;
  p->word[p->words] = s;
  p->word_number[p->words++] = gpm_pickle_keep(p);
}

void gpm_pickle_key(struct gpm_pickle *p, const char *key) {
  next(p);
  word(p, key);
  if (p->json) putc(':', p->f);
}

void gpm_pickle_word(struct gpm_pickle *p, const char *s) {
  next_value(p);
  word(p, s);
}

void gpm_pickle_text(struct gpm_pickle *p, const char *s) {
  next_value(p);
  text(p, s);
}

void gpm_pickle_number(struct gpm_pickle *p, uint64_t number) {
  next_value(p);
  if (p->json) fprintf(p->f, "%" PRIu64, number);
  else if (number < 1u << 8) put(p, BININT1, number, 1);
  else if (number < 1u << 16) put(p, BININT2, number, 2);
  else if (number < (uint64_t)1 << 31) put(p, BININT, number, 4);
  else {
    put(p, LONG1, 8, 1); /* bytes that follow */
    put(p, (int)(number & 255), number >> 8, 7);
  }
}

void gpm_pickle_false(struct gpm_pickle *p) {
  next_value(p);
  if (p->json) fputs("false", p->f);
  else putc(NEWFALSE, p->f);
}

uint32_t gpm_pickle_keep(struct gpm_pickle *p) {
  putc(MEMOIZE, p->f);
  return p->kept++;
}

void gpm_pickle_repeat(struct gpm_pickle *p, uint32_t kept) {
  next_value(p);
  put(p, kept < 256 ? BINGET : LONG_BINGET, kept, kept < 256 ? 1 : 4);
}
