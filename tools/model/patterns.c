/* patterns.c - see patterns.h. Each text of the capture is matched once for each pattern. */
#include "model/patterns.h"

#include "model/split_cells.h"
#include "support/map.h"
#include "support/memory.h"
#include "support/text.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum key { FILE_, FUNCTION, VARIABLE, TYPE, LABEL, SIZE };
static const char *const keys[] = {"file", "function", "variable", "type", "label", "size", NULL};

struct gpm_pattern {
  const char *given; /* KEY=PATTERN */
  const char *text;  /* the pattern alone */
  enum key key;
  bool not, is_expression;
  regex_t expression;
  uint64_t least, most; /* SIZE */
};

/* "1MiB", "1MiB..", "..4KiB", "1KiB..4KiB" */
static bool parse_sizes(struct gpm_pattern *p) {
  char *from = gpm_memory_text(p->text), *to = strstr(from, "..");
  bool range = to != NULL;
  if (range) {
    *to = 0;
    to += 2;
  }
  p->least = 0;
  p->most = UINT64_MAX;
  bool ok = (*from || (range && *to)) && (!*from || gpm_text_parse_bytes(from, &p->least)) &&
            (!range || !*to || gpm_text_parse_bytes(to, &p->most));
  if (!range) p->most = p->least;
  free(from);
  return ok && p->least <= p->most;
}

char *gpm_patterns_add(struct gpm_patterns *patterns, const char *text) {
  size_t length = strcspn(text, "="), chosen;
  if (!text[length])
    return gpm_memory_format("--filter wants KEY=PATTERN, like function=solve, not `%s`", text);
  char *key = gpm_memory_text(text);
  key[length] = 0;
  struct gpm_pattern p = {.given = text, .text = text + length + 1};
  char *wrong = gpm_text_choose("key of --filter", key, keys, &chosen);
  free(key);
  if (wrong) return wrong;
  p.key = (enum key)chosen;
  if (*p.text == '!') p.not = true, p.text++;
  if (p.key == SIZE && !parse_sizes(&p))
    return gpm_memory_format(
        "--filter wants sizes like size=1MiB.., size=..4KiB or size=1KiB..4KiB, not `%s`", text);
  if (p.key != SIZE && *p.text == '~') p.is_expression = true, p.text++;
  /* Allocated first, because memory of regcomp would leak if a later allocation failed. */
  patterns->list = gpm_memory_resize(patterns->list, patterns->count + 1, sizeof *patterns->list);
  int error = p.is_expression ? regcomp(&p.expression, p.text, REG_EXTENDED | REG_NOSUB) : 0;
  if (error) {
    char why[256];
    regerror(error, &p.expression, why, sizeof why);
    return gpm_memory_format("--filter %s: that is no regular expression: %s", text, why);
  }
  patterns->list[patterns->count++] = p;
  return NULL;
}

void gpm_patterns_free(struct gpm_patterns *patterns) {
  for (unsigned i = 0; i < patterns->count; i++)
    if (patterns->list[i].is_expression) regfree(&patterns->list[i].expression);
  free(patterns->list);
  *patterns = (struct gpm_patterns){NULL, 0};
}

char *gpm_patterns_text(const struct gpm_patterns *patterns) {
  char *text = gpm_memory_text("");
  for (unsigned i = 0; i < patterns->count; i++) {
    char *one = gpm_text_clean(patterns->list[i].given);
    char *longer = gpm_memory_format("%s%s%s", text, i ? " and " : "", one);
    free(one);
    free(text);
    text = longer;
  }
  return text;
}

/* ---- texts ------------------------------------------------------------------------------------
 */

static bool matches_one(const struct gpm_pattern *p, const char *text) {
  if (p->is_expression) return !regexec(&p->expression, text, 0, NULL, 0);
  return !fnmatch(p->text, text, 0);
}

static bool matches(const struct gpm_pattern *p, const struct gpm_host *host, const char *text) {
  if (matches_one(p, text)) return true;
  if (p->key == FILE_) { /* as reports print it */
    char *shown = gpm_text_path(host, text);
    bool found = matches_one(p, shown);
    free(shown);
    if (found) return true;
  }
  const char *separator = p->key == FILE_ ? "/" : p->key == FUNCTION ? "::" : NULL;
  if (!separator || p->is_expression) return false;
  for (const char *at = text; (at = strstr(at, separator)) && *(at += strlen(separator));)
    if (matches_one(p, at)) return true;
  return false;
}

struct search {
  const struct gpm_reader *reader;
  const struct gpm_pattern *pattern;
  struct gpm_map known; /* offset of a text -> whether it matches */
};

static bool find(struct search *s, uint32_t offset) {
  enum { NEW = 2 };
  uint64_t *known = gpm_map_at(&s->known, offset, NEW);
  if (*known == NEW)
    *known = matches(s->pattern, s->reader->host, gpm_reader_string(s->reader, offset));
  return *known;
}

/* ---- cells ------------------------------------------------------------------------------------
 */

/* By node: whether the node, or one above it, matches the pattern. */
static uint8_t *find_paths(struct search *s, const struct gpm_profile *p) {
  uint8_t *found = gpm_memory_array(p->node_count, 1);
  for (uint32_t n = 0; n < p->node_count; n++) {
    found[n] = n ? found[p->tree.node[n].parent] : 0;
    if (found[n] || p->site[n] == GPUMEMPROF_NONE ||
        (!gpm_profile_is_scope(p, n) && !gpm_profile_is_call(p, n)))
      continue;
    const struct gpumemprof_capture_site *site = gpm_reader_site(p->reader, p->site[n]);
    found[n] =
        find(s, s->pattern->key == FILE_ ? site->file : site->function) ||
        (s->pattern->key == FUNCTION && p->kind[n] == GPUMEMPROF_SITE_BLOCK && find(s, site->name));
  }
  return found;
}

static bool holds(struct search *s, const struct gpm_profile *p, const uint8_t *paths,
                  const struct gpumemprof_capture_cell *c) {
  if (paths) return paths[c->node];
  if (s->pattern->key == LABEL) return find(s, c->label);
  uint32_t site = p->site[c->node];
  if (site == GPUMEMPROF_NONE) return find(s, 0);
  return find(s, s->pattern->key == TYPE ? gpm_reader_site(p->reader, site)->type
                                         : gpm_reader_site(p->reader, site)->variable);
}

/* ---- sizes ------------------------------------------------------------------------------------
 */

enum share { NOTHING, SOME, ALL };

bool gpm_patterns_have_sizes(const struct gpm_patterns *patterns) {
  for (unsigned i = 0; i < patterns->count; i++)
    if (patterns->list[i].key == SIZE) return true;
  return false;
}

bool gpm_patterns_have_places(const struct gpm_patterns *patterns) {
  for (unsigned i = 0; i < patterns->count; i++)
    if (patterns->list[i].key == FILE_ || patterns->list[i].key == FUNCTION) return true;
  return false;
}

/* For blocks that all have from `least` to `most` bytes. */
static enum share share_of(const struct gpm_patterns *patterns, uint64_t least, uint64_t most) {
  enum share share = ALL;
  for (unsigned i = 0; i < patterns->count; i++) {
    const struct gpm_pattern *p = &patterns->list[i];
    if (p->key != SIZE) continue;
    bool all = p->least <= least && most <= p->most, none = most < p->least || p->most < least;
    enum share one = (p->not ? none : all) ? ALL : (p->not ? all : none) ? NOTHING : SOME;
    if (one < share) share = one;
  }
  return share;
}

bool gpm_patterns_take(const struct gpm_patterns *patterns, uint64_t bytes) {
  return share_of(patterns, bytes, bytes) == ALL;
}

static enum share share_of_cell(const struct gpm_patterns *patterns, const struct gpm_reader *r,
                                uint64_t id, const struct gpumemprof_capture_cell *c) {
  unsigned flags = gpm_split_flags(r, id);
  if (flags & GPM_SPLIT_KNOWN) return flags & GPM_SPLIT_OUTSIDE ? NOTHING : ALL;
  if (!c->allocated.blocks) return ALL; /* the cell has no blocks */
  if (c->allocated.blocks == 1) return share_of(patterns, c->allocated.bytes, c->allocated.bytes);
  /* After a reset, the smallest and largest size cover only later blocks; the count covers all. */
  return r->header.resets ? share_of(patterns, 0, UINT64_MAX)
                          : share_of(patterns, c->min_size, c->max_size);
}

/* The number of cells with both blocks whose size matches and others. */
static uint32_t count_undecided(const struct gpm_patterns *patterns, const struct gpm_reader *r) {
  uint32_t undecided = 0;
  if (!patterns || !gpm_patterns_have_sizes(patterns)) return 0;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    undecided += share_of_cell(patterns, r, at.number, c) == SOME;
  return undecided;
}

bool gpm_patterns_are_decided(const struct gpm_patterns *patterns, const struct gpm_reader *r) {
  return !count_undecided(patterns, r);
}

bool gpm_patterns_decide(const struct gpm_patterns *patterns, const struct gpm_reader *r) {
  uint32_t undecided = count_undecided(patterns, r);
  if (!undecided) return true;
  char *path = gpm_text_clean(r->path);
  gpm_host_say(r->host,
               "--filter size: %u call path%s of %s allocated blocks of these sizes and of others, "
               "which only "
               "events distinguish; record it with GPUMEMPROF_OPTIONS=history=all",
               undecided, undecided == 1 ? "" : "s", path);
  free(path);
  return false;
}

uint8_t *gpm_patterns_apply(const struct gpm_patterns *patterns, const struct gpm_profile *p) {
  uint8_t *left = gpm_memory_array(p->reader->cells.count, 1);
  memset(left, 1, p->reader->cells.count);
  for (unsigned i = 0; i < patterns->count; i++) {
    if (patterns->list[i].key == SIZE) continue;
    struct search s = {.reader = p->reader, .pattern = &patterns->list[i]};
    uint8_t *paths = s.pattern->key <= FUNCTION ? find_paths(&s, p) : NULL;
    struct gpm_cursor at = {.records = &p->reader->cells};
    for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
      if (left[at.number]) left[at.number] = holds(&s, p, paths, c) != s.pattern->not;
    free(paths);
    gpm_map_free(&s.known);
  }
  if (!gpm_patterns_have_sizes(patterns)) return left;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (share_of_cell(patterns, p->reader, at.number, c) == NOTHING) left[at.number] = 0;
  return left;
}

struct gpm_left gpm_patterns_left(const struct gpm_profile *p) {
  struct gpm_left left = {0};
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number]) continue;
    struct gpumemprof_capture_amount *to =
        gpm_split_is_older(p->reader, at.number) ? &left.older : &left.allocated;
    to->bytes += c->allocated.bytes;
    to->blocks += c->allocated.blocks;
    left.freed.bytes += c->freed.bytes;
    left.freed.blocks += c->freed.blocks;
  }
  return left;
}
