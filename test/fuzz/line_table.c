/* line_table.c - the file of an address by a line table of DWARF 5: any bytes do no harm, and of a
 * table that is made here, row by row, each address has the file that a search over the rows finds.
 *
 * The first byte says which. The rows are kept as they are made, so what is compared with has no
 * decoder in it.
 */
#include "capture/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { UNKNOWN = 77777, MOST = 2000, LINE_RANGE = 14, FIRST_SPECIAL = 13 };

struct row {
  uint64_t address, file;
  bool ends; /* its sequence */
};

/* ---- the table that is made --------------------------------------------------------------------
 */
static unsigned char table[64 + 16 * MOST];
static size_t used;
static struct row rows[2 * MOST];
static size_t row_count;

static void put(uint64_t value, unsigned bytes) {
  memcpy(table + used, &value, bytes);
  used += bytes;
}

static void put_long(uint64_t value) {
  for (; value >= 0x80; value >>= 7) put((value & 0x7f) | 0x80, 1);
  put(value, 1);
}

static void put_header(unsigned step) {
  static const unsigned char operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  put(0, 4); /* length, when it is known */
  put(5, 2);
  put(8, 1), put(0, 1); /* sizes of an address and of a segment */
  put(6 + sizeof operands, 4);
  put(step, 1), put(1, 1), put(1, 1), put(0xfb, 1), put(LINE_RANGE, 1), put(FIRST_SPECIAL, 1);
  for (size_t i = 0; i < sizeof operands; i++) put(operands[i], 1);
}

static void note(const struct row *now) {
  rows[row_count++] = *now;
}

/* Three bytes say what comes next: an opcode, and by how much. */
static void put_opcode(struct row *now, unsigned step, unsigned what, uint64_t much) {
  switch (what % 9) {
  case 0:
    put(1, 1), note(now);
    return; /* copy */
  case 1:
    put(2, 1), put_long(much), now->address += step * much;
    return; /* advance_pc */
  case 2:
    put(4, 1), put_long(much), now->file = much;
    return; /* set_file */
  case 3:
    put(8, 1), now->address += step * ((255 - FIRST_SPECIAL) / LINE_RANGE);
    return;
  case 4:
    put(9, 1), put(much, 2), now->address += much;
    return; /* fixed_advance */
  case 5:
    put(3, 1), put_long(much);
    return; /* advance_line */
  case 6:   /* set_address */
    put(0, 1), put(9, 1), put(2, 1), put(much, 8);
    now->address = much;
    return;
  case 7: /* end_sequence */
    put(0, 1), put(1, 1), put(1, 1);
    now->ends = true;
    note(now);
    *now = (struct row){.file = 1};
    return;
  default: { /* a special one: some lines and addresses further, and a row */
    unsigned opcode = FIRST_SPECIAL + (unsigned)(much % (256 - FIRST_SPECIAL));
    put(opcode, 1);
    now->address += step * ((opcode - FIRST_SPECIAL) / LINE_RANGE);
    note(now);
  }
  }
}

static void make(const uint8_t *data, size_t size, unsigned step) {
  struct row now = {.file = 1};
  used = row_count = 0;
  put_header(step);
  for (size_t at = 0; at + 3 <= size && at < 3 * (size_t)MOST; at += 3)
    put_opcode(&now, step, data[at], data[at + 1] | (uint64_t)data[at + 2] << 8);
  uint32_t length = (uint32_t)used - 4;
  memcpy(table, &length, sizeof length);
}

static uint64_t search(uint64_t address) {
  for (size_t i = 0; i + 1 < row_count; i++)
    if (!rows[i].ends && rows[i].address <= address && address < rows[i + 1].address)
      return rows[i].file;
  return UNKNOWN;
}

static void compare(uint64_t address) {
  uint64_t file = gpm_lines_file(table, used, 0, address, UNKNOWN);
  if (file == search(address)) return;
  fprintf(stderr, "address %llu is of file %llu and not %llu\n", (unsigned long long)address,
          (unsigned long long)search(address), (unsigned long long)file);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 10) return 0;
  uint64_t address;
  memcpy(&address, data + 1, sizeof address);
  if (*data & 1) { /* copied, so that a byte too much is noticed */
    unsigned char *copy = malloc(size - 9);
    if (!copy) abort();
    memcpy(copy, data + 9, size - 9);
    gpm_lines_file(copy, size - 9, *data >> 1, address, UNKNOWN);
    free(copy);
    return 0;
  }
  make(data + 9, size - 9, 1 + *data / 64);
  for (size_t i = 0; i < row_count && i < 200; i++) {
    compare(rows[i].address - 1);
    compare(rows[i].address);
    compare(rows[i].address + 1);
  }
  compare(address);
  return 0;
}
