/* tool_text.c - the tool's own parsing and printing of text: sizes, names, paths. The first byte
 * says which. What is printed has to be clean, what is parsed has to come out as it went in. */
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Valid UTF-8 without control characters, judged by decoding it. */
static bool is_clean(const char *text) {
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    unsigned n = *s < 0x80 ? 0 : *s >> 5 == 6 ? 1 : *s >> 4 == 14 ? 2 : *s >> 3 == 30 ? 3 : 9;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t c = n ? *s & (0x3f >> n) : *s;
    if (n > 3) return false;
    s++;
    for (unsigned i = 0; i < n; i++, s++) {
      if (*s >> 6 != 2) return false;
      c = c << 6 | (*s & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
  }
  return true;
}

static void print(const uint8_t *data, size_t size) {
  uint64_t number = 0;
  char out[GPM_TEXT_NUMBER];
  memcpy(&number, data, size < sizeof number ? size : sizeof number);
  for (unsigned style = 0; style < 8; style++)
    if (!*gpm_text_bytes(out, (int64_t)number, style) || !is_clean(out)) abort();
  if (!*gpm_text_duration(out, number) || !is_clean(out)) abort();
}

static void parse(const char *text) {
  uint64_t bytes = 1;
  if (gpm_text_parse_bytes(text, &bytes)) {
    char printed[32];
    uint64_t other = 0;
    if (bytes >> 63) abort();
    snprintf(printed, sizeof printed, "%" PRIu64, bytes);
    if (!gpm_text_parse_bytes(printed, &other) || other != bytes) abort();
  } else if (bytes != 1) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const words[] = {"report", "own_peak_max", "at-peak", "a", "", NULL};
  if (!size) return 0;
  char *text = malloc(size), *clean;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  switch (*data % 5) {
  case 0:
    print(data + 1, size - 1);
    break;
  case 1:
    parse(text);
    break;
  case 2:
    clean = gpm_text_clean(text);
    if (!is_clean(clean) || (is_clean(text) && strcmp(text, clean))) abort();
    free(clean);
    break;
  case 3:
    clean = gpm_text_file(NULL, text);
    if (!is_clean(clean) || strlen(clean) > 3 * strlen(text)) abort();
    free(clean);
    break;
  default:
    gpm_text_nearest(text, words);
  }
  free(text);
  return 0;
}
