/* machine_paths_print.c - see machine_paths_print.h. */
#include "print/machine_paths_print.h"

#include "output/json.h"

#include <stdio.h>

/* Texts of a capture may have bytes that are not valid UTF-8. These are replaced in the JSON, and
 * in the text too. */
static json_t *list_of(const struct gpm_machine_paths *v) {
  json_t *list = json_array();
  for (size_t i = 0; i < v->count; i++) {
    const struct gpm_machine_difference *d = &v->difference[i];
    json_t *one = json_object();
    gpm_json_put(one, different_path, line, gpm_json_text(d->line));
    gpm_json_put(one, different_path, recorded, gpm_json_text(d->recorded));
    gpm_json_put(one, different_path, machine, gpm_json_text(d->machine));
    gpm_json_put(one, different_path, paths, json_integer((json_int_t)d->paths));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *reasons_of(const struct gpm_machine_paths *v) {
  json_t *reasons = json_array();
  for (size_t i = 0; i < v->reason_count; i++)
    json_array_append_new(reasons, gpm_json_text(v->reason[i]));
  return reasons;
}

static void print_text(const struct gpm_machine_paths *v, json_t *list, json_t *reasons) {
  size_t i;
  json_t *one;
  if (!v->paths)
    puts(v->has_lines
             ? "no machine stacks were recorded; run the program with "
               "GPUMEMPROF_OPTIONS=verify=paths"
             : "no rebuilt line allocated or freed anything, so there is nothing to compare");
  else
    printf("call paths compared with the machine stack: %zu of %zu, %zu differ\n", v->compared,
           v->paths, v->different);
  if (v->unverified) {
    printf("%zu of them could not be compared in full:\n", v->unverified);
    json_array_foreach(reasons, i, one) printf("  %s\n", json_string_value(one));
  }
  json_array_foreach(list, i, one) {
    json_int_t paths = json_integer_value(json_object_get(one, "paths"));
    printf("\n%s is not where the machine was", json_string_value(json_object_get(one, "line")));
    if (paths > 1) printf(" on %" JSON_INTEGER_FORMAT " paths, of which this is the first", paths);
    printf("\n  recorded: %s\n  machine:  %s\n",
           json_string_value(json_object_get(one, "recorded")),
           json_string_value(json_object_get(one, "machine")));
  }
}

static void print_json(const struct gpm_machine_paths *v, json_t *list, json_t *reasons) {
  json_t *all = json_object();
  gpm_json_put(all, paths, version, json_integer(GPM_JSON_VERSION));
  gpm_json_put(all, paths, recorded, json_integer((json_int_t)v->paths));
  gpm_json_put(all, paths, compared, json_integer((json_int_t)v->compared));
  gpm_json_put(all, paths, different, json_integer((json_int_t)v->different));
  gpm_json_put(all, paths, unverified, json_integer((json_int_t)v->unverified));
  gpm_json_put(all, paths, differences, json_incref(list));
  gpm_json_put(all, paths, reasons, json_incref(reasons));
  json_dumpf(all, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(all);
}

bool gpm_machine_paths_print(const struct gpm_reader *reader, enum gpm_format format) {
  struct gpm_machine_paths found;
  gpm_machine_paths_find(reader, &found);
  json_t *list = list_of(&found), *reasons = reasons_of(&found);
  if (format == GPM_FORMAT_JSON) print_json(&found, list, reasons);
  else print_text(&found, list, reasons);
  json_decref(list);
  json_decref(reasons);
  bool agree = !found.different;
  gpm_machine_paths_free(&found);
  return agree;
}
