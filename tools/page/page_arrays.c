/* page_arrays.c - see page_arrays.h. Numbers are split into bytes by shifts, so that the output
 * does not depend on the machine's byte order. */
#include "page/page_arrays.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 8 };

void gpm_arrays_make(struct gpm_arrays *a) {
  *a = (struct gpm_arrays){.index = json_object()};
}

void gpm_arrays_free(struct gpm_arrays *a) {
  json_decref(a->index);
  free(a->bytes);
}

/* Adds an array after the others, and returns its bytes, zeroed. */
static unsigned char *enter(struct gpm_arrays *a, const char *name, const char *type, size_t width,
                            size_t count, unsigned how) {
  size_t offset = (a->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, size = offset + count * width;
  if (size > a->room) {
    a->room = size > 2 * a->room ? size : 2 * a->room;
    a->bytes = gpm_memory_resize(a->bytes, a->room, 1);
  }
  if (size > a->size) memset(a->bytes + a->size, 0, size - a->size);
  a->size = size;
  json_t *one = json_object();
  json_object_set_new(one, "type", json_string(type));
  json_object_set_new(one, "count", json_integer((json_int_t)count));
  json_object_set_new(one, "offset", json_integer((json_int_t)offset));
  json_object_set_new(one, "delta", json_boolean(how & GPM_ARRAY_DELTA));
  json_object_set_new(one, "planes", json_boolean(how & GPM_ARRAY_PLANES));
  json_object_set_new(a->index, name, one);
  return size ? a->bytes + offset : NULL;
}

static void put(unsigned char *to, uint64_t value, size_t width, size_t i, size_t count,
                unsigned how) {
  for (size_t byte = 0; byte < width; byte++) {
    size_t at = how & GPM_ARRAY_PLANES ? byte * count + i : i * width + byte;
    to[at] = (unsigned char)(value >> 8 * byte);
  }
}

void gpm_arrays_u32(struct gpm_arrays *a, const char *name, const uint32_t *value, size_t count,
                    unsigned how) {
  unsigned char *to = enter(a, name, "u32", 4, count, how);
  uint32_t before = 0;
  for (size_t i = 0; i < count; i++) {
    put(to, value[i] - before, 4, i, count, how);
    if (how & GPM_ARRAY_DELTA) before = value[i];
  }
}

void gpm_arrays_u32_from(struct gpm_arrays *a, const char *name, const uint32_t *value,
                         const char *base, const uint32_t *from, size_t count, unsigned how) {
  uint32_t *difference = gpm_memory_array(count, sizeof *difference);
  for (size_t i = 0; i < count; i++) difference[i] = value[i] - from[i];
  gpm_arrays_u32(a, name, difference, count, how);
  json_object_set_new(json_object_get(a->index, name), "from", json_string(base));
  free(difference);
}

void gpm_arrays_f64(struct gpm_arrays *a, const char *name, const double *value, size_t count,
                    unsigned how) {
  unsigned char *to = enter(a, name, "f64", 8, count, how & ~(unsigned)GPM_ARRAY_DELTA);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &value[i], sizeof bits);
    put(to, bits, 8, i, count, how);
  }
}

void gpm_arrays_u64(struct gpm_arrays *a, const char *name, const uint64_t *value, size_t count,
                    unsigned how) {
  uint32_t *half = gpm_memory_array(count, sizeof *half);
  for (unsigned high = 0; high < 2; high++) {
    for (size_t i = 0; i < count; i++) half[i] = (uint32_t)(value[i] >> 32 * high);
    char *full = gpm_memory_format("%s_%s", name, high ? "high" : "low");
    gpm_arrays_u32(a, full, half, count, how);
    free(full);
  }
  free(half);
}

void gpm_arrays_write(const struct gpm_arrays *a, json_t *head, FILE *file) {
  json_object_set(head, "arrays", a->index);
  char *text = json_dumps(head, JSON_COMPACT);
  size_t length = strlen(text), before = 12 + length;
  unsigned char size[4];
  put(size, length, sizeof size, 0, 1, 0);
  fputs("GPMPAGE1", file);
  fwrite(size, 1, sizeof size, file);
  fputs(text, file);
  for (size_t i = before; i % ALIGNMENT; i++) putc(0, file);
  fwrite(a->bytes, 1, a->size, file);
  free(text);
}
