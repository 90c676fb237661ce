/* budget_words.c - one line on stderr for a budget that was broken: what, where and by which path.
 *
 *   gpumemprof: budget of 512.00 MiB exceeded by 88.50 MiB in step (app.cu:12): 600.50 MiB needed
 * on top of what was there; called from app.cu:40 main
 *
 * budgets.c says each record once. All text comes from the capture, which stays mapped when the
 * program's objects do not; files below the folder the program started in are named from there.
 */
#include "budgets.h"

#include <errno.h>
#include <string.h>

#define GPM_BUDGETS_SAID 8 /* other messages must come through too (text.c) */
#define GPM_LEVELS_SAID 12

struct budget_words {
  char text[1536];
  size_t length;
};

static void say_text(struct budget_words *w, const char *text) {
  w->length = gpm_text_add(w->text, sizeof w->text, w->length, text);
}

static void say_number(struct budget_words *w, uint64_t number) {
  w->length = gpm_text_add_number(w->text, sizeof w->text, w->length, number);
}

static void say_bytes(struct budget_words *w, uint64_t bytes) {
  w->length = gpm_text_add_bytes(w->text, sizeof w->text, w->length, bytes);
}

static void say_string(struct budget_words *w, uint32_t offset) {
  if (offset) say_text(w, gpm_strings_text(offset));
}

static void say_blocks(struct budget_words *w, uint64_t blocks) {
  say_number(w, blocks);
  say_text(w, blocks == 1 ? " block" : " blocks");
}

static void say_file(struct budget_words *w, uint32_t file, uint32_t line) {
  const char *name = file ? gpm_strings_text(file) : "", *folder = gpm_capture->directory;
  size_t n = strlen(folder);
  if (n && !strncmp(name, folder, n) && name[n] == '/') name += n + 1;
  say_text(w, *name ? name : "(code that was not rebuilt)");
  if (!line) return;
  say_text(w, ":");
  say_number(w, line);
}

/* "step (app.cu:12)", "step {load} (app.cu:14)" */
static void say_scope(struct budget_words *w, const struct gpm_node *node) {
  const struct gpumemprof_capture_site *s = gpm_sites_record(node->record->site);
  say_string(w, s->function);
  if (s->name) {
    say_text(w, " {");
    say_string(w, s->name);
    say_text(w, "}");
  }
  say_text(w, " (");
  say_file(w, s->file, s->line);
  say_text(w, ")");
}

/* "app.cu:40 main > app.cu:33 train", outermost first: the calls below `from` down to `node`. */
static void say_path(struct budget_words *w, const char *before, const struct gpm_node *node,
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
  say_text(w, before);
  if (left_out) say_text(w, "... > ");
  while (count-- > 0) {
    say_file(w, calls[count]->file, calls[count]->line);
    say_text(w, " ");
    say_string(w, calls[count]->function);
    if (count) say_text(w, " > ");
  }
}

static void describe_broken(struct budget_words *w, const struct gpm_broken *b) {
  const struct gpm_node *scope = b->budget->node;
  switch (b->kind) {
  case GPUMEMPROF_BUDGET_BYTES:
    say_text(w, "budget of ");
    say_bytes(w, b->budget->bytes);
    say_text(w, " exceeded by ");
    say_bytes(w, b->bytes - b->budget->bytes);
    say_text(w, " in ");
    say_scope(w, scope);
    say_text(w, ": ");
    say_bytes(w, b->bytes);
    say_text(w, " needed on top of what was there");
    break;
  case GPUMEMPROF_BUDGET_NO_ALLOC:
    say_text(w, "NO_ALLOC broken in ");
    say_scope(w, scope);
    say_path(w, ": allocated at ", b->call, scope);
    break;
  case GPUMEMPROF_BUDGET_NO_LEAK:
    say_text(w, "NO_LEAK broken in ");
    say_scope(w, scope);
    say_text(w, ": ");
    say_bytes(w, b->bytes);
    say_text(w, " in ");
    say_blocks(w, b->blocks);
    say_text(w, " left");
    const struct gpumemprof_capture_line *line = b->largest ? b->largest->line : NULL;
    if (!line) break;
    say_text(w, b->blocks == 1 ? ", allocated at " : ", the largest allocated at ");
    say_file(w, line->file, line->line);
    say_text(w, " ");
    say_string(w, line->function);
    break;
  }
  say_path(w, "; called from ", scope->parent, NULL);
}

void gpm_budget_say(const struct gpm_broken *broken) {
  static _Atomic unsigned budgets_said;
  unsigned number = atomic_fetch_add(&budgets_said, 1);
  int saved = errno;
  if (number < GPM_BUDGETS_SAID) {
    struct budget_words w = {.length = 0};
    gpm_lock_take(&gpm_tree_lock); /* tables of sites may grow */
    describe_broken(&w, broken);
    gpm_lock_release(&gpm_tree_lock);
    gpm_text_say(w.text, NULL);
  } else if (number == GPM_BUDGETS_SAID)
    gpm_text_say("more budgets were broken; 'gpumemprof check' lists them all", NULL);
  errno = saved;
}
