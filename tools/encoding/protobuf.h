/* protobuf.h - writes messages in the wire format of protocol buffers, as far as exports need it.
 *
 * libprotobuf-c is not used: it packs a whole message at once, and a profile is one message, so
 * memory would grow with the samples, and the build would need protoc. Exports need only two types
 * of field.
 */
#ifndef GPM_TOOLS_PROTOBUF_H
#define GPM_TOOLS_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed structure is an empty message. */
struct gpm_protobuf {
  unsigned char *data;
  size_t length, room;
};

/* Adds a field, or nothing if the value is 0, because an absent field means 0. */
void gpm_protobuf_number(struct gpm_protobuf *m, unsigned field, uint64_t value);
/* Adds a field even if it is 0, for fields where 0 and absence differ, and for one item of a
 * repeated field that is not packed. */
void gpm_protobuf_value(struct gpm_protobuf *m, unsigned field, uint64_t value);
void gpm_protobuf_text(struct gpm_protobuf *m, unsigned field, const char *text);
/* Adds a packed repeated field of numbers. */
void gpm_protobuf_numbers(struct gpm_protobuf *m, unsigned field, const uint64_t *values,
                          size_t count);
void gpm_protobuf_message(struct gpm_protobuf *m, unsigned field, const struct gpm_protobuf *inner);
/* Writes `inner` as a field of the outermost message, and empties it. */
void gpm_protobuf_write(FILE *f, unsigned field, struct gpm_protobuf *inner);
void gpm_protobuf_write_text(FILE *f, unsigned field, const char *text);
void gpm_protobuf_write_number(FILE *f, unsigned field, uint64_t value);
void gpm_protobuf_free(struct gpm_protobuf *m);

#endif
