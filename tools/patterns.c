/* patterns.c - see patterns.h. Each text of the capture is matched once for each pattern. */
#include "patterns.h"

#include "command.h"
#include "memory.h"
#include "text.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum key { FILE_, FUNCTION, VARIABLE, TYPE, LABEL };
static const char *const keys[] = {"file", "function", "variable", "type", "label", NULL};

struct gpm_pattern {
  const char *given; /* KEY=PATTERN */
  const char *text;  /* the pattern alone */
  enum key key;
  bool not, is_expression;
  regex_t expression;
};

void gpm_patterns_add(struct gpm_patterns *patterns, const char *text) {
  size_t length = strcspn(text, "=");
  if (!text[length]) {
    gpm_say("--filter wants KEY=PATTERN, like function=solve, not `%s`", text);
    exit(GPM_EXIT_USAGE);
  }
  char *key = gpm_memory_text(text);
  key[length] = 0;
  struct gpm_pattern p = {.given = text, .text = text + length + 1};
  p.key = (enum key)gpm_command_choice("key of --filter", key, keys);
  free(key);
  if (*p.text == '!') p.not = true, p.text++;
  if (*p.text == '~') p.is_expression = true, p.text++;
  int error = p.is_expression ? regcomp(&p.expression, p.text, REG_EXTENDED | REG_NOSUB) : 0;
  if (error) {
    char why[256];
    regerror(error, &p.expression, why, sizeof why);
    gpm_say("--filter %s: that is no regular expression: %s", text, why);
    exit(GPM_EXIT_USAGE);
  }
  patterns->list = gpm_memory_resize(patterns->list, patterns->count + 1, sizeof *patterns->list);
  patterns->list[patterns->count++] = p;
}

void gpm_patterns_free(struct gpm_patterns *patterns) {
  for (unsigned i = 0; i < patterns->count; i++)
    if (patterns->list[i].is_expression) regfree(&patterns->list[i].expression);
  free(patterns->list);
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

static bool matches(const struct gpm_pattern *p, const char *text) {
  if (matches_one(p, text)) return true;
  if (p->key == FILE_) { /* as reports print it */
    char *shown = gpm_text_file(text);
    bool found = matches_one(p, shown);
    free(shown);
    if (found) return true;
  }
  const char *apart = p->key == FILE_ ? "/" : p->key == FUNCTION ? "::" : NULL;
  if (!apart || p->is_expression) return false;
  for (const char *at = text; (at = strstr(at, apart)) && *(at += strlen(apart));)
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
  if (*known == NEW) *known = matches(s->pattern, gpm_reader_string(s->reader, offset));
  return *known;
}

/* ---- cells ------------------------------------------------------------------------------------
 */

/* By node: whether it, or one above it, is in what the pattern names. */
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

uint8_t *gpm_patterns_apply(const struct gpm_patterns *patterns, const struct gpm_profile *p) {
  uint8_t *left = gpm_memory_array(p->reader->cells.count, 1);
  memset(left, 1, p->reader->cells.count);
  for (unsigned i = 0; i < patterns->count; i++) {
    struct search s = {.reader = p->reader, .pattern = &patterns->list[i]};
    uint8_t *paths = s.pattern->key <= FUNCTION ? find_paths(&s, p) : NULL;
    struct gpm_cursor at = {.records = &p->reader->cells};
    for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
      if (left[at.number]) left[at.number] = holds(&s, p, paths, c) != s.pattern->not;
    free(paths);
    gpm_map_free(&s.known);
  }
  return left;
}

struct gpm_left gpm_patterns_left(const struct gpm_profile *p) {
  struct gpm_left left = {0};
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number]) continue;
    left.allocated.bytes += c->allocated.bytes;
    left.allocated.blocks += c->allocated.blocks;
    left.freed.bytes += c->freed.bytes;
    left.freed.blocks += c->freed.blocks;
  }
  return left;
}
