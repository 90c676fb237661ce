/* cuda_arrays.h - how many bytes a CUDA array takes: a lower bound, since the device may pad to
 * tiles and does not report that. For the lines of cuda_api.def.
 */
#ifndef GPUMEMPROF_CUDA_ARRAYS_H
#define GPUMEMPROF_CUDA_ARRAYS_H

#include "gpumemprof/cuda_types.h"

/* Bits of one element of a CUarray_format of so many channels. Formats of 0x91 and above say how
 * many channels they have; those of several planes count what one pixel takes in all of them. */
static inline size_t gpm_format_bits(int format, unsigned channels) {
  switch (format) {
  case 0x01: /* 8-bit integers */
  case 0x08:
    return 8 * channels;
  case 0x02: /* 16 bits, half */
  case 0x09:
  case 0x10:
    return 16 * channels;
  case 0x03: /* 32 bits, float */
  case 0x0a:
  case 0x20:
    return 32 * channels;
  case 0x91: /* BC1 and BC4: 8 bytes for 4 x 4 pixels */
  case 0x92:
  case 0x97:
  case 0x98:
    return 4;
  case 0x93: /* BC2, 3, 5, 6H, 7: 16 bytes for 4 x 4 */
  case 0x94:
  case 0x95:
  case 0x96:
  case 0x99:
  case 0x9a:
  case 0x9b:
  case 0x9c:
  case 0x9d:
  case 0x9e:
    return 8;
  case 0xb0: /* NV12: luma and half of a chroma sample, 8 bits each */
    return 12;
  case 0x9f: /* P010, P016 */
  case 0xa1:
    return 24;
  case 0xa2: /* NV16, YUY2 */
  case 0xa5:
    return 16;
  case 0xb2: /* 4:4:4 of 8 bits in planes */
  case 0xb4:
    return 24;
  case 0xb3: /* and of 10 or 16 bits */
  case 0xb5:
    return 48;
  case 0xb1: /* Y416 */
    return 64;
  case 0xc0: /* U/SNORM_INT8X1, X2, X4, INT16X1, X2, X4 */
  case 0xc6:
    return 8;
  case 0xc1:
  case 0xc3:
  case 0xc7:
  case 0xc9:
    return 16;
  case 0xc5:
  case 0xcb:
    return 64;
  default: /* P210, Y210, AYUV, Y410, 10:10:10:2 and others of 32 bits */
    return 32;
  }
}

/* All levels of an array whose elements have so many bits. Layers and cube faces do not shrink from
 * level to level. Memory of sparse and deferred arrays comes from elsewhere. */
static inline size_t gpm_levels_bytes(size_t bits, struct gpm_extent e, unsigned levels,
                                      unsigned flags) {
  size_t sum = 0, depth = e.depth ? e.depth : 1;
  if (flags & (GPM_ARRAY_SPARSE | GPM_ARRAY_DEFERRED)) return 0;
  for (unsigned i = 0; i < levels && i < 64; i++) {
    size_t w = e.width >> i, h = e.height >> i, d = depth;
    if (!(flags & (GPM_ARRAY_LAYERED | GPM_ARRAY_CUBE))) d = depth >> i;
    sum += (bits * (w ? w : 1) * (h ? h : 1) + 7) / 8 * (d ? d : 1);
  }
  return sum;
}

static inline size_t gpm_array_bytes(const struct gpm_channel_desc *c, struct gpm_extent e,
                                     unsigned levels, unsigned flags) {
  return gpm_levels_bytes((size_t)(c->x + c->y + c->z + c->w), e, levels, flags);
}
static inline size_t gpm_array2d_bytes(const struct gpm_channel_desc *c, size_t width,
                                       size_t height, unsigned flags) {
  struct gpm_extent e = {width, height, 0};
  return gpm_array_bytes(c, e, 1, flags);
}
static inline size_t gpm_array_desc_bytes(const struct gpm_array_desc *d) {
  struct gpm_extent e = {d->width, d->height, 0};
  return gpm_levels_bytes(gpm_format_bits(d->format, d->channels), e, 1, 0);
}
static inline size_t gpm_array3d_desc_bytes(const struct gpm_array3d_desc *d, unsigned levels) {
  struct gpm_extent e = {d->width, d->height, d->depth};
  return gpm_levels_bytes(gpm_format_bits(d->format, d->channels), e, levels, d->flags);
}

#endif /* GPUMEMPROF_CUDA_ARRAYS_H */
