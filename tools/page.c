/* page.c - the page around its sections: see page.h. */
#include "page.h"

#include "command.h"
#include "text.h"
#include "walk.h"

#include <stdlib.h>
#include <string.h>

/* As HTML has it: the name of a file may hold anything. */
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

/* What is left of the page's size is for events. */
static bool write_events(struct gpm_page *page, uint64_t size) {
  bool has = gpm_walk_knows_all(page->reader);
  uint64_t left = size < page->most ? page->most - size : 0, least = 0;
  if (has && gpm_page_events(page, left, &least)) return true;
  if (has && !least) return false;
  if (size + least <= page->most) return true;
  say_too_large(page, size + least);
  return false;
}

static bool write_sections(struct gpm_page *page, uint64_t size) {
  uint64_t profile, sources = 0, diff = 0;
  if (!gpm_page_profile(page, &profile)) return false;
  if (!page->redacted && !gpm_page_sources(page, &sources)) return false;
  if (page->diff && !gpm_page_diff_write(page, &diff)) return false;
  return write_events(page, size + profile + sources + diff);
}

bool gpm_page_write(struct gpm_page *page) {
  const char *part[3];
  size_t size[3];
  if (!gpm_page_viewer(part, size)) return false;
  gpm_text_bare_files(true);
  number_devices(page);
  gpm_progress("adding up");
  gpm_rows_make(&page->lines, page->profile, GPM_BY_LINE);
  gpm_rows_make(&page->paths, page->profile, GPM_BY_PATH);
  gpm_leaks_find(&page->leaks, page->profile, 0, NULL);
  gpm_pools_make(&page->pools, page->reader, &page->filter);
  page->budgets = gpm_budgets_judge(page->profile);
  gpm_progress("writing");
  fwrite(part[0], 1, size[0], page->file);
  size_t title = write_title(page);
  fwrite(part[1], 1, size[1], page->file);
  bool ok = write_sections(page, size[0] + title + size[1] + size[2]);
  fwrite(part[2], 1, size[2], page->file);
  gpm_budgets_free(&page->budgets);
  gpm_pools_free(&page->pools);
  gpm_leaks_free(&page->leaks);
  gpm_rows_free(&page->paths);
  gpm_rows_free(&page->lines);
  gpm_words_free(&page->texts);
  gpm_map_free(&page->text);
  free(page->device);
  return ok;
}
