/* strings.c - text in the capture, each distinct string once.
 *
 * sites.c and modules.c intern names here while a site is seen for the first time, under tree_lock.
 * The hash table is private memory; the text is in STRINGS chunks. Offset 0 is the empty string.
 */
#include "capture/strings.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "tables/map.h"

#include <stdatomic.h>
#include <string.h>

#define STRING_LONGEST 4000u /* longer text is cut: it must fit a chunk */

struct string_slot {
  const char *text;
  uint32_t hash;
  uint32_t offset;
};

static struct string_slot *slots; /* power of two, at most half full */
static uint32_t slot_count;
static uint32_t string_count;
static struct gpumemprof_chunk *last_chunk;
static uint64_t chunk_first;      /* offset of the chunk's first byte in the concatenated text */
static struct gpm_map kept_texts; /* by offset: copies that stay valid */

/* The text of each chunk, to find a text by its offset. Chunks double up to 1 MiB, and offsets end
 * at 4 GiB. */
#define CHUNKS_MOST 4200u
static struct {
  uint64_t first;
  const char *text;
} chunk_texts[CHUNKS_MOST];
static _Atomic uint32_t chunk_text_count;

static uint32_t hash_text(const char *text, size_t length) {
  uint32_t h = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

static bool strings_grow(void) {
  uint32_t count = slot_count ? slot_count * 2 : 1024;
  struct string_slot *larger = gpm_memory_map(count * sizeof *larger);
  if (!larger) return false;
  for (uint32_t i = 0; i < slot_count; i++)
    if (slots[i].text) {
      uint32_t at = slots[i].hash & (count - 1);
      while (larger[at].text) at = (at + 1) & (count - 1);
      larger[at] = slots[i];
    }
  gpm_memory_unmap(slots, slot_count * sizeof *slots);
  slots = larger;
  slot_count = count;
  return true;
}

/* Room for a text of this length and its NUL. When it does not fit into the current chunk, the rest
 * of that is filled with NULs, because all bytes of a chunk must be used (capture.h). */
static char *room(size_t length) {
  if (last_chunk && last_chunk->size - sizeof *last_chunk - last_chunk->used < length + 1) {
    uint64_t payload = last_chunk->size - sizeof *last_chunk;
    __atomic_store_n(&last_chunk->used, payload, __ATOMIC_RELEASE);
    chunk_first += payload;
    last_chunk = NULL;
  }
  if (!last_chunk) {
    uint64_t bytes = chunk_first < 8192 ? 8128 : chunk_first < (1u << 20) ? chunk_first : 1u << 20;
    last_chunk = gpm_capture_chunk(GPUMEMPROF_CHUNK_STRINGS, 1, 0, bytes);
    if (!last_chunk) return NULL;
    if (!chunk_first) last_chunk->used = 1; /* offset 0: the empty string */
    uint32_t number = atomic_load_explicit(&chunk_text_count, memory_order_relaxed);
    if (number == CHUNKS_MOST) return NULL;
    chunk_texts[number].first = chunk_first;
    chunk_texts[number].text = (const char *)(last_chunk + 1);
    atomic_store_explicit(&chunk_text_count, number + 1, memory_order_release);
  }
  return (char *)(last_chunk + 1) + last_chunk->used;
}

uint32_t gpm_strings_intern(const char *text) {
  if (!text || !*text) return 0;
  size_t length = strnlen(text, STRING_LONGEST);
  uint32_t hash = hash_text(text, length);
  if (string_count * 2 >= slot_count && !strings_grow()) return 0;
  uint32_t at = hash & (slot_count - 1);
  for (; slots[at].text; at = (at + 1) & (slot_count - 1))
    if (slots[at].hash == hash && !strncmp(slots[at].text, text, length) && !slots[at].text[length])
      return slots[at].offset;
  char *copy = room(length);
  if (!copy) return 0;
  uint64_t offset = chunk_first + last_chunk->used;
  if (offset + length >= UINT32_MAX) return 0;
  memcpy(copy, text, length);
  __atomic_store_n(&last_chunk->used, last_chunk->used + length + 1, __ATOMIC_RELEASE);
  slots[at] = (struct string_slot){copy, hash, (uint32_t)offset};
  string_count++;
  return (uint32_t)offset;
}

const char *gpm_strings_text(uint32_t offset) {
  uint32_t low = 0, high = atomic_load_explicit(&chunk_text_count, memory_order_acquire);
  if (!offset || !high) return NULL;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (chunk_texts[middle].first <= offset) low = middle;
    else high = middle;
  }
  return chunk_texts[low].text + (offset - chunk_texts[low].first);
}

const char *gpm_strings_keep(uint32_t offset) {
  char *copy = offset ? gpm_map_get(&kept_texts, offset) : NULL;
  const char *text = copy ? NULL : gpm_strings_text(offset);
  if (!text) return copy ? copy : "";
  size_t size = strlen(text) + 1;
  if (!(copy = gpm_memory_get(size))) return "";
  memcpy(copy, text, size);
  gpm_map_put(&kept_texts, offset, copy);
  return copy;
}

void gpm_strings_reset(void) {
  kept_texts = (struct gpm_map){0};
  atomic_store(&chunk_text_count, 0);
  slots = NULL;
  slot_count = string_count = 0;
  last_chunk = NULL;
  chunk_first = 0;
}
