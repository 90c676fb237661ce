// fatbin_test.c - containers of device code as nvcc and fatbinary write them, whole and damaged,
// and blocks of LZ4 against an encoder that is written here.
#include "facts/fatbin.h"
#include "facts/lz4.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef GPM_HAVE_ZSTD
#include <zstd.h>
#endif

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (condition) break;                                                                          \
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
    exit(1);                                                                                       \
  } while (0)

enum { LZ4 = 0x2000, ZSTD = 0x8000 };

/* ---- LZ4 --------------------------------------------------------------------------------------
 */

static size_t put_length(unsigned char *out, size_t length) {
  size_t n = 0;
  for (length -= 15; length >= 255; length -= 255) out[n++] = 255;
  out[n++] = (unsigned char)length;
  return n;
}

/* One sequence; copied 0: the last one, which has no copy. */
static size_t put_sequence(unsigned char *out, const unsigned char *literals, size_t count,
                           size_t distance, size_t copied) {
  size_t n = 1, more = copied ? copied - 4 : 0;
  out[0] = (unsigned char)((count < 15 ? count : 15) << 4 | (more < 15 ? more : 15));
  if (count >= 15) n += put_length(out + n, count);
  memcpy(out + n, literals, count);
  n += count;
  if (!copied) return n;
  out[n++] = (unsigned char)distance;
  out[n++] = (unsigned char)(distance >> 8);
  if (more >= 15) n += put_length(out + n, more);
  return n;
}

/* Copies the longest run that was there before, by trying all. The result is freed by the caller.
 */
static unsigned char *encode(const unsigned char *text, size_t size, size_t *length) {
  unsigned char *out = malloc(2 * size + 32);
  size_t n = 0, begin = 0;
  for (size_t at = 0; at < size;) {
    size_t best = 0, distance = 0;
    for (size_t d = 1; d <= at && d < 65536; d++) {
      size_t run = 0;
      while (at + run < size && text[at + run] == text[at + run - d]) run++;
      if (run > best) best = run, distance = d;
    }
    if (best < 4) {
      at++;
      continue;
    }
    n += put_sequence(out + n, text + begin, at - begin, distance, best);
    begin = at += best;
  }
  *length = n + put_sequence(out + n, text + begin, size - begin, 0, 0);
  return out;
}

static void lz4_decodes_what_was_encoded(void) {
  srand(1);
  for (int round = 0; round < 300; round++) {
    unsigned char text[2000], back[2000];
    size_t size = (size_t)rand() % sizeof text, length;
    int letters = 1 + rand() % 5;
    for (size_t i = 0; i < size; i++) text[i] = (unsigned char)('a' + rand() % letters);
    unsigned char *block = encode(text, size, &length);
    CHECK(gpm_lz4_decode(block, length, back, size) && !memcmp(text, back, size));
    /* Neither more nor less room will do. */
    CHECK(!gpm_lz4_decode(block, length, back, size + 1));
    if (size) CHECK(!gpm_lz4_decode(block, length, back, size - 1));
    /* A block that ends early holds less, or ends within something. */
    if (length > 1) CHECK(!gpm_lz4_decode(block, length - 1, back, size) || !size);
    free(block);
  }
}

static void lz4_refuses_what_no_encoder_writes(void) {
  unsigned char out[64];
  static const struct {
    unsigned char bytes[8];
    size_t size, room;
  } wrong[] = {
      {{0x10, 'a', 0, 0, 0x00}, 5, 5},        /* a distance of 0 */
      {{0x10, 'a', 2, 0, 0x00}, 5, 5},        /* from before the beginning */
      {{0x10, 'a', 1}, 3, 5},                 /* half a distance */
      {{0xf0, 255, 255}, 3, 64},              /* a length without its end */
      {{0xf0, 255, 255, 0}, 4, 64},           /* more literals than there are */
      {{0x1f, 'a', 1, 0, 255, 255, 0}, 7, 64} /* a copy of more than there is room for */
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK(!gpm_lz4_decode(wrong[i].bytes, wrong[i].size, out, wrong[i].room));
  CHECK(gpm_lz4_decode((const unsigned char[]){0}, 1, out, 0));
}

/* ---- containers -------------------------------------------------------------------------------
 */

struct section {
  unsigned char bytes[4096];
  size_t size;
};

static void put(struct section *s, size_t at, uint64_t value, size_t size) {
  memcpy(s->bytes + at, &value, size); /* the lowest bytes come first, as in the file */
}

/* Adds an entry; returns where it begins. */
static size_t add_entry(struct section *s, unsigned kind, const void *bytes, size_t size,
                        uint64_t flags, size_t plain, size_t head) {
  size_t begin = s->size, filled = (size + 7) / 8 * 8;
  put(s, begin, kind, 2);
  put(s, begin + 2, 0x101, 2);
  put(s, begin + 4, head, 4);
  put(s, begin + 8, filled, 8);
  put(s, begin + 16, flags ? size : 0, 4);
  put(s, begin + 28, 80, 4);
  put(s, begin + 40, flags, 8);
  put(s, begin + 56, plain, 8);
  memcpy(s->bytes + begin + head, bytes, size);
  s->size = begin + head + filled;
  return begin;
}

static size_t begin_container(struct section *s) {
  size_t begin = s->size;
  put(s, begin, 0xBA55ED50, 4);
  put(s, begin + 4, 1, 2);
  put(s, begin + 6, 16, 2);
  s->size += 16;
  return begin;
}

static void end_container(struct section *s, size_t begin) {
  put(s, begin + 8, s->size - begin - 16, 8);
}

struct found {
  unsigned count;
  char text[8][64];
  uint32_t arch[8];
};

static void note_found(const struct gpm_fatbin_code *code, void *data) {
  struct found *f = data;
  CHECK(!code->bytes[code->size]);
  if (f->count < 8) {
    snprintf(f->text[f->count], sizeof f->text[0], "%s", code->bytes);
    f->arch[f->count] = code->arch;
  }
  f->count++;
}

/* Visits a copy of exactly that size, so that a sanitizer sees what is read behind it. */
static struct found visit(const struct section *s, size_t size, struct gpm_fatbin_unread *unread) {
  struct found found = {0};
  unsigned char *copy = malloc(size ? size : 1);
  memcpy(copy, s->bytes, size);
  *unread = (struct gpm_fatbin_unread){0};
  gpm_fatbin_visit_section(copy, size, false, note_found, &found, unread);
  free(copy);
  return found;
}

static const char plain[] = ".version 8.0 .version 8.0 .version 8.0";

/* Two containers with filling between them: plain, LZ4, zstd where it is there, a kind of code that
 * is none of ours, and a head that is longer than known. */
static unsigned make(struct section *s) {
  size_t length, c = begin_container(s);
  add_entry(s, GPM_FATBIN_PTX, plain, sizeof plain - 1, 0, 0, 64);
  unsigned char *block = encode((const unsigned char *)plain, sizeof plain - 1, &length);
  add_entry(s, GPM_FATBIN_PTX, block, length, LZ4, sizeof plain - 1, 80);
  free(block);
  end_container(s, c);
  s->size += 8;
  c = begin_container(s);
  add_entry(s, 8, "LTO", 3, 0, 0, 64);
  add_entry(s, GPM_FATBIN_PTX, plain, sizeof plain - 1, 0, 0, 112);
  unsigned count = 3;
#ifdef GPM_HAVE_ZSTD
  char packed[256];
  size_t size = ZSTD_compress(packed, sizeof packed, plain, sizeof plain - 1, 3);
  CHECK(!ZSTD_isError(size));
  add_entry(s, GPM_FATBIN_PTX, packed, size, ZSTD, sizeof plain - 1, 80);
  count++;
#endif
  end_container(s, c);
  return count;
}

static void whole_containers_are_read(void) {
  struct section s = {.size = 0};
  struct gpm_fatbin_unread unread;
  unsigned count = make(&s);
  struct found found = visit(&s, s.size, &unread);
  CHECK(found.count == count && !unread.damaged && !unread.compressed);
  for (unsigned i = 0; i < count; i++)
    CHECK(!strcmp(found.text[i], plain) || !strncmp(found.text[i], plain, sizeof plain - 1));
  CHECK(found.arch[0] == 80);
}

static void what_is_cut_short_is_counted(void) {
  struct section s = {.size = 0};
  struct gpm_fatbin_unread unread;
  unsigned count = make(&s);
  for (size_t size = 0; size < s.size; size++) CHECK(visit(&s, size, &unread).count < count);
  visit(&s, s.size - 8, &unread);
  CHECK(unread.damaged == 1);
}

/* Each byte of the section is every value: nothing is read that is not there, no memory is taken
 * that a claim alone asks for. */
static void any_byte_may_be_anything(void) {
  struct section s = {.size = 0};
  struct gpm_fatbin_unread unread;
  make(&s);
  for (size_t i = 0; i < s.size; i++) {
    unsigned char kept = s.bytes[i];
    for (unsigned value = 0; value < 256; value++) {
      s.bytes[i] = (unsigned char)value;
      visit(&s, s.size, &unread);
    }
    s.bytes[i] = kept;
  }
}

static void claims_are_refused(void) {
  struct section s = {.size = 0};
  struct gpm_fatbin_unread unread;
  size_t c = begin_container(&s), length;
  unsigned char *block = encode((const unsigned char *)plain, sizeof plain - 1, &length);
  size_t e = add_entry(&s, GPM_FATBIN_PTX, block, length, LZ4, sizeof plain - 1, 64);
  free(block);
  end_container(&s, c);
  static const struct {
    size_t at, size;
    uint64_t value;
  } claims[] = {
      {56, 8, UINT64_C(1) << 40}, /* plain: far more than so few bytes can hold */
      {56, 8, UINT64_MAX},
      {16, 4, UINT32_MAX},    /* compressed bytes: more than the entry has */
      {8, 8, UINT64_MAX - 8}, /* the entry's: more than the container has */
      {4, 4, UINT32_MAX},     /* the head's */
      {4, 4, 8},              /* a head shorter than what is known */
  };
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    struct section changed = s;
    put(&changed, e + claims[i].at, claims[i].value, claims[i].size);
    struct found found = visit(&changed, changed.size, &unread);
    CHECK(!found.count && unread.damaged == 1);
  }
}

#ifndef GPM_HAVE_ZSTD
static void zstd_is_counted_where_it_cannot_be_read(void) {
  struct section s = {.size = 0};
  struct gpm_fatbin_unread unread;
  size_t c = begin_container(&s);
  add_entry(&s, GPM_FATBIN_PTX, "0123456789", 10, ZSTD, 20, 64);
  end_container(&s, c);
  CHECK(!visit(&s, s.size, &unread).count && unread.compressed == 1 && !unread.damaged);
}
#endif

static void ignore(const char *symbol, void *data) {
  (void)symbol;
  (void)data;
}

static void machine_code_that_is_none(void) {
  CHECK(!gpm_fatbin_kernels("", 0, ignore, NULL));
  CHECK(!gpm_fatbin_kernels("\177ELF", 4, ignore, NULL));
  char elf[64] = "\177ELF";
  CHECK(!gpm_fatbin_kernels(elf, sizeof elf, ignore, NULL));
}

int main(void) {
  lz4_decodes_what_was_encoded();
  lz4_refuses_what_no_encoder_writes();
  whole_containers_are_read();
  what_is_cut_short_is_counted();
  any_byte_may_be_anything();
  claims_are_refused();
#ifndef GPM_HAVE_ZSTD
  zstd_is_counted_where_it_cannot_be_read();
#endif
  machine_code_that_is_none();
  return 0;
}
