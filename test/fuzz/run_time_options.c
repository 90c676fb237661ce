/* run_time_options.c - whatever text GPUMEMPROF_OPTIONS has, the options stay within their bounds
 * and the name of the capture within its buffer. The input: the options, a NUL, the host's name. */
#include "base/text.h"
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The pattern expanded by another hand; null when it does not fit. */
static char *expanded(const char *pattern, const char *host, size_t room) {
  size_t length = 0;
  char *text = malloc(strlen(pattern) * (strlen(host) + 20) + 1);
  for (const char *p = pattern; *p; p++) {
    const char *part = NULL;
    if (p[0] == '%' && p[1] == 'h') part = host;
    if (p[0] == '%' && p[1] == 'p') part = "18446744073709551615";
    if (p[0] == '%' && p[1] == 'r') part = "123456789";
    if (part) {
      strcpy(text + length, part);
      length += strlen(part);
    } else text[length++] = *p;
    if (part || (p[0] == '%' && p[1] == '%')) p++;
  }
  text[length] = 0;
  if (length < room) return text;
  free(text);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char options[1 << 16], host[64], path[GPM_PATH_MAX];
  const uint8_t *end = memchr(data, 0, size);
  size_t length = end ? (size_t)(end - data) : size, rest = end ? size - length - 1 : 0;
  if (length >= sizeof options) return 0;
  memcpy(options, data, length);
  options[length] = 0;
  if (rest >= sizeof host) rest = sizeof host - 1;
  if (rest) memcpy(host, end + 1, rest);
  host[rest] = 0;
  setenv("GPUMEMPROF_OPTIONS", options, 1);
  setenv("PMI_RANK", "123456789", 1);
  setenv("OMPI_COMM_WORLD_RANK", host, 1); /* mostly no rank */
  if (*host && !host[strspn(host, "0123456789")]) return 0;
  gpm_options_read();
  if (gpm_options.stack < 16 || gpm_options.stack > 1u << 24) abort();
  if (gpm_options.monitor && gpm_options.monitor < GPM_MONITOR_SHORTEST_NS) abort();
  bool listed;
  if (!gpm_ranks_parse(gpm_options.ranks, 0, &listed)) abort();
  const struct gpm_dump_when *when = &gpm_options.when;
  if (when->signal < 0 || when->signal > 64 || when->signal == 9 || when->signal == 11) abort();
  if (when->every_ns && when->every_ns < GPM_DUMP_SHORTEST_NS) abort();
  const struct gpm_steps *steps = &gpm_options.steps;
  if (steps->wait > 1000000000 || steps->active > 1000000000) abort();
  if (!steps->active && (steps->wait || steps->warmup || steps->repeat)) abort();
  if (!memchr(gpm_options.output, 0, GPM_PATH_MAX) || !*gpm_options.output) abort();
  for (size_t room = 8; room <= sizeof path; room *= 8) {
    memset(path, 'x', sizeof path);
    gpm_options_output(path, room, host, UINT64_MAX);
    if (strnlen(path, room) == room) abort();
    char *other = expanded(gpm_options.output, host, room);
    if (other && strcmp(path, other)) abort();
    free(other);
  }
  return 0;
}
