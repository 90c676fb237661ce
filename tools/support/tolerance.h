/* tolerance.h - how much a figure may differ from its earlier value: "5%", "1MiB", or both,
 * "2%,1MiB". */
#ifndef GPM_TOOLS_TOLERANCE_H
#define GPM_TOOLS_TOLERANCE_H

#include <stdbool.h>
#include <stdint.h>

struct gpm_tolerance {
  double percent; /* of the earlier value */
  uint64_t size;
};

/* A number with or without a unit, a number with %, or both with a comma. */
bool gpm_tolerance_parse(struct gpm_tolerance *tolerance, const char *text);
/* The difference is at least as much as the larger of both; none is only where 0 is asked for. */
bool gpm_tolerance_reached(const struct gpm_tolerance *tolerance, uint64_t was,
                           uint64_t difference);
/* How many bytes the larger of both is, rounded down. */
uint64_t gpm_tolerance_bytes(const struct gpm_tolerance *tolerance, uint64_t was);
/* The difference is more than the larger of both. */
bool gpm_tolerance_exceeded(const struct gpm_tolerance *tolerance, uint64_t was,
                            uint64_t difference);

#endif
