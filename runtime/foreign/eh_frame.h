/* eh_frame.h - the call frame information of a program or library: see eh_frame.c.
 */
#ifndef GPM_EH_FRAME_H
#define GPM_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_eh_reader {
  const uint8_t *at, *end;
  bool bad; /* it ended early, or says what is not understood */
};
uint64_t gpm_eh_fixed(struct gpm_eh_reader *r, size_t size);
uint64_t gpm_eh_leb(struct gpm_eh_reader *r, bool is_signed);

struct gpm_eh_description { /* of a stretch of code */
  uintptr_t begin, end;
  uint64_t code_factor, return_register;
  int64_t data_factor;
  const uint8_t *record;
  struct gpm_eh_reader first, own; /* instructions: those of all that share them, and its own */
};

enum gpm_eh_found {
  GPM_EH_FOUND,
  GPM_EH_NOTHING, /* there is no information about the address */
  GPM_EH_UNCLEAR  /* there is, in a form that is not read here, such as that of a signal handler */
};
/* table: .eh_frame_hdr of the object, 0: it has none. Reads memory of the object only. */
enum gpm_eh_found gpm_eh_find(uintptr_t table, uintptr_t address, struct gpm_eh_description *d);
/* Finds the records before one that gpm_eh_find has found, in the order in which compilers wrote
 * them, and returns how many there are. Of these, number i is at records[i % room] unless a later
 * one has taken its place. */
size_t gpm_eh_before(uintptr_t table, const uint8_t *record, const uint8_t **records, size_t room);
/* Reads one of them. */
bool gpm_eh_read(uintptr_t table, const uint8_t *record, struct gpm_eh_description *d);

#endif /* GPM_EH_FRAME_H */
