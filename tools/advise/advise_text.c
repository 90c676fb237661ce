/* advise_text.c - what to change, for people: the answer first, then one sentence for each change.
 * See advise.h. */
#include "advise/advise.h"

#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The peak, and what it can be: in bytes if they would look the same otherwise. */
struct both {
  char before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER];
};
static struct both both_of(const struct gpm_advise *a, uint64_t before, uint64_t after) {
  struct both b;
  gpm_text_bytes(b.before, (int64_t)before, a->style);
  gpm_text_bytes(b.after, (int64_t)after, a->style);
  if (strcmp(b.before, b.after) != 0 || before == after) return b;
  gpm_text_bytes(b.before, (int64_t)before, a->style | GPM_TEXT_EXACT);
  gpm_text_bytes(b.after, (int64_t)after, a->style | GPM_TEXT_EXACT);
  return b;
}

static const char *size(const struct gpm_advise *a, char out[GPM_TEXT_NUMBER], uint64_t bytes) {
  return gpm_text_bytes(out, (int64_t)bytes, a->style);
}

/* The lowest peak that a finding leaves on the device, with copies to the host or without them;
 * `peak` if there is none. */
static uint64_t lowest_of(const struct gpm_advise *a, const struct gpm_line_changes *c, bool copies,
                          uint64_t peak) {
  for (uint32_t i = 0; i < a->count; i++) {
    const struct gpm_advice_finding *f = a->finding[i];
    if (f->changes == c && gpm_advice_copies(f) <= copies && gpm_advice_after(f) < peak)
      peak = gpm_advice_after(f);
  }
  return peak;
}

/* Whether a finding is of the device: of pinned memory, whose device is the host. */
static bool has_finding(const struct gpm_advise *a, uint32_t device) {
  for (uint32_t i = 0; i < a->count; i++)
    if (a->finding[i]->changes->device == device) return true;
  return false;
}

/* Returns "GPU 0", or what memory of the host it is; to be freed. */
static char *name_of(const struct gpm_advise *a, uint32_t device) {
  return gpm_advice_is_gpu(a->profile->reader, device)
             ? gpm_locations_device(a->profile->reader, device)
             : gpm_memory_text("pinned memory of the host");
}

static void print_answer(const struct gpm_advise *a, uint32_t device) {
  char one[GPM_TEXT_NUMBER];
  const struct gpm_line_changes *c = &a->advice->changes[device];
  char *name = name_of(a, device);
  uint64_t peak = (uint64_t)gpm_peaks_now(&c->peaks), lowest = lowest_of(a, c, true, peak),
           plain = lowest_of(a, c, false, peak);
  if (!peak && gpm_advice_is_gpu(a->profile->reader, device)) printf("%s held no memory\n", name);
  else if (!peak) printf("there was no %s\n", name);
  else if (lowest == peak)
    printf("no change of a line lowers the peak of %s, %s\n", name, size(a, one, peak));
  else {
    uint64_t after = plain < peak ? plain : lowest;
    struct both b = both_of(a, peak, after);
    printf("the peak of %s, %s, can be %s: %s less", name, b.before, b.after,
           size(a, one, peak - after));
    if (plain == peak) printf(", with copies to the host");
    else if (lowest < plain) printf("; with copies to the host %s", size(a, one, lowest));
    putchar('\n');
  }
  free(name);
}

static void print_single(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  char one[GPM_TEXT_NUMBER];
  char *text = gpm_advise_of_finding(a, f), *instead = gpm_advise_instead(a, f);
  struct both b = both_of(a, f->before, gpm_advice_after(f));
  printf("%s: saves %s, peak %s -> %s%s\n", text, size(a, one, gpm_advice_saving(f)), b.before,
         b.after, instead);
  free(text);
  free(instead);
}

static void print_several(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  char one[GPM_TEXT_NUMBER];
  char *instead = gpm_advise_instead(a, f);
  struct both b = both_of(a, f->before, gpm_advice_after(f));
  printf("%" PRIu32 " changes together save %s, peak %s -> %s%s:\n", f->count,
         size(a, one, gpm_advice_saving(f)), b.before, b.after, instead);
  free(instead);
  uint32_t shown = a->all || f->count <= GPM_ADVISE_STEPS ? f->count : GPM_ADVISE_STEPS;
  for (uint32_t i = 0; i < shown; i++) {
    char *text = gpm_advise_sentence(a, f->changes, &f->changes->change[f->step[i]]);
    printf("  %s: the peak is then %s\n", text, size(a, one, f->peak[i]));
    free(text);
  }
  if (f->count > shown)
    printf("  ... and %" PRIu32 " more (--limit 0 shows all)\n", f->count - shown);
}

static void print_unjudged(const struct gpm_advise *a) {
  char number[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < a->advice->unjudged_count; i++) {
    const struct gpm_advice_unjudged *u = &a->advice->unjudged[i];
    if (!gpm_advise_shows(a, u->device)) continue;
    printf("not judged: %" PRIu64 " block%s, %s: %s\n", u->blocks, gpm_text_s(u->blocks),
           size(a, number, u->bytes), u->reason);
  }
}

void gpm_advise_print_text(const struct gpm_advise *a) {
  for (uint32_t i = 0; i < a->profile->reader->device_count; i++) {
    uint32_t device = a->profile->reader->device_order[i];
    if (gpm_advise_shows(a, device) || a->device == device || has_finding(a, device))
      print_answer(a, device);
  }
  if (a->shown) putchar('\n');
  for (uint32_t i = 0; i < a->shown; i++) {
    if (a->count > 1) printf("%" PRIu32 ". ", i + 1);
    if (a->finding[i]->count == 1) print_single(a, a->finding[i]);
    else print_several(a, a->finding[i]);
  }
  if (a->count > a->shown)
    printf("... and %" PRIu32 " more (--limit 0 shows all)\n", a->count - a->shown);
  if (a->small)
    printf("... and %" PRIu32 " that save%s too little (--min 0 shows all)\n", a->small,
           a->small == 1 ? "s" : "");
  print_unjudged(a);
  if (a->count)
    printf("(this is about this run: another run may use memory that this one did not%s)\n",
           a->count > 1 ? "; savings of different findings do not add up" : "");
}
