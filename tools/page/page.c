/* page.c - the page around its sections: see page.h. */
#include "page/page_walk.h"

#include "advice_picture/advice_picture.h"
#include "events/walk.h"
#include "input/command.h"
#include "support/map.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* A page that would be too large leaves out call paths until no more than this many are left. */
#define MANY_NODES 20000u
#define FEW_NODES 1000u
#define MOST_OF_A_NODE 80 /* bytes in the page, with its cells and pairs */
/* Paths that leaked have rows of their own. */
#define NODES_FOR_A_LEAK 8u
#define SIZE_OF_A_LEAK 40 /* bytes in the page */

/* Escapes a text for HTML, because the name of a file may hold any character. */
static size_t write_title(const struct gpm_page *page) {
  char *name = gpm_text_clean(gpm_text_base(page->reader->path));
  size_t size = 0;
  for (const char *at = name; *at; at++) {
    const char *as = *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : *at == '&' ? "&amp;" : NULL;
    if (as) fputs(as, page->file);
    else fputc(*at, page->file);
    size += as ? strlen(as) : 1;
  }
  static const char behind[] = " - gpumemprof";
  fputs(behind, page->file);
  free(name);
  return size + strlen(behind);
}

static void number_devices(struct gpm_page *page) {
  const struct gpm_reader *r = page->reader;
  page->device = gpm_memory_array(r->device_count, sizeof *page->device);
  for (uint32_t i = 0; i < r->device_count; i++) page->device[r->device_order[i]] = i;
}

static void say_too_large(const struct gpm_page *page, uint64_t needed) {
  char needs[GPM_TEXT_NUMBER], most[GPM_TEXT_NUMBER];
  gpm_say("the page takes %s even without single blocks, and --max-size allows %s: give it "
          "--max-size %lluMiB, or leave memory out with --device, --kind or --filter",
          gpm_text_bytes(needs, (int64_t)needed, 0), gpm_text_bytes(most, (int64_t)page->most, 0),
          (unsigned long long)((needed >> 20) + 1));
}

/* The section `events` gets what is left of the page's size. */
static bool write_events(struct gpm_page *page, uint64_t size) {
  bool has = gpm_page_has_events(page);
  uint64_t left = size < page->most ? page->most - size : 0, least = 0;
  if (has && gpm_page_events(page, left, &least)) return true;
  if (has && !least) return false;
  if (size + least <= page->most) return true;
  say_too_large(page, size + least);
  return false;
}

/* ---- rows and call paths -----------------------------------------------------------------------
 */

static void make_tables(struct gpm_page *page, uint32_t nodes) {
  uint32_t leaks = nodes < page->profile->node_count ? nodes / NODES_FOR_A_LEAK : 0;
  gpm_progress("adding up");
  gpm_rows_make(&page->lines, page->profile, GPM_BY_LINE);
  gpm_page_paths_make(&page->paths, page->profile, nodes);
  gpm_leaks_find(&page->leaks, page->profile, &(struct gpm_leaks_request){.most = leaks});
}

static void free_tables(struct gpm_page *page) {
  gpm_leaks_free(&page->leaks);
  gpm_page_paths_free(&page->paths);
  gpm_rows_free(&page->lines);
  gpm_words_free(&page->texts);
  gpm_map_free(&page->text);
  page->texts = (struct gpm_words){.count = 0};
  page->text = (struct gpm_map){.count = 0};
}

/* Returns the size of everything that is written for each call path, with the call paths that the
 * page has now; 0 after it reported that there is no memory. */
static uint64_t size_of_paths(struct gpm_page *page) {
  FILE *file = page->file;
  char *text = NULL;
  size_t size = 0;
  struct gpm_page_section section;
  page->file = open_memstream(&text, &size);
  bool ok = page->file && gpm_page_section_begin(&section, page->file, "profile");
  if (ok) {
    gpm_page_tree(page, section.file);
    ok = gpm_page_section_end(&section);
  }
  if (page->file) fclose(page->file);
  page->file = file;
  free(text);
  return ok ? section.size : 0;
}

/* Estimates how many nodes the page has room for, from the size of the heaviest sixteenth of them,
 * which are as large as the others. */
static uint32_t estimate(struct gpm_page *page, uint64_t room) {
  uint32_t all = page->profile->node_count;
  if (all < MANY_NODES || (double)all * MOST_OF_A_NODE < (double)room) return all;
  make_tables(page, all / 16);
  uint64_t size = size_of_paths(page);
  uint32_t leaks = page->leaks.all;
  free_tables(page);
  double needed = (double)size * 16 + (double)leaks * SIZE_OF_A_LEAK;
  if (needed < (double)room) return all;
  double of_a_node = (double)size * 16 / all + (double)SIZE_OF_A_LEAK / NODES_FOR_A_LEAK;
  double nodes = 0.9 * (double)room / of_a_node;
  return nodes > all ? all : nodes > FEW_NODES ? (uint32_t)nodes : FEW_NODES;
}

/* Returns the section `profile`, in memory that the caller frees. It leaves out call paths until
 * the section fits, or few are left. Returns null after it reported what is wrong. */
static char *make_profile(struct gpm_page *page, uint64_t room, uint64_t *size) {
  FILE *file = page->file;
  uint32_t nodes = estimate(page, room);
  for (;;) {
    make_tables(page, nodes);
    gpm_progress("writing");
    char *text = NULL;
    size_t length = 0;
    page->file = open_memstream(&text, &length);
    bool ok = page->file && gpm_page_profile(page, size);
    if (page->file) ok = !fclose(page->file) && ok;
    page->file = file;
    if (ok && (*size <= room || page->paths.nodes.count <= FEW_NODES)) return text;
    free(text);
    if (!ok) return NULL;
    nodes = (uint32_t)(page->paths.nodes.count * 0.8 * (double)room / (double)*size);
    if (nodes < FEW_NODES) nodes = FEW_NODES;
    free_tables(page);
  }
}

/* The section `advice`. */
static bool write_advice(struct gpm_page *page, uint64_t *size) {
  struct gpm_page_section section;
  if (!gpm_page_section_begin(&section, page->file, "advice")) return false;
  json_t *all = gpm_advice_picture_json(page->advice, page->device);
  json_dumpf(all, section.file, JSON_COMPACT);
  json_decref(all);
  bool ok = gpm_page_section_end(&section);
  *size = section.size;
  return ok;
}

static bool write_sections(struct gpm_page *page, uint64_t size) {
  uint64_t profile, sources = 0, diff = 0, advice = 0,
                    left = size < page->most ? page->most - size : 0;
  /* If there are few paths, blocks are left out before any path. */
  bool more = (gpm_page_has_events(page) || page->diff) && page->profile->node_count >= MANY_NODES;
  char *text = make_profile(page, left - left / (more ? 4 : 16), &profile);
  if (!text) return false;
  fwrite(text, 1, profile, page->file);
  free(text);
  if (!page->redacted && !gpm_page_sources(page, &sources)) return false;
  if (page->diff && !gpm_page_diff_write(page, &diff)) return false;
  if (page->advice && !write_advice(page, &advice)) return false;
  return write_events(page, size + profile + sources + diff + advice);
}

/* Finds which line to change, if the capture says what used which memory. False after it said what
 * is wrong. */
static bool make_advice(struct gpm_page *page, struct gpm_advise_made *made) {
  if (!gpm_page_has_advice(page)) return true;
  gpm_progress("finding what used which memory");
  gpm_kernel_code_add_modules(page->code, page->reader);
  page->advice = made;
  return gpm_advise_make(made, page->reader, page->profile, page->code);
}

bool gpm_page_write(struct gpm_page *page) {
  const char *part[3];
  size_t size[3];
  if (!gpm_page_viewer(part, size)) return false;
  gpm_say_host()->bare_files = true;
  number_devices(page);
  gpm_pools_make(&page->pools, page->reader, &page->filter);
  page->budgets = gpm_budgets_judge(page->profile);
  gpm_page_of_devices_make(page);
  struct gpm_page_walk walk;
  page->walk = &walk;
  struct gpm_advise_made made;
  bool ok = gpm_page_walk(&walk, page) && make_advice(page, &made);
  fwrite(part[0], 1, size[0], page->file);
  size_t title = write_title(page);
  fwrite(part[1], 1, size[1], page->file);
  ok = ok && write_sections(page, size[0] + title + size[1] + size[2]);
  fwrite(part[2], 1, size[2], page->file);
  gpm_page_walk_free(&walk);
  if (page->advice) gpm_advise_free(&made);
  gpm_page_of_devices_free(&page->of_devices);
  gpm_budgets_free(&page->budgets);
  gpm_pools_free(&page->pools);
  page->nodes = page->paths.nodes.count;
  free_tables(page);
  free(page->device);
  return ok;
}
