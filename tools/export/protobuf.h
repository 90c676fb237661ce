/* protobuf.h - messages in the wire format of protocol buffers, as far as exports need it.
 *
 * Not libprotobuf-c: it packs a whole message at once, and a profile is one message, so memory
 * would grow with the samples; and the build would need protoc. The format is two kinds of field.
 */
#ifndef GPM_TOOLS_PROTOBUF_H
#define GPM_TOOLS_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed one is empty. */
struct gpm_protobuf {
  unsigned char *data;
  size_t length, room;
};

/* A field that is 0 is left out: that is what its absence means. */
void gpm_protobuf_number(struct gpm_protobuf *m, unsigned field, uint64_t value);
/* Where 0 is something else than nothing; and one item of a repeated field that is not packed. */
void gpm_protobuf_value(struct gpm_protobuf *m, unsigned field, uint64_t value);
void gpm_protobuf_text(struct gpm_protobuf *m, unsigned field, const char *text);
/* A repeated field of numbers, packed. */
void gpm_protobuf_numbers(struct gpm_protobuf *m, unsigned field, const uint64_t *values,
                          size_t count);
void gpm_protobuf_message(struct gpm_protobuf *m, unsigned field, const struct gpm_protobuf *inner);
/* A field of the outermost message; `inner` is empty again after that. */
void gpm_protobuf_write(FILE *f, unsigned field, struct gpm_protobuf *inner);
void gpm_protobuf_write_text(FILE *f, unsigned field, const char *text);
void gpm_protobuf_write_number(FILE *f, unsigned field, uint64_t value);
void gpm_protobuf_free(struct gpm_protobuf *m);

#endif
