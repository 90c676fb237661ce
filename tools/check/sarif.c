/* sarif.c - see sarif.h. */
#include "check/sarif.h"

#include "capture/source_root.h"
#include "support/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_ROOT "%SRCROOT%" /* named in SARIF 2.1.0, section 3.14.14 */

/* Returns the path as a URI. The caller frees it. */
static char *uri_of(const char *path, const char *end) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  char *text = gpm_memory_array(strlen(path) * 3 + strlen(end) + 8, 1), *at = text;
  if (*path == '/') at += sprintf(at, "file://");
  for (const char *c = path; *c; c++) {
    if (strchr(plain, *c)) *at++ = *c;
    else at += sprintf(at, "%%%02X", (unsigned char)*c);
  }
  strcpy(at, end);
  return text;
}

/* A file below the root of the sources gets a relative URI, so that it is found wherever the
 * repository is checked out. */
static json_t *artifact_of(const char *file, const char *root) {
  char *below = gpm_source_root_below(root, file), *uri = uri_of(below ? below : file, "");
  json_t *artifact = json_pack("{s:s}", "uri", uri);
  if (below) json_object_set_new(artifact, "uriBaseId", json_string(SOURCE_ROOT));
  free(below);
  free(uri);
  return artifact;
}

json_t *gpm_sarif_message(const char *text) {
  return json_pack("{s:s}", "text", text);
}

json_t *gpm_sarif_location(const char *file, uint32_t line, const char *function,
                           const char *root) {
  json_t *location = json_object();
  if (*file) {
    json_t *physical = json_pack("{s:o}", "artifactLocation", artifact_of(file, root));
    if (line)
      json_object_set_new(physical, "region", json_pack("{s:I}", "startLine", (json_int_t)line));
    json_object_set_new(location, "physicalLocation", physical);
  }
  if (*function)
    json_object_set_new(
        location, "logicalLocations",
        json_pack("[{s:s,s:s}]", "fullyQualifiedName", function, "kind", "function"));
  return location;
}

json_t *gpm_sarif_rule(const char *id, const char *text, const char *level) {
  return json_pack("{s:s,s:{s:s},s:{s:s}}", "id", id, "shortDescription", "text", text,
                   "defaultConfiguration", "level", level);
}

void gpm_sarif_print(json_t *rules, json_t *results, const char *root) {
  char *base = uri_of(root, strcmp(root, "/") ? "/" : "");
  json_t *sarif =
      json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:[{s:b}],s:{s:{s:s}},s:s,s:o}]}", "$schema",
                "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                "driver", "name", "gpumemprof", "version", GPM_VERSION, "rules", rules,
                "invocations", "executionSuccessful", 1, "originalUriBaseIds", SOURCE_ROOT, "uri",
                base, "columnKind", "unicodeCodePoints", "results", results);
  free(base);
  json_dumpf(sarif, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(sarif);
}
