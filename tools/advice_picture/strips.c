/* strips.c - the pages of blocks, as strips of parts: see advice_picture.h. A part is a number of
 * pages of a block that follow each other, the same for all but the last. */
#include "advice_picture/advice_picture.h"

#include "output/json.h"
#include "pages/pages.h"

#include <stdlib.h>

struct part {
  uint32_t state[4]; /* how many pages kernels did not use, read, wrote, read and wrote */
  uint64_t last;     /* clock of the last use, or later; 0: none */
};

static void put(json_t *json, const char *key, uint64_t value) {
  json_object_set_new(json, key, json_integer((json_int_t)value));
}

/* Adds the pages of a record to the parts. */
static void add_run(struct part *part, uint64_t pages_of_part,
                    const struct gpumemprof_capture_pages *run) {
  unsigned state = run->flags & (GPUMEMPROF_PAGE_READ | GPUMEMPROF_PAGE_WRITTEN);
  uint64_t end = run->first + (uint64_t)run->pages;
  for (uint64_t at = run->first, next; at < end; at = next) {
    struct part *p = &part[at / pages_of_part];
    next = (at / pages_of_part + 1) * pages_of_part;
    if (next > end) next = end;
    p->state[state] += (uint32_t)(next - at);
    if (state && run->last > p->last) p->last = run->last;
  }
}

/* [not used, read, written, both, last use or null] of each part. */
static json_t *parts_json(const struct gpm_pages *pages, const struct gpm_pages_block *b,
                          uint64_t pages_of_part) {
  uint64_t count = (b->pages + pages_of_part - 1) / pages_of_part;
  struct part *part = gpm_memory_array(count, sizeof *part);
  json_t *list = json_array();
  for (uint32_t i = b->first; i < b->first + b->count; i++)
    add_run(part, pages_of_part, pages->run[i]);
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t *s = part[i].state;
    bool used = s[1] || s[2] || s[3];
    json_array_append_new(list,
                          json_pack("[I,I,I,I,o]", (json_int_t)s[0], (json_int_t)s[1],
                                    (json_int_t)s[2], (json_int_t)s[3],
                                    used ? json_integer((json_int_t)part[i].last) : json_null()));
  }
  free(part);
  return list;
}

static json_t *strip_json(const struct gpm_profile *profile, const struct gpm_pages *pages,
                          const struct gpm_pages_block *b, uint32_t place) {
  uint64_t pages_of_part =
      (b->pages + GPM_ADVICE_PICTURE_STRIP_PARTS - 1) / GPM_ADVICE_PICTURE_STRIP_PARTS;
  json_t *one = json_object();
  put(one, "place", place);
  json_object_set_new(one, "allocated", gpm_json_location(profile, b->node));
  put(one, "clock", b->allocated);
  put(one, "bytes", b->bytes);
  put(one, "pages", b->pages);
  put(one, "read", b->read);
  put(one, "written", b->written);
  put(one, "untouched", b->untouched);
  put(one, "unused", gpm_pages_unused(b));
  json_object_set_new(one, "judged", json_boolean(!b->unseen));
  put(one, "pages_of_part", pages_of_part);
  json_object_set_new(one, "parts", parts_json(pages, b, pages_of_part));
  return one;
}

static int largest_first(const void *a, const void *b) {
  const struct gpm_pages_block *x = *(const struct gpm_pages_block *const *)a,
                               *y = *(const struct gpm_pages_block *const *)b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->allocated < y->allocated ? -1 : x->allocated > y->allocated;
}

json_t *gpm_advice_picture_strips(const struct gpm_profile *profile, const struct gpm_pages *pages,
                                  const uint32_t *place, uint64_t *left_out) {
  const struct gpm_pages_block **shown = gpm_memory_array(pages->count, sizeof *shown);
  uint32_t count = 0;
  for (uint32_t i = 0; i < pages->count; i++)
    if (pages->block[i].recorded) shown[count++] = &pages->block[i];
  if (count) qsort(shown, count, sizeof(struct gpm_pages_block *), largest_first);
  json_t *list = json_array();
  *left_out = count > GPM_ADVICE_PICTURE_STRIPS ? count - GPM_ADVICE_PICTURE_STRIPS : 0;
  for (uint32_t i = 0; i < count - *left_out; i++)
    json_array_append_new(list, strip_json(profile, pages, shown[i], place[shown[i]->device]));
  free(shown);
  return list;
}
