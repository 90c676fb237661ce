/* symbols_lines.c - see symbols.h. Which file an address is of, by a line table of DWARF 5.
 *
 * A sequence of lines begins in file 1 of its unit. libdwarf 20210528, that of Debian 12, begins it
 * in file 0, the file that was compiled, so the code that was included first and is first in its
 * section had the wrong file with the right line. symbols_dwarf.c asks here wherever libdwarf says
 * file 0. Nothing in the table is trusted: every read is checked against its end.
 */
#include "capture/symbols.h"

#include <string.h>

enum { /* opcodes of the standard */
       COPY = 1,
       ADVANCE_ADDRESS = 2,
       SET_FILE = 4,
       ADVANCE_AS_255 = 8,
       ADVANCE_BY_16_BITS = 9,
       /* extended opcodes, after a 0 and a length: */
       END_SEQUENCE = 1,
       SET_ADDRESS = 2
};

struct bytes {
  const unsigned char *at, *end;
  bool short_of; /* a read went past the end */
};

static uint64_t take(struct bytes *b, unsigned size) {
  uint64_t value = 0;
  if ((uint64_t)(b->end - b->at) < size) {
    b->short_of = true;
    b->at = b->end;
    return 0;
  }
  memcpy(&value, b->at, size); /* the tool reads files of its own byte order */
  b->at += size;
  return value;
}

/* An LEB128 number: seven bits a byte. A signed one is only skipped. */
static uint64_t take_long(struct bytes *b) {
  uint64_t value = 0, byte = 0x80;
  for (unsigned shift = 0; byte & 0x80 && !b->short_of; shift += 7) {
    byte = take(b, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  return value;
}

struct header {
  uint64_t step, line_range, first_special;
  const unsigned char *operands; /* of each opcode below first_special, from 1 on */
  struct bytes program;
};

static bool read_header(struct bytes b, struct header *h) {
  uint64_t length = take(&b, 4);
  if (b.short_of || length > (uint64_t)(b.end - b.at)) return false; /* or 64-bit DWARF */
  b.end = b.at + length;
  uint64_t version = take(&b, 2);
  take(&b, 2); /* sizes of an address and of a segment */
  uint64_t rest = take(&b, 4);
  if (version != 5 || b.short_of || rest > (uint64_t)(b.end - b.at)) return false;
  h->program = (struct bytes){.at = b.at + rest, .end = b.end};
  h->step = take(&b, 1);
  uint64_t operations = take(&b, 1);
  take(&b, 2); /* is_stmt, line_base */
  h->line_range = take(&b, 1);
  h->first_special = take(&b, 1);
  h->operands = b.at;
  if (!h->first_special) return false;
  for (uint64_t i = 1; i < h->first_special; i++) take(&b, 1);
  return operations == 1 && h->line_range && !b.short_of;
}

/* What the program of a line table has computed so far. */
struct lines {
  uint64_t address, file; /* the registers */
  bool open;              /* a row of this sequence was made: */
  uint64_t row_address, row_file;
};

/* Whether the row before the one that is made now holds the address. */
static bool row(struct lines *l, uint64_t wanted) {
  if (l->open && wanted >= l->row_address && wanted < l->address) return true;
  l->open = true;
  l->row_address = l->address;
  l->row_file = l->file;
  return false;
}

static bool extended(struct bytes *b, struct lines *l, uint64_t wanted) {
  uint64_t length = take_long(b);
  if (!length || length > (uint64_t)(b->end - b->at)) {
    b->short_of = true;
    return false;
  }
  const unsigned char *next = b->at + length;
  uint64_t opcode = take(b, 1);
  if (opcode == END_SEQUENCE) {
    if (row(l, wanted)) return true;
    *l = (struct lines){.file = 1};
  } else if (opcode == SET_ADDRESS && length == 9) {
    l->address = take(b, 8);
  }
  b->at = next;
  return false;
}

uint64_t gpm_lines_file(const unsigned char *section, uint64_t size, uint64_t offset,
                        uint64_t address, uint64_t unknown) {
  struct header h;
  if (!section || offset > size ||
      !read_header((struct bytes){.at = section + offset, .end = section + size}, &h))
    return unknown;
  struct lines l = {.file = 1};
  for (struct bytes *b = &h.program; b->at < b->end && !b->short_of;) {
    uint64_t opcode = take(b, 1);
    bool found = false;
    if (opcode >= h.first_special) {
      l.address += h.step * ((opcode - h.first_special) / h.line_range);
      found = row(&l, address);
    } else if (!opcode) found = extended(b, &l, address);
    else if (opcode == COPY) found = row(&l, address);
    else if (opcode == ADVANCE_ADDRESS) l.address += h.step * take_long(b);
    else if (opcode == SET_FILE) l.file = take_long(b);
    else if (opcode == ADVANCE_AS_255)
      l.address += h.step * ((255 - h.first_special) / h.line_range);
    else if (opcode == ADVANCE_BY_16_BITS) l.address += take(b, 2);
    else
      for (unsigned i = 0; i < h.operands[opcode - 1]; i++) take_long(b);
    if (found) return l.row_file;
  }
  return unknown;
}
