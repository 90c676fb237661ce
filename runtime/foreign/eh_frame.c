/* eh_frame.c - finds the description of a function in .eh_frame.
 *
 * The format is that of the Linux Standard Base: .eh_frame_hdr is a table that is sorted by
 * address, which every linker writes. unwind_rules.c runs the instructions of a description.
 */
#include "foreign/eh_frame.h"

#include <string.h>

uint64_t gpm_eh_fixed(struct gpm_eh_reader *r, size_t size) {
  uint64_t value = 0;
  if ((size_t)(r->end - r->at) < size) {
    r->bad = true;
    return 0;
  }
  memcpy(&value, r->at, size);
  r->at += size;
  return value;
}

uint64_t gpm_eh_leb(struct gpm_eh_reader *r, bool is_signed) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = (uint8_t)gpm_eh_fixed(r, 1);
    if (shift < 64) value |= (uint64_t)(byte & 127) << shift;
    shift += 7;
  } while (byte & 128 && !r->bad);
  if (is_signed && byte & 64 && shift < 64) value |= ~(uint64_t)0 << shift;
  return value;
}

/* A pointer in one of the encodings that compilers use here (DW_EH_PE_*). table: what `datarel` is
 * relative to. */
static uintptr_t read_pointer(struct gpm_eh_reader *r, uint8_t encoding, uintptr_t table) {
  uintptr_t here = (uintptr_t)r->at;
  uint64_t value = 0;
  switch (encoding & 15) {
  case 0:  /* absptr */
  case 4:  /* udata8 */
  case 12: /* sdata8 */
    value = gpm_eh_fixed(r, 8);
    break;
  case 2: /* udata2 */
    value = gpm_eh_fixed(r, 2);
    break;
  case 3: /* udata4 */
    value = gpm_eh_fixed(r, 4);
    break;
  case 11: /* sdata4 */
    value = (uint64_t)(int64_t)(int32_t)gpm_eh_fixed(r, 4);
    break;
  default:
    r->bad = true;
  }
  switch (encoding & 0xf0) {
  case 0:
    break;
  case 0x10:
    value += here;
    break; /* pcrel */
  case 0x30:
    value += table;
    break; /* datarel */
  default:
    r->bad = true;
  }
  return value;
}

/* ---- the description of a function -------------------------------------------------------------
 */

/* The first entry of a table that is sorted by address and lies at or below it: where the
 * description (FDE) is. Null: there is none. */
static const uint8_t *find_description(uintptr_t table, uintptr_t address) {
  struct gpm_eh_reader r = {(const uint8_t *)table, (const uint8_t *)table + 32, false};
  uint64_t version = gpm_eh_fixed(&r, 1), frames = gpm_eh_fixed(&r, 1),
           number_form = gpm_eh_fixed(&r, 1);
  uint64_t entry_form = gpm_eh_fixed(&r, 1);
  if (version != 1 || entry_form != 0x3b)
    return NULL; /* datarel, sdata4, as every linker writes it */
  read_pointer(&r, (uint8_t)frames, table);
  uint64_t number = read_pointer(&r, (uint8_t)number_form, table);
  if (r.bad || !number) return NULL;
  const uint8_t *table_at = r.at;
  uint64_t low = 0, high = number; /* entry `low` is at or below the address, if any is */
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    int32_t begin;
    memcpy(&begin, table_at + 8 * middle, sizeof begin);
    if (table + (uintptr_t)(intptr_t)begin <= address) low = middle;
    else high = middle;
  }
  int32_t where;
  memcpy(&where, table_at + 8 * low + 4, sizeof where);
  return (const uint8_t *)table + where;
}

/* Reads the length of a record, and the record after it. */
static struct gpm_eh_reader open_record(const uint8_t *at) {
  uint32_t length;
  memcpy(&length, at, sizeof length);
  bool usual = length && length != UINT32_MAX;
  return (struct gpm_eh_reader){at + 4, at + 4 + (usual ? length : 0), !usual};
}

/* What several descriptions share (CIE). */
static bool read_shared(const uint8_t *at, struct gpm_eh_description *d, uint8_t *encoding,
                        bool *is_augmented) {
  struct gpm_eh_reader r = open_record(at);
  if (r.bad || gpm_eh_fixed(&r, 4)) return false; /* a CIE has the number 0 */
  uint64_t version = gpm_eh_fixed(&r, 1);
  const char *augmentation = (const char *)r.at;
  const uint8_t *nul = r.bad ? NULL : memchr(r.at, 0, (size_t)(r.end - r.at));
  if (!nul || (version != 1 && version != 3)) return false;
  r.at = nul + 1;
  d->code_factor = gpm_eh_leb(&r, false);
  d->data_factor = (int64_t)gpm_eh_leb(&r, true);
  d->return_register = version == 1 ? gpm_eh_fixed(&r, 1) : gpm_eh_leb(&r, false);
  *encoding = 0;
  *is_augmented = *augmentation == 'z';
  if (*augmentation && !*is_augmented) return false;
  if (*is_augmented) {
    uint64_t size = gpm_eh_leb(&r, false);
    const uint8_t *instructions = r.at + size;
    for (const char *c = augmentation + 1; *c; c++) {
      if (*c == 'R') *encoding = (uint8_t)gpm_eh_fixed(&r, 1);
      else if (*c == 'L') gpm_eh_fixed(&r, 1);
      else if (*c == 'P') {
        uint8_t personality = (uint8_t)gpm_eh_fixed(&r, 1);
        read_pointer(&r, personality & 0x7f, 0);
      } else return false; /* 'S': of a signal handler */
    }
    r.at = instructions;
  }
  d->first = r;
  return !r.bad && r.at <= r.end;
}

bool gpm_eh_read(uintptr_t table, const uint8_t *at, struct gpm_eh_description *d) {
  d->record = at;
  struct gpm_eh_reader r = open_record(at);
  if (r.bad) return false;
  const uint8_t *here = r.at;
  uint64_t distance = gpm_eh_fixed(&r, 4); /* back to the CIE */
  uint8_t encoding;
  bool is_augmented;
  if (!distance || !read_shared(here - distance, d, &encoding, &is_augmented)) return false;
  d->begin = read_pointer(&r, encoding, table);
  d->end = d->begin + read_pointer(&r, encoding & 15, table);
  if (is_augmented) {
    uint64_t size = gpm_eh_leb(&r, false);
    if (r.bad || size > (size_t)(r.end - r.at)) return false;
    r.at += size;
  }
  d->own = r;
  return !r.bad;
}

enum gpm_eh_found gpm_eh_find(uintptr_t table, uintptr_t address, struct gpm_eh_description *d) {
  const uint8_t *at = table ? find_description(table, address) : NULL;
  if (!at) return GPM_EH_NOTHING;
  if (!gpm_eh_read(table, at, d)) return GPM_EH_UNCLEAR;
  return address >= d->begin && address < d->end ? GPM_EH_FOUND : GPM_EH_NOTHING;
}

size_t gpm_eh_before(uintptr_t table, const uint8_t *record, const uint8_t **records, size_t room) {
  struct gpm_eh_reader r = {(const uint8_t *)table + 4, (const uint8_t *)table + 16, false};
  const uint8_t *at = (const uint8_t *)read_pointer(&r, ((const uint8_t *)table)[1], table);
  size_t count = 0;
  while (!r.bad && at < record) {
    r = open_record(at);
    if (r.bad || r.end > record) return 0;
    uint32_t back;
    memcpy(&back, r.at, sizeof back);
    if (back) records[count++ % room] = at; /* not what several share */
    at = r.end;
  }
  return count;
}
