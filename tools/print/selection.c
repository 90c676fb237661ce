/* selection.c - see selection.h. */
#include "print/selection.h"

#include "output/json.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>

void gpm_selection_print(const struct gpm_input *input) {
  char *text = gpm_input_part_text(input);
  if (text) printf("figures are of a part of each: %s\n", text);
  free(text);
}

/* Appends an option to a text, which may be null. */
static char *with_option(char *text, const char *option, const char *value) {
  if (!value) return text;
  char *clean = gpm_text_clean(value);
  char *longer = gpm_memory_format("%s%s%s %s", text ? text : "", text ? " " : "", option, clean);
  free(clean);
  free(text);
  return longer;
}

char *gpm_selection_text(const struct gpm_input *input) {
  char *filter = input->patterns.count ? gpm_patterns_text(&input->patterns) : NULL;
  char *text = with_option(NULL, "--device", input->device);
  text = with_option(with_option(text, "--kind", input->kind), "--filter", filter);
  free(filter);
  return text;
}

static json_t *moment_json(const struct gpm_moment *moment) {
  return moment->given ? gpm_json_text(moment->given) : json_null();
}

void gpm_selection_json(json_t *report, const struct gpm_input *input) {
  const struct gpm_window *window = &input->split.window;
  if (gpm_window_is_given(window)) {
    json_t *part = json_object();
    gpm_json_put(part, part_of_each, from, moment_json(&window->from));
    gpm_json_put(part, part_of_each, to, moment_json(&window->to));
    gpm_json_put(report, merge, part, part);
  }
  if (!input->patterns.count) return;
  char *text = gpm_patterns_text(&input->patterns);
  gpm_json_put(report, merge, filter, gpm_json_text(text));
  free(text);
}

void gpm_selection_print_hidden(const struct gpm_input *input, uint32_t hidden, const char *title) {
  char least[GPM_TEXT_NUMBER];
  if (!hidden) return;
  gpm_text_bytes(least, (int64_t)input->least, input->exact ? GPM_TEXT_EXACT : 0);
  printf("%u row%s with less than %s in `%s` %s hidden (--min)\n", hidden, hidden == 1 ? "" : "s",
         least, title, hidden == 1 ? "is" : "are");
}

json_t *gpm_selection_hidden_json(const struct gpm_input *input, uint32_t hidden, const char *key) {
  if (!input->least) return NULL;
  json_t *json = json_object();
  gpm_json_put(json, hidden, rows, json_integer(hidden));
  gpm_json_put(json, hidden, column, json_string(key));
  gpm_json_put(json, hidden, below, json_integer((json_int_t)input->least));
  return json;
}
