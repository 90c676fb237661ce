/* ptx_origins.c - see ptx_origins.h. */
#include "facts/ptx_origins.h"

struct gpm_ptx_layout gpm_ptx_layout_of(uint32_t words, uint32_t parameters) {
  struct gpm_ptx_layout layout = {.words = words, .parameters = parameters};
  layout.room = (3 * words + parameters + GPM_PTX_ORIGINS + 63) / 64;
  return layout;
}

uint32_t gpm_ptx_word_bit(const struct gpm_ptx_layout *layout, enum gpm_ptx_flavour flavour,
                          uint32_t word) {
  return (uint32_t)flavour * layout->words + word;
}

uint32_t gpm_ptx_parameter_bit(const struct gpm_ptx_layout *layout, uint32_t parameter) {
  return 3 * layout->words + parameter;
}

uint32_t gpm_ptx_origin_bit(const struct gpm_ptx_layout *layout, enum gpm_ptx_origin origin) {
  return 3 * layout->words + layout->parameters + (uint32_t)origin;
}

bool gpm_ptx_set_unite(const struct gpm_ptx_layout *layout, uint64_t *set, const uint64_t *other) {
  uint64_t fresh = 0;
  for (uint32_t i = 0; i < layout->room; i++) {
    fresh |= other[i] & ~set[i];
    set[i] |= other[i];
  }
  return fresh;
}

bool gpm_ptx_set_is_empty(const struct gpm_ptx_layout *layout, const uint64_t *set) {
  for (uint32_t i = 0; i < layout->room; i++)
    if (set[i]) return false;
  return true;
}

static enum gpm_ptx_origin bent_origin(enum gpm_ptx_origin origin, enum gpm_ptx_bend bend) {
  switch (origin) {
  case GPM_PTX_FROM_INDEX:
  case GPM_PTX_FROM_DRIVER: /* its address comes in halves */
    return origin;
  case GPM_PTX_FROM_LOADED:
  case GPM_PTX_FROM_RESULT:
    return bend == GPM_PTX_SCALED ? GPM_PTX_FROM_INDEX : GPM_PTX_FROM_SCRAMBLED;
  default:
    return GPM_PTX_FROM_SCRAMBLED;
  }
}

void gpm_ptx_set_bend(const struct gpm_ptx_layout *layout, uint64_t *to, const uint64_t *set,
                      enum gpm_ptx_bend bend) {
  uint32_t words = layout->words, others = 3 * words + layout->parameters;
  for (uint32_t i = 0; i < layout->room; i++)
    for (uint64_t rest = set[i]; rest; rest &= rest - 1) {
      uint32_t bit = 64 * i + (uint32_t)__builtin_ctzll(rest);
      if (bit < words) gpm_ptx_set_add(to, bit + words);
      else if (bit < 3 * words) gpm_ptx_set_add(to, bit);
      else if (bit < others)
        gpm_ptx_set_add(to, gpm_ptx_origin_bit(layout, GPM_PTX_FROM_SCRAMBLED));
      else
        gpm_ptx_set_add(to,
                        others + (uint32_t)bent_origin((enum gpm_ptx_origin)(bit - others), bend));
    }
}
