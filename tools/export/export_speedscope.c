/* export_speedscope.c - writes speedscope's own file format: shared frames, and for each figure a
 * profile of weighted stacks. */
#include "export/clean_text.h"
#include "export/export.h"
#include "export/path_sums.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_frames(const struct gpm_export *x) {
  fputs("\"shared\":{\"frames\":[", x->file);
  for (uint32_t i = 0; i < x->frames->keys.count; i++) {
    char *function = gpm_frames_function(x->frames, i), *file = gpm_frames_file(x->frames, i);
    uint32_t line = gpm_frames_line(x->frames, i);
    fputs(i ? ",\n{\"name\":" : "\n{\"name\":", x->file);
    gpm_export_quote(x->file, function);
    if (*file) {
      fputs(",\"file\":", x->file);
      gpm_export_quote(x->file, file);
    }
    if (line) fprintf(x->file, ",\"line\":%" PRIu32, line);
    putc('}', x->file);
    free(function);
    free(file);
  }
  fputs("]}", x->file);
}

static void write_profile(const struct gpm_export *x, const char *name, const char *unit,
                          enum gpm_export_value value) {
  uint64_t *sum = gpm_export_sums(x, value), all = 0;
  for (uint32_t n = 0; n < x->profile->node_count; n++) all += sum[n];
  fprintf(x->file,
          "%s\n{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\",\"startValue\":0,"
          "\"endValue\":%" PRIu64 ",\"samples\":[",
          value ? "," : "", name, unit, all);
  const char *comma = "";
  for (uint32_t n = 0; n < x->profile->node_count; n++) {
    if (!sum[n]) continue;
    fprintf(x->file, "%s[", comma);
    for (uint32_t i = gpm_frames_path(x->frames, n); i-- > 0;)
      fprintf(x->file, "%" PRIu32 "%s", x->frames->stack[i], i ? "," : "]");
    comma = ",\n";
  }
  fputs("],\"weights\":[", x->file);
  comma = "";
  for (uint32_t n = 0; n < x->profile->node_count; n++) {
    if (!sum[n]) continue;
    fprintf(x->file, "%s%" PRIu64, comma, sum[n]);
    comma = ",";
  }
  fputs("]}", x->file);
  free(sum);
}

bool gpm_export_speedscope(const struct gpm_export *x) {
  char *command = gpm_export_command(x);
  fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":"
        "\"gpumemprof " GPM_VERSION "\",\n\"name\":",
        x->file);
  gpm_export_quote(x->file, command);
  fputs(",\n\"activeProfileIndex\":0,\n\"profiles\":[", x->file);
  write_profile(x, "at each device's peak", "bytes", GPM_EXPORT_VALUE_at_peak);
  write_profile(x, "allocated", "bytes", GPM_EXPORT_VALUE_self_alloc);
  write_profile(x, "leaked", "bytes", GPM_EXPORT_VALUE_leaked);
  write_profile(x, "allocations", "none", GPM_EXPORT_VALUE_blocks);
  fputs("],\n", x->file);
  write_frames(x);
  fputs("}\n", x->file);
  free(command);
  return true;
}
