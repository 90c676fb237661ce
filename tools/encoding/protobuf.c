/* protobuf.c - see protobuf.h. A field begins with its number and wire type. A varint, with 7 bits
 * in each byte (type 0), follows, or a length and that many bytes (type 2). */
#include "encoding/protobuf.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER = 0, BYTES = 2, LONGEST = 10 };

static size_t encode(unsigned char *out, uint64_t value) {
  size_t n = 0;
  for (; value >= 128; value >>= 7) out[n++] = (unsigned char)(value | 128);
  out[n++] = (unsigned char)value;
  return n;
}

static void add(struct gpm_protobuf *m, const void *data, size_t size) {
  if (size > m->room - m->length) {
    m->room = (m->length + size) * 2;
    m->data = gpm_memory_resize(m->data, m->room, 1);
  }
  if (size) memcpy(m->data + m->length, data, size);
  m->length += size;
}

static void add_number(struct gpm_protobuf *m, uint64_t value) {
  unsigned char bytes[LONGEST];
  add(m, bytes, encode(bytes, value));
}

void gpm_protobuf_value(struct gpm_protobuf *m, unsigned field, uint64_t value) {
  add_number(m, field << 3 | NUMBER);
  add_number(m, value);
}

void gpm_protobuf_number(struct gpm_protobuf *m, unsigned field, uint64_t value) {
  if (value) gpm_protobuf_value(m, field, value);
}

void gpm_protobuf_text(struct gpm_protobuf *m, unsigned field, const char *text) {
  size_t length = strlen(text);
  add_number(m, field << 3 | BYTES);
  add_number(m, length);
  add(m, text, length);
}

void gpm_protobuf_numbers(struct gpm_protobuf *m, unsigned field, const uint64_t *values,
                          size_t count) {
  unsigned char bytes[LONGEST];
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += encode(bytes, values[i]);
  add_number(m, field << 3 | BYTES);
  add_number(m, length);
  for (size_t i = 0; i < count; i++) add_number(m, values[i]);
}

void gpm_protobuf_message(struct gpm_protobuf *m, unsigned field,
                          const struct gpm_protobuf *inner) {
  add_number(m, field << 3 | BYTES);
  add_number(m, inner->length);
  add(m, inner->data, inner->length);
}

static void write_head(FILE *f, unsigned field, unsigned type, uint64_t number) {
  unsigned char bytes[2 * LONGEST];
  size_t n = encode(bytes, field << 3 | type);
  n += encode(bytes + n, number);
  fwrite(bytes, 1, n, f);
}

void gpm_protobuf_write(FILE *f, unsigned field, struct gpm_protobuf *inner) {
  write_head(f, field, BYTES, inner->length);
  if (inner->length) fwrite(inner->data, 1, inner->length, f);
  inner->length = 0;
}

void gpm_protobuf_write_text(FILE *f, unsigned field, const char *text) {
  write_head(f, field, BYTES, strlen(text));
  fputs(text, f);
}

void gpm_protobuf_write_number(FILE *f, unsigned field, uint64_t value) {
  if (value) write_head(f, field, NUMBER, value);
}

void gpm_protobuf_free(struct gpm_protobuf *m) {
  free(m->data);
  *m = (struct gpm_protobuf){0};
}
