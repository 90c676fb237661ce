/* next.c - see next.h. */
#include "answers/next.h"

#include "analysis/budgets.h"
#include "analysis/oom.h"
#include "answers/allocator.h"
#include "model/split_cells.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>

struct next {
  const char *command, *why;
};

/* Memory that the report shows. Variables exist until the end, and pieces lie in other blocks. */
static bool has_leaks(const struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  if (gpm_reader_is_midway(r) || gpm_split_is_part(r)) return false;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (c->kind != GPUMEMPROF_KIND_STATIC && p->cell_shown[at.number] &&
        c->allocated.bytes > c->freed.bytes)
      return true;
  return false;
}

/* Nothing was, for example, where each call failed because there is no driver. */
static bool has_allocations(const struct gpm_profile *p) {
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (c->allocated.blocks) return true;
  return false;
}

static bool has_broken_budgets(const struct gpm_profile *p) {
  struct gpm_budgets budgets = gpm_budgets_judge(p);
  bool broken = budgets.broken;
  gpm_budgets_free(&budgets);
  return broken;
}

static struct next choose(const struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  bool part = gpm_split_is_part(r);
  if (gpm_oom_count(r)) return (struct next){"oom", "what held the memory then"};
  if (!part && has_broken_budgets(p))
    return (struct next){"check", "which budgets were broken, and how"};
  if (gpm_reader_state(r) == GPM_STATE_RUNNING && !part)
    return (struct next){"top", "the program as it goes on"};
  if (has_leaks(p)) return (struct next){"leaks", "what was never freed"};
  if (!has_allocations(p)) return (struct next){"info", "what was recorded, and how"};
  if (r->event_chunks) return (struct next){"html", "a page that shows the whole run"};
  return (struct next){"peak", "what was live at the peak"};
}

/* The second line: it is about the whole report, whatever is next. */
static void print_allocator(const struct gpm_profile *p, const char *path) {
  struct gpm_allocator allocator;
  if (!gpm_allocator_find(p, &allocator)) return;
  char *name = gpm_text_shell(allocator.function);
  printf(
      "      gpumemprof report --wrapper %s %s   charges its callers: %s looks like an allocator\n",
      name, path, allocator.line);
  free(name);
  free(allocator.line);
  free(allocator.function);
}

void gpm_next_print(const struct gpm_profile *p, const char *advice) {
  struct next next = choose(p);
  char *path = gpm_text_path(p->reader->host, p->reader->path), *word = gpm_text_shell(path);
  printf("\nNext: gpumemprof %s %s   %s\n", next.command, word, next.why);
  if (advice) printf("      gpumemprof advise %s   %s\n", word, advice);
  print_allocator(p, word);
  free(path);
  free(word);
}
