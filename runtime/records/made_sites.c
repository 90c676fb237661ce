/* made_sites.c - sites that the compiler did not describe: a variable of a fat binary, an address
 * in a library that was not rebuilt, a node of a graph, a block that the program names at run time.
 *
 * Code that finds such a site makes it here in the same form as the compiler's sites. From then on
 * it is a site like any other: frames refer to it, and call_tree.c and sites.c make no difference.
 * Equal contents have one address, so that a path stays one path; made sites are never freed.
 */
#include "records/made_sites.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/capture.h"
#include "records/call_tree.h"
#include "records/sites.h"
#include "tables/index.h"

#include <string.h>

struct made {
  struct gpumemprof_site site;
  char text[]; /* what its fields point to */
};

static struct gpm_lock made_lock = GPM_LOCK(made); /* protects what follows */
static struct gpm_index made_index, block_index;

static const char *text_in(const int32_t *field) {
  return *field ? (const char *)field + *field : "";
}

static bool is_location(const struct gpumemprof_site *s, const struct gpm_source_location *p) {
  return s->kind == p->kind && s->flags == p->flags && s->line == p->line &&
         !strcmp(text_in(&s->file), p->file) && !strcmp(text_in(&s->function), p->function) &&
         !strcmp(text_in(&s->callee), p->callee) && !strcmp(text_in(&s->variable), p->variable) &&
         !strcmp(text_in(&s->type), p->type) && !strcmp(text_in(&s->size_expr), p->size_expr) &&
         !strcmp(text_in(&s->source_line), p->source_line) && s->column == p->column;
}

static uint32_t mix_in(uint32_t h, const char *text) {
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u; /* FNV-1a */
  return h * 31;
}

/* Copies text behind the record and lets the field point there. */
static char *put_text(char *at, int32_t *field, const char *text) {
  if (!*text) return at;
  size_t size = strlen(text) + 1;
  memcpy(at, text, size);
  *field = (int32_t)(at - (char *)field);
  return at + size;
}

static struct made *make_site(const struct gpm_source_location *p) {
  size_t text = strlen(p->file) + strlen(p->function) + strlen(p->callee) + strlen(p->variable) +
                strlen(p->type) + strlen(p->size_expr) + strlen(p->source_line) + 7;
  struct made *m = gpm_memory_get(sizeof *m + text);
  if (!m) return NULL;
  struct gpumemprof_site *s = &m->site;
  s->kind = p->kind;
  s->flags = p->flags;
  s->line = p->line;
  s->column = p->column;
  char *at = put_text(m->text, &s->file, p->file);
  at = put_text(at, &s->function, p->function);
  at = put_text(at, &s->callee, p->callee);
  at = put_text(at, &s->variable, p->variable);
  at = put_text(at, &s->type, p->type);
  at = put_text(at, &s->size_expr, p->size_expr);
  put_text(at, &s->source_line, p->source_line);
  return m;
}

const struct gpumemprof_site *gpm_sites_make(const struct gpm_source_location *location) {
  struct gpm_source_location p = *location;
  if (p.kind == GPUMEMPROF_SITE_FUNCTION) p.flags |= GPUMEMPROF_SITE_MADE;
  const char **texts[] = {&p.file, &p.function,  &p.callee,     &p.variable,
                          &p.type, &p.size_expr, &p.source_line};
  uint32_t hash = p.line * 31 + p.kind;
  for (int i = 0; i < 7; i++) {
    if (!*texts[i]) *texts[i] = "";
    hash = mix_in(hash, *texts[i]);
  }
  uint32_t at = hash;
  struct made *m;
  gpm_lock_take(&made_lock);
  do m = gpm_index_next(&made_index, hash, &at);
  while (m && !is_location(&m->site, &p));
  if (!m && (m = make_site(&p)) && !gpm_index_add(&made_index, hash, m, false)) m = NULL;
  gpm_lock_release(&made_lock);
  return m ? &m->site : &gpm_sites_unknown;
}

const struct gpumemprof_site *gpm_sites_copy(const struct gpumemprof_site *s) {
  if (!s->kind || s->kind == GPUMEMPROF_SITE_BLOCK) return s;
  struct gpm_source_location p = {.kind = s->kind,
                                  .flags = s->flags,
                                  .line = s->line,
                                  .column = s->column,
                                  .file = text_in(&s->file),
                                  .function = text_in(&s->function),
                                  .callee = text_in(&s->callee),
                                  .variable = text_in(&s->variable),
                                  .type = text_in(&s->type),
                                  .size_expr = text_in(&s->size_expr),
                                  .source_line = text_in(&s->source_line)};
  return gpm_sites_make(&p);
}

/* ---- blocks -------------------------------------------------------------------------------------
 */
#define BLOCKS_MOST (1u << 14) /* blocks with their own names, and lines with lumped blocks */
#define BLOCKS_ALWAYS 1024u    /* kept however many call paths there are */
#define PATHS_OF_BLOCKS (1u << 18)

struct made_block {
  struct gpumemprof_block_site site;
  const struct gpumemprof_site *line;
  char text[];
};
static uint32_t other_blocks; /* lines with a block "(other scopes)"; under made_lock */

static const char *put_copy(char **at, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = memcpy(*at, text, size);
  *at += size;
  return copy;
}

static struct made_block *make_block(const char *name, const char *file, const char *function,
                                     uint32_t line) {
  struct made_block *m =
      gpm_memory_get(sizeof *m + strlen(name) + strlen(file) + strlen(function) + 3);
  if (!m) return NULL;
  char *at = m->text;
  m->site = (struct gpumemprof_block_site){.kind = GPUMEMPROF_SITE_BLOCK,
                                           .flags = GPUMEMPROF_SITE_PROFILED,
                                           .line = line,
                                           .name = put_copy(&at, name),
                                           .file = put_copy(&at, file),
                                           .function = put_copy(&at, function)};
  return m;
}

static bool is_block_of(const struct gpumemprof_block_site *b, const char *name, const char *file,
                        const char *function, uint32_t line) {
  return b->line == line && !strcmp(b->name, name) && !strcmp(b->file, file) &&
         !strcmp(b->function, function);
}

static uint32_t block_hash(const char *name, uint32_t line) {
  return mix_in(line * 0x9e3779b1u, name);
}

/* Under made_lock. */
static struct made_block *find_block(const char *name, const char *file, const char *function,
                                     uint32_t line) {
  uint32_t hash = block_hash(name, line), at = hash;
  struct made_block *m;
  do m = gpm_index_next(&block_index, hash, &at);
  while (m && !is_block_of(&m->site, name, file, function, line));
  return m;
}

static struct made_block *add_block(const char *name, const char *file, const char *function,
                                    uint32_t line) {
  struct made_block *m = make_block(name, file, function, line);
  return m && gpm_index_add(&block_index, block_hash(name, line), m, false) ? m : NULL;
}

/* Whether one more name is kept. Each name gets call paths of its own, about 1500 bytes for the
 * first call. */
static bool block_is_kept(void) {
  uint32_t count = block_index.count - other_blocks;
  return count < BLOCKS_ALWAYS || (count < BLOCKS_MOST && gpm_tree_count() < PATHS_OF_BLOCKS);
}

/* All blocks of a line whose names are beyond the limit share one site. When there are too many
 * such lines, these share one as well. */
static GPM_COLD struct made_block *lump_block(const char *file, const char *function,
                                              uint32_t line) {
  static const char name[] = "(other scopes)";
  struct made_block *m = find_block(name, file, function, line);
  if (m) return m;
  if (other_blocks >= BLOCKS_MOST) {
    file = function = "";
    line = 0;
    if ((m = find_block(name, file, function, line))) return m;
  }
  other_blocks++;
  return add_block(name, file, function, line);
}

static GPM_COLD void block_lumped(void) {
  static _Atomic bool said;
  gpm_capture_count(GPUMEMPROF_COUNTER_scopes_lumped);
  if (!atomic_exchange(&said, true))
    gpm_text_say("more different names of measured scopes (gpumemprof_scope_begin) than gpumemprof "
                 "distinguishes, 16384, or 1024 with 262144 call paths: new ones are named (other "
                 "scopes), and totals and results stay exact; names without a number avoid that",
                 NULL);
}

const struct gpumemprof_block_site *gpm_sites_make_block(const char *name, const char *file,
                                                         const char *function, uint32_t line) {
  if (!name) name = "";
  if (!file) file = "";
  if (!function) function = "";
  gpm_lock_take(&made_lock);
  struct made_block *m = find_block(name, file, function, line);
  bool kept = m || block_is_kept();
  if (!m) m = kept ? add_block(name, file, function, line) : lump_block(file, function, line);
  gpm_lock_release(&made_lock);
  if (!kept) block_lumped();
  return m ? &m->site : NULL;
}

const struct gpumemprof_site *gpm_sites_block_line(const void *block) {
  const struct gpumemprof_block_site *b = block;
  uint32_t hash = block_hash(b->name, b->line), at = hash;
  struct made_block *m;
  gpm_lock_take(&made_lock);
  do m = gpm_index_next(&block_index, hash, &at);
  while (m && &m->site != b);
  const struct gpumemprof_site *line = m ? m->line : NULL;
  gpm_lock_release(&made_lock);
  if (!m || line) return line;
  struct gpm_source_location location = {
      .kind = GPUMEMPROF_SITE_CALL, .line = b->line, .file = b->file, .function = b->function};
  line = gpm_sites_make(&location);
  gpm_lock_take(&made_lock);
  m->line = line;
  gpm_lock_release(&made_lock);
  return line;
}

void gpm_sites_made_forked(void) {
  atomic_store(&made_lock.held, 0);
}
