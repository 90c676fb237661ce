/* sizes.h - a size as a budget has it: "512MiB". The plugin reads it when it compiles, the runtime
 * when a scope is first reached; both by this.
 *
 * A whole number and a unit: B, KiB, MiB, GiB, TiB or none; K, KB, Ki and so on are the same,
 * powers of 1024 as in all of gpumemprof. Blanks may be between them, case does not matter.
 */
#ifndef GPUMEMPROF_SIZES_H
#define GPUMEMPROF_SIZES_H

#include <stdint.h>

/* What an error says of a text that is none. */
#define GPUMEMPROF_SIZE_USAGE "a whole number with a unit, such as 512MiB or 24GiB"

/* 0: it is none, or has no place in 63 bits. */
static inline int gpumemprof_size(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  uint64_t number = 0, most = INT64_MAX;
  if (*text < '0' || *text > '9') return 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (number > (most - digit) / 10) return 0;
    number = number * 10 + digit;
  }
  while (*text == ' ') text++;
  for (unsigned i = 0; units[i]; i++)
    if (*text == units[i] || *text == (units[i] | 0x20)) {
      unsigned shift = 10 * (i + 1);
      if (number > most >> shift) return 0;
      number <<= shift;
      text += text[1] == 'i' || text[1] == 'I' ? 2 : 1;
      break;
    }
  if (*text == 'B' || *text == 'b') text++;
  if (*text) return 0;
  *bytes = number;
  return 1;
}

#endif /* GPUMEMPROF_SIZES_H */
