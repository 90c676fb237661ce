/* texts.c - see texts.h. New texts form one more span after the capture's strings. */
#include "capture/texts.h"

#include <stdlib.h>
#include <string.h>

uint32_t gpm_texts_put(struct gpm_texts *t, const char *text) {
  if (!text || !*text) return 0;
  size_t size = strlen(text) + 1;
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  uint64_t fresh = (t->reader ? t->reader->strings.count : 1) + t->size;
  if (fresh + size > UINT32_MAX) return 0;
  uint64_t offset = *gpm_map_at(&t->known, hash, fresh);
  if (offset != fresh) return (uint32_t)offset;
  if (t->size + size > t->room) {
    t->room = (t->size + size) * 2;
    t->text = gpm_memory_resize(t->text, t->room, 1);
  }
  memcpy(t->text + t->size, text, size);
  t->size += size;
  return (uint32_t)fresh;
}

void gpm_texts_publish(struct gpm_texts *t) {
  struct gpm_records *strings = &t->reader->strings;
  if (t->size) {
    struct gpumemprof_chunk *chunk = gpm_memory_array(1, sizeof *chunk + t->size);
    memcpy(chunk + 1, t->text, t->size);
    strings->spans =
        gpm_memory_resize(strings->spans, strings->span_count + 1, sizeof *strings->spans);
    strings->spans[strings->span_count++] =
        (struct gpm_span){(const unsigned char *)(chunk + 1), strings->count, t->size, 0};
    strings->count += t->size;
  }
  gpm_map_free(&t->known);
  free(t->text);
}
