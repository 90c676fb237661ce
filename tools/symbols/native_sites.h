/* native_sites.h - what the sites of functions that were not rebuilt become, once debug information
 * has named their addresses. native_tree.c puts them into the call tree.
 *
 *   recorded   scope 0x1150 in app          call 0x1162                          (stacks=native)
 *   made       scope f (app.c:29)           call f:31, scope g (app.c:15), call g:17
 *
 * A call in a function into which others were inlined becomes one call for each of them, with their
 * scopes in between, as the plugin gives them.
 */
#ifndef GPM_TOOLS_NATIVE_SITES_H
#define GPM_TOOLS_NATIVE_SITES_H

#include "capture/texts.h"
#include "symbols/symbols.h"

struct gpm_chain { /* of a recorded site; count 0: it stays as it is */
  uint32_t first;  /* in gpm_native_sites.step */
  uint32_t count;
  enum gpm_left_out left_out; /* a scope */
  bool from_scope; /* a call: the function is left out, and its first step is the scope of
                      one that was inlined there */
  uint32_t itself; /* a call: it without those inlined; 0: nothing is known of it */
};
struct gpm_native_sites {
  struct gpm_texts *texts;
  uint32_t recorded;       /* how many sites the capture has */
  uint8_t *is_call;        /* by recorded site: it is of a call in such a function ... */
  uint8_t *is_old;         /* ... or elsewhere: "via libx.so" (stacks=scopes) */
  struct gpm_chain *chain; /* by recorded site */
  uint32_t *step;          /* numbers of sites, outermost first */
  uint32_t step_count, step_room;
  struct gpumemprof_capture_site *made; /* the new sites, numbered from `recorded` on */
  uint32_t made_count, made_room;
  struct gpm_map by_content;
};

void gpm_native_sites_begin(struct gpm_native_sites *sites, struct gpm_texts *texts);
/* What an address, at which a function begins or from which it calls, is in source. */
void gpm_native_sites_scope(struct gpm_native_sites *sites, uint32_t site, const char *module,
                            const struct gpm_source *source);
void gpm_native_sites_call(struct gpm_native_sites *sites, uint32_t site, const char *module,
                           const struct gpm_source *source);
/* Adds the new sites to the capture. */
void gpm_native_sites_finish(struct gpm_native_sites *sites);
void gpm_native_sites_free(struct gpm_native_sites *sites);

/* native_tree.c: makes another call tree of the recorded one, with such sites. */
void gpm_native_tree_make(struct gpm_reader *reader, const struct gpm_native_sites *sites);

/* native_lines.c: gives records of lines, and lists of lines that held memory, the places that
 * their memory has in the new tree, of which nodes are given; before the reader takes it over. */
void gpm_native_lines_name(struct gpm_reader *reader, const struct gpm_native_sites *sites,
                           const struct gpm_made_nodes *made,
                           const struct gpumemprof_capture_node *nodes);
/* The same for the lists in records of out-of-memory; after that. */
void gpm_native_lines_of_ooms(struct gpm_reader *reader);

static inline bool gpm_native_is_scope(const struct gpumemprof_capture_site *s) {
  return s->kind == GPUMEMPROF_SITE_FUNCTION && s->flags & GPUMEMPROF_SITE_AT_ADDRESS;
}

#endif
