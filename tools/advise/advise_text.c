/* advise_text.c - what to change, for people: the answer first, then one sentence for each change.
 * See advise.h. */
#include "advise/advise.h"

#include "rows/locations.h"
#include "support/map.h"
#include "support/string.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gpm_advise_bytes(char out[GPM_TEXT_NUMBER], uint64_t bytes, unsigned style) {
  gpm_text_bytes(out, (int64_t)bytes, style);
  if (style & GPM_TEXT_EXACT) strcat(out, bytes == 1 ? " byte" : " bytes");
  return out;
}

/* The peak, and what it can be: in bytes if they would look the same otherwise. */
struct both {
  char before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER];
};
static struct both both_of(const struct gpm_advise *a, uint64_t before, uint64_t after) {
  struct both b;
  gpm_advise_bytes(b.before, before, a->style);
  gpm_advise_bytes(b.after, after, a->style);
  if (strcmp(b.before, b.after) != 0 || before == after) return b;
  gpm_advise_bytes(b.before, before, a->style | GPM_TEXT_EXACT);
  gpm_advise_bytes(b.after, after, a->style | GPM_TEXT_EXACT);
  return b;
}

static const char *size(const struct gpm_advise *a, char out[GPM_TEXT_NUMBER], uint64_t bytes) {
  return gpm_advise_bytes(out, bytes, a->style);
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

/* Returns what findings are asked for if there may be others: ", with late-free alone", " by 10.00
 * GiB or more"; or "". To be freed. */
static char *asked_of(const struct gpm_advise *a, const struct gpm_line_changes *c) {
  char one[GPM_TEXT_NUMBER];
  struct gpm_string text = {NULL, 0, 0};
  unsigned ids = 0;
  const char *id = "";
  for (unsigned i = 0; i < GPM_ADVICE_IDS; i++)
    if (a->rules >> i & 1) {
      ids++;
      id = gpm_advice_texts[i].id;
    }
  bool small = false;
  for (uint32_t i = 0; i < a->advice->count; i++) {
    const struct gpm_advice_finding *f = &a->advice->finding[i];
    small |= f->changes == c && !gpm_advice_is_large(a->advice, f);
  }
  if (small && a->advice->least == GPM_ADVICE_HUNDREDTH) gpm_string_add(&text, ", by 1%% of it");
  else if (small) gpm_string_add(&text, ", by %s", size(a, one, a->advice->least));
  if (ids) gpm_string_add(&text, ", with %s alone", ids == 1 ? id : "these rules");
  return gpm_string_take(&text);
}

static void print_nothing(const struct gpm_advise *a, const struct gpm_line_changes *c,
                          const char *name, uint64_t peak) {
  char one[GPM_TEXT_NUMBER], *asked = asked_of(a, c);
  printf("no change of a line lowers the peak of %s, %s%s\n", name, size(a, one, peak), asked);
  free(asked);
}

static void print_answer(const struct gpm_advise *a, uint32_t device) {
  char one[GPM_TEXT_NUMBER];
  const struct gpm_line_changes *c = &a->advice->changes[device];
  char *name = name_of(a, device);
  uint64_t peak = (uint64_t)gpm_peaks_now(&c->peaks), lowest = lowest_of(a, c, true, peak),
           plain = lowest_of(a, c, false, peak);
  if (!peak && gpm_advice_is_gpu(a->profile->reader, device)) printf("%s held no memory\n", name);
  else if (!peak) printf("there was no %s\n", name);
  else if (lowest == peak) print_nothing(a, c, name, peak);
  else {
    uint64_t after = plain < peak ? plain : lowest;
    struct both b = both_of(a, peak, after);
    printf("the peak of %s, %s, can be %s: %s less", name, b.before, b.after,
           size(a, one, peak - after));
    if (plain == peak) printf(", if memory is copied to the host and back");
    else if (lowest < plain)
      printf(", or %s if memory is also copied to the host and back",
             both_of(a, plain, lowest).after);
    putchar('\n');
  }
  free(name);
}

/* Returns "peak", or whose peak it is if that is none of a GPU. */
static const char *peak_of(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  return gpm_advice_is_gpu(a->profile->reader, f->changes->device) ? "peak"
                                                                   : "peak of pinned memory";
}

static void print_single(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  char one[GPM_TEXT_NUMBER];
  char *text = gpm_advise_of_finding(a, f), *others = gpm_advise_others(a, f);
  struct both b = both_of(a, f->before, gpm_advice_after(f));
  printf("%s: saves %s, %s %s -> %s%s\n", text, size(a, one, gpm_advice_saving(f)), peak_of(a, f),
         b.before, b.after, others);
  free(text);
  free(others);
}

static void print_several(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  char one[GPM_TEXT_NUMBER];
  char *others = gpm_advise_others(a, f);
  struct both b = both_of(a, f->before, gpm_advice_after(f));
  printf("%" PRIu32 " changes together save %s, %s %s -> %s%s:\n", f->count,
         size(a, one, gpm_advice_saving(f)), peak_of(a, f), b.before, b.after, others);
  free(others);
  uint32_t shown = a->all || f->count <= GPM_ADVISE_STEPS ? f->count : GPM_ADVISE_STEPS;
  for (uint32_t i = 0; i < shown; i++) {
    char *text = gpm_advise_sentence(a, f, &f->changes->change[f->step[i]]);
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
    bool at_once = u->bytes <= (uint64_t)gpm_peaks_now(&a->advice->changes[u->device].peaks);
    printf("not judged: %" PRIu64 " block%s, %s%s: %s\n", u->blocks, gpm_text_s(u->blocks),
           size(a, number, u->bytes), at_once ? "" : " one after another", u->reason);
  }
}

static uint32_t function_of(const struct gpm_profile *p, uint32_t site) {
  return site == GPUMEMPROF_NONE ? 0 : gpm_reader_site(p->reader, site)->function;
}

/* Returns the function that called the one in which a node is, or 0. */
static uint32_t caller_of(const struct gpm_profile *p, uint32_t node) {
  uint32_t scope = p->scope[node];
  while (scope != GPUMEMPROF_NONE && p->kind[scope] == GPUMEMPROF_SITE_BLOCK)
    scope = p->scope[p->tree.node[scope].parent];
  uint32_t call = scope == GPUMEMPROF_NONE ? scope : p->tree.node[scope].parent;
  return call == GPUMEMPROF_NONE ? 0 : function_of(p, p->site[call]);
}

/* Whether a change is about some of the blocks of a line whose function allocates for the one that
 * called it, which uses them, while others free them. */
static bool is_of_helper(const struct gpm_advise *a, const struct gpm_line_changes *all,
                         const struct gpm_line_change *c) {
  const struct gpm_profile *p = a->profile;
  if (c->to == GPUMEMPROF_NONE || c->free_node == GPUMEMPROF_NONE ||
      c->blocks >= a->advice->allocated[c->lines.allocated])
    return false;
  uint32_t use = function_of(p, gpm_line_changes_site_of_use(all, c->to));
  return use && use == caller_of(p, c->node) && use != function_of(p, p->site[c->node]) &&
         use != function_of(p, p->site[c->free_node]);
}

/* Says once of each such line what its blocks may be. */
static void print_helpers(const struct gpm_advise *a) {
  struct gpm_map said = {0};
  for (uint32_t i = 0; i < a->shown; i++)
    for (uint32_t k = 0; k < a->finding[i]->count; k++) {
      const struct gpm_line_change *c = &a->finding[i]->changes->change[a->finding[i]->step[k]];
      if (!is_of_helper(a, a->finding[i]->changes, c)) continue;
      uint64_t *known = gpm_map_at(&said, c->lines.allocated + (uint64_t)1, 0);
      if (*known) continue;
      *known = 1;
      char *where = gpm_locations_node(a->profile, c->node);
      printf(
          "(%s allocates for other functions: if it keeps memory to hand it out again, the steps "
          "about some of its blocks are about what it keeps at that time)\n",
          where);
      free(where);
    }
  gpm_map_free(&said);
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
  print_helpers(a);
  if (a->count)
    printf("(this is about this run: another run may use memory that this one did not%s)\n",
           a->count > 1 ? "; savings of different findings do not add up" : "");
}
