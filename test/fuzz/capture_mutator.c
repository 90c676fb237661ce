/* capture_mutator.c - changes a capture as a capture: records, chunks and header fields, and makes
 * the sizes fit again afterwards, mostly.
 *
 * libFuzzer calls it for each new input of capture.c. Bytes changed at random nearly always break
 * the chain of chunks, and nothing behind it would be reached.
 */
#include "gpumemprof/capture.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

#define HEADER GPUMEMPROF_CAPTURE_HEADER_SIZE
#define CHUNK sizeof(struct gpumemprof_chunk)
enum { CHUNKS = 512 };

struct capture {
  uint8_t *data;
  size_t size, max;
  size_t at[CHUNKS + 1]; /* where each chunk begins; the last: where they end */
  unsigned count;
  uint64_t random;
};

static uint64_t draw(struct capture *c, uint64_t below) { /* xorshift */
  c->random ^= c->random << 13;
  c->random ^= c->random >> 7;
  c->random ^= c->random << 17;
  return below ? c->random % below : 0;
}

static struct gpumemprof_chunk head_of(const struct capture *c, unsigned i) {
  struct gpumemprof_chunk head;
  memcpy(&head, c->data + c->at[i], sizeof head);
  return head;
}
static void put_head(struct capture *c, unsigned i, const struct gpumemprof_chunk *head) {
  memcpy(c->data + c->at[i], head, sizeof *head);
}

static void find(struct capture *c) {
  size_t at = HEADER;
  for (c->count = 0; c->count < CHUNKS && at + CHUNK <= c->size; c->count++) {
    c->at[c->count] = at;
    uint64_t size = head_of(c, c->count).size;
    if (size < CHUNK || size % 64 || size > c->size - at) break;
    at += size;
  }
  c->at[c->count] = at;
}

/* A number that a field may well hold, or just not. */
static uint64_t likely(struct capture *c) {
  static const uint64_t edges[] = {0,          1,          2,          UINT32_MAX, UINT32_MAX - 1,
                                   INT64_MAX,  INT64_MIN,  UINT64_MAX, 64,         4096,
                                   UINT16_MAX, 1ull << 32, 1ull << 40, 63,         INT32_MAX};
  if (draw(c, 2)) return draw(c, 24);
  return edges[draw(c, sizeof edges / sizeof edges[0])] + draw(c, 3) - 1;
}

static void put(struct capture *c, size_t at, size_t width) {
  uint64_t value = likely(c);
  memcpy(c->data + at, &value, width);
}

/* Room for `more` bytes at a byte of the file. */
static int insert(struct capture *c, size_t at, size_t more) {
  if (c->size + more > c->max) return 0;
  memmove(c->data + at + more, c->data + at, c->size - at);
  c->size += more;
  return 1;
}

static void change_record(struct capture *c, unsigned i) {
  struct gpumemprof_chunk head = head_of(c, i);
  size_t payload = head.size - CHUNK, record = head.record_size;
  if (!record || record > payload) return;
  uint64_t used = head.used < payload && draw(c, 8) ? head.used : payload;
  size_t start = c->at[i] + CHUNK + draw(c, used / record) * record;
  if (record == 1) { /* text */
    size_t length = used < 32 ? used : 32;
    LLVMFuzzerMutate(c->data + start, length < c->size - start ? length : c->size - start, length);
  } else if (draw(c, 4)) {
    size_t width = (size_t)2 << draw(c, 3);
    put(c, start + draw(c, record / width) * width, width);
  } else LLVMFuzzerMutate(c->data + start, record, record);
}

/* One record more: a copy of another, in place of unused room or in room made for it. */
static void add_record(struct capture *c, unsigned i) {
  struct gpumemprof_chunk head = head_of(c, i);
  size_t record = head.record_size, payload = head.size - CHUNK;
  if (!record || record > 512 || head.used > payload || head.used < record) return;
  size_t from = c->at[i] + CHUNK + draw(c, head.used / record) * record;
  size_t to = c->at[i] + CHUNK + head.used;
  if (payload - head.used < record) {
    size_t more = (record + 63) & ~(size_t)63;
    if (!insert(c, c->at[i + 1], more)) return;
    memset(c->data + c->at[i + 1], 0, more);
    head.size += more;
  }
  memmove(c->data + to, c->data + from, record);
  head.used += record;
  put_head(c, i, &head);
}

static void copy_chunk(struct capture *c, unsigned i, unsigned before) {
  size_t size = c->at[i + 1] - c->at[i], from = c->at[i], to = c->at[before];
  if (!insert(c, to, size)) return;
  if (from >= to) from += size;
  memcpy(c->data + to, c->data + from, size);
}

static void remove_chunk(struct capture *c, unsigned i) {
  memmove(c->data + c->at[i], c->data + c->at[i + 1], c->size - c->at[i + 1]);
  c->size -= c->at[i + 1] - c->at[i];
}

static void change_head(struct capture *c, unsigned i) {
  struct gpumemprof_chunk head = head_of(c, i);
  switch (draw(c, 6)) {
  case 0:
    head.type = (uint32_t)draw(c, 14);
    break;
  case 1:
    head.owner = (uint32_t)likely(c);
    break;
  case 2:
    head.used = draw(c, head.size / (head.record_size ? head.record_size : 1)) * head.record_size;
    break;
  case 3:
    head.size = head.size + 64 * (draw(c, 5) - 2);
    break;
  case 4:
    head.used = likely(c);
    break;
  default:
    head.record_size = (uint32_t)likely(c);
  }
  put_head(c, i, &head);
}

static void change_header(struct capture *c) {
  static const uint16_t fields[] = {8, 12, 14, 16, 20, 24, 32, 40, 48, 56, 64, 72, 80};
  size_t at =
      draw(c, 3) ? fields[draw(c, sizeof fields / sizeof fields[0])] : draw(c, HEADER / 8) * 8;
  if (draw(c, 3)) put(c, at, (size_t)2 << draw(c, 3));
  else LLVMFuzzerMutate(c->data + at, 32, 32);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
  struct capture c = {
      .data = data, .size = size, .max = max, .random = seed * 0x9e3779b97f4a7c15ull + 1};
  if (size < HEADER + CHUNK || !draw(&c, 64)) return LLVMFuzzerMutate(data, size, max);
  for (uint64_t changes = 1 + draw(&c, 4); changes-- > 0;) {
    find(&c);
    if (!c.count) break;
    unsigned i = (unsigned)draw(&c, c.count);
    switch (draw(&c, 16)) {
    case 0:
      change_header(&c);
      break;
    case 1:
      change_head(&c, i);
      break;
    case 2:
      copy_chunk(&c, i, (unsigned)draw(&c, c.count + 1));
      break;
    case 3:
      remove_chunk(&c, i);
      break;
    case 4:
    case 5:
      add_record(&c, i);
      break;
    default:
      change_record(&c, i);
    }
  }
  find(&c);
  if (draw(&c, 16)) {
    uint64_t used = c.at[c.count];
    memcpy(c.data + offsetof(struct gpumemprof_capture_header, used), &used, sizeof used);
  }
  return c.size;
}
