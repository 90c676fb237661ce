/* budget_words.c - one line on stderr for a budget that was broken: what, where and by which path.
 *
 *   gpumemprof: budget of 512.00 MiB exceeded by 88.50 MiB in step (app.cu:12): 600.50 MiB needed
 * on top of what was there; called from app.cu:40 main
 *
 * budgets.c calls it once for each record. All text comes from the capture, because the capture
 * stays mapped when the program's objects do not. Files below the folder in which the program was
 * started are named relative to it.
 */
#include "base/lock.h"
#include "base/text.h"
#include "budgets/budgets.h"
#include "capture/words.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/sites.h"

#include <errno.h>

#define GPM_BUDGETS_SAID 8 /* leaves room for other messages (text.c has a limit) */
#define GPM_LEVELS_SAID 12

static void say_blocks(struct gpm_words *w, uint64_t blocks) {
  gpm_words_number(w, blocks);
  gpm_words_add(w, blocks == 1 ? " block" : " blocks");
}

/* "step (app.cu:12)", "step {load} (app.cu:14)" */
static void say_scope(struct gpm_words *w, const struct gpm_node *node) {
  const struct gpumemprof_capture_site *s = gpm_sites_record(node->record->site);
  gpm_words_name(w, s->function);
  if (s->name) {
    gpm_words_add(w, " {");
    gpm_words_name(w, s->name);
    gpm_words_add(w, "}");
  }
  gpm_words_add(w, " (");
  gpm_words_file(w, s->file, s->line);
  gpm_words_add(w, ")");
}

/* "app.cu:40 main > app.cu:33 train", outermost first: the calls below `from` down to `node`. */
static void say_path(struct gpm_words *w, const char *before, const struct gpm_node *node,
                     const struct gpm_node *from) {
  const struct gpumemprof_capture_site *calls[GPM_LEVELS_SAID];
  unsigned count = 0, left_out = 0;
  for (; node && node != from; node = node->parent) {
    uint32_t site = node->record->site;
    if (site == GPUMEMPROF_NONE) break;
    const struct gpumemprof_capture_site *s = gpm_sites_record(site);
    if (s->kind == GPUMEMPROF_SITE_FUNCTION || s->kind == GPUMEMPROF_SITE_BLOCK) continue;
    if (count < GPM_LEVELS_SAID) calls[count++] = s;
    else left_out++;
  }
  if (!count) return;
  gpm_words_add(w, before);
  if (left_out) gpm_words_add(w, "... > ");
  while (count-- > 0) {
    gpm_words_location(w, calls[count]->file, calls[count]->line, calls[count]->function);
    if (count) gpm_words_add(w, " > ");
  }
}

static void describe_broken(struct gpm_words *w, const struct gpm_broken *b) {
  const struct gpm_node *scope = b->budget->node;
  switch (b->kind) {
  case GPUMEMPROF_BUDGET_BYTES:
    gpm_words_add(w, "budget of ");
    gpm_words_bytes(w, b->budget->bytes);
    gpm_words_add(w, " exceeded by ");
    gpm_words_bytes(w, b->bytes - b->budget->bytes);
    gpm_words_add(w, " in ");
    say_scope(w, scope);
    gpm_words_add(w, ": ");
    gpm_words_bytes(w, b->bytes);
    gpm_words_add(w, " needed on top of what was there");
    break;
  case GPUMEMPROF_BUDGET_NO_ALLOC:
    gpm_words_add(w, "NO_ALLOC broken in ");
    say_scope(w, scope);
    say_path(w, ": allocated at ", b->call, scope);
    break;
  case GPUMEMPROF_BUDGET_NO_LEAK:
    gpm_words_add(w, "NO_LEAK broken in ");
    say_scope(w, scope);
    gpm_words_add(w, ": ");
    gpm_words_bytes(w, b->bytes);
    gpm_words_add(w, " in ");
    say_blocks(w, b->blocks);
    gpm_words_add(w, " left");
    const struct gpumemprof_capture_line *line = b->largest ? b->largest->line : NULL;
    if (!line) break;
    gpm_words_add(w, b->blocks == 1 ? ", allocated at " : ", the largest allocated at ");
    gpm_words_location(w, line->file, line->line, line->function);
    break;
  }
  say_path(w, "; called from ", scope->parent, NULL);
}

void gpm_budget_say(const struct gpm_broken *broken) {
  static _Atomic unsigned budgets_said;
  unsigned number = atomic_fetch_add(&budgets_said, 1);
  int saved = errno;
  if (number < GPM_BUDGETS_SAID) {
    struct gpm_words w = {.length = 0};
    gpm_lock_take(&gpm_tree_lock); /* the tables of sites may grow */
    describe_broken(&w, broken);
    gpm_lock_release(&gpm_tree_lock);
    gpm_text_say(w.text, NULL);
  } else if (number == GPM_BUDGETS_SAID)
    gpm_text_say("more budgets were broken; 'gpumemprof check' lists them all", NULL);
  errno = saved;
}
